"""What the measures say, in sentences; none of them says more than was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chunk_quality.separation import FEWEST, verdict
from experiments.quality.consequences import cost, labels

if TYPE_CHECKING:
    from experiments.quality.found import Found
    from experiments.quality.measured import Measured

TITLES = {
    "sentence_similarity": "Sentence similarity",
    "topic_entropy": "Topic entropy",
}
FOLLOWS = 0.5
"""A rank correlation from here on, either way, is said: length explains a quarter of the ranks."""
_MEANING = {
    "sentence_similarity": (
        "The mean cosine over all pairs of different sentences of a chunk: high where its "
        "sentences speak of one thing. Its size depends on the embedding, so only the distance "
        "to the shuffled chunks means something."
    ),
    "topic_entropy": (
        "How evenly a chunk is spread over the topics of the corpus (LDA), in nats: 0 for one "
        "topic, ln K for all alike. Low where a chunk speaks of one thing. The figure and the AUC "
        "compare chunks and shuffled ones by topics that were learned on the other half of the "
        "corpus, since a model finds all coherent that it was fitted on."
    ),
}


def summary(found: Found) -> list[str]:
    """The few sentences at the top: length, coherence, repetition, cost, what a reader said."""
    measured = found.measured
    return [
        lengths(measured),
        *(against_control(name, measured) for name in measured.separations),
        repetition(measured)[0],
        *cost(found.misses),
        *labels(found.labels)[:1],
    ]


def lengths(measured: Measured) -> str:
    """How long the chunks are, and how many are over the limit."""
    tokens, told = measured.tokens, measured.tokens.statistics()
    over = len(tokens.over_limit)
    count = f"{len(tokens.counts):,} chunk{'s' if len(tokens.counts) > 1 else ''}"
    rest = f"{over:,} over" if over else "none over"
    return (
        f"{count} with a median of {told['median']:.0f} tokens, 90 % of them between "
        f"{told['p5']:.0f} and {told['p95']:.0f} ({tokens.tokenizer}); {rest} the limit of "
        f"{tokens.limit}."
    )


def against_control(name: str, measured: Measured) -> str:
    """Whether a measure tells the chunks from shuffled sentences, with what it could not tell."""
    return verdict(measured.separations[name], TITLES[name].lower(), measured.stayed).words


def measure(name: str, measured: Measured) -> list[str]:
    """What a measure is, what it found, and what it has no value for."""
    values = measured.columns()[name]
    known = values[np.isfinite(values)]
    found = [_MEANING[name], against_control(name, measured)]
    if len(known):
        low, middle, high = np.percentile(known, (5, 50, 95))
        of_all = "By the topics of the whole corpus the" if name == "topic_entropy" else "The"
        found.append(
            f"{of_all} median is {middle:.3f}, 90 % of the chunks lie between {low:.3f} and "
            f"{high:.3f}."
        )
    if name == "topic_entropy" and len(known):
        of_most = known / np.log(max(measured.topics.shape[1], 2))
        found.append(
            f"That median is {100 * np.median(of_most):.0f} % of ln K, the most there can be."
        )
    return [*found, *_without(name, measured, len(values) - len(known))]


def repetition(measured: Measured) -> list[str]:
    """How much is said more than once."""
    found = measured.repetition
    if not found.near:
        copies = "No chunk is equal or nearly equal to another."
    else:
        groups = f"{len(found.near):,} group{'s' if len(found.near) > 1 else ''}"
        copied = {name for group in found.exact for name in group}
        exact = sum(not copied.isdisjoint(group) for group in found.near)
        copies = (
            f"{groups} of chunks that are equal or nearly so, {exact or 'none'} of them with exact "
            f"copies: {found.redundant:,} chunk{'s' if found.redundant > 1 else ''} could go with "
            "little loss."
        )
    share = found.boilerplate_characters.sum() / max(found.characters, 1)
    shared = (
        f"Sentences that stand in many documents: {len(found.boilerplate):,}; they fill "
        f"{100 * share:.1f} % of the text."
        if found.boilerplate
        else "No sentence stands in many documents."
    )
    return [copies, shared]


def limits(found: Found) -> list[str]:
    """What a reader should not take from the report."""
    measured = found.measured
    told = [
        "Coherent is not the same as right, current or wanted: read the sample.",
        "The control mixes sentences of different documents. Chunks that beat it speak of one "
        "thing; whether they are cut at the best places is told by comparing chunkers "
        "(+experiment=chunker_comparison).",
    ]
    if measured.stayed:
        told.append(
            f"{measured.stayed:.1%} of the sentences had to stay in their own document when the "
            "control was shuffled, so it is more coherent than it should be, and the distance "
            "looks smaller than it is."
        )
    if measured.fitted < measured.topics.shape[1]:
        told.append(
            f"{measured.topics.shape[1]} topics were learned from {measured.fitted} chunks with a "
            "usable term: there are too few for topic entropy to mean much."
        )
    if found.misses.relations:
        told.append("What goes with misses need not be their cause.")
    return [*told, *follows_length(measured)]


def follows_length(measured: Measured) -> list[str]:
    """The measures that go with the length of a chunk, which may be all that they tell."""
    import pandas as pd

    ranks = pd.DataFrame(measured.columns()).corr("spearman", min_periods=FEWEST)["tokens"]
    return [
        f"{TITLES[name]} goes with length here (rank correlation with tokens {ranks[name]:+.2f}): "
        "compare chunks of like length; what it has to do with misses may be length alone."
        for name in TITLES
        if abs(ranks[name]) >= FOLLOWS
    ]


def _without(name: str, measured: Measured, missing: int) -> list[str]:
    if not missing:
        return []
    if name == "topic_entropy":
        return [f"{missing:,} chunks have no term that the model knows, and so no value."]
    similar = measured.similarity
    reasons = {
        "of one sentence": similar.n_single,
        "without a sentence": similar.n_empty,
        "whose sentences have no direction": similar.n_undirected,
    }
    told = ", ".join(f"{count:,} {what}" for what, count in reasons.items() if count)
    return [f"{missing:,} chunks have no pair of sentences, and so no value: {told}."]
