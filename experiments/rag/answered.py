"""One query's whole story, from what was found to what was said, and the files it leaves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.metrics.answers import cited_numbers
from experiments.metrics.refusals import refuses

if TYPE_CHECKING:
    from generation.answers import Answer
    from generation.context import Assembled


@dataclass(frozen=True, slots=True)
class Answered:
    """A query, the prompt it became, and the answer.

    searched: what the retriever was asked.
    retrieved, ranked: (node id, score) best first, score NaN where a step gave none.
    blocked: why the gate held it back, "" where it passed.
    scores: those that exist.
    reference: the answer that was wanted, None where nobody gave one.
    needed: the documents that the query needs.
    """

    question: str
    searched: Mapping[str, Sequence[str]]
    retrieved: Sequence[tuple[str, float]]
    ranked: Sequence[tuple[str, float]]
    blocked: str
    assembled: Assembled
    answer: Answer
    scores: Mapping[str, float] = field(default_factory=dict)
    reference: str | None = None
    needed: Collection[str] = ()

    @property
    def id(self) -> str:
        """The query's id."""
        return self.assembled.manifest.task_id

    @property
    def cited(self) -> list[str]:
        """The documents that the answer cites, in its order; a number without a passage is none."""
        known = self.assembled.manifest.citations()
        numbers = cited_numbers(self.answer.text or "")
        return list(dict.fromkeys(known[number] for number in numbers if number in known))

    @property
    def refused(self) -> bool:
        """Whether the model said that it has no answer; a failed call said nothing."""
        return self.answer.text is not None and refuses(self.answer.text)

    def row(self) -> dict[str, Any]:
        """What stands of it in answers.jsonl."""
        return {
            "query": self.id,
            "question": self.question,
            "answer": self.answer.text,
            "missing": self.answer.reason,
            "refused": self.refused,
            "cited": self.cited,
            "blocked": self.blocked,
            "context_hash": self.assembled.manifest.context_hash,
            "tokens_in": self.answer.tokens_in,
            "tokens_out": self.answer.tokens_out,
            "scores": dict(self.scores),
        }


def write_answers(folder: Path, stories: Sequence[Answered]) -> list[Path]:
    """Write answers.jsonl and manifests.jsonl, a line a query."""
    answers = (json.dumps(one.row(), ensure_ascii=False, allow_nan=False) for one in stories)
    manifests = (one.assembled.manifest.to_json() for one in stories)
    return [
        _lines(folder / "answers.jsonl", answers),
        _lines(folder / "manifests.jsonl", manifests),
    ]


def _lines(path: Path, lines: Iterable[str]) -> Path:
    text = "".join(f"{line}\n" for line in lines)
    with atomic_file(path) as part:  # of what UTF-8 cannot hold, the escapes are JSON's own
        part.write_bytes(text.encode("utf-8", "backslashreplace"))
    return path
