"""The chunks that are indexed: cut, enriched, and kept unless an enrichment has failed on some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.chunking import chunk
from experiments.identity import describe, module_source
from experiments.stage_files import load_chunks, save_chunks
from experiments.store import NotStorableError

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.schema import TextNode

    from experiments.schema import Dataset
    from experiments.store import StageStore


def enriched_chunks(
    dataset: Dataset, chunker: Any, enrich: Any, store: StageStore
) -> tuple[Sequence[TextNode], Any]:
    """The enriched chunks of a dataset, and a JSON value of all that can change them.

    The plain chunks are kept too, for another enrichment of them. Where an enrichment has failed
    on some chunks, nothing that is made of them is kept under the name of the whole.
    """
    plain = {
        "documents": dataset.corpus_fingerprint or dataset.fingerprint,
        "chunking": module_source("experiments.chunking"),
        "chunker": describe(chunker),
    }
    corpus = plain | {"enrich": describe(enrich)}

    def enriched() -> Sequence[TextNode]:
        chunks = store.remember(
            "chunks", plain, lambda: chunk(dataset.corpus, chunker), save_chunks, load_chunks
        )
        return enrich.enrich(chunks)  # type: ignore[no-any-return]

    def save(nodes: Sequence[TextNode], folder: Path) -> None:
        if lost := _unfinished(enrich, nodes):
            raise NotStorableError(
                f"{len(lost)} chunks could not be enriched, so the chunks are not kept: run it "
                "again to make those calls alone."
            )
        save_chunks(nodes, folder)

    nodes = store.remember("enriched", corpus, enriched, save, load_chunks)
    lost = _unfinished(enrich, nodes)
    return nodes, corpus | {"unfinished": lost} if lost else corpus


def chunk_entries(corpus: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(stage, key) of what is stored of the chunks: plain ones, and enriched ones.

    corpus: what `enriched_chunks` says of them.
    """
    plain = {name: value for name, value in corpus.items() if name not in ("enrich", "unfinished")}
    return [("chunks", plain), ("enriched", corpus)]


def notes_on(enrich: Any, nodes: Sequence[TextNode]) -> Sequence[str]:
    """What an enrichment says of the nodes it made."""
    return enrich.notes_on(nodes) if hasattr(enrich, "notes_on") else ()


def _unfinished(enrich: Any, nodes: Sequence[TextNode]) -> Sequence[str]:
    return enrich.unfinished(nodes) if hasattr(enrich, "unfinished") else ()
