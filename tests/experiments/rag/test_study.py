"""From questions to answers on disk, and at which stage evidence was lost."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from experiments.rag.evidence_loss import STAGES
from experiments.splits import RandomSplit
from experiments.submissions.science_qa import ScienceQASubmission
from generation.context import ContextAssembler, Manifest, reassemble
from generation.faults import ModelError
from generation.offline import NO_ANSWER
from postprocessors.long_context_reorder import LongContextReorder
from tests.experiments.rag.rig import TEXTS, BlockFirst, Fixed, study
from tests.generation.stub_llm import StatusError, StubLLM


def lines(report, name, key=None):
    text = (report.folder / name).read_text(encoding="utf-8")
    rows = map(json.loads, _split(text))
    return {one[key or ("query" if "query" in one else "task_id")]: one for one in rows}


def _split(text):
    return [line for line in text.split("\n") if line]


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def test_every_query_gets_an_answer_with_what_it_cites(tmp_path):
    answers = lines(study(tmp_path).run(), "answers.jsonl")
    assert answers["capital"]["answer"].startswith("서울은 대한민국의 수도이다. [")
    assert answers["capital"]["cited"] == ["d1"]
    assert answers["capital"]["scores"]["best_subspan"] == 1
    assert answers["nothing"]["answer"] == NO_ANSWER
    assert "user: 수도는?\nuser: 그럼 프랑스는?" in answers["turns"]["question"]
    assert "token_f1" not in answers["light"]["scores"]


def test_a_manifest_on_disk_gives_the_prompt_again(tmp_path):
    report = study(tmp_path).run()
    text = (report.folder / "manifests.jsonl").read_text(encoding="utf-8")
    for line in _split(text):
        manifest = Manifest.from_json(line, TEXTS)
        assert reassemble(manifest)
        assert manifest.dataset == "f" * 64
        assert manifest.index
        assert manifest.validation_profile == "exact_match, token_f1, best_subspan"


def test_a_blocked_query_is_asked_without_passages(tmp_path):
    report = study(tmp_path, gate=BlockFirst()).run()
    assert lines(report, "answers.jsonl")["capital"]["blocked"] == "chat"
    assert lines(report, "manifests.jsonl")["capital"]["selected"] == []
    assert summary(report)["answers"]["blocked"] == 1
    row = report.per_query["rag"].loc["capital"]
    assert (row["candidate_recall"], row["ranking_recall"], row["lost_at"]) == (1, 0, "ranking")


def test_the_stage_that_loses_evidence_is_named(tmp_path):
    table = study(tmp_path).run().per_query["rag"]
    assert table.loc["capital", "lost_at"] == ""
    assert table.loc["light", "lost_at"] == "retrieval"
    assert pd.isna(table.loc["nothing", "candidate_recall"])
    tight = study(tmp_path, context=ContextAssembler(budget=1)).run().per_query["rag"]
    assert tight.loc["capital", "lost_at"] == "assembly"
    assert list(tight.loc["capital", [*STAGES]]) == [1, 1, 0]


def test_prompts_that_hold_nothing_are_told(tmp_path, capsys):
    study(tmp_path, context=ContextAssembler(budget=1)).run()
    said = " ".join(capsys.readouterr().out.split())
    assert "5 of 6 prompts show no passage, for none that was found fits context.budget=1" in said


def test_an_order_that_too_few_passages_have_is_told_of_the_prompts(tmp_path, capsys):
    reorder = {"reorder": LongContextReorder(min_nodes=3)}
    study(tmp_path, reorder=reorder, context=ContextAssembler(top_k=2)).run()
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("LongContextReorder left") == 1
    assert "LongContextReorder left 2 of 6 queries in order" in said


def test_where_evidence_was_lost_is_said_before_a_model_is_asked(tmp_path, capsys):
    model = StubLLM(lambda _: "x", failures=[StatusError(401)])
    with pytest.raises(ModelError):
        study(tmp_path, model=model, context=ContextAssembler(budget=1)).run()
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Of the documents that a question needs, on average 88% were found, 88% are among the "
        "first 10, 0% stand in its prompt (4 questions)." in said
    )


def test_an_order_of_the_prompt_moves_no_recall_and_no_content(tmp_path):
    reorder = {"reorder": LongContextReorder(order="best_last", min_nodes=0)}
    plain, moved = study(tmp_path).run(), study(tmp_path, reorder=reorder).run()
    assert plain.per_query["rag"][[*STAGES]].equals(moved.per_query["rag"][[*STAGES]])
    before, after = lines(plain, "manifests.jsonl"), lines(moved, "manifests.jsonl")
    ranks = [one["rank"] for one in after["turns"]["selected"]]
    assert len(ranks) > 1
    assert ranks[-1] == 0
    for query, manifest in before.items():
        assert sorted(one["id"] for one in manifest["selected"]) == sorted(
            one["id"] for one in after[query]["selected"]
        )


def test_a_failed_call_is_a_counted_missing_answer(tmp_path):
    model = StubLLM(lambda prompt: "서울", failures=[ValueError("broken prompt")])
    report = study(tmp_path, model=model).run()
    value = summary(report)
    assert value["answers"]["missing"] == 1
    scores = value["scores"]["all"]["exact_match"]
    assert (scores["n_scored"], scores["n_total"]) == (2, 6)
    assert lines(report, "answers.jsonl")["capital"]["answer"] is None


def test_a_second_run_asks_nothing_and_writes_the_same(tmp_path):
    first = study(tmp_path).run()
    second = study(tmp_path).run()
    for name in ("answers.jsonl", "manifests.jsonl", "per_query.parquet"):
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()
    assert summary(second)["usage"]["answer"]["stored"] == 6


def test_what_a_later_comparison_reads_stands_beside_the_answers(tmp_path):
    report = study(tmp_path, gate=BlockFirst()).run()
    ranking = (report.folder / "ranking.trec").read_text(encoding="utf-8")
    assert ranking.startswith("boil Q0 d4 1 ")
    assert "capital\tyes\tchat\n" in (report.folder / "gate.tsv").read_text(encoding="utf-8")
    gold = pd.read_parquet(report.folder / "gold.parquet").set_index(["query", "gold"])
    assert gold.loc[("capital", "d1"), "blocked"] == 1
    versions = json.loads((report.folder / "versions.json").read_text(encoding="utf-8"))
    assert versions.keys() >= {"python", "llama-index-core", "numpy"}


def test_a_submission_holds_the_answers(tmp_path):
    numbered = [replace(one, id=str(n)) for n, one in enumerate(Fixed().value.queries)]
    data = Fixed(queries=numbered, qrels={"0": {"d1": 1}})
    report = study(tmp_path, dataset=data, submission=ScienceQASubmission()).run()
    rows = lines(report, "submission.csv", "eval_id")
    assert rows[0]["topk"][0] == "d1"
    assert rows[0]["answer"] == lines(report, "answers.jsonl")["0"]["answer"]
    assert summary(report)["submission"] == str(report.folder / "submission.csv")
    with pytest.raises(ValueError, match="whole numbers as query ids"):
        study(tmp_path, submission=ScienceQASubmission()).run()


def test_without_labels_and_references_it_still_answers(tmp_path, capsys):
    bare = [replace(query, answer=None) for query in Fixed().value.queries]
    report = study(tmp_path, dataset=Fixed(qrels=None, queries=bare)).run()
    said = capsys.readouterr().out.replace("\n", " ")
    assert "no reference answers" in said
    assert "not known where evidence was lost" in said
    assert report.primary is None
    assert len(lines(report, "answers.jsonl")) == 6


def test_a_sealed_split_shows_no_private_query(tmp_path):
    report = study(tmp_path, split=RandomSplit(sealed=True)).run()
    assert summary(report)["scores"].keys() == {"public"}
    public = report.per_query["rag"]
    assert set(public["split"]) == {"public"}
    for query, row in lines(report, "answers.jsonl").items():
        assert query in public.index or row["scores"] == {}


def test_without_a_model_it_says_which_to_choose(tmp_path):
    with pytest.raises(ValueError, match="llm=offline"):
        replace(study(tmp_path), llm=None).run()
