"""Run files of other systems: scored on the dataset's labels, compared, and honest about gaps."""

import json
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate

from experiments.evaluation import Evaluator
from experiments.imported_run import ImportedRuns
from experiments.ledger import Ledger
from experiments.schema import Dataset, Document, Query
from experiments.setting import Setting
from experiments.splits import FileSplit
from experiments.store import NoStore
from experiments.submissions.trec import TrecSubmission
from experiments.tracking.none import NoTracker
from experiments.trec_run import write_run
from retrievers.ranking import Ranking

CONF = str(Path(__file__).parents[2] / "conf")
QRELS = {"1": {"my file.pdf": 1}, "2": {"b": 1}, "3": {"gold that no run found": 1}}


class Loader:
    def __init__(self, qrels):
        self.qrels = qrels

    def load(self):
        corpus = [*"abc", "my file.pdf", "gold that no run found"]
        documents = [Document(name, "t") for name in corpus]
        return Dataset("tiny", documents, [Query(n, n) for n in "1234"], self.qrels, "f")


def score(folder, paths, baseline=None, qrels=QRELS, **changes):
    (folder / "split.txt").write_text("1\n2\n")
    parts = {
        "dataset": Loader(qrels),
        "metrics": Evaluator(["mrr", "recall@3"]),
        "split": FileSplit(str(folder / "split.txt")),
        "tracker": NoTracker(),
        "submission": None,
        "store": NoStore(),
        "folder": folder / "runs",
    }
    setting = Setting(**{**parts, **changes})
    return ImportedRuns(setting=setting, path=paths, baseline=baseline).run()


def written(folder, name, results):
    return str(write_run(folder / f"{name}.trec", Ranking.from_lists(results)))


def test_a_run_is_scored_by_split_with_the_queries_it_lacks(tmp_path, capsys):
    path = written(tmp_path, "mine", {"1": ["a", "my file.pdf"], "2": ["b", "c", "elsewhere"]})
    with open(path, "a") as file:
        file.write("99 Q0 a 1 1 x\n")
    report = score(tmp_path, path)
    assert report.means["mine"]["public"]["mrr"].mean == pytest.approx(0.75)
    assert report.means["mine"]["all"]["mrr"].mean == pytest.approx(0.5)
    assert report.means["mine"]["private"]["mrr"].n_scored == 1
    assert report.primary == report.means["mine"]["public"]["mrr"].mean
    told = capsys.readouterr().out
    assert "queries that the dataset does not have, left out: 1." in told
    assert "documents that the corpus does not have, never relevant: 1." in told
    assert "2 queries of the evaluation set have no result" in told
    value = json.loads((report.folder / "summary.json").read_text())
    assert value["pipelines"]["mine"]["scores"]["public"]["mrr"]["mean"] == report.primary
    assert (tmp_path / "runs" / "latest").resolve() == report.folder.resolve()


def test_several_runs_are_held_against_one_of_them(tmp_path):
    good = written(tmp_path, "good", {"1": ["my file.pdf"], "2": ["b"]})
    poor = written(tmp_path, "poor", {"1": ["a", "my file.pdf"], "2": ["a", "b"]})
    report = score(tmp_path, [good, poor], baseline="poor")
    value = json.loads((report.folder / "summary.json").read_text())["pipelines"]
    assert value["good"]["difference"]["public"]["mrr"]["mean"] == pytest.approx(0.5)
    assert value["poor"]["difference"] == {}
    first = score(tmp_path, [good, poor])
    value = json.loads((first.folder / "summary.json").read_text())["pipelines"]
    assert value["poor"]["difference"]["public"]["mrr"]["mean"] == pytest.approx(-0.5)


def test_what_the_table_says_of_its_p_is_so(tmp_path, capsys):
    results = {"good": ["my file.pdf"], "poor": ["a", "my file.pdf"], "none": ["a"]}
    paths = [written(tmp_path, name, {"1": ids, "2": ["b"]}) for name, ids in results.items()]
    report = score(tmp_path, paths)
    pages = json.loads((report.folder / "summary.json").read_text())["pipelines"]
    held = [pages[name]["difference"]["public"]["mrr"] for name in ("poor", "none")]
    assert [one["corrected"] for one in held] == [min(1.0, 2 * one["p"]) for one in held]
    assert "p of 2: corrected for the 2 pipelines of this table (Holm)." in capsys.readouterr().out


def test_every_scored_run_counts_with_what_it_showed(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    paths = [written(tmp_path, name, {"1": [name], "2": ["b"]}) for name in "ac"]
    score(tmp_path, paths, ledger=ledger)
    score(tmp_path, paths[0], ledger=ledger)
    assert ledger.count("f") == 2
    assert ledger.scores("f", "mrr", ("3", "4"), "private").shape == (2, 2)


def test_a_run_that_is_cut_shorter_than_a_metric_reads_is_noted(tmp_path, capsys):
    score(tmp_path, written(tmp_path, "short", {"1": ["a", "b"]}))
    assert "no query has more than 2 results, and a metric reads 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("results", "changes", "sentence"),
    [
        ({"1": ["d1#0", "d2#0"]}, {}, "names 2 documents .* has none of them"),
        ({"q1": ["a"]}, {}, "names 1 queries .* has none of them"),
        ({"1": ["a"]}, {"qrels": None}, "has no labels"),
        ({"1": ["a"]}, {"baseline": "other"}, "choose one of mine"),
        ({"1": ["a"]}, {"submission": TrecSubmission()}, "leave the option submission out"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_no_folder(tmp_path, results, changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        score(tmp_path, written(tmp_path, "mine", results), **changes)
    assert not (tmp_path / "runs").exists()


def test_files_of_one_name_are_called_by_their_folders(tmp_path):
    for name in ("bm25", "dense", "deep/dense"):
        (tmp_path / name).mkdir(parents=True)
    bm25, dense, deep = (
        written(tmp_path / name, "ranking", {"1": ["a"]})
        for name in ("bm25", "dense", "deep/dense")
    )
    assert score(tmp_path, [bm25, dense]).means.keys() == {"bm25", "dense"}
    with pytest.raises(ValueError, match=r"Several run files are called ranking\.trec"):
        score(tmp_path, [bm25, dense, deep])


def test_no_file_is_one_sentence(tmp_path):
    for nothing in ([], None):
        with pytest.raises(ValueError, match=r"no run to score: give run\.path=FILE"):
            score(tmp_path, nothing)


@pytest.mark.parametrize("path", ["a.trec", "[a.trec,b.trec]"])
def test_the_preset_takes_one_file_or_several(path):
    with initialize_config_dir(CONF, version_base=None):
        overrides = ["+experiment=score_run", f"run.path={path}"]
        config = compose("config", overrides=overrides, return_hydra_config=True)
    HydraConfig.instance().set_config(config)
    experiment = instantiate(config.experiment, _convert_="all")
    assert experiment.path == (path if path == "a.trec" else ["a.trec", "b.trec"])


def test_our_own_scores_are_trec_evals_on_its_own_run(real_data, tmp_path):
    """The path of a user's file end to end: read, aligned to a dataset, scored."""
    folder = real_data / "trec_oracle" / "trec_eval"
    qrels = {}
    for line in (folder / "qrels.test").read_text().splitlines():
        query, _, document, grade = line.split()
        qrels.setdefault(query, {})[document] = int(grade)

    class Judged:
        def load(self):
            names = sorted({name for grades in qrels.values() for name in grades})
            documents = [Document(name, "t") for name in names]
            return Dataset("judged", documents, [Query(q, q) for q in qrels], qrels, "f")

    (tmp_path / "sides").write_text(f"{min(qrels)}\n")
    report = score(
        tmp_path,
        str(folder / "results.test"),
        dataset=Judged(),
        metrics=Evaluator(["map", "mrr"]),
        split=FileSplit(str(tmp_path / "sides")),
    )
    official = {
        row[0].strip(): row[2].strip()
        for row in (line.split("\t") for line in (folder / "out.test").read_text().splitlines())
        if row[1].strip() == "all"
    }
    means = report.means["results"]["all"]
    assert f"{means['map'].mean:.4f}" == official["map"]
    assert f"{means['mrr'].mean:.4f}" == official["recip_rank"]


def test_ties_whose_order_counts_are_noted_with_whose_order_it_is(tmp_path, capsys):
    for name, scores in (("tied", (1.0, 1.0)), ("apart", (2.0, 1.0))):
        lines = [f"1 Q0 {d} 1 {s} t\n" for d, s in zip(("a", "my%20file.pdf"), scores, strict=True)]
        (tmp_path / f"{name}.trec").write_text("".join(lines) + "2 Q0 b 1 1 t\n2 Q0 b 2 1 t\n")
    report = score(tmp_path, [str(tmp_path / f"{name}.trec") for name in ("tied", "apart")])
    assert [report.means[name]["public"]["mrr"].mean for name in ("tied", "apart")] == [0.75, 0.75]
    notes = [line for line in capsys.readouterr().out.splitlines() if "equal scores" in line]
    (note,) = notes
    assert note.startswith("tied: ")
    assert "in 1 queries documents with equal scores have unequal labels" in note
