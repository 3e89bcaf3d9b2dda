"""A run of the sample and its diff, which several files read and none changes."""

from __future__ import annotations

import pytest

from experiments.store import NoStore
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.gate import ScoreGate
from tests.experiments.diff.sample_diff import study
from tests.experiments.test_comparison import compare


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """The folder of a run of three pipelines on the sample."""
    variants = {
        "bm25": {},
        "letters": {"retriever": CharTfidfRetriever()},
        "gated": {"gate": ScoreGate(draws=19, alpha=0.01)},
    }
    folder = tmp_path_factory.mktemp("runs")
    return compare(folder, variants=variants, baseline="bm25", store=NoStore()).folder


@pytest.fixture(scope="session")
def letters_diff(run):
    """The folder of the diff of bm25 and letters."""
    return study("bm25", "letters", run).folder
