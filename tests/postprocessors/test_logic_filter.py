"""Faulty passages go, undecided ones stay, and no list is emptied."""

from postprocessors.logic_filter import LogicFilter
from tests.postprocessors.rankings import nodes_of, plans_of, ranking_of
from tests.retrievers.stub_llm import PlainLLM

VERDICTS = {"a": "SOUND", "b": "ERROR", "c": "error, or sound?", "d": "오류", "e": ""}


def filtered(rows, verdicts=VERDICTS, **options):
    model = PlainLLM(lambda prompt: verdicts[prompt.split("Passage: ")[1][0]])
    part = LogicFilter(llm=model, **options)
    plans = plans_of(["q"] * len(rows))
    return part.postprocess_many(ranking_of(rows), plans, nodes_of([*VERDICTS, ""])), part, model


def test_only_what_the_model_calls_faulty_goes_and_it_is_asked_once_a_passage():
    after, part, model = filtered([[3, 2, 1, 0, 4, 5], [1, 0]])
    assert after.by_query() == {"0": ["d2", "d0", "d4", "d5"], "1": ["d0"]}
    assert len(model.asked) == 5
    assert part.notes == (
        "logic_filter read 5 passages and found 2 faulty; 2 got no verdict and stay (1 calls "
        "failed, 1 answers unreadable); 0 lists would have been emptied and stay whole.",
    )


def test_a_list_of_faulty_passages_stays_whole():
    after, part, _ = filtered([[1, 3]])
    assert after.ids(0) == ["d1", "d3"]
    assert "1 lists would have been emptied" in part.notes[0]


def test_those_behind_the_first_are_not_read():
    after, _, model = filtered([[0, 1, 3]], first=2)
    assert after.ids(0) == ["d0", "d3"]
    assert len(model.asked) == 2


def test_a_passage_that_is_said_to_have_no_error_stays():
    after, part, _ = filtered([[0, 1]], {"a": "오류 없음", "b": "There is no error."})
    assert after.ids(0) == ["d0", "d1"]
    assert "found 0 faulty; 2 got no verdict" in part.notes[0]
