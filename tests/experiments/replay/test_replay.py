"""A run made again: the same, or what differs and why."""

import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from experiments.identity import ROOT
from experiments.replay.differences import reasons, result_differences
from experiments.replay.stored_run import StoredRun, find_run
from experiments.replay.study import Replay
from experiments.tracking.mlflow import MLflowTracker
from tests.experiments.position_lab.small_lab import lab
from tests.experiments.position_lab.stub_models import key_value_model
from tests.experiments.rag.rig import study
from tests.experiments.test_comparison import compare

OVERRIDES = ("+experiment=rag", "llm=offline")


@pytest.fixture
def ran(tmp_path):
    return study(tmp_path / "runs", overrides=OVERRIDES).run().folder


def copy(folder, place):
    return shutil.copytree(folder, place)


def rewrite(path, change):
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def told_of(before, after):
    return result_differences(StoredRun.read(before), StoredRun.read(after))


def test_a_run_made_twice_has_the_same_bytes_and_no_reason(ran, tmp_path):
    again = study(tmp_path / "more", overrides=OVERRIDES).run().folder
    assert result_differences(StoredRun.read(ran), StoredRun.read(again)) == []
    assert reasons(StoredRun.read(ran), StoredRun.read(again)) == []


def test_one_character_of_one_prompt_is_seen(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    first = json.loads((ran / "manifests.jsonl").read_text(encoding="utf-8").split("\n")[0])
    digest = first["context_hash"]
    changed = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    rewrite(other / "manifests.jsonl", lambda text: text.replace(digest, changed))
    (told,) = told_of(ran, other)
    assert told == f'manifests.jsonl differs: 1 of 6 queries, such as "{first["task_id"]}".'


def test_a_ranking_that_moved_is_told_by_its_queries(tmp_path):
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = [f"q1 Q0 {id_} {rank} 0.5 t" for rank, id_ in enumerate(order, 1)]
        (tmp_path / name / "bm25").mkdir(parents=True)
        text = "\n".join([*lines, "q2 Q0 c 1 0.5 t"]) + "\n"
        (tmp_path / name / "bm25" / "ranking.trec").write_text(text)
        (tmp_path / name / "summary.json").write_text('{"overrides": []}')
    (told,) = told_of(tmp_path / "one", tmp_path / "two")
    assert told == 'bm25/ranking.trec differs: 1 of 2 queries, such as "q1".'


def test_a_score_that_moved_and_a_file_that_is_gone_are_told(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    table = pd.read_parquet(other / "per_query.parquet")
    table.loc["capital", "token_f1"] += 0.25
    table.to_parquet(other / "per_query.parquet")
    (other / "answers.jsonl").unlink()
    assert told_of(ran, other) == [
        "answers.jsonl was not written again.",
        "per_query.parquet differs: token_f1 of 1 rows.",
    ]


def test_the_reason_names_the_dataset_the_option_and_the_source(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    parts = json.loads((other / "pipeline.json").read_text(encoding="utf-8"))
    retriever = parts["pipeline"]["arguments"]["retriever"]
    retriever["source"] = "0" * 64
    versions = json.loads((other / "versions.json").read_text(encoding="utf-8"))
    (other / "versions.json").write_text(json.dumps({**versions, "numpy": "1.0", "mine": "3"}))
    parts["context"]["arguments"]["budget"] = 7
    (other / "pipeline.json").write_text(json.dumps(parts))
    rewrite(other / "summary.json", lambda text: text.replace("f" * 64, "e" * 64))
    assert reasons(StoredRun.read(ran), StoredRun.read(other)) == [
        "The dataset changed: the fingerprint was ffffffffffff… and is eeeeeeeeeeee….",
        f"The version of numpy was {versions['numpy']} and is 1.0.",
        "The source of pipeline.retriever, or a library that it imports, has changed.",
        "context.budget was 3000 and is 7.",
    ]
    (other / "versions.json").write_text(json.dumps(versions))
    assert "The source of pipeline.retriever has changed." in reasons(
        StoredRun.read(ran), StoredRun.read(other)
    )


def test_a_note_beside_the_prompts_is_no_change_of_a_prompt(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    rewrite(
        other / "manifests.jsonl",
        lambda text: text.replace('"state_version": "', '"state_version": "0'),
    )
    (told,) = told_of(ran, other)
    assert (
        told == "manifests.jsonl differs: in what it notes beside the prompts, which are the same."
    )


def test_answers_of_a_lab_are_compared(tmp_path):
    runs = []
    for name, salt in (("a", ""), ("b", "other")):
        model = key_value_model(lambda way: 0.5, salt=salt)
        runs.append(lab(tmp_path / name, model, count=5).run().folder)
    (told,) = told_of(*runs)
    assert told.startswith("answers.parquet differs: answer of ")
    assert told_of(runs[0], runs[0]) == []


def test_a_submission_that_stands_elsewhere_is_compared_too(tmp_path):
    def run(name, text):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.csv").write_text(text)
        page = {"overrides": [], "pipelines": {"bm25": {"submission": str(folder / "mine.csv")}}}
        (folder / "summary.json").write_text(json.dumps(page))
        return folder

    one, two, three = run("one", "a\n"), run("two", "a\n"), run("three", "b\n")
    for folder in (one, two, three):
        (folder / "mine.csv").rename(tmp_path / f"{folder.name}.csv")
        rewrite(
            folder / "summary.json",
            lambda text, to=tmp_path / f"{folder.name}.csv", old=folder / "mine.csv": text.replace(
                str(old), str(to)
            ),
        )
    assert told_of(one, two) == []
    (told,) = told_of(one, three)
    assert told.startswith("bm25/submission differs")


def test_a_run_that_keeps_no_results_is_not_called_the_same(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "summary.json").write_text('{"overrides": ["+experiment=ledger"]}')
    made = StoredRun.read(tmp_path / "one")
    replay = Replay(setting=study(tmp_path).setting, source=str(tmp_path / "one"))
    object.__setattr__(replay, "_again", lambda *_: made)
    with pytest.raises(ValueError, match="nothing to hold a repeated run against"):
        replay.run()


def test_a_run_is_found_by_its_folder_and_by_its_mlflow_id(ran, tmp_path):
    rewrite(
        ran / "summary.json",
        lambda text: text.replace('"mlflow_run_id": null', '"mlflow_run_id": "abc"'),
    )
    runs = tmp_path / "runs"
    assert find_run(str(ran), runs, None, tmp_path / "copy").folder == ran.resolve()
    assert find_run("abc", runs, None, tmp_path / "copy").folder == ran
    trial = copy(ran, runs / "sweeps" / "one" / "0000")
    rewrite(trial / "summary.json", lambda text: text.replace('"abc"', '"def"'))
    assert find_run("def", runs, None, tmp_path / "copy").folder == trial
    with pytest.raises(ValueError, match=rf"such as {trial}"):
        StoredRun.read(trial.parent)
    with pytest.raises(ValueError, match=r"'xyz', which is no folder and no run in MLflow"):
        find_run("xyz", runs, None, tmp_path / "copy")


def test_where_a_run_writes_is_not_repeated(tmp_path):
    words = [
        "+experiment=rag",
        "tracker.uri=http://x",
        "ledger=null",
        "setting.folder=/elsewhere",
        "submission.path=mine.csv",
        "retriever=bm25",
    ]
    run = StoredRun(tmp_path, {"experiment": "rag", "overrides": words})
    assert run.words() == ["+experiment=rag", "retriever=bm25"]


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ({"experiment": "replay", "overrides": []}, "is itself a replay"),
        ({"experiment": "rag", "overrides": ["llm.api_key=…"]}, "was given a secret"),
    ],
)
def test_what_cannot_be_made_again_is_refused(tmp_path, summary, said):
    with pytest.raises(ValueError, match=said):
        StoredRun(tmp_path, summary).words()


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "has no summary.json"), ("{", "is no JSON"), ("[]", "keeps no options")],
)
def test_a_folder_of_something_else_is_answered_with_a_sentence(tmp_path, text, said):
    if text is not None:
        (tmp_path / "summary.json").write_text(text)
    with pytest.raises(ValueError, match=said):
        StoredRun.read(tmp_path)


def test_a_tracker_that_is_away_is_said_at_once(tmp_path):
    with pytest.raises(ValueError, match=r"does not give the run abc \(no connection\)"):
        find_run("abc", tmp_path, "http://127.0.0.1:9", tmp_path / "copy")


@pytest.mark.slow
def test_a_run_is_found_in_mlflow_when_its_folder_is_gone(tmp_path):
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = MLflowTracker(uri, artifacts=str(tmp_path / "artifacts"))
    variants = {"one": {}, "two": {"depth": 50}}
    report = compare(tmp_path / "runs", variants=variants, baseline="one", tracker=tracker)
    kept = copy(report.folder, tmp_path / "kept")
    page = json.loads((kept / "summary.json").read_text(encoding="utf-8"))
    shutil.rmtree(report.folder)
    for name in variants:
        run = page["pipelines"][name]["mlflow_run_id"]
        found = find_run(run, tmp_path / "runs", uri, tmp_path / f"copy of {name}")
        assert (found.part, found.summary["experiment"]) == (name, page["experiment"])
        assert told_of(found.folder, kept)  # the other pipeline was not there
        assert result_differences(found, StoredRun.read(kept)) == []
    with pytest.raises(ValueError, match="no run in MLflow"):
        find_run("0" * 32, tmp_path / "runs", uri, tmp_path / "copy")


@pytest.mark.slow
def test_the_command_makes_a_run_again(tmp_path):
    def run(*words):
        places = (f"setting.folder={tmp_path / 'runs'}", f"store.dir={tmp_path / 'store'}")
        command = [sys.executable, str(ROOT / "run.py"), *words, *places]
        return subprocess.run(
            [*command, "tracker=none", "ledger=null"], capture_output=True, text=True, check=True
        ).stdout

    run("+experiment=retrieval", "retriever=bm25", "gate=none")
    folder = (tmp_path / "runs" / "latest").resolve()
    assert "The same, byte for byte: bm25/gate.tsv" in run(
        "+experiment=replay", f"replay.run={folder}"
    )
    rewrite(folder / "bm25" / "ranking.trec", lambda text: text[text.index("\n") + 1 :])
    said = run("+experiment=replay", f"replay.run={folder}", "replay.fresh=true")
    assert "Differs: bm25/ranking.trec differs: 1 of " in said
