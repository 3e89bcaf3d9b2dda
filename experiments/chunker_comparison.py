"""Which chunker? Every variant scored on the same questions, beside what its chunks are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from llama_index.core.schema import BaseNode

from chunk_quality.reading import text_of
from experiments.comparison import Comparison
from experiments.stopwatch import Stopwatch
from retrievers.tokens import tokens_of

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline
    from experiments.result import Result
    from experiments.schema import Dataset
    from experiments.splits import Split


@dataclass(frozen=True, kw_only=True)
class ChunkerComparison(Comparison):
    """A comparison that counts each variant's chunks and their tokens.

    encoding: of the tokens, see `retrievers.tokens.ENCODINGS`. All variants are counted in the
        same one, whatever their chunkers use.
    Labels by characters (`metrics=chunkers`) follow the text, so any two chunkers are scored on the
    same gold (recall, precision and IoU: Smith & Troynikov, Chroma 2024). With labels by documents
    a document has the rank of its best chunk.
    """

    encoding: str = "o200k_base"

    def trial(self, pipeline: Pipeline, dataset: Dataset, split: Split) -> Result:
        """What one variant found and scored, and the measures of its chunks."""
        result = super().trial(pipeline, dataset, split)
        nodes, _, _ = pipeline.read(dataset, self.setting.store, Stopwatch())
        return replace(result, measures=chunk_sizes(nodes, self.encoding))


def chunk_sizes(nodes: Sequence[BaseNode], encoding: str = "o200k_base") -> dict[str, float]:
    """How many chunks there are and the mean tokens of their own text, 0 without a chunk."""
    texts = [text_of(node) for node in nodes]
    tokens = sum(len(tokens_of(encoding, text)) for text in texts)
    return {"chunks": len(texts), "tokens_per_chunk": tokens / max(1, len(texts))}
