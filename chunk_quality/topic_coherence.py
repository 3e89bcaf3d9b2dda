"""How many topics? The number whose topics' top terms stand together most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chunk_quality.topic_model import Documents, TopicModel

TOP_TERMS = 10


def coherence(model: TopicModel, documents: Documents) -> float:
    """The mean NPMI of the pairs of each topic's ten top terms, from -1 to 1, over all topics.

    Two terms stand together where they share a chunk, whatever their distance: chunks are short,
    and what is asked is whether a chunk keeps to one topic. NPMI and not u_mass, because it agrees
    better with people's judgement of topics and does not depend on the order of the terms (Röder,
    Both & Hinneburg, WSDM 2015; Bouma, GSCL 2009). By gensim, in this process. NaN where the model
    knows fewer than two terms.
    """
    from gensim.models import CoherenceModel

    if model.n_terms < 2:
        return math.nan
    known = model.dictionary.token2id
    texts = [kept for text in documents if (kept := [term for term in text if term in known])]
    measured = CoherenceModel(
        topics=[list(terms) for terms in model.top_terms(TOP_TERMS)],
        texts=texts,
        dictionary=model.dictionary,
        coherence="c_npmi",
        window_size=max(map(len, texts)) + 1,
        processes=1,
    )
    return float(measured.get_coherence())


def most_coherent(models: Sequence[TopicModel], documents: Documents) -> TopicModel:
    """The model of the highest coherence; of equal ones that with fewer topics."""
    scores = [coherence(model, documents) for model in models]
    ranked = [-math.inf if math.isnan(score) else score for score in scores]
    return max(
        zip(ranked, models, strict=True), key=lambda scored: (scored[0], -scored[1].n_topics)
    )[1]
