"""What became of a gold passage in the prompt and in the answer."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest

from experiments import gold_path
from experiments.diff.prompts import Prompts
from experiments.gold_path import GoldPaths
from generation.context import ContextAssembler
from generation.evidence import Evidence
from tests.experiments.diff.sample_diff import study


def manifest(selected=(), excluded=()):
    passages = [{"id": f"{d}#0", "document": d, "rank": 0} for d in selected]
    left = [{"id": f"{d}#0", "document": d, "reason": reason} for d, reason in excluded]
    return json.dumps({"task_id": "q", "selected": passages, "excluded": left})


@pytest.mark.parametrize(
    ("line", "answer", "stage"),
    [
        (manifest(["x", "gold"]), "see [2]", gold_path.KEPT),
        (manifest(["x", "gold"]), "see [1]", gold_path.UNUSED),
        (manifest(["x", "gold"]), "no source is named", gold_path.KEPT),
        (manifest(["x"], [("gold", "over the token budget")]), "[1]", gold_path.OVER_BUDGET),
        (manifest(["x"], [("gold", "below top_k")]), "[1]", gold_path.BELOW),
    ],
)
def test_what_the_prompt_and_the_answer_did(tmp_path, line, answer, stage):
    (tmp_path / "manifests.jsonl").write_text(line + "\n")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"query": "q", "answer": answer}) + "\n")
    paths = GoldPaths.of_rows([("q", "gold", 1, 1, 5, 0, 5, 5, -1, -1)])
    assert Prompts.read(tmp_path).told(paths).stages(3) == [stage]


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("manifests.jsonl", '{"task_id": "q"', "line 2 is damaged"),
        ("manifests.jsonl", '{"task_id": "q", "selected": []}', "line 2 has no excluded"),
        ("manifests.jsonl", "7", "line 2 is damaged"),
        ("manifests.jsonl", '{"task_id": "q", "selected": 5, "excluded": []}', "line 2 is none"),
        ("manifests.jsonl", '{"task_id": "q", "selected": [{}], "excluded": []}', "line 2 is none"),
        ("manifests.jsonl", "[" * 100_000, "line 2 is damaged"),
        ("answers.jsonl", '{"answer": "x"}', "line 2 has no query"),
        ("answers.jsonl", '{"query": "q", "answer": [1]}', "line 2 is none"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, file, line, said):
    (tmp_path / file).write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=said):
        Prompts.read(tmp_path)


@pytest.mark.parametrize(
    ("budget", "gold", "stage"),
    [
        (1, "d[5:10]", gold_path.OVER_BUDGET),
        (1, "d[50:60]", gold_path.BELOW),
        (99, "d[5:10]", gold_path.KEPT),
    ],
)
def test_a_gold_span_is_known_by_its_place_in_prompts_too(tmp_path, budget, gold, stage):
    found = [Evidence("d#0", "d", "the first forty characters of a document", 0, 0, 40)]
    assembler = ContextAssembler(budget=budget)
    made = assembler.assemble("q", "?", assembler.choose(found)).manifest
    (tmp_path / "manifests.jsonl").write_text(made.to_json() + "\n")
    paths = GoldPaths.of_rows([("q", gold, 1, 1, 5, 0, 5, 5, -1, -1)])
    assert Prompts.read(tmp_path).told(paths).stages(3) == [stage]


def test_a_run_of_answers_is_compared_by_what_its_prompts_show(run, tmp_path):
    shutil.copytree(run / "bm25", tmp_path / "answers")
    for name in ("gold.parquet", "ranking.trec"):
        (tmp_path / "answers" / name).unlink()
    gold = pd.read_parquet(run / "bm25" / "gold.parquet").iloc[0]
    page = json.loads(manifest([gold["gold"]])) | {"task_id": gold["query"]}
    (tmp_path / "answers" / "manifests.jsonl").write_text(json.dumps(page) + "\n")
    made = study("bm25", str(tmp_path / "answers"), run).folder
    table = pd.read_csv(made / "gold.tsv", sep="\t", dtype=str)
    row = table[(table["query"] == gold["query"]) & (table["gold"] == gold["gold"])].iloc[0]
    assert row["stage_b"] == gold_path.KEPT
    assert row["rank_b"] == "1"
