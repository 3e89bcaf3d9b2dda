"""One row a chunk: its measures, for people to sort and for a tracker to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from chunk_quality.review_sample import printable

if TYPE_CHECKING:
    import pandas as pd
    from llama_index.core.schema import TextNode

    from experiments.quality.found import Found
    from experiments.quality.measured import Measured

_LEADING_TERMS = 5


def chunk_table(nodes: Sequence[TextNode], found: Found) -> pd.DataFrame:
    """One row a chunk, in corpus order; an empty cell where a measure has no value.

    topic: the most probable one, by its leading terms.  copies: other chunks that are (nearly)
    equal to it.  wanted, missed: queries that it (or its document) is a gold passage of, and how
    many of those did not find it; no columns where misses were not looked at.
    """
    import pandas as pd

    measured, misses = found.measured, found.misses
    asked = {"wanted": misses.wanted, "missed": misses.missed} if misses.relations else {}
    return pd.DataFrame(
        {
            "chunk": [printable(node.node_id) for node in nodes],
            "document": [printable(node.ref_doc_id or node.node_id) for node in nodes],
            "tokens": measured.tokens.counts,
            "sentences": measured.similarity.sentences,
            "sentence_similarity": measured.similarity.values,
            "topic_entropy": measured.entropy,
            "topic_evenness": measured.evenness,
            "topic": leading_topics(measured),
            "copies": measured.repetition.copies,
            "boilerplate_share": measured.columns()["boilerplate_share"],
            **asked,
            "text": [printable(node.text) for node in nodes],
        }
    )


def leading_topics(measured: Measured) -> list[str]:
    """The leading terms of each chunk's most probable topic; "" where it has none."""
    names = [", ".join(terms[:_LEADING_TERMS]) for terms in measured.top_terms]
    known = np.isfinite(measured.entropy)
    best = np.argmax(np.where(known[:, None], measured.topics, 0.0), axis=1) if names else []
    return [names[topic] if has else "" for topic, has in zip(best, known, strict=True)]


def summary_measures(found: Found) -> dict[str, float]:
    """The numbers of a run for the tracker; a number that does not exist is left out."""
    measured = found.measured
    said: dict[str, float | None] = {"chunks": len(measured.tokens.counts)}
    said |= {f"tokens/{name}": value for name, value in measured.tokens.statistics().items()}
    said |= {"tokens/over_limit": len(measured.tokens.over_limit)}
    for name in ("sentence_similarity", "topic_entropy"):
        said |= _spread(name, measured.columns()[name])
        apart = measured.separations[name]
        said |= {
            f"{name}/auc_against_shuffled": apart.auc,
            f"{name}/auc_low": apart.low,
            f"{name}/auc_high": apart.high,
        }
    repeated = measured.repetition
    said |= {
        "duplicates/exact_groups": len(repeated.exact),
        "duplicates/near_groups": len(repeated.near),
        "duplicates/redundant_chunks": repeated.redundant,
        "boilerplate/sentences": len(repeated.boilerplate),
        "boilerplate/share": float(repeated.boilerplate_characters.sum())
        / max(repeated.characters, 1),
    }
    return _finite(said | _missed(found))


def _missed(found: Found) -> dict[str, float | None]:
    """How many gold passages were missed, and how each measure goes with that."""
    said: dict[str, float | None] = {}
    for name, relation in found.misses.relations.items():
        said |= {
            "misses/gold_passages": relation.missed + relation.found + relation.without_value,
            f"misses/auc_of_{name}": relation.auc.value if relation.auc else None,
            f"misses/p_of_{name}": relation.auc.corrected if relation.auc else None,
        }
    return said


def _spread(name: str, values: np.ndarray) -> dict[str, float | None]:
    known = values[np.isfinite(values)]
    said: dict[str, float | None] = {
        f"{name}/chunks_with_a_value": len(known),
        f"{name}/chunks_without": len(values) - len(known),
    }
    if len(known):
        said |= {f"{name}/mean": float(known.mean()), f"{name}/median": float(np.median(known))}
    return said


def _finite(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: float(v) for name, v in values.items() if v is not None and np.isfinite(v)}
