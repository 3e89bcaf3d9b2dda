"""The real collections load with the counts that their makers state."""

from pathlib import Path

import pytest

from experiments.datasets.beir import Beir
from experiments.datasets.layout import Layout
from experiments.datasets.science_qa import ScienceQA
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.datasets.trec import Trec


@pytest.mark.parametrize(
    ("layout", "folder", "documents", "queries", "labels", "spans"),
    [
        (ScienceQA, "science_qa_ko", 4272, 220, None, None),
        (ScienceQA, "science_qa_ko/validation", 4272, 199, 199, None),
        (Beir, "scifact", 5183, 809, 919, None),
        (Trec, "cranfield", 1398, 225, 1836, None),  # 1400 and 1837 with two empty documents
        (SpanJsonLines, "long_documents", 5, 472, 472, 790),
    ],
)
def test_counts(
    real_data: Path,
    layout: type[Layout],
    folder: str,
    documents: int,
    queries: int,
    labels: int | None,
    spans: int | None,
) -> None:
    dataset = layout(path=str(real_data / folder)).load()
    assert len(dataset.corpus) == documents
    assert len(dataset.queries) == queries
    assert (dataset.qrels and sum(map(len, dataset.qrels.values()))) == labels
    assert (dataset.spans and sum(map(len, dataset.spans.values()))) == spans


def test_conversations_of_the_competition(real_data: Path) -> None:
    queries = ScienceQA(path=str(real_data / "science_qa_ko")).load().queries
    turns = [query.tags["turns"] for query in queries]
    assert (turns.count("1"), turns.count("3")) == (200, 20)
    assert len({query.id for query in queries}) == 220


def test_all_real_spans_hold_their_content(real_data: Path) -> None:
    assert SpanJsonLines(path=str(real_data / "long_documents")).load().notes == ()
