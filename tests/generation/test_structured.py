"""Fields out of answers as models write them; what is no answer decides nothing."""

from __future__ import annotations

import ast
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.numbered_choices import read_order
from generation.structured import one_of, parse

SCHEMA = {"score": int, "verdict": str}
RIGHT = {"score": 1, "verdict": "it's fine"}


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 1, "verdict": "it\'s fine"}',
        '```json\n{"score": 1, "verdict": "it\'s fine"}\n```',
        'Sure! Here it is: {"score": 1, "verdict": "it\'s fine"} I hope that helps {you}.',
        '{"score": 1, "verdict": "it\'s fine",}',
        "{'score': 1, 'verdict': 'it's fine'}",
        "{'score': 1, 'verdict': \"it's fine\"}",
        "{“score”: 1, “verdict”: “it's fine”}",
        '{score: 1, verdict: "it\'s fine"}',
        '{"Score": "1", "VERDICT": "it\'s fine", "more": [1, {"a": 2}]}',
        '{"score": 1.0, "verdict": "it\'s fine"',
        '{"score": 1, "verdict": "it\'s fine", "more": "it is cut he',
        '[{"score": 1, "verdict": "it\'s fine"}]',
        '{"score": 0, "verdict": "a draft"} No, rather {"score": 1, "verdict": "it\'s fine"}',
        '<think>{"score": 0}</think>{"score": 1, "verdict": "it\'s fine"}',
    ],
)
def test_what_models_write_is_read(text) -> None:
    assert parse(text, SCHEMA) == RIGHT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{",
        "{" * 5000,
        '{"score": 1}',
        '{"score": "high", "verdict": "x"}',
        '{"score": 1.5, "verdict": "x"}',
        '{"score": true, "verdict": "x"}',
        '{"score": null, "verdict": "x"}',
        '{"score": NaN, "verdict": "x"}',
        '{"score": 1, "verdict": 2}',
        '{"verdict": "x", "score": 1',
        '{"score": 1, "verdict": "it is cut he',
        "score: 1, verdict: x",
        f'{{"verdict": "x", "score": {"9" * 5000}}}',
    ],
)
def test_what_is_not_there_is_not_guessed(text) -> None:
    assert parse(text, SCHEMA) is None


@given(st.text())
def test_any_text_is_read_without_an_error(text) -> None:
    assert parse(text, SCHEMA) is None or "score" in text.casefold()


@pytest.mark.parametrize("piece", ["[", "{", "[1, ", "{'a", '["\\"', "'", "a"])
def test_an_answer_of_a_megabyte_is_read_in_a_moment(piece) -> None:
    started = time.monotonic()
    assert parse(piece * (1_000_000 // len(piece)), SCHEMA) is None
    assert read_order(piece * (1_000_000 // len(piece)), 15).positions == tuple(range(15))
    assert time.monotonic() - started < 10


VALUES = st.fixed_dictionaries({"score": st.integers(-99, 99), "verdict": st.text()})


@given(VALUES, st.text(alphabet="ab cd\n:,.", max_size=9), st.booleans())
def test_json_is_read_as_json_whatever_surrounds_it(value, prose, ascii_only) -> None:
    text = prose + json.dumps(value, ensure_ascii=ascii_only) + prose
    assert parse(text, SCHEMA) == value


@given(VALUES, st.integers(1, 60))
def test_a_cut_answer_is_right_or_none(value, missing) -> None:
    """However much is cut off, no field ever has another value than it was meant to have."""
    text = json.dumps(value)
    assert parse(text[:-missing], SCHEMA) in (value, None)


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (bool, "true", True),
        (bool, '"No"', False),
        (bool, '"예"', True),
        (float, "1", 1.0),
        (list, "[1, 2,]", [1, 2]),
        (one_of("yes", "no"), '"YES "', "yes"),
        (lambda value: max(0, min(10, int(value))), "12", 10),
    ],
)
def test_a_field_is_made_by_its_kind(kind, written, value) -> None:
    assert parse(f'{{"it": {written}}}', {"it": kind}) == {"it": value}


@pytest.mark.parametrize("written", ['"maybe"', "2", "[]"])
def test_a_word_outside_the_list_is_no_value(written) -> None:
    assert parse(f'{{"it": {written}}}', {"it": one_of("yes", "no")}) is None
    assert parse(f'{{"it": {written}}}', {"it": bool}) is None


def test_the_guide_shows_what_is_read() -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "models.md"
    (block,) = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    shown = []
    for statement in ast.parse(block).body:
        code = ast.unparse(statement)
        if isinstance(statement, ast.Expr):
            shown.append(str(eval(code, names)))
        else:
            exec(code, names)
    said = [line[2:] for line in block.splitlines() if line.startswith("# ")]
    assert len(shown) == len(said) == 3
    assert all(line.startswith(value) for line, value in zip(said, shown, strict=True))
