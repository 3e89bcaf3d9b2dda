"""The comparison as a page that opens without a network, as tables, and as a few lines of text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import pages
from experiments.atomic_file import atomic_file
from experiments.diff.figure import flow_figure
from experiments.diff.moves import LOST, SAME, WON
from experiments.diff.prompts import gold_span
from experiments.gold_path import KEPT, STAGES
from experiments.storable_text import storable_text

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.diff.moves import Diff
    from experiments.diff.side import Side
    from experiments.schema import Dataset

_TEMPLATE = Path(__file__).with_name("page.html")
_LONGEST = 600
_MOST_ROWS = 300
_NO_ANSWER = "nothing, for its call failed"


def write_files(folder: Path, found: Diff, a: Side, b: Side, dataset: Dataset) -> list[Path]:
    """diff.html, questions.tsv, gold.tsv and slices.tsv."""
    texts = {query.id: query.text for query in dataset.queries}
    table = found.questions.assign(text=[texts.get(str(q), "") for q in found.questions.index])
    files = []
    for name, frame in (
        ("questions.tsv", table.reset_index()),
        ("gold.tsv", found.gold),
        ("slices.tsv", found.slices),
    ):
        files.append(folder / name)
        with atomic_file(files[-1]) as part:
            text = frame.to_csv(sep="\t", index=False, lineterminator="\n")
            part.write_text(text, encoding="utf-8", errors="replace")
    return [write_page(folder / "diff.html", found, a, b, dataset), *files]


def write_page(path: Path, found: Diff, a: Side, b: Side, dataset: Dataset) -> Path:
    """One file with the figure, the questions to read first, slices, and all that changed."""
    cards = _Cards(found, a, b, dataset)
    changed = [str(q) for q in found.questions.index[found.questions["outcome"] != SAME]]
    rest = [query for query in changed if query not in found.first][:_MOST_ROWS]
    return pages.write_page(
        path,
        _TEMPLATE,
        a=a.name,
        b=b.name,
        metric=found.metric,
        counted=found.counted,
        sentence=sentence(found, a, b),
        figure=pages.inserted(flow_figure(found, a.name, b.name), "flow"),
        stages=stage_rows(found),
        slices=[_slice(row) for row in found.slices.itertuples(index=False)],
        first=[cards.card(query) for query in found.first],
        rest=[cards.card(query) for query in rest],
        left_out=len(changed) - len(rest) - sum(query in changed for query in found.first),
    )


def sentence(found: Diff, a: Side, b: Side) -> str:
    """Won, lost and unchanged in one line."""
    n, gain = len(found.questions), float(found.questions["gain"].mean())
    said = (
        f"{b.name} against {a.name}, by {found.metric}: {found.count(WON)} questions won, "
        f"{found.count(LOST)} lost, {found.count(SAME)} unchanged of {n}; mean gain {gain:+.4f}."
    )
    if found.uncounted:
        said += f" {found.uncounted} questions that one side alone scored are left out."
    if found.judged:
        one, other = found.judged
        said += (
            f" Of the first {found.k} results {one:.2f} of {a.name} and {other:.2f} of {b.name} "
            "were ever judged; the others count as not relevant."
        )
    return said


def stage_rows(found: Diff) -> list[tuple[str, int, int]]:
    """(stage, gold passages it lost in a, in b), in the order of the pipeline."""
    a, b = found.stages("a"), found.stages("b")
    return [(name, a.get(name, 0), b.get(name, 0)) for name in STAGES if name in a or name in b]


def stage_table(found: Diff, a: str, b: str) -> Table:
    """The stages for a terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("lost by")
    for name in (a, b):
        table.add_column(Text(name), justify="right")
    for stage, one, other in stage_rows(found):
        table.add_row(stage, str(one), str(other), style="bold" if stage == KEPT else "")
    return table


def first_table(found: Diff, dataset: Dataset) -> Table:
    """The questions worth reading first, for a terminal."""
    from rich.table import Table
    from rich.text import Text

    texts = {query.id: query.text for query in dataset.queries}
    table = Table(title="Worth reading first", title_justify="left")
    for heading in ("question", "text", "a", "b", "gold: rank and stage, a → b"):
        table.add_column(heading, overflow="fold")
    for query in found.first:
        row = found.questions.loc[query]
        moved = "\n".join(_moved(one) for one in _of(found, query))
        text = storable_text(texts.get(query, ""))[:80]
        table.add_row(Text(query), Text(text), f"{row['a']:.3f}", f"{row['b']:.3f}", Text(moved))
    return table


class _Cards:
    """What a reader needs to judge one question."""

    def __init__(self, found: Diff, a: Side, b: Side, dataset: Dataset) -> None:
        self.found, self.a, self.b, self.dataset = found, a, b, dataset
        self.queries = {query.id: query for query in dataset.queries}
        self.documents = {document.id: document for document in dataset.corpus}
        self.gold = {str(q): [*rows.itertuples()] for q, rows in found.gold.groupby("query")}

    def card(self, query: str) -> dict[str, Any]:
        row = self.found.questions.loc[query]
        asked = self.queries[query]
        return {
            "id": query,
            "outcome": row["outcome"],
            "a": f"{row['a']:.3f}",
            "b": f"{row['b']:.3f}",
            "earlier": [f"{turn.role}: {turn.text}" for turn in asked.history],
            "text": asked.text,
            "reference": asked.answer or "",
            "answers": [
                (side.name, _NO_ANSWER if (said := side.answers[query]) is None else said)
                for side in (self.a, self.b)
                if query in side.answers
            ],
            "gold": [(_moved(one), self._text(one.gold)) for one in self.gold.get(query, [])],
            "tops": [
                (side.name, [self._top(query, name) for name in side.ranked.get(query, [])[:1]])
                for side in (self.a, self.b)
            ],
        }

    def _top(self, query: str, name: str) -> tuple[str, str, str]:
        """A document that stands first, what its label says, and its text."""
        grade = (self.dataset.qrels or {}).get(query, {}).get(name)
        unknown = "never judged" if self.dataset.pooled else "no label"
        return name, unknown if grade is None else f"grade {grade}", self._text(name)

    def _text(self, gold: str) -> str:
        """What a document or a gold span says, cut; "" for one that is not in the corpus."""
        span = None if gold in self.documents else gold_span(gold)
        name, start, end = span or (gold, 0, None)
        text = self.documents[name].text[start:end] if name in self.documents else ""
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _of(found: Diff, query: str) -> list[Any]:
    return [*found.gold[found.gold["query"] == query].itertuples()]


def _moved(one: Any) -> str:
    return f"{one.gold}: {_place(one.rank_a, one.stage_a)} → {_place(one.rank_b, one.stage_b)}"


def _place(rank: int, stage: str) -> str:
    if stage == KEPT:
        return f"rank {rank}" if rank else KEPT
    return f"rank {rank}, {stage}" if rank else stage


def _slice(row: Any) -> list[str]:
    by, value, n, won, lost, same, gain = row
    return [f"{by}: {value}", str(n), str(won), str(lost), str(same), f"{gain:+.4f}"]
