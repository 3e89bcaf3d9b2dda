"""ragas's own numbers, and what ragas alone would get wrong."""

import asyncio
import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

from experiments.rag.answer_rows import answer_rows
from experiments.ragas_metrics.plain import PLAIN, PlainScores
from experiments.schema import Dataset, Query
from generation.answers import Answer
from generation.context import ContextAssembler
from tests.experiments.ragas_metrics.rig import row, twenty

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


async def _by_hand(rows):
    """As somebody would call ragas without this project, on the ranking."""
    from ragas import SingleTurnSample
    from ragas.metrics import (
        IDBasedContextPrecision,
        IDBasedContextRecall,
        NonLLMContextPrecisionWithReference,
        NonLLMContextRecall,
    )
    from ragas.metrics.collections import (
        BleuScore,
        CHRFScore,
        ExactMatch,
        RougeScore,
        StringPresence,
    )

    older = {
        "ragas_id_context_precision": IDBasedContextPrecision(),
        "ragas_id_context_recall": IDBasedContextRecall(),
        "ragas_string_context_precision_ranking": NonLLMContextPrecisionWithReference(),
        "ragas_string_context_recall": NonLLMContextRecall(),
    }
    collected = {
        "ragas_rouge": RougeScore(),
        "ragas_bleu": BleuScore(),
        "ragas_chrf": CHRFScore(),
        "ragas_exact_match": ExactMatch(),
        "ragas_string_presence": StringPresence(),
    }
    found = {name: [] for name in (*older, *collected)}
    for one in rows:
        best_first = [one.contexts[2], one.contexts[0], one.contexts[1]]
        sample = SingleTurnSample(
            retrieved_contexts=best_first,
            reference_contexts=list(one.reference_contexts),
            retrieved_context_ids=list(one.context_ids),
            reference_context_ids=list(one.reference_ids),
        )
        for name, metric in older.items():
            found[name].append(await metric.single_turn_ascore(sample))
        for name, metric in collected.items():
            said = await metric.ascore(reference=one.reference, response=one.answer)
            found[name].append(said.value)
    return found


def test_the_numbers_are_those_of_ragas_called_by_hand():
    rows = twenty()
    scores, by_hand = PlainScores().score(rows), asyncio.run(_by_hand(rows))
    korean = np.array([bool(re.search("[가-힣]", one.answer + one.reference)) for one in rows])
    for name, values in by_hand.items():
        same = ~korean if name == "ragas_rouge" else np.full(len(rows), True)
        assert scores.column(name)[same] == pytest.approx(np.array(values)[same], abs=1e-12), name
        assert len(set(values)) > 1, name
    assert not np.isnan(scores.values).any()
    assert scores.notes == ()


def test_rouge_sees_korean_that_ragas_drops():
    rows = [
        row(1, "서울은 대한민국의 수도이다.", "대한민국의 수도는 서울이다."),
        row(2, "서울은 대한민국의 수도이다.", "서울은 대한민국의 수도이다."),
        row(3, "광합성", "서울"),
    ]
    rouge = PlainScores(names=["rouge"]).score(rows).column("ragas_rouge")
    assert 0 < rouge[0] < rouge[1] == pytest.approx(1)
    assert rouge[2] == 0


def test_a_decomposed_spelling_scores_like_the_composed_one():
    assembler = ContextAssembler()
    empty = assembler.assemble("q", "?", assembler.choose([]))
    dataset = Dataset("set", [], [Query("q", "?", answer="서울")], None, "f")
    said = Answer(unicodedata.normalize("NFD", "서울"))
    rows = answer_rows(dataset, [empty], [said])
    scores = PlainScores(names=["exact_match", "chrf"]).score(rows)
    assert scores.values.tolist() == [[1.0, 1.0]]


def test_the_order_of_the_passages_is_labelled_and_counts_where_it_can():
    one = row(0, "a", "b", reference_contexts=(row(0, "a", "b").contexts[2],))
    scores = PlainScores(names=["string_context_precision", "string_context_recall"]).score([one])
    assert scores.metrics == (
        "ragas_string_context_precision_prompt",
        "ragas_string_context_precision_ranking",
        "ragas_string_context_recall",
    )
    assert scores.values[0] == pytest.approx([1 / 3, 1, 1])


@pytest.mark.parametrize("contexts", [(), ("",), (" \n",)])
def test_an_empty_context_scores_0(contexts):
    places = range(len(contexts))
    empty = row(
        0, "a", "a", contexts=contexts, ranks=tuple(places), context_ids=("d0",) * len(contexts)
    )
    names = [name for name, needs in PLAIN.items() if needs.context]
    assert len(names) == 4
    assert not PlainScores(names=names).score([empty]).values.any()


def test_what_is_missing_is_counted_and_in_no_mean():
    rows = [
        row(0, "same", "same"),
        row(1, None, "same"),
        row(2, "same", None),
        row(3, "same", "same", reference_ids=(), reference_contexts=()),
    ]
    scores = PlainScores(names=["exact_match", "id_context_recall"]).score(rows)
    means = scores.mean()
    assert (means["ragas_exact_match"].mean, means["ragas_exact_match"].n_scored) == (1, 2)
    assert np.isnan(scores.column("ragas_exact_match")[[1, 2]]).all()
    assert np.isnan(scores.column("ragas_id_context_recall")[3])
    assert scores.notes == (
        "ragas_exact_match: scored on 2 of 4 queries: the call for the answer failed (1), "
        "no reference answer (1).",
        "ragas_id_context_recall: scored on 3 of 4 queries: no labelled document (1).",
    )


def test_two_runs_are_compared_on_the_queries_that_both_have():
    right, wrong = row(0, "a", "a"), row(1, "b", "a")
    metric = PlainScores(names=["exact_match"])
    first = metric.score([right, replace(wrong, answer=None)])
    second = metric.score([replace(right, answer="x"), wrong])
    difference = first.difference(second, "ragas_exact_match")
    assert (difference.mean, difference.n) == (1, 1)


@pytest.mark.parametrize("text", ["", "?!.", "12 345", "😀", "日本語 text 서울", "é"])
def test_any_text_gets_a_score_within_the_range(text):
    values = PlainScores().score([row(0, text, text or "x"), row(1, text, "reference")]).values
    assert ((values >= 0) & (values <= 1 + 1e-12)).all()


def test_no_rows_are_a_table_without_rows():
    assert PlainScores().score([]).values.shape == (0, 10)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match=r"no 'roug' among .* did you mean rouge"):
        PlainScores(names=["roug"]).score([])
    with pytest.raises(ValueError, match=r"no 'promt' among .* did you mean prompt"):
        PlainScores(orders=["promt"]).score([])
