"""What is sent to Elasticsearch: the settings of an index, its passages, its queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from retrievers.analyzers import compatible

Body = dict[str, Any]
Language = Literal["nori", "english"]
Decompound = Literal["mixed", "discard", "none"]

LETTERS_AT_ONCE = 4_000_000
"""Of one bulk request; a server takes 100 MB by default."""

PASSAGES_AT_ONCE = 10_000

DEEPEST = 10_000
"""Results that a server gives where the index asks for no more."""


def analysis_of(analyzer: Language, decompound: Decompound) -> Body:
    """The analyzer "passage", which reads passages and queries alike."""
    if analyzer == "english":
        return {"analyzer": {"passage": {"type": "english"}}}
    korean = {"type": "nori_tokenizer", "decompound_mode": decompound}
    filters = ["nori_part_of_speech", "lowercase"]
    passage = {"type": "custom", "tokenizer": "korean", "filter": filters}
    return {"tokenizer": {"korean": korean}, "analyzer": {"passage": passage}}


def index_settings(analysis: Body, similarity: Body, *, passages: int) -> Body:
    """One shard, so that all passages share one idf; searchable as deep as there are passages."""
    settings = {
        "number_of_shards": 1,
        "number_of_replicas": 0,
        "refresh_interval": "-1",
        "max_result_window": max(DEEPEST, passages),
        "similarity": {"default": similarity},
        "analysis": analysis,
    }
    fields = {"text": {"type": "text", "analyzer": "passage"}, "row": {"type": "integer"}}
    mappings = {"dynamic": "strict", "_source": {"enabled": False}, "properties": fields}
    return {"settings": settings, "mappings": mappings}


def bulks(texts: Sequence[str]) -> Iterator[list[Mapping[str, Any]]]:
    """The lines of bulk requests; "create" leaves a passage alone that stands already."""
    lines: list[Mapping[str, Any]] = []
    letters = 0
    for row, text in enumerate(texts):
        lines += [{"create": {"_id": str(row)}}, {"row": row, "text": text}]
        letters += len(text)
        if letters >= LETTERS_AT_ONCE or len(lines) >= 2 * PASSAGES_AT_ONCE:
            yield lines
            lines, letters = [], 0
    if lines:
        yield lines


def match(text: str, among: Sequence[int] | None = None) -> Body:
    """The passages that share a term with the text; of these rows alone, where given.

    Without the phrase queries that Elasticsearch makes of a compound's pieces by default: they
    would ask for the pieces side by side.
    """
    query = {"query": compatible(text), "auto_generate_synonyms_phrase_query": False}
    shared = {"match": {"text": query}}
    if among is None:
        return shared
    return {"bool": {"must": [shared], "filter": [{"terms": {"row": [*among]}}]}}


def search_body(query: Body, depth: int) -> Body:
    """The best `depth` passages; a tie goes to the lower row. A hit's "sort" is [score, row]."""
    order = [{"_score": "desc"}, {"row": "asc"}]
    return {"query": query, "size": depth, "sort": order, "track_total_hits": False}
