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
from tests.experiments.rag.rig import study

OVERRIDES = ("+experiment=rag", "llm=offline")


@pytest.fixture
def ran(tmp_path):
    return study(tmp_path / "runs", overrides=OVERRIDES).run().folder


def copy(folder, place):
    return shutil.copytree(folder, place)


def rewrite(path, change):
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def test_a_run_made_twice_has_the_same_bytes_and_no_reason(ran, tmp_path):
    again = study(tmp_path / "more", overrides=OVERRIDES).run().folder
    assert result_differences(ran, again) == []
    assert reasons(StoredRun.read(ran), StoredRun.read(again)) == []


def test_one_character_of_one_prompt_is_seen(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    first = json.loads((ran / "manifests.jsonl").read_text(encoding="utf-8").split("\n")[0])
    digest = first["context_hash"]
    changed = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    rewrite(other / "manifests.jsonl", lambda text: text.replace(digest, changed))
    (told,) = result_differences(ran, other)
    assert told == f'manifests.jsonl differs: 1 of 6 queries, such as "{first["task_id"]}".'


def test_a_ranking_that_moved_is_told_by_its_queries(tmp_path):
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = [f"q1 Q0 {id_} {rank} 0.5 t" for rank, id_ in enumerate(order, 1)]
        (tmp_path / name / "bm25").mkdir(parents=True)
        text = "\n".join([*lines, "q2 Q0 c 1 0.5 t"]) + "\n"
        (tmp_path / name / "bm25" / "ranking.trec").write_text(text)
    (told,) = result_differences(tmp_path / "one", tmp_path / "two")
    assert told == 'bm25/ranking.trec differs: 1 of 2 queries, such as "q1".'


def test_a_score_that_moved_and_a_file_that_is_gone_are_told(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    table = pd.read_parquet(other / "per_query.parquet")
    table.loc["capital", "token_f1"] += 0.25
    table.to_parquet(other / "per_query.parquet")
    (other / "answers.jsonl").unlink()
    assert result_differences(ran, other) == [
        "answers.jsonl was not written again.",
        "per_query.parquet differs: token_f1 of 1 queries.",
    ]


def test_the_reason_names_the_dataset_the_option_and_the_source(ran, tmp_path):
    other = copy(ran, tmp_path / "other")
    parts = json.loads((other / "pipeline.json").read_text(encoding="utf-8"))
    retriever = parts["pipeline"]["arguments"]["retriever"]
    retriever["source"] = "0" * 64
    parts["context"]["arguments"]["budget"] = 7
    (other / "pipeline.json").write_text(json.dumps(parts))
    rewrite(other / "summary.json", lambda text: text.replace("f" * 64, "e" * 64))
    assert reasons(StoredRun.read(ran), StoredRun.read(other)) == [
        "The dataset has changed: its fingerprint was ffffffffffff… and is eeeeeeeeeeee….",
        "The source of pipeline.retriever, or a library that it imports, has changed.",
        "context.budget was 3000 and is 7.",
    ]


def test_a_run_is_found_by_its_folder_and_by_its_mlflow_id(ran, tmp_path):
    rewrite(
        ran / "summary.json",
        lambda text: text.replace('"mlflow_run_id": null', '"mlflow_run_id": "abc"'),
    )
    runs = tmp_path / "runs"
    assert find_run(str(ran), runs, None, tmp_path / "copy").folder == ran.resolve()
    assert find_run("abc", runs, None, tmp_path / "copy").folder == ran
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
    assert "The same: rankings" in run("+experiment=replay", f"replay.run={folder}")
    rewrite(folder / "bm25" / "ranking.trec", lambda text: text[text.index("\n") + 1 :])
    said = run("+experiment=replay", f"replay.run={folder}", "replay.fresh=true")
    assert "Differs: bm25/ranking.trec differs: 1 of " in said
