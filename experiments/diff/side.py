"""One side of a comparison, read from the files that a run left, or from a foreign ranking."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.diff.prompts import Prompts
from experiments.gold_path import UNKNOWN, GoldPaths
from experiments.summary import SUMMARY
from experiments.trec_run import read_run
from experiments.vote.ballots import read_ballots

if TYPE_CHECKING:
    import pandas as pd

    from experiments.schema import Dataset
    from retrievers.ranking import Ranking

RANKING, SCORES, GOLD, GATE = "ranking.trec", "per_query.parquet", "gold.parquet", "gate.tsv"


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One pipeline as its folder tells it, or one file.

    name: its folder's or file's.  notes: what a reader should know of how it was read.
    scores: one row a question; the column `split`, then the metrics.
    ranked: query id -> document ids, best first.  gold: how far each gold passage came.
    metric: the score that counts in the run, None where it does not say.
    shown: how many passages its fullest prompt shows, 0 in a run without answers.
    answers: query id -> what a model said.
    """

    name: str
    path: Path
    scores: pd.DataFrame
    ranked: dict[str, list[str]]
    gold: GoldPaths
    notes: tuple[str, ...] = ()
    metric: str | None = None
    shown: int = 0
    answers: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def metrics(self) -> list[str]:
        """Its scores, without what else the table says of a question."""
        return [str(name) for name in self.scores.select_dtypes("float").columns]


def read_side(path: Path, dataset: Dataset, score: Callable[[Ranking], pd.DataFrame]) -> Side:
    """The folder of a pipeline, or a submission file or TREC run of any system.

    score: a ranking -> its table, for a file, which brings none.
    Raises ValueError for a run of another dataset, without scores or with a damaged file.
    """
    return _of_run(path, dataset) if path.is_dir() else _of_file(path, dataset, score)


def _of_run(folder: Path, dataset: Dataset) -> Side:
    _same_dataset(folder, dataset)
    if not (folder / SCORES).exists():
        raise ValueError(f"{folder} has no {SCORES}: only runs with labels can be compared.")
    scores = _table(folder / SCORES)
    if scores.index.has_duplicates:
        raise ValueError(f"{folder / SCORES} names a question twice: run that pipeline again.")
    names = {*(document.id for document in dataset.corpus), *(q.id for q in dataset.queries)}
    prompts = Prompts.read(folder)
    if (folder / RANKING).exists() and (folder / RANKING).stat().st_size:
        ranked = read_run(folder / RANKING, names=names).ranking.by_query()
    else:
        ranked = prompts.ranked()
    told = (folder / GOLD).exists()
    if told:
        gold = _gold(folder / GOLD)
    else:
        gold = _of_ranking(dataset, [*map(str, scores.index)], ranked, _blocked(folder / GATE))
    return Side(
        folder.name,
        folder,
        scores,
        ranked,
        prompts.told(gold),
        notes=() if told else (_untold(folder),),
        metric=_page(folder / SUMMARY).get("metric"),
        shown=prompts.most_shown(),
        answers=prompts.said(),
    )


def _of_file(path: Path, dataset: Dataset, score: Callable[[Ranking], pd.DataFrame]) -> Side:
    if dataset.qrels is None or dataset.spans is not None:
        raise ValueError(
            f"{path} ranks documents, and {dataset.name} has no labels of documents: give the "
            "folder of a run."
        )
    (ballot,) = read_ballots([str(path)], dataset)
    scores = score(ballot.ranking(dataset))
    gold = _of_ranking(dataset, [*map(str, scores.index)], ballot.results, set())
    notes = (*ballot.faults(), _untold(path))
    return Side(ballot.name, path, scores, ballot.results, gold, notes)


def _untold(path: Path) -> str:
    return f"{path} does not note how far its passages came, so only its ranking is read."


def _table(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        why = str(error).split("\n")[0]
        raise ValueError(f"{path} is damaged ({why}): run that pipeline again.") from None


def _gold(path: Path) -> GoldPaths:
    table = _table(path)
    numbers = table.drop(columns=["query", "gold"], errors="ignore")
    whole = table.empty or all(kind.kind == "i" for kind in numbers.dtypes)
    if {*table} != {column.name for column in fields(GoldPaths)} or not whole:
        raise ValueError(f"{path} is damaged (other columns): run that pipeline again.")
    return GoldPaths.from_json({name: table[name].tolist() for name in table})


def _same_dataset(folder: Path, dataset: Dataset) -> None:
    for path in (folder / SUMMARY, folder.parent / SUMMARY):
        page = _page(path)
        marks = page.get("fingerprints")
        mark = marks.get("dataset") if isinstance(marks, dict) else None
        if path.exists() and mark != dataset.fingerprint:
            raise ValueError(
                f"{folder} ran on {page.get('dataset', 'another dataset')}, not on {dataset.name} "
                "as it is: give its options, dataset=… and dataset.path=…, or run it again."
            )


def _page(path: Path) -> dict[str, Any]:
    """What a summary says; nothing where there is none."""
    if not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is damaged ({error}): run it again.") from None


def _blocked(path: Path) -> set[str]:
    if not path.exists():
        return set()
    text = path.read_bytes().decode("utf-8", "replace")  # ids that are no text match no question
    rows = [line.split("\t") for line in text.split("\n")[1:] if line]
    return {row[0] for row in rows if row[1:2] == ["yes"]}


def _of_ranking(
    dataset: Dataset, query_ids: Sequence[str], ranked: dict[str, list[str]], blocked: set[str]
) -> GoldPaths:
    """What a ranking alone tells: nobody knows where it lost what it does not name."""
    corpus = {document.id for document in dataset.corpus}
    rows = []
    for query in query_ids:
        places = {name: rank for rank, name in enumerate(ranked.get(query, ()), 1)}
        for gold, grade in (dataset.qrels or {}).get(query, {}).items():
            if grade > 0:
                final = places.get(gold, 0)
                before = (query, gold, int(gold in corpus), UNKNOWN, UNKNOWN, int(query in blocked))
                rows.append((*before, UNKNOWN, final, UNKNOWN, UNKNOWN))
    return GoldPaths.of_rows(rows)
