"""How long are the chunks, and which are too long for the model that reads them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from chunk_quality.reading import Reading, read, text_of
from retrievers.tokens import ENCODINGS, tokens_of

TOKENIZERS = (*ENCODINGS, "characters", "morphemes")
PERCENTILES = (5, 25, 75, 95)


@dataclass(frozen=True, slots=True, eq=False)
class TokenSummary:
    """The lengths of n chunks.

    counts: int64 [n], tokens of each chunk, 0 for an empty one.
    tokenizer, limit: what was counted, and how many a chunk may have.
    """

    chunk_ids: tuple[str, ...]
    counts: NDArray[np.int64]
    tokenizer: str
    limit: int

    @property
    def over_limit(self) -> tuple[str, ...]:
        """The ids of the chunks with more tokens than the limit, in corpus order."""
        return tuple(self.chunk_ids[row] for row in np.flatnonzero(self.counts > self.limit))

    def statistics(self) -> Mapping[str, float]:
        """mean, std (of these chunks: divided by n), min, p5, p25, median, p75, p95 and max.

        Percentiles between two counts are interpolated. Empty where there is no chunk.
        """
        if not len(self.counts):
            return {}
        points = np.percentile(self.counts, PERCENTILES)
        named = zip((f"p{percent}" for percent in PERCENTILES), points.tolist(), strict=True)
        return {
            "mean": float(self.counts.mean()),
            "median": float(np.median(self.counts)),
            "std": float(self.counts.std()),
            "min": float(self.counts.min()),
            "max": float(self.counts.max()),
            **dict(named),
        }


@dataclass(frozen=True)
class TokenCounts:
    """Tokens per chunk, of its own text without title and metadata.

    tokenizer: `o200k_base` or `cl100k_base` (byte pair encodings of OpenAI, shipped with
        llama-index-core), `characters` (Unicode code points) or `morphemes` (kiwi's for Korean
        sentences, endings and punctuation included; words and punctuation marks for others).
    limit: chunks with more tokens are listed.
    Raises ValueError: an unknown tokenizer; a limit below 1.
    """

    tokenizer: str = "o200k_base"
    limit: int = 512

    def __post_init__(self) -> None:
        if self.tokenizer not in TOKENIZERS:
            raise ValueError(
                f"tokenizer={self.tokenizer} is unknown: choose {', '.join(TOKENIZERS)}."
            )
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise ValueError(f"limit={self.limit} is no length: give a whole number from 1.")

    def measure(self, nodes: Sequence[BaseNode], reading: Reading | None = None) -> TokenSummary:
        """Count the tokens of each chunk.

        reading: the same nodes as `read` returns them; it saves `morphemes` a second analysis.
        Raises ValueError for a reading of other chunks.
        """
        ids = tuple(node.node_id for node in nodes)
        if reading is not None and reading.chunk_ids != ids:
            raise ValueError("The reading is not of these chunks: pass what read(nodes) returned.")
        counts = np.array(self._counts(nodes, reading), dtype=np.int64)
        return TokenSummary(ids, counts, self.tokenizer, self.limit)

    def _counts(
        self, nodes: Sequence[BaseNode], reading: Reading | None
    ) -> Sequence[int] | NDArray[np.int64]:
        if self.tokenizer == "characters":
            return [len(text_of(node)) for node in nodes]
        if self.tokenizer in ENCODINGS:
            return [len(tokens_of(self.tokenizer, text_of(node))) for node in nodes]
        known = reading if reading is not None and len(reading.morphemes) else read(nodes)
        counts = np.zeros(len(nodes), dtype=np.int64)
        np.add.at(counts, known.owners, known.morphemes)
        return counts
