"""The slots of a prompt, in a configured order, as plain text or as semantic XML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from generation.evidence import Evidence

ORDER = (
    "rules",
    "minor_rules",
    "examples",
    "key_evidence",
    "supporting_evidence",
    "recent_results",
    "question",
    "output",
)
"""Every slot there is, in the order of the usual layout."""

EVIDENCE = ("key_evidence", "supporting_evidence")
TITLES = {
    "rules": "Rules",
    "minor_rules": "Also",
    "examples": "Examples",
    "key_evidence": "Key evidence",
    "supporting_evidence": "Supporting evidence",
    "recent_results": "Recent results",
    "question": "Question",
    "output": "Answer with",
}
"""Slot -> its heading in a plain prompt."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a prompt is written.

    order: the slots to fill, each at most once; the others are left out.
    required: slots that must not be empty.
    tags: `plain` has a heading over each slot, `xml` an element around it: escaped, well formed,
        and U+FFFD for each sign that XML 1.0 cannot hold (control characters).
    question: where it stands: `after` keeps its place in `order`, `before` puts it first, `both`
        does both, which helps models that read towards it (Liu et al., TACL 2024).
    key: how many passages of the best ranks are key evidence; the rest is supporting.
    titles: slot -> its heading in a plain prompt, where it is not that of `TITLES`.
    Raises ValueError: an unknown slot, one that stands twice, or a required one that is not in
        `order`.
    """

    order: Sequence[str] = ORDER
    required: Sequence[str] = ("question",)
    tags: Literal["plain", "xml"] = "plain"
    question: Literal["after", "before", "both"] = "after"
    key: int = 0
    titles: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*self.order, *self.required):
            if name not in ORDER:
                raise ValueError(f'There is no slot "{name}": choose among {", ".join(ORDER)}.')
        if len({*self.order}) < len(self.order):
            raise ValueError(f"A slot stands twice in order={list(self.order)}: name each once.")
        if unwritten := [name for name in self.required if name not in self.slots()]:
            raise ValueError(
                f'The slot "{unwritten[0]}" is required and has no place in '
                f"order={list(self.order)}: add it there."
            )

    def slots(self) -> list[str]:
        """The slots as they are written, the question once or twice."""
        rest = [name for name in self.order if name != "question"]
        if self.question == "before":
            return ["question", *rest]
        return ["question", *self.order] if self.question == "both" else list(self.order)

    def render(self, texts: Mapping[str, str], evidence: Sequence[Evidence]) -> str:
        """The prompt: texts of the slots, and passages in the order a model is to read them.

        A passage is cited as [i], i counted from 1 in the order of the prompt.
        Raises ValueError: a required slot has no text, or a passage no slot.
        """
        filled = {**texts, **self._passages(evidence)}
        for name in self.required:
            if not filled.get(name, "").strip():
                raise ValueError(f'The slot "{name}" is required and empty: give it a text.')
        written = [self._slot(name, filled[name]) for name in self.slots() if filled.get(name)]
        return "\n\n".join(written) + "\n"

    def _passages(self, evidence: Sequence[Evidence]) -> dict[str, str]:
        """The text of both evidence slots. Without the key slot, all is supporting."""
        key = {one.id for one in sorted(evidence, key=lambda one: one.rank)[: self.key]}
        parts: dict[str, list[str]] = {name: [] for name in EVIDENCE}
        for number, one in enumerate(evidence, start=1):
            name = EVIDENCE[0] if one.id in key and EVIDENCE[0] in self.order else EVIDENCE[1]
            parts[name].append(self._passage(number, one))
        if parts[EVIDENCE[1]] and EVIDENCE[1] not in self.order:
            raise ValueError(
                f"There are {len(parts[EVIDENCE[1]])} passages without a slot: add {EVIDENCE[1]} "
                "to the order of the layout, or choose no passages with top_k=0."
            )
        return {name: "\n".join(several) for name, several in parts.items()}

    def _passage(self, number: int, one: Evidence) -> str:
        if self.tags == "plain":
            return f"[{number}] {one.text}"
        source = quoteattr(_xml_signs(one.document))
        return f'<passage n="{number}" document={source}>{_escaped(one.text)}</passage>'

    def _slot(self, name: str, text: str) -> str:
        if self.tags == "plain":
            return f"{self.titles.get(name, TITLES[name])}:\n{text}"
        return f"<{name}>\n{text if name in EVIDENCE else _escaped(text)}\n</{name}>"


def _escaped(text: str) -> str:
    return escape(_xml_signs(text))


def _xml_signs(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
