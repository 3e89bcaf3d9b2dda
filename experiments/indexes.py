"""The indexes of a retriever's leaves: built or read only once something asks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.identity import describe
from experiments.stage_files import load_terms, save_terms
from retrievers.base import TermRetriever, indexed_text

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

    from experiments.stopwatch import Stopwatch
    from experiments.store import StageStore
    from retrievers.base import BatchRetriever


class Indexes:
    """One corpus in every leaf of a retriever.

    corpus: a JSON value of all that can change the nodes.
    A run whose candidates are all stored touches no index.
    """

    def __init__(
        self,
        retriever: BatchRetriever,
        *,
        nodes: Sequence[TextNode],
        corpus: Any,
        store: StageStore,
        clock: Stopwatch,
    ) -> None:
        self.retriever = retriever
        self.nodes = nodes
        self.corpus = corpus
        self.store = store
        self.clock = clock
        self._open: set[str] = set()

    def of_another(self, retriever: BatchRetriever) -> Indexes:
        """The same corpus in the leaves of another retriever."""
        retriever.attach(self.nodes)
        return Indexes(
            retriever, nodes=self.nodes, corpus=self.corpus, store=self.store, clock=self.clock
        )

    def keys(self) -> Mapping[str, Any]:
        """Leaf -> all that can change its index, and so its results."""
        return {
            name: {"corpus": self.corpus, "retriever": describe(leaf)}
            for name, leaf in self.retriever.leaves().items()
        }

    def entries(self) -> list[tuple[str, Any]]:
        """(stage, key) of all that is stored of the leaves: indexes, and the terms they read."""
        leaves, keys = self.retriever.leaves(), self.keys()
        found = [("index", key) for key in keys.values()]
        found += [
            ("terms", self._terms_key(o)) for o in leaves.values() if isinstance(o, TermRetriever)
        ]
        return [entry for place, entry in enumerate(found) if entry not in found[:place]]

    def open(self, *names: str) -> None:
        """Make these leaves ready to search; all of them where none is named."""
        leaves, keys = self.retriever.leaves(), self.keys()
        for name in names or leaves:
            if name not in self._open:
                with self.clock("index"):
                    self._index(leaves[name], keys[name])
                self._open.add(name)

    def _index(self, leaf: BatchRetriever, key: Any) -> None:
        def build() -> None:
            if isinstance(leaf, TermRetriever):
                leaf.index_terms(self._terms(leaf))
            else:
                leaf.build(self.nodes)

        def save(_: None, folder: Path) -> None:
            leaf.save(folder)

        self.store.remember("index", key, build, save, leaf.load)

    def _terms(self, leaf: TermRetriever) -> Sequence[Sequence[str]]:
        """The terms of every node: they depend on the analyzer, not on the weighting."""
        return self.store.remember(
            "terms",
            self._terms_key(leaf),
            build=lambda: leaf.term_analyzer.analyze_many([indexed_text(n) for n in self.nodes]),
            save=save_terms,
            load=load_terms,
        )

    def _terms_key(self, leaf: TermRetriever) -> Any:
        return {"corpus": self.corpus, "analyzer": describe(leaf.term_analyzer)}
