"""Are the questions that a system is tuned on much easier than those it is for?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.identity import fingerprint, module_source
from experiments.stage_files import load_array, save_array
from retrievers.analyzers import UnicodeAnalyzer

if TYPE_CHECKING:
    from experiments.schema import Dataset
    from experiments.store import StageStore
    from retrievers.analyzers import Analyzer

Shares = NDArray[np.float64]
MUCH = 0.1
_STEP = 256


def word_overlap(dataset: Dataset, terms: Analyzer, *, gold: bool) -> Shares:
    """For each query the share of its distinct terms that stand in its best passage, [q], 0 to 1.

    gold: the best of its gold passages, NaN without one; else the best of all passages, which
        needs no labels. NaN for a query without terms. Titles count as text.
    """
    vocabulary: dict[str, int] = {}
    passages = _incidence([f"{d.title} {d.text}" for d in dataset.corpus], terms, vocabulary)
    asked = _incidence([query.text for query in dataset.queries], terms, vocabulary)
    passages.resize(len(dataset.corpus), len(vocabulary))
    sizes = np.asarray(asked.sum(axis=1)).ravel()
    shared = np.full(len(dataset.queries), np.nan)
    for start in range(0, len(shared), _STEP):
        rows = slice(start, start + _STEP)
        table = (asked[rows] @ passages.T).toarray()
        if gold:
            table = np.where(_gold(dataset, rows), table, np.nan)
        known = ~np.isnan(table).all(axis=1)
        shared[rows][known] = np.nanmax(table[known], axis=1)
    return np.asarray(np.divide(shared, sizes, out=np.full(len(shared), np.nan), where=sizes > 0))


def easier_questions(validation: Dataset, target: Dataset, terms: Analyzer) -> str | None:
    """One sentence where the validation set shares far more words with its passages.

    Gold passages are compared where both sets have labels, else the best passages. Said where the
    mean shares differ by 0.1 or more and by over three standard errors (Welch, Biometrika 1947).
    """
    gold = validation.qrels is not None and target.qrels is not None
    shares = [word_overlap(one, terms, gold=gold) for one in (validation, target)]
    return easier(validation.name, target.name, *shares)


def easier_than_target(
    dataset: Dataset, query_ids: Sequence[str], store: StageStore
) -> tuple[str, ...]:
    """The same for these labelled queries and those that the dataset says it stands for.

    No labels are read: the best of all passages counts. Words are compared as they are written,
    which takes a second for thousands of passages; what was counted is stored.
    """
    target = dataset.target
    if target is None or dataset.qrels is None:
        return ()
    terms, wanted = UnicodeAnalyzer(), {*query_ids}
    own = [query for query in dataset.queries if query.id in wanted]
    both = replace(dataset, queries=[*own, *target.queries])
    shares = store.remember(
        "word_overlap",
        {
            "corpus": dataset.corpus_fingerprint or dataset.fingerprint,
            "queries": fingerprint([query.text for query in both.queries]),
            "source": module_source(__name__),
        },
        build=lambda: word_overlap(both, terms, gold=False),
        save=save_array,
        load=load_array,
    )
    said = easier(dataset.name, target.name, shares[: len(own)], shares[len(own) :])
    return () if said is None else (said,)


def easier(name: str, target: str, validation_shares: Shares, target_shares: Shares) -> str | None:
    """The sentence from the `word_overlap` of both sets of questions; None where it is not so."""
    known = [share[~np.isnan(share)] for share in (validation_shares, target_shares)]
    if min(map(len, known)) < 2:
        return None
    gap = float(known[0].mean() - known[1].mean())
    error = math.sqrt(sum(float(one.var(ddof=1)) / len(one) for one in known))
    if gap < MUCH or gap <= 3 * error:
        return None
    return (
        f"Questions of {name} share {100 * known[0].mean():.0f} % of their words with their "
        f"passages, those of {target} {100 * known[1].mean():.0f} %: they are easier, so expect "
        f"lower scores on {target}, and check there whatever was tuned for matching words."
    )


def _gold(dataset: Dataset, rows: slice) -> NDArray[np.bool_]:
    """Which passages are gold, bool [queries, documents]."""
    place = {document.id: column for column, document in enumerate(dataset.corpus)}
    queries = dataset.queries[rows]
    marked = np.zeros((len(queries), len(place)), dtype=np.bool_)
    for row, query in enumerate(queries):
        grades = (dataset.qrels or {}).get(query.id, {})
        marked[row, [place[d] for d, grade in grades.items() if grade > 0 and d in place]] = True
    return marked


def _incidence(texts: list[str], terms: Analyzer, vocabulary: dict[str, int]):  # type: ignore[no-untyped-def]
    """Which terms stand in which text, float32 [texts, terms]; `vocabulary` grows."""
    import scipy.sparse as sp

    found = [
        [vocabulary.setdefault(term, len(vocabulary)) for term in {*words}]
        for words in terms.analyze_many(texts)
    ]
    ends = np.cumsum([0, *map(len, found)])
    columns = np.array([column for row in found for column in row], dtype=np.int64)
    ones = np.ones(len(columns), dtype=np.float32)
    return sp.csr_matrix((ones, columns, ends), shape=(len(texts), len(vocabulary)))
