"""Our numbers are trec_eval's: on its own files, on those of ir_measures, and on random runs."""

from collections import defaultdict

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.evaluation import evaluate
from retrievers.ranking import Ranking

OFFICIAL = {
    "map": "map",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    **{f"map_cut_{k}": f"map@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (5, 10, 15, 20, 23, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"recall@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000, 2000)},
    **{f"P_{k}": f"precision@{k}" for k in (3, 5, 7, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{k}": f"hit_rate@{k}" for k in (1, 2, 5, 10, 20)},
}


def read_qrels(path):
    qrels = defaultdict(dict)
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            query, _, document, grade = line.split()
            qrels[query][document] = int(grade)
    return dict(qrels)


def read_run(path):
    """Official order: score descending, then document id descending; the rank column is ignored."""
    scored = defaultdict(list)
    for line in path.read_text().splitlines():
        if line.strip():
            query, _, document, _, score, *_ = line.split()
            scored[query].append((float(score), document))
    return {q: [d for _, d in sorted(found, reverse=True)] for q, found in scored.items()}


def score(run, qrels, metrics, **options):
    known = {name for found in run.values() for name in found}
    known.update(name for grades in qrels.values() for name in grades)
    return evaluate(Ranking.from_lists(run, node_ids=sorted(known)), qrels, metrics, **options)


@pytest.mark.parametrize(
    ("run", "qrels", "out", "depth", "rel_level"),
    [
        ("results.test", "qrels.test", "out.test", None, 1),
        ("results.test", "qrels.test.with-comments", "out.test", None, 1),
        ("results.test", "qrels.test", "out.test.a", None, 1),
        ("results.test", "qrels.test", "out.test.aq", None, 1),
        ("results.test", "qrels.test", "out.test.meas_params", None, 1),
        ("results.trunc", "qrels.test", "out.test.aqc", None, 1),
        ("results.trunc", "qrels.test", "out.test.aqcM", 100, 1),
        ("results.test", "qrels.rel_level", "out.test.aql", None, 2),
    ],
)
def test_official_values_to_four_decimals(real_data, run, qrels, out, depth, rel_level):
    folder = real_data / "trec_oracle" / "trec_eval"
    found = {q: names[:depth] for q, names in read_run(folder / run).items()}
    lines = [line.split("\t") for line in (folder / out).read_text().splitlines()]
    official = {
        (OFFICIAL[name.strip()], query.strip()): value.strip()
        for name, query, value in lines
        if name.strip() in OFFICIAL
    }
    metrics = [*dict.fromkeys(metric for metric, _ in official)]
    scores = score(found, read_qrels(folder / qrels), metrics, rel_level=rel_level)
    means = scores.mean()
    assert official
    for (metric, query), value in official.items():
        ours = means[metric].mean
        if query != "all":
            ours = scores.mean([query])[metric].mean
        assert f"{ours:.4f}" == value, (metric, query)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "compat",
            {"map": 0.2424, "precision@5": 0.5, "recall@10": 0.0562, "map@3": 0.0169,
             "ndcg": 0.3756, "ndcg@5": 0.052, "ndcg@10": 0.1626, "recall@100": 0.2784,
             "mrr@3": 0.5, "judged@10": 1.0, "hit_rate@5": 0.5, "mrr": 0.5192},
        ),
        (
            "cwl",
            {"map": 0.5865, "precision@5": 0.4, "recall@10": 1.0, "map@3": 0.2222,
             "ndcg": 0.7577, "ndcg@5": 0.4464, "ndcg@10": 0.7577, "recall@100": 1.0,
             "mrr@3": 0.6667, "judged@10": 0.7667, "hit_rate@5": 0.6667, "mrr": 0.7222},
        ),
    ],
)  # fmt: skip
def test_values_of_ir_measures_to_four_decimals(real_data, name, values):
    folder = real_data / "trec_oracle" / "ir_measures"
    run, qrels = read_run(folder / f"{name}.run"), read_qrels(folder / f"{name}.qrels")
    means = score(run, qrels, [*values]).mean()
    assert {metric: round(means[metric].mean, 4) for metric in values} == values


def test_a_query_that_the_run_misses_counts(real_data):
    folder = real_data / "trec_oracle" / "trec_eval"
    qrels = read_qrels(folder / "qrels.test")
    scores = score(read_run(folder / "results.trunc"), qrels, ["map"])
    assert (scores.mean()["map"].n_scored, scores.mean()["map"].n_total) == (3, 3)


TREC_NAMES = {
    "map": "map", "mrr": "recip_rank", "ndcg": "ndcg", "map@3": "map_cut_3",
    "ndcg@3": "ndcg_cut_3", "recall@3": "recall_3", "precision@3": "P_3", "hit_rate@3": "success_3",
}  # fmt: skip
PYTREC_NAMES = {"map", "recip_rank", "ndcg", "map_cut.3", "ndcg_cut.3", "recall.3", "P.3",
                "success.3"}  # fmt: skip
documents = st.sampled_from([f"d{number}" for number in range(9)])
runs = st.dictionaries(
    st.sampled_from("abcd"), st.lists(documents, min_size=1, unique=True), min_size=1
)
labels = st.dictionaries(documents, st.integers(-2, 4), min_size=1)


@settings(max_examples=200, deadline=None)
@given(runs, st.fixed_dictionaries(dict.fromkeys("abcd", labels)), st.integers(1, 3))
def test_every_query_as_in_pytrec_eval(run, qrels, rel_level):
    # pytrec-eval-terrier 0.5.11 reads foreign memory on a negative grade: it gets a 0 instead.
    gains = {q: {d: max(grade, 0) for d, grade in graded.items()} for q, graded in qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(gains, PYTREC_NAMES, relevance_level=rel_level)
    theirs = evaluator.evaluate(
        {q: {d: float(len(found) - i) for i, d in enumerate(found)} for q, found in run.items()}
    )
    ours = score(run, qrels, [*TREC_NAMES], rel_level=rel_level, empty_qrels="zero", queries=run)
    for row, query in enumerate(ours.query_ids):
        expected = [theirs[query][name] for name in TREC_NAMES.values()]
        np.testing.assert_allclose(ours.values[row], expected, atol=1e-12)


@pytest.mark.slow
def test_every_query_as_in_ranx_where_the_definitions_agree():
    ranx = pytest.importorskip("ranx")
    rng = np.random.default_rng(0)
    names = [f"d{number}" for number in range(60)]
    # ranx sorts the query ids.
    run = {f"q{q:02}": [*rng.permutation(names)[:40]] for q in range(50)}
    qrels = {
        query: {str(d): int(rng.integers(1, 4)) for d in rng.choice(names, 8, replace=False)}
        for query in run
    }
    metrics = {"map@10": "map@10", "mrr": "mrr", "ndcg@10": "ndcg@10", "recall@10": "recall@10",
               "precision@10": "precision@10", "hit_rate@10": "hit_rate@10"}  # fmt: skip
    theirs = ranx.evaluate(
        ranx.Qrels(qrels),
        ranx.Run({q: {str(d): 40.0 - i for i, d in enumerate(f)} for q, f in run.items()}),
        [*metrics.values()],
        return_mean=False,
    )
    ours = score(run, qrels, [*metrics])
    for metric, name in metrics.items():
        np.testing.assert_allclose(ours.column(metric), theirs[name], atol=1e-12)
