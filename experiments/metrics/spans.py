"""Metrics for labels that are stretches of text: what part of the gold spans do the chunks hold?

The gold spans are the relevant units, so rank metrics over documents (MAP, nDCG, MRR) have no
meaning here: how many chunks there are is the chunker's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from experiments.metrics.measures import SPAN_PREFIX, counts_characters, depth_of, unknown
from experiments.schema import Span

_CHROMA = "Smith & Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024"


class Overlap(NamedTuple):
    """How the first chunks of one query lie over its gold spans.

    spans: the distinct gold spans.  spans_hit: those of which the chunks hold half or more.
    gold: characters in gold spans, each counted once.  held: those of them in a chunk.
    read: characters of the chunks; one that two chunks share is read twice.
    """

    spans: int
    spans_hit: int
    gold: int
    held: int
    read: int


def overlap(chunks: Sequence[Span], gold: Sequence[Span]) -> Overlap:
    """Lay chunks over gold spans. Pieces of a span in several chunks add up."""
    spans = set(gold)
    hit = sum(2 * _held(span, chunks) >= span.end - span.start for span in spans)
    merged = _merged(spans)
    return Overlap(
        spans=len(spans),
        spans_hit=hit,
        gold=sum(span.end - span.start for span in merged),
        held=sum(_held(span, chunks) for span in merged),
        read=sum(chunk.end - chunk.start for chunk in chunks),
    )


def span_recall(found: Overlap) -> float:
    """The share of the gold spans that are hit; each counts once, however long it is."""
    return found.spans_hit / found.spans


def span_coverage(found: Overlap) -> float:
    """The share of the gold characters that the chunks hold (recall over characters)."""
    return found.held / found.gold


def span_precision(found: Overlap) -> float:
    """The share of the characters read that are gold; 0 where nothing was retrieved."""
    return found.held / found.read if found.read else 0.0


def span_iou(found: Overlap) -> float:
    """Gold characters held, over all that were read or missed."""
    return found.held / (found.read + found.gold - found.held)


def span_miss_rate(found: Overlap) -> float:
    """The share of the gold spans that are not hit: 1 - span_recall."""
    return 1.0 - span_recall(found)


def span_failure_rate(found: Overlap) -> float:
    """1 where no gold span is hit, else 0."""
    return float(not found.spans_hit)


@dataclass(frozen=True, slots=True)
class SpanMeasure:
    """One metric over gold spans at a depth k in chunks. Range [0, 1]."""

    kind: str
    k: int
    source: str
    kernel: Callable[[Overlap], float] = field(repr=False)
    higher_is_better: bool = True

    @property
    def name(self) -> str:
        """As it is written in a config: span_iou@10."""
        return f"{self.kind}@{self.k}"

    def score(self, chunks: Sequence[Span], gold: Sequence[Span]) -> float:
        """The score of one query: its chunks, best first, and its gold spans (at least one)."""
        return self.kernel(overlap(chunks[: self.k], gold))


_ANTHROPIC = "Anthropic, Introducing Contextual Retrieval, 2024, over spans"
_FAILURES = {
    f"1-{SPAN_PREFIX}recall": (span_miss_rate, _ANTHROPIC),
    "span_failure_rate": (span_failure_rate, "no gold span is hit"),
}
_KINDS: dict[str, tuple[Callable[[Overlap], float], str]] = {
    "span_recall": (span_recall, "a span is hit when chunks hold half of it or more"),
    "span_coverage": (span_coverage, f"{_CHROMA}: recall"),
    "span_precision": (span_precision, f"{_CHROMA}: precision"),
    "span_iou": (span_iou, f"{_CHROMA}: IoU"),
    **_FAILURES,
}


def parse_span(text: str) -> SpanMeasure:
    """The measure that a name such as `span_iou@10` stands for.

    Raises ValueError for an unknown name, an impossible depth, or a metric over documents.
    """
    kind, _, depth = str(text).partition("@")
    if not counts_characters(kind):
        raise ValueError(
            f"{text} counts documents and this set is labelled by characters, where the number of "
            f"relevant chunks depends on the chunker: use {', '.join(f'{k}@10' for k in _KINDS)} "
            "(metrics=spans has a list of them, metrics=chunkers one to compare chunkers by, "
            "metrics=contextual_spans that of contextual retrieval)."
        )
    if kind not in _KINDS:
        raise ValueError(unknown(text, _KINDS))
    kernel, source = _KINDS[kind]
    higher = kind not in _FAILURES
    return SpanMeasure(kind, depth_of(text, depth), source, kernel, higher)


def _held(span: Span, chunks: Iterable[Span]) -> int:
    held, reached = 0, span.start
    for start, end in sorted((c.start, c.end) for c in chunks if c.document == span.document):
        start, end = max(start, reached), min(end, span.end)
        if start < end:
            held, reached = held + end - start, end
    return held


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.document, span.start, span.end)):
        last = merged[-1] if merged else None
        if last and last.document == span.document and span.start <= last.end:
            merged[-1] = Span(span.document, last.start, max(last.end, span.end))
        else:
            merged.append(span)
    return merged
