"""The page on which a person judges a pool: one file that needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunk_quality.review_sample import printable, script_json
from experiments.atomic_file import atomic_file

if TYPE_CHECKING:
    from experiments.pool.pooling import Pool
    from experiments.schema import Dataset, Query

_PARTS = Path(__file__).parent / "page"


def write_page(path: Path, pool: Pool, dataset: Dataset) -> Path:
    """Write it; each passage stands in it once, however often it is pooled."""
    template, style, words, script = (
        (_PARTS / name).read_text(encoding="utf-8")
        for name in ("page.html", "page.css", "words.js", "page.js")
    )
    page = template.replace("/*STYLE*/", style).replace("/*SCRIPT*/", words + script)
    with atomic_file(path) as part:
        text = page.replace("{{POOL}}", script_json(_content(pool, dataset)))
        part.write_text(text, encoding="utf-8")
    return path


def _content(pool: Pool, dataset: Dataset) -> dict[str, Any]:
    queries = {query.id: query for query in dataset.queries}
    documents = {document.id: document for document in dataset.corpus}
    asked = list(dict.fromkeys(query for query, _ in pool.pairs))
    shown = list(dict.fromkeys(document for _, document in pool.pairs))
    rows = {query: row for row, query in enumerate(asked)}
    places = {document: place for place, document in enumerate(shown)}
    return {
        "name": printable(pool.dataset),
        "fingerprint": pool.fingerprint,
        "queries": [_query(queries[query]) for query in asked],
        "documents": [
            [printable(name), printable(documents[name].title), printable(documents[name].text)]
            for name in shown
        ],
        "pairs": [[rows[query], places[document]] for query, document in pool.pairs],
    }


def _query(query: Query) -> list[Any]:
    earlier = [[turn.role, printable(turn.text)] for turn in query.history]
    return [printable(query.id), printable(query.text), earlier]
