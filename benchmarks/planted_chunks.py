"""Do the measures tell chunks mixed from two documents from pure ones of equal length?

    python -m benchmarks.planted_chunks [FOLDER] [--layout trec] [--topics 30] [--seeds 3] [--e5]

The chunks are the documents with two sentences or more. Chunks with equally many sentences are
paired at random and change their second halves: each mixed chunk has the sentences of two
documents, and every sentence stands once on either side. Printed is the AUC of pure against mixed
chunks (0.5 = the measure cannot tell them), per seed and in the mean:

- sentence similarity by LSA, fitted on the sentences, or with --e5 by multilingual-e5-small, which
  has seen no corpus: neither knows anything of the chunks;
- topic entropy, one model fitted on the pure chunks that scores both, as a control is scored. It
  has seen the pure chunks and not the mixed ones: a small corpus is partly learned by heart;
- topic entropy, held out: two models, each scores the half of the documents it was not fitted on.

Without FOLDER it reads the sample that comes with the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunk_quality.control import folds
from chunk_quality.reading import Reading, read
from chunk_quality.sentence_similarity import SentenceSimilarity, mean_pair_cosine
from chunk_quality.separation import separation
from chunk_quality.topic_entropy import TopicEntropy
from chunk_quality.topic_model import entropy
from experiments.chunking import chunk
from experiments.datasets.layout import layout_name, layouts, recognised
from experiments.datasets.science_sample import FOLDER
from retrievers.e5 import E5SmallEmbedding
from retrievers.lsa import LsaEmbedding

SIMILARITY = "sentence similarity"
SEEN, HELD_OUT = "topic entropy", "topic entropy, held out"

Places = NDArray[np.int64]


def mixed_order(reading: Reading, fold_of: Places, seed: int) -> tuple[Places, Places]:
    """(order, chunks): which sentence of the reading stands at each place, and the mixed chunks.

    order: int64 [s].  chunks: those that found a partner of as many sentences in their fold.
    """
    rng = np.random.default_rng(seed)
    counts = np.bincount(reading.owners, minlength=len(reading.chunk_ids))
    starts = np.cumsum(counts) - counts
    order, mixed = np.arange(len(reading.owners)), []
    for kind in np.unique(np.stack([fold_of, counts])[:, counts >= 2], axis=1).T:
        alike = rng.permutation(np.flatnonzero((fold_of == kind[0]) & (counts == kind[1])))
        for one, other in alike[: len(alike) // 2 * 2].reshape(-1, 2):
            later = np.arange(counts[one] // 2, counts[one])
            here, there = starts[one] + later, starts[other] + later
            order[here], order[there] = order[there], order[here]
            mixed += [one, other]
    return order, np.array(sorted(mixed), dtype=np.int64)


def rearranged(reading: Reading, order: Places) -> Reading:
    """The reading with the sentences in another order."""
    return replace(
        reading,
        sentences=tuple(reading.sentences[row] for row in order),
        terms=tuple(reading.terms[row] for row in order),
    )


def planted_aucs(
    reading: Reading, vectors: NDArray[Any], part: TopicEntropy, seed: int = 0
) -> Mapping[str, float]:
    """The AUC of each measure, pure against mixed, over the chunks that were mixed.

    vectors: of the sentences of the reading, [s, d].
    """
    fold_of = folds(reading, seed=seed)
    order, rows = mixed_order(reading, fold_of, seed)
    mixed = rearranged(reading, order)
    pairs = partial(mean_pair_cosine, owners=reading.owners, n_chunks=len(reading.chunk_ids))
    model, held = part.fit(reading), part.fit_held_out(reading, fold_of)
    values = {
        SIMILARITY: (pairs(vectors), pairs(vectors[order])),
        SEEN: (entropy(model.topics(reading)), entropy(model.topics(mixed))),
        HELD_OUT: (entropy(held.topics(reading)), entropy(held.topics(mixed))),
    }
    aucs = {
        name: separation(pure[rows], other[rows], higher_is_coherent=name == SIMILARITY).auc
        for name, (pure, other) in values.items()
    }
    return {name: np.nan if auc is None else auc for name, auc in aucs.items()}


def reading_of(folder: Path, layout: str | None = None) -> Reading:
    """The documents of a folder as chunks. layout: its name, where the folder fits several."""
    name = layout or next(iter(recognised(folder)), None)
    for loader in layouts():
        if layout_name(loader) == name:
            return read(chunk(loader(path=str(folder)).load().corpus))
    raise ValueError(f"{folder} is in no known layout: give --layout.")


def table(aucs: Sequence[Mapping[str, float]]) -> str:
    """One row a measure: the AUC of each seed and their mean."""
    lines = ["| measure | mean | each seed |", "|---|---|---|"]
    for name in aucs[0]:
        each = [found[name] for found in aucs]
        lines.append(f"| {name} | {np.mean(each):.3f} | {', '.join(f'{x:.3f}' for x in each)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    arguments.add_argument("--layout")
    arguments.add_argument("--topics", type=int, default=30)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--e5", action="store_true", help="43 short sentences a second")
    options = arguments.parse_args()
    reading = reading_of(options.folder, options.layout)
    embedding = E5SmallEmbedding() if options.e5 else LsaEmbedding()
    vectors = SentenceSimilarity(embedding=embedding).embed(reading)
    found = [
        planted_aucs(reading, vectors, TopicEntropy(topics=options.topics, seed=seed), seed)
        for seed in range(options.seeds)
    ]
    print(table(found))


if __name__ == "__main__":
    main()
