"""Effects of position that are built into a model: found, corrected for their number, told."""

from __future__ import annotations

import pytest

from generation.context import ContextAssembler
from tests.experiments.position_lab.small_lab import gap, lab, summary
from tests.experiments.position_lab.stub_models import flat, key_value_model, u_curve


@pytest.mark.slow
def test_a_built_in_u_curve_is_found(tmp_path):
    report = lab(tmp_path, key_value_model(u_curve), count=100).run()
    assert gap(report)["p"] < 0.01
    assert "position matters" in summary(report)["sentences"][0]
    for name in ("position_curve.html", "documents_by_position.html", "answers.parquet"):
        assert (report.folder / name).stat().st_size > 0


@pytest.mark.slow
def test_a_model_without_an_effect_raises_few_alarms(tmp_path):
    alarms = [
        gap(lab(tmp_path, key_value_model(flat), count=40, seed=seed).run())["p"] <= 0.05
        for seed in range(5)
    ]
    assert sum(alarms) <= 2


def test_axes_give_drops_and_gains(tmp_path):
    report = lab(
        tmp_path,
        key_value_model(lambda way: 0.9 if way in (0, 1) else 0.3),
        count=40,
        documents=[5, 10],
        order=["none", "best_first"],
        positions=[0, 25],
    ).run()
    found = summary(report)["findings"]
    assert len(found["conditions"]) == 4
    assert {one["condition"]["documents"] for one in found["length_drop"]} == {5}
    (gain,) = [one for one in found["order_gain"] if one["condition"]["documents"] == 5]
    assert gain["mean"] > 0.1
    assert (report.folder / "order_gain.html").exists()


def test_contrasts_are_corrected_for_their_number(tmp_path):
    found = summary(
        lab(
            tmp_path,
            key_value_model(lambda way: 0.9 if way in (0, 1) else 0.3),
            count=30,
            order=["none", "best_first", "best_last", "langchain"],
            positions=[0, 25],
        ).run()
    )
    gains = found["findings"]["order_gain"]
    assert len(gains) == 3
    least = min(gains, key=lambda one: one["p"])
    assert 0 < least["p"] < 1 / 3
    assert least["p_holm"] == pytest.approx(3 * least["p"])
    assert all(one["p_holm"] >= one["p"] for one in gains)


def test_many_cases_without_an_effect_are_told_in_one_sentence(tmp_path):
    orders = ["none", "best_first", "best_last", "langchain"]
    report = lab(tmp_path, None, count=4, documents=[3, 5], order=orders).run()
    said = summary(report)["sentences"]
    assert "In all 8 cases no effect of position shows (corrected p at least 1.0000)." in said
    assert "In all 6 cases no gain of an order shows (corrected p at least 1.0000)." in said
    assert len([one for one in said if one.startswith("Shorter prompts gain")]) == 4


def test_several_passages_are_all_needed(tmp_path):
    report = lab(
        tmp_path,
        key_value_model(lambda way: float(way < 0.6)),
        count=10,
        documents=[10],
        evidence=["2 half", "2 ends"],
    ).run()
    half, ends = summary(report)["findings"]["conditions"]
    assert half["accuracy"][0]["mean"] == 1
    assert half["accuracy"][-1]["mean"] == 0
    assert [share["mean"] for share in ends["accuracy"]] == [0]
    assert ends["gap"]["p"] is None


def test_one_passage_and_two_are_asked_in_one_lab(tmp_path):
    report = lab(tmp_path, None, count=6, documents=[5], evidence=[1, "2 half"]).run()
    one, two = summary(report)["findings"]["conditions"]
    assert [share["mean"] for share in one["accuracy"]] == [1.0] * 5
    assert two["condition"]["evidence"] == 2
    assert (one["recall"], two["recall"]) == (1, 1)
    table = report.per_query["lost_in_the_middle"]
    counts = table["answer"].str.count(r"\[").groupby(table["evidence"]).max()
    assert counts.to_dict() == {1: 1, 2: 2}


def test_evidence_that_does_not_fit_is_told(tmp_path):
    context = ContextAssembler(budget=10**6, top_k=3)
    offline = lab(tmp_path, None, count=5, context=context).run()
    condition = summary(offline)["findings"]["conditions"][0]
    assert condition["recall"] == pytest.approx(3 / 5)
    assert any("in no prompt" in one for one in summary(offline)["sentences"])
