"""Recall and answers against the number of passages."""

import json

import pytest

from experiments.answer_variants.top_k_saturation import TopKSaturation, saturation_figure
from experiments.answer_variants.variants import NO_MODEL, Reading, read_many
from experiments.schema import Query
from generation.context import ContextAssembler
from tests.experiments.answer_variants.rig import first_passage, parts
from tests.experiments.rag.rig import Fixed


def means(report, metric):
    summary = json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))
    return [sides["all"][metric]["mean"] for sides in summary["scores"].values()]


def test_recall_never_falls_with_k_and_answers_follow_the_model(tmp_path):
    seen = []

    def all_passages(prompt):
        seen.append(prompt.count("\n["))
        return prompt

    report = TopKSaturation(**parts(tmp_path, all_passages), top_ks=[3, 1, 3, 2]).run()
    recalls = means(report, "ranking_recall")
    assert len(recalls) == 3
    assert recalls == sorted(recalls)
    assert means(report, "assembly_recall") == recalls
    assert sorted(set(seen)) == [1, 2, 3]


def test_a_tight_budget_keeps_the_prompt_behind_the_ranking(tmp_path):
    tight = ContextAssembler(budget=1)
    report = TopKSaturation(**parts(tmp_path, first_passage, context=tight), top_ks=[1]).run()
    assert means(report, "assembly_recall") == [0]
    assert means(report, "ranking_recall") == [1]


def test_one_order_holds_for_every_k(tmp_path):
    study = parts(tmp_path, first_passage)
    readings = {"1": Reading(1, "best_last"), "3": Reading(3, "best_last")}
    dataset = study["setting"].dataset.load()
    outcome = study["pipeline"].run(dataset, study["setting"].store)
    read = read_many(dataset, outcome, study["context"], study["llm"], readings)
    assert read["1"].scores.column("best_subspan").mean() == 1
    assert read["3"].scores.column("best_subspan").mean() == 0
    assert read["1"].prompts != read["3"].prompts


def test_the_table_fits_a_terminal_and_says_what_it_covers(tmp_path, capsys):
    TopKSaturation(**parts(tmp_path, first_passage), top_ks=[1, 2, 3, 5, 10, 20]).run()
    told = capsys.readouterr().out
    assert "k=20" in told
    assert "…" not in told
    assert "12/12" in told
    assert max(map(len, told.split("\n")[:8])) <= 80


def test_without_a_model_there_are_recalls_and_a_word_why(tmp_path, capsys):
    study = {**parts(tmp_path), "llm": None}
    report = TopKSaturation(**study, top_ks=[1, 2]).run()
    told = " ".join(capsys.readouterr().out.split())
    assert NO_MODEL in told
    assert list(report.per_query["top_k_saturation"])[:3] == [
        "top_k_1/candidate_recall",
        "top_k_1/ranking_recall",
        "top_k_1/assembly_recall",
    ]


def test_nobody_is_asked_what_cannot_be_scored(tmp_path):
    asked = []
    silent = Fixed(queries=[Query("capital", "대한민국의 수도는?")])
    study = parts(tmp_path, lambda prompt: asked.append(prompt) or "x", dataset=silent)
    report = TopKSaturation(**study, top_ks=[1]).run()
    assert means(report, "ranking_recall") == [1]
    assert asked == []


def test_the_figure_has_recalls_and_the_answer_score(tmp_path):
    study = parts(tmp_path, first_passage)
    dataset = study["setting"].dataset.load()
    outcome = study["pipeline"].run(dataset, study["setting"].store)
    readings = {str(k): Reading(k, "none") for k in (1, 2)}
    read = read_many(dataset, outcome, study["context"], study["llm"], readings)
    scores = {int(k): one.scores for k, one in read.items()}
    figure = saturation_figure(scores, ["q0", "q1", "q2"])
    lines = {line.name: list(line.x) for line in figure.data}
    assert lines == {name: [1, 2] for name in ("ranking_recall", "assembly_recall", "best_subspan")}


@pytest.mark.parametrize(
    ("ks", "said"), [([], "give numbers from 1"), ([0], "from 1"), ([1000], "add depth=1000")]
)
def test_a_wrong_k_is_answered_with_a_sentence(tmp_path, ks, said):
    with pytest.raises(ValueError, match=said):
        TopKSaturation(**parts(tmp_path), top_ks=ks).run()
