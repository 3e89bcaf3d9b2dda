"""Two runs of answers, compared from their files alone: every stage is named, up to the answer."""

import re

import pandas as pd
import pytest

from experiments import gold_path
from experiments.diff.study import DiffStudy
from experiments.splits import RandomSplit
from generation.context import ContextAssembler
from tests.experiments.rag.rig import BlockFirst, study
from tests.generation.stub_llm import StubLLM


def quotes(number):
    """A model that cites that passage, and says what stands in it."""

    def answer(prompt):
        found = re.search(rf"^\[{number}\] (.*)$", prompt, re.MULTILINE)
        return f"{found[1]} [{number}]" if found else "I do not know."

    return StubLLM(answer, model=f"quotes {number}")


def compared(folder, a, b, **options):
    setting = study(folder).setting
    return DiffStudy(setting=setting, a=str(a.folder), b=str(b.folder), **options).run().folder


def stages(folder, side):
    gold = pd.read_csv(folder / "gold.tsv", sep="\t").set_index(["query", "gold"])
    return gold[f"stage_{side}"].to_dict()


@pytest.fixture
def first(tmp_path):
    return study(tmp_path, model=quotes(1)).run()


def test_the_answer_that_did_not_use_its_passage_is_named(first, tmp_path, capsys):
    second = study(tmp_path, model=quotes(2)).run()
    made = compared(tmp_path, first, second)
    assert "by best_subspan" in capsys.readouterr().out
    assert stages(made, "a")["capital", "d1"] == gold_path.KEPT
    assert stages(made, "b")["capital", "d1"] == gold_path.UNUSED
    page = (made / "diff.html").read_text(encoding="utf-8")
    assert "Wanted: 서울" in page
    assert "파리는 프랑스의 수도이다. [2]" in page


def test_every_stage_before_the_answer_is_named(first, tmp_path):
    tight = study(tmp_path, model=quotes(1), context=ContextAssembler(budget=1)).run()
    assert stages(compared(tmp_path, first, tight), "b")["boil", "d4"] == gold_path.OVER_BUDGET
    none = study(tmp_path, model=quotes(1), context=ContextAssembler(top_k=0)).run()
    assert stages(compared(tmp_path, first, none), "b")["boil", "d4"] == gold_path.BELOW
    gated = study(tmp_path, model=quotes(1), gate=BlockFirst()).run()
    assert stages(compared(tmp_path, first, gated), "b")["capital", "d1"] == gold_path.BLOCKED


def test_a_refusal_uses_none_of_what_it_was_shown(first, tmp_path):
    silent = study(tmp_path, model=StubLLM(lambda _: "I do not know.", model="silent")).run()
    found = stages(compared(tmp_path, first, silent), "b")
    assert found["capital", "d1"] == gold_path.UNUSED


def test_the_score_that_decides_can_be_chosen(first, tmp_path, capsys):
    made = compared(tmp_path, first, first, metric="assembly_recall")
    assert "by assembly_recall" in capsys.readouterr().out
    assert stages(made, "a")["light", "d6"] == gold_path.NOT_RETRIEVED
    with pytest.raises(ValueError, match=r"diff\.metric is map@3, .* choose candidate_recall"):
        compared(tmp_path, first, first, metric="map@3")


def test_a_sealed_run_tells_no_path_of_a_private_query(tmp_path):
    report = study(tmp_path, split=RandomSplit(sealed=True)).run()
    told = set(pd.read_parquet(report.folder / "gold.parquet")["query"])
    assert told == {"capital", "boil", "turns", "light"} & set(report.per_query["rag"].index)
