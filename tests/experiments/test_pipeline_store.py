"""Which stages of a pipeline are computed again after which change."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.pipeline import Pipeline
from experiments.schema import Dataset, Document, Query
from experiments.stopwatch import Stopwatch
from experiments.store import NoStore, Store
from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.enrich import NoEnrichment, TitlePrefix
from retrievers.fusion import Hybrid
from retrievers.gate import NoGate, ScoreGate
from retrievers.queries import LastTurn

ROOT = Path(__file__).resolve().parents[2]
WORDS = "water boils ice melts rock sinks bird flies fish swims tree grows sun warms".split()
CORPUS = [
    Document(f"d{n}", f"{WORDS[n % 14]} {WORDS[n * 5 % 14]} number{n}", f"title {n % 3}")
    for n in range(40)
]
DATASET = Dataset(
    "words", CORPUS, [Query("q", "water boils")], {"q": {"d0": 1}}, "all", corpus_fingerprint="docs"
)


class WatchedStore(Store):
    """Says which stages were built."""

    def __init__(self, dir):
        super().__init__(dir)
        self.built = []

    def remember(self, stage, key, build, save, load, *, again=False):
        def watched():
            self.built.append(stage)
            return build()

        return super().remember(stage, key, watched, save, load, again=again)


def hybrid(weights=(0.5, 0.5), missing="min", **options):
    parts = {"bm25": BM25Retriever("unicode", **options), "char": CharTfidfRetriever()}
    return Hybrid(parts, weights=dict(zip(parts, weights, strict=True)), missing=missing)


def pipeline(**changes):
    parts = {"enrich": TitlePrefix(), "retriever": hybrid(), "gate": ScoreGate(), **changes}
    return Pipeline(chunker=None, query=LastTurn(), depth=5, **parts)


def run(folder, *, dataset=DATASET, **changes):
    """The stages that a fresh pipeline computes, and its outcome."""
    store = WatchedStore(folder)
    outcome = pipeline(**changes).run(dataset, store)
    return sorted(store.built), outcome


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    built, outcome = run(folder)
    assert built == sorted(
        [*"chunks enriched terms gate".split(), *2 * ["index", "candidates", "search_times"]]
    )
    return folder, outcome


@pytest.fixture
def store(filled, tmp_path):
    return shutil.copytree(filled[0], tmp_path / "store")


def test_a_repeated_run_computes_nothing_and_finds_the_same(filled, store):
    built, outcome = run(store)
    assert built == []
    assert "index" not in outcome.seconds
    assert outcome.ranking.by_query() == filled[1].ranking.by_query()
    unstored = pipeline().run(DATASET, NoStore())
    assert unstored.ranking.by_query() == outcome.ranking.by_query()
    assert (unstored.ranking.scores == outcome.ranking.scores).all()


CHANGES = {
    "fusion weights": ({"retriever": hybrid((0.9, 0.1))}, []),
    "the gate's limit": ({"gate": ScoreGate(0.1)}, []),
    "no gate": ({"gate": NoGate()}, []),
    "k1": ({"retriever": hybrid(k1=0.9)}, ["candidates", "gate", "index", "search_times"]),
    "the gate's draws": ({"gate": ScoreGate(draws=9)}, ["gate"]),
    "labels": ({"dataset": replace(DATASET, qrels={}, fingerprint="other")}, []),
    "enrichment": (
        {"enrich": NoEnrichment()},
        sorted([*"enriched gate terms".split(), *2 * ["candidates", "index", "search_times"]]),
    ),
}


@pytest.mark.parametrize(("changes", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_change_computes_only_what_depends_on_it(store, changes, expected):
    built, outcome = run(store, **changes)
    assert built == expected
    dataset = changes.get("dataset", DATASET)
    parts = {name: part for name, part in changes.items() if name != "dataset"}
    unstored = pipeline(**parts).run(dataset, NoStore())
    assert outcome.ranking.by_query() == unstored.ranking.by_query()


def test_exact_missing_scores_open_the_stored_indexes(store):
    built, outcome = run(store, retriever=hybrid(missing="exact"))
    assert built == []
    assert "index" in outcome.seconds
    unstored = pipeline(retriever=hybrid(missing="exact")).run(DATASET, NoStore())
    assert (unstored.ranking.scores == outcome.ranking.scores).all()


def test_a_gate_of_another_make_gets_open_indexes(store):
    class Foreign:
        def decide(self, plans, ranking, retriever):
            for leaf in retriever.leaves().values():
                leaf.search(["water"], 1)
            return NoGate().decide(plans, ranking, retriever)

    assert run(store, gate=Foreign())[0] == []


PROGRAM = """
import sys
from tests.experiments.test_pipeline_store import run
print(",".join(run(sys.argv[1])[0]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "retrievers/inverted_index.py",
            "candidates,candidates,gate,index,index,search_times,search_times",
        ),
        ("retrievers/bm25.py", "candidates,gate,index,search_times"),
        ("retrievers/gate.py", "gate"),
        ("experiments/stopwatch.py", ""),
    ],
)
def test_an_edited_source_file_makes_its_entries_stale(tmp_path, store, file, expected):
    for room in ("retrievers", "generation", "postprocessors", "experiments", "tests"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def built():
        command = [sys.executable, "-c", PROGRAM, str(store)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert built() == ""
    with (tmp_path / file).open("a", encoding="utf-8") as source:
        source.write("\n# edited\n")
    assert built() == expected
    assert built() == ""


def test_a_stage_within_a_stage_pauses_the_outer(monkeypatch):
    ticks = iter([0.0, 1.0, 4.0, 6.0])
    monkeypatch.setattr("experiments.stopwatch.time.perf_counter", lambda: next(ticks))
    clock = Stopwatch()
    with clock("outer"), clock("inner"):
        pass
    assert clock.seconds == {"inner": 3.0, "outer": 3.0}
