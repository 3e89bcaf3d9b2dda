"""Only the place of the evidence differs between cells."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.position_lab.cells import Axes, Cell, Condition, arranged, places
from experiments.position_lab.key_value import KeyValueTasks
from experiments.position_lab.sheet import prompt_of
from experiments.position_lab.tasks import NOT_FOUND, Passage, Task
from generation.context import ContextAssembler
from generation.prompt_reading import read_prompt

CONTEXT = ContextAssembler(budget=10**6, top_k=1000, texts={"rules": "Answer.", "output": "Short."})


def task(documents=10, evidence=1):
    source = KeyValueTasks(count=1, strings="short")
    return source.load(None, documents=documents, evidence=evidence).tasks[0]


def cell(
    position, repeat=0, documents=10, evidence=1, spread="adjacent", question="after", order="none"
):
    return Cell(Condition(documents, evidence, spread, question, order), position, repeat)


def prompt(one, **options):
    return prompt_of(one, cell(**options), CONTEXT, seed=0).prompt


@pytest.mark.parametrize(
    ("documents", "evidence", "spread", "position", "expected"),
    [
        (5, 1, "adjacent", 0, [0]),
        (5, 1, "adjacent", 25, [1]),
        (5, 1, "adjacent", 100, [4]),
        (20, 1, "adjacent", 50, [10]),
        (10, 3, "adjacent", 100, [7, 8, 9]),
        (10, 2, "half", 0, [0, 5]),
        (10, 2, "half", 100, [4, 9]),
        (10, 3, "half", 0, [0, 2, 5]),
        (10, 2, "ends", 50, [0, 9]),
        (10, 3, "ends", 0, [0, 1, 9]),
    ],
)
def test_where_the_evidence_stands(documents, evidence, spread, position, expected):
    assert places(documents, evidence, spread, position) == expected


@given(
    documents=st.integers(3, 40),
    evidence=st.integers(1, 3),
    spread=st.sampled_from(["adjacent", "half", "ends"]),
    position=st.integers(0, 100),
)
def test_places_are_distinct_and_within_the_prompt(documents, evidence, spread, position):
    found = places(documents, evidence, spread, position)
    assert len(set(found)) == evidence
    assert 0 <= min(found) <= max(found) < documents


@settings(max_examples=40, deadline=None)
@given(
    position=st.sampled_from([25, 50, 75, 100]),
    repeat=st.integers(0, 2),
    evidence=st.integers(1, 3),
    question=st.sampled_from(["after", "before", "both"]),
)
def test_cells_differ_in_the_place_of_the_evidence_alone(position, repeat, evidence, question):
    one = task(evidence=evidence)
    options = {"repeat": repeat, "evidence": evidence, "question": question}
    first, moved = (prompt(one, position=p, **options) for p in (0, position))
    shown, shifted = (list(read_prompt(text).passages.values()) for text in (first, moved))
    needed = {passage.text for passage in one.evidence}
    assert sorted(shown) == sorted(shifted)
    assert [t for t in shown if t not in needed] == [t for t in shifted if t not in needed]
    assert [t for t in shown if t in needed] == [t for t in shifted if t in needed]
    around = [re.sub(r"(?m)^\[\d+\] .*\n?", "", text) for text in (first, moved)]
    assert around[0] == around[1]
    assert len(first.encode()) == len(moved.encode())


@pytest.mark.parametrize(
    ("documents", "evidence", "spread", "spots"),
    [
        (5, 1, "adjacent", [0, 25, 50, 75, 100]),
        (4, 1, "adjacent", [0, 25, 75, 100]),
        (3, 1, "adjacent", [0, 50, 100]),
        (2, 1, "adjacent", [0, 100]),
        (2, 2, "adjacent", [0]),
        (3, 2, "half", [0, 100]),
        (5, 2, "ends", [None]),
        (5, 1, "own", [None]),
    ],
)
def test_positions_that_are_one_place_are_asked_once(documents, evidence, spread, spots):
    axes = Axes(documents=[documents], evidence=[1], repeats=2)
    condition = Condition(documents, evidence, spread, "after", "none")
    assert axes.spots(condition) == spots
    if spread not in ("ends", "own"):
        found = [places(documents, evidence, spread, spot) for spot in spots]
        wanted = [places(documents, evidence, spread, spot) for spot in axes.positions]
        assert len({*map(tuple, found)}) == len(found) == len({*map(tuple, wanted)})


def test_a_repeat_has_the_same_passages_in_another_order():
    one = task()
    first, again = (arranged(one, cell(50, repeat=repeat), 0) for repeat in (0, 1))
    assert first != again
    assert {*first} == {*again}
    assert first == arranged(one, cell(50, repeat=0), 0)


def test_an_order_puts_the_evidence_of_a_rank_where_it_says():
    one = task()
    last = read_prompt(prompt(one, position=0, order="best_last")).passages
    assert last[10] == one.evidence[0].text
    middle = read_prompt(prompt(one, position=100, order="best_first")).passages
    assert middle[6] == one.evidence[0].text


def test_a_short_prompt_has_the_key_of_the_long_one():
    source = KeyValueTasks(count=1)
    long = source.load(None, documents=40, evidence=1).tasks[0]
    short = arranged(long, cell(50, documents=5), 0)
    assert len(short) == 5
    assert long.evidence[0] in short


def test_every_cell_is_listed_once():
    axes = Axes(documents=[5, 10], evidence=[1, "2 ends"], order=["none", "langchain"], repeats=2)
    cells = list(axes.cells())
    assert len(cells) == len({*cells}) == 2 * 2 * (5 + 1) * 2


@pytest.mark.parametrize(
    "options",
    [
        {"documents": []},
        {"documents": [1]},
        {"positions": [0, 101]},
        {"positions": [0, 0]},
        {"evidence": ["4"]},
        {"evidence": ["2 far"]},
        {"question": ["middle"]},
        {"order": ["random"]},
        {"repeats": 0},
        {"documents": [2], "evidence": ["3 half"]},
    ],
)
def test_axes_that_mean_nothing_are_refused(options):
    with pytest.raises(ValueError, match="lab"):
        Axes(**options)


@pytest.mark.parametrize(
    ("above", "expected"), [(0, "eab"), (1, "aeb"), (2, "abe"), (NOT_FOUND, "abc"), (3, "abc")]
)
def test_as_ranked_the_evidence_stands_where_the_pipeline_puts_it(above, expected):
    e, *others = (Passage(name, name, name) for name in "eabcd")
    one = Task("t", "?", (("e",),), (e,), tuple(others), above=above)
    shown = arranged(one, cell(0, documents=3, spread="own"), 0)
    assert "".join(passage.id for passage in shown) == expected
