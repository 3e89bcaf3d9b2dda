"""The same passages in four orders, and what a model makes of it."""

import json
import re

import pytest

from experiments.answer_variants.reorder_ablation import ReorderAblation, order_gains
from experiments.answer_variants.variants import NO_POSITION
from experiments.schema import Query
from tests.experiments.answer_variants.rig import facts, first_passage, parts
from tests.experiments.rag.rig import Fixed


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def test_a_model_that_reads_the_first_passage_alone_loses_where_the_best_stands_last(tmp_path):
    found = summary(ReorderAblation(**parts(tmp_path, first_passage)).run())
    assert found["gains"]["best_first"]["mean"] == 0
    assert found["gains"]["best_last"]["mean"] == -1
    assert found["gains"]["langchain"]["mean"] == -1  # four passages: the best stands last
    assert found["gains"]["best_last"]["p_corrected"] == pytest.approx(3 * 2 / 2**12)
    assert NO_POSITION not in found["sentences"]


def test_the_offline_model_shows_no_effect_and_that_is_said(tmp_path):
    found = summary(ReorderAblation(**parts(tmp_path)).run())
    assert {gain["mean"] for gain in found["gains"].values()} == {0}
    assert {gain["p_corrected"] for gain in found["gains"].values()} == {1}
    assert found["sentences"][-1] == NO_POSITION


def test_every_order_shows_the_same_passages(tmp_path):
    seen = []

    def note(prompt):
        seen.append(prompt)
        return "x"

    ReorderAblation(**parts(tmp_path, note), orders=["best_first", "best_last"]).run()
    contents = {tuple(sorted(re.sub(r"^\[\d\] ", "", one, flags=re.M).split("\n"))) for one in seen}
    assert len(contents) == 12
    assert len(set(seen)) == 3 * 12


def test_a_failed_answer_is_in_no_pair(tmp_path):
    def failing(prompt):
        if prompt.index("number0") < prompt.index("number1"):
            raise ValueError("refused")
        return first_passage(prompt)

    study = parts(tmp_path, failing, dataset=facts(2))
    found = summary(ReorderAblation(**study, orders=["best_last"]).run())
    lost = [sides["all"]["best_subspan"] for sides in found["scores"].values()]
    assert all(one["n_scored"] < one["n_total"] for one in lost)
    assert found["gains"]["best_last"]["n"] == 0


def test_mistakes_are_answered_with_a_sentence(tmp_path):
    study = parts(tmp_path)
    with pytest.raises(ValueError, match="asks a model and llm is none"):
        ReorderAblation(**{**study, "llm": None}).run()
    with pytest.raises(ValueError, match="There is no order 'middle'"):
        ReorderAblation(**study, orders=["middle"]).run()
    silent = Fixed(queries=[Query("capital", "대한민국의 수도는?")])
    with pytest.raises(ValueError, match="Choose a dataset with answers"):
        ReorderAblation(**parts(tmp_path, dataset=silent)).run()
    assert order_gains({"none": _empty()}, "none", []) == {}


def _empty():
    from experiments.rag.stories import beside

    return beside(("q",), [])
