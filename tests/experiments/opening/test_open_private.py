"""A sealed sweep keeps its private half to itself until it is opened for one trial."""

import json
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

from experiments.datasets.jsonl import JsonLines
from experiments.splits import RandomSplit
from tests.experiments.sweeps.processes import finish, sweeps, words, write_dataset

pytestmark = pytest.mark.slow
RULES = "open.rules.draws=500"


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A sealed sweep of two trials: its workspace and the folder of the dataset."""
    folder = tmp_path_factory.mktemp("sealed")
    data = write_dataset(folder / "data")
    code, said, complaint = finish(words(folder, data, "retriever.k1=0.5,2.0", "split.sealed=true"))
    assert code == 0, complaint
    assert "open_private" in said or "keep the baseline and the seal" in said
    return folder, data


def split_of(data):
    return RandomSplit(sealed=True).divide(JsonLines(path=str(data)).load())


def open_words(folder, data, *more):
    given = words(folder, data, f"open.folder={sweeps(folder)[0]}", RULES, *more)
    left_out = ("-m", "+experiment", "hydra.sweep.dir", "retriever", "retriever.analyzer")
    return ["+experiment=open_private"] + [w for w in given if w.split("=")[0] not in left_out]


def newest(folder):
    return max(folder.glob("*/*-open_private*"), key=lambda path: path.stat().st_mtime)


def private_rows(folder):
    with closing(sqlite3.connect(folder / "ledger.db")) as database:
        return database.execute("SELECT count(*) FROM scores WHERE side = 'private'").fetchone()[0]


def test_nothing_private_is_written_before_it_is_opened(sealed):
    folder, data = sealed
    split = split_of(data)
    sweep = sweeps(folder)[0]
    assert private_rows(folder) == 0
    for path in sweep.glob("*/*/per_query.parquet"):
        assert list(pd.read_parquet(path).index) == list(split.public)
    for path in [*sweep.rglob("*.json"), *sweep.rglob("*.tsv")]:
        if path.name != "pipeline.json":
            assert '"private"' not in path.read_text(encoding="utf-8"), path
            assert '"all"' not in path.read_text(encoding="utf-8"), path
    assert "<td>private</td>" not in (sweep / "overfit.html").read_text(encoding="utf-8")
    trials = list((folder / "store" / "trials").glob("*/*/trial.json"))
    assert len(trials) == 2
    for path in trials:
        page = json.loads(path.read_text(encoding="utf-8"))
        assert page["scores"]["query_ids"] == list(split.public)
        assert list(page["means"]) == ["public"]


def test_each_question_is_a_look_of_its_own_and_the_same_one_again_is_the_same(sealed):
    folder, data = sealed
    looks = []
    for trial, baseline in (("k1=2", "k1=0.5"), ("k1=0.5", "k1=2"), ("k1=2", "k1=0.5")):
        arguments = [f"open.trial='{trial}'", f"open.baseline='{baseline}'"]
        code, said, complaint = finish(open_words(folder, data, *arguments))
        assert code == 0, complaint
        page = json.loads((newest(folder) / "opening.json").read_text(encoding="utf-8"))
        looks.append(page["look"])
        assert page["level"] == 0.05 / 2 ** page["look"]
        assert f"This is look {page['look']} at this private half" in said
        table = pd.read_parquet(newest(folder) / "private.parquet")
        assert list(table.columns) == [trial, baseline]
        assert list(table.index) == list(split_of(data).private)
        assert page["private"] == pytest.approx(list(table.mean()))
    assert looks == [1, 2, 1]
    assert private_rows(folder) == 0


@pytest.mark.parametrize(
    ("words_given", "message"),
    [
        (["split.seed=3"], "another public half"),
        (["ledger=null"], "counts no openings"),
        (["open.trial=x"], 'no trial "x"'),
        (["metrics.empty_qrels=zero", "metrics.rel_level=2"], "does not give the public scores"),
    ],
)
def test_a_mistake_spends_no_look(sealed, words_given, message):
    folder, data = sealed
    arguments = [w for w in open_words(folder, data, *words_given) if w != "ledger.path=null"]
    if "ledger=null" in words_given:
        arguments = [word for word in arguments if not word.startswith("ledger.path")]
    code, _, complaint = finish(arguments)
    assert code == 2
    assert message in complaint
    assert len(complaint.strip().splitlines()) == 1


def test_a_trial_that_was_shown_unsealed_is_said_and_is_no_look(tmp_path):
    data = write_dataset(tmp_path / "data")
    for sealed in ("true", "false"):
        asked = words(tmp_path, data, "retriever.k1=0.5,2.0", f"split.sealed={sealed}")
        assert finish(asked)[0] == 0
    code, said, complaint = finish(open_words(tmp_path, data))
    assert code == 0, complaint
    assert "The seal is broken for k1=2" in said
    assert json.loads((newest(tmp_path) / "opening.json").read_text())["look"] is None
    shown = [w for w in open_words(tmp_path, data) if not w.startswith("open.folder")]
    code, _, complaint = finish([*shown, f"open.folder={sweeps(tmp_path)[1]}"])
    assert code == 2
    assert "was not sealed" in complaint
