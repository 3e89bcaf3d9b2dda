"""A corpus of three documents, one of them Korean, and an evaluation file of three messages."""

import pytest

from experiments.schema import Dataset, Document, Query
from retrievers.ranking import Ranking


@pytest.fixture
def dataset():
    corpus = [
        Document("d1", "물은 100도에서 끓는다."),
        Document("d2", 'A "quoted" text'),
        Document("d3", "c"),
    ]
    queries = [Query("7", "물은 언제 끓어?"), Query("2", "안녕!"), Query("30", "What is c?")]
    return Dataset("tiny", corpus, queries, qrels=None, fingerprint="tiny")


@pytest.fixture
def ranking():
    """Two results for 7, none for the chit-chat 2, an unscored list for 30; not in file order."""
    results = {"30": ["d3", "d1"], "7": [("d1", 1.23456789), ("d2", -0.0)], "2": []}
    return Ranking.from_lists(results)
