"""What a judge's text says, read once and held against what ragas asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from generation.lenient_json import json_values
from retrievers.language import same_language

M = TypeVar("M", bound=BaseModel)
_INPUT = "\ninput: "  # what stands before the data in a prompt of ragas's
_SPLIT = ("answer", "response")
_SPOKEN = ("question", "statements", "claims")


def read_answer(text: str, model: type[M]) -> M | None:
    """The last object in the text that has the fields; None where none has."""
    for found in reversed(json_values(text, dict)):
        try:
            return model.model_validate(found)
        except ValidationError:
            continue
    return None


def why_unusable(prompt: str, text: str, model: type[BaseModel]) -> str:
    """Why ragas cannot score by this answer, one clause; "" where it can.

    ragas itself asks for none of this: a verdict of 5 would give a score above 1, and a verdict
    too few would be a statement that nobody judged.
    """
    said = read_answer(text, model)
    if said is None:
        return "it does not hold the JSON that was asked for"
    if any(number not in (0, 1) for number in _numbers(said.model_dump())):
        return "it has a verdict that is neither 0 nor 1"
    given = prompt_input(prompt)
    asked, told = _statements(prompt), getattr(said, "statements", None)
    if asked is not None and told is not None and len(asked) != len(told):
        return f"it answers to {len(told)} of {len(asked)} statements"
    source = " ".join(str(given[name]) for name in _SPLIT if name in given)
    spoken = " ".join(_strings([getattr(said, name, "") for name in _SPOKEN]))
    return same_language(source, spoken) if source and spoken.strip() else ""


def prompt_input(prompt: str) -> Mapping[str, Any]:
    """The data that a prompt of ragas's ends with; {} where it has none."""
    found = json_values(prompt.rpartition(_INPUT)[2], dict) if _INPUT in prompt else []
    return found[0] if found else {}


def stand_in(prompt: str, model: type[M]) -> M:
    """An answer of about the length of a real one, to see what would be asked after it."""
    given = prompt_input(prompt)
    text = str(next((given[name] for name in _SPLIT if name in given), prompt[-200:]))
    fields = model.model_json_schema()
    return model.model_validate(_filled(fields, fields, _statements(prompt) or [text]))


def _statements(prompt: str) -> list[str] | None:
    """Those that the prompt wants judged or translated; None where it gives none."""
    given = prompt_input(prompt)
    if given:
        return given.get("statements")
    lists = json_values(prompt, list)
    return lists[-1] if lists else None


def _filled(schema: Mapping[str, Any], root: Mapping[str, Any], texts: list[str]) -> Any:
    """A value of the schema: each list has one item for each text."""
    if "$ref" in schema:
        return _filled(root["$defs"][schema["$ref"].rpartition("/")[2]], root, texts)
    if schema["type"] == "object":
        return {name: _filled(one, root, texts) for name, one in schema["properties"].items()}
    if schema["type"] == "array":
        return [_filled(schema["items"], root, [text]) for text in texts]
    return 1 if schema["type"] == "integer" else texts[0]


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float):
        yield value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
