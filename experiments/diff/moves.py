"""What changed from a to b: questions won and lost, gold passages that moved, slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.gold_path import KEPT
from experiments.metrics.direction import higher_is_better
from experiments.metrics.measures import JUDGED

if TYPE_CHECKING:
    import pandas as pd

    from experiments.diff.side import Side
    from experiments.schema import Dataset

WON, LOST, SAME = "won", "lost", "unchanged"
READ_FIRST = 10
MOST_VALUES = 20
_ROUNDING = 1e-12
_NO_DEPTH = 10
_LENGTHS = ("short", "middle", "long")


@dataclass(frozen=True, slots=True, eq=False)
class Diff:
    """a and b on the questions that both scored.

    metric: what decides.  k: the results it reads (10 where it reads all), for a score of answers
        what the fullest prompt shows.  prompts: both sides know their prompts, so these decide
        what is read.
    questions: one row a question, with split, a, b, gain (up is better) and outcome.
    gold: one row a gold passage, with rank_a, rank_b (0 = not there), stage_a, stage_b.
    slices: one row a value of a tag.  first: the questions to read first.
    uncounted: questions that only one side scored.
    judged: the share of the first k results of a and of b that anyone judged, on pooled labels.
    """

    metric: str
    k: int
    questions: pd.DataFrame
    gold: pd.DataFrame
    slices: pd.DataFrame
    first: tuple[str, ...]
    uncounted: int
    prompts: bool = False
    judged: tuple[float, float] | None = None

    @property
    def counted(self) -> str:
        """What it takes for a passage not to be lost, as a clause."""
        return "what a prompt shows counts" if self.prompts else f"the first {self.k} count"

    def count(self, outcome: str) -> int:
        """How many questions were won, lost or unchanged."""
        return int((self.questions["outcome"] == outcome).sum())

    def stages(self, side: str) -> dict[str, int]:
        """Stage -> how many gold passages it lost; side is "a" or "b"."""
        return {str(k): int(v) for k, v in self.gold[f"stage_{side}"].value_counts().items()}


def diff(
    a: Side,
    b: Side,
    dataset: Dataset,
    labels: Mapping[str, Sequence[str]] | None = None,
    metric: str | None = None,
) -> Diff:
    """Compare two sides.

    labels: query id -> the review labels of its gold passages.
    metric: that both have; None for the score that counts in both, else the first they share.
    Raises ValueError where they share no metric or no question.
    """
    metric = _chosen(a, b, metric)
    k = _depth(metric) or max(a.shown, b.shown) or _NO_DEPTH
    questions, uncounted = _questions(a, b, metric)
    if not len(questions):
        raise ValueError(f"{a.name} and {b.name} scored no common question: run them again.")
    gold = _gold(a, b, k)
    gold = gold[gold["query"].isin(questions.index)].reset_index(drop=True)
    slices = _slices(questions, _tags(dataset, questions.index, labels or {}))
    prompts = bool(a.shown and b.shown)
    first, judged = _first(questions, gold), _judged(a, b, k)
    return Diff(metric, k, questions, gold, slices, first, uncounted, prompts, judged)


def _chosen(a: Side, b: Side, metric: str | None) -> str:
    shared = [name for name in a.metrics if name in b.metrics]
    if not shared:
        raise ValueError(f"{a.name} and {b.name} were scored by no common metric: run them again.")
    if metric is not None and metric not in shared:
        raise ValueError(
            f"diff.metric is {metric}, by which not both were scored: choose {', '.join(shared)}."
        )
    usual = a.metric if a.metric == b.metric and a.metric in shared else shared[0]
    return str(metric or usual)


def _depth(metric: str) -> int | None:
    """The results that a metric of rankings reads; None where it reads all, or answers."""
    _, at, depth = metric.rpartition("@")
    return int(depth) if at and depth.isdecimal() else None


def _judged(a: Side, b: Side, k: int) -> tuple[float, float] | None:
    name = f"{JUDGED}@{k}"
    if name not in a.scores or name not in b.scores:
        return None
    return float(a.scores[name].mean()), float(b.scores[name].mean())


def _questions(a: Side, b: Side, metric: str) -> tuple[pd.DataFrame, int]:
    """Questions in the order of a; and how many were left out, for one side did not score them."""
    import pandas as pd

    both = a.scores[["split", metric]].join(b.scores[[metric]], how="outer", rsuffix="_b")
    both.columns = pd.Index(["split", "a", "b"])
    scored = both.dropna(subset=["a", "b"])
    scored = scored.reindex([query for query in a.scores.index if query in scored.index])
    gain = (scored["b"] - scored["a"]) if higher_is_better(metric) else (scored["a"] - scored["b"])
    gain = gain.where(gain.abs() > _ROUNDING, 0.0)
    outcome = np.select([gain > 0, gain < 0], [WON, LOST], SAME)
    one_sided = int((both["a"].isna() != both["b"].isna()).sum())
    return scored.assign(gain=gain, outcome=outcome), one_sided


def _gold(a: Side, b: Side, k: int) -> pd.DataFrame:
    """Gold passages of both sides; one that only one side names was not seen by the other."""
    import pandas as pd

    tables = []
    for side in (a, b):
        columns = {name: list(getattr(side.gold, name)) for name in ("query", "gold", "final")}
        tables.append(pd.DataFrame({**columns, "stage": side.gold.stages(k)}))
    merged = tables[0].merge(tables[1], on=["query", "gold"], suffixes=("_a", "_b"))
    return merged.rename(columns={"final_a": "rank_a", "final_b": "rank_b"})


def _tags(
    dataset: Dataset, wanted: Sequence[str], labels: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], set[str]]:
    """(tag, value) -> its questions; the length of a question and the labels of its gold too."""
    known = {*wanted}
    queries = [query for query in dataset.queries if query.id in known]
    edges = np.quantile([len(query.text) for query in queries], [1 / 3, 2 / 3])
    pairs: list[tuple[tuple[str, str], str]] = []
    for query in queries:
        place = int(np.searchsorted(edges, len(query.text)))
        pairs += [((str(tag), str(value)), query.id) for tag, value in query.tags.items()]
        pairs.append((("question length", _LENGTHS[place]), query.id))
        pairs += [(("label", label), query.id) for label in labels.get(query.id, ())]
    members: dict[tuple[str, str], set[str]] = {}
    for pair, name in pairs:
        members.setdefault(pair, set()).add(name)
    sizes: dict[str, int] = {}
    for tag, _ in members:
        sizes[tag] = sizes.get(tag, 0) + 1
    return {pair: ids for pair, ids in members.items() if sizes[pair[0]] <= MOST_VALUES}


def _slices(questions: pd.DataFrame, tags: Mapping[tuple[str, str], set[str]]) -> pd.DataFrame:
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for (tag, value), ids in sorted(tags.items()):
        inside = questions[questions.index.isin(ids)]
        counts = {name: int((inside["outcome"] == name).sum()) for name in (WON, LOST, SAME)}
        gain = float(inside["gain"].mean())
        rows.append({"by": tag, "slice": value, "questions": len(inside), **counts, "gain": gain})
    columns = ["by", "slice", "questions", WON, LOST, SAME, "gain"]
    return pd.DataFrame(rows, columns=columns)


def _first(questions: pd.DataFrame, gold: pd.DataFrame) -> tuple[str, ...]:
    """Largest change first, a loss before a gain, then what neither found."""
    kept = gold.assign(kept=(gold["stage_a"] == KEPT) | (gold["stage_b"] == KEPT))
    missed = ~kept.groupby("query")["kept"].any()
    table = questions.assign(
        size=questions["gain"].abs(),
        loss=questions["outcome"] == LOST,
        missed=missed.reindex(questions.index).fillna(False).astype(bool),
    )
    table = table[(table["size"] > 0) | table["missed"]]
    order = table.sort_values(["size", "loss"], ascending=[False, False], kind="stable")
    return tuple(map(str, order.index[:READ_FIRST]))
