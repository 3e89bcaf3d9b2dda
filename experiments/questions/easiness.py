"""How much easier written questions are than the real ones, by the words they share with gold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.cautions.easier_questions import easier, word_overlap
from experiments.schema import Query
from retrievers.analyzers import analyzer

if TYPE_CHECKING:
    from experiments.questions.written import Written
    from experiments.schema import Dataset


def easiness(
    made: Dataset, questions: Sequence[Written], real: Dataset, told: Collection[str]
) -> tuple[dict[str, float | None], str | None]:
    """The mean shares of a question's words that stand in its gold passage, and a caution.

    made: the questions as a dataset; what frames each of them does not count.
    told: the real questions whose labels may be looked at.
    Shares are 0 to 1, under "written" and "real"; None without labels. The caution is one sentence,
    said where written questions are much easier.
    """
    bare = [
        Query(query.id, one.text.removeprefix(one.frame))
        for query, one in zip(made.queries, questions, strict=True)
    ]
    seen = [query for query in real.queries if query.id in told]
    asked = [_gold_only(replace(made, queries=bare)), _gold_only(replace(real, queries=seen))]
    terms = analyzer("auto")
    shares = [word_overlap(one, terms, gold=True) if one.corpus else np.zeros(0) for one in asked]
    means = [float(np.nanmean(one)) if (~np.isnan(one)).any() else None for one in shares]
    return {"written": means[0], "real": means[1]}, easier(made.name, real.name, *shares)


def _gold_only(dataset: Dataset) -> Dataset:
    """Without the documents that are gold to no question: they are not looked at."""
    named = {
        name
        for query in dataset.queries
        for name, grade in (dataset.qrels or {}).get(query.id, {}).items()
        if grade > 0
    }
    return replace(dataset, corpus=[one for one in dataset.corpus if one.id in named])
