"""A pool favours no run, and its labels come back as they were given."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.datasets.jsonl import JsonLines
from experiments.evaluation import Evaluator
from experiments.pool.labels import cohens_kappa, read_labels
from experiments.pool.page import write_page
from experiments.pool.pooling import POOL, Pool, pool_pairs
from experiments.pool.study import PoolStudy
from experiments.schema import Dataset, Document, Query, Turn
from experiments.trec_run import write_run
from retrievers.ranking import Ranking
from tests.experiments.test_comparison import setting

RUNS = [{"q": ["a", "b", "c"]}, {"q": ["b", "d"]}, {"q": ["e"], "p": ["a"]}]


def test_the_first_of_every_run_are_pooled_once():
    pairs = pool_pairs(RUNS, ["q", "p", "none"], depth=2, seed=0)
    assert sorted(pairs) == [("p", "a"), ("q", "a"), ("q", "b"), ("q", "d"), ("q", "e")]
    assert [query for query, _ in pairs] == ["q"] * 4 + ["p"], "question by question"


names = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=3, max_size=10)


@given(st.lists(names, min_size=3, max_size=5, unique_by=tuple), st.integers(0, 9))
def test_neither_the_order_of_the_runs_nor_their_ranks_show(several, seed):
    runs = [{"q": one} for one in several]
    pairs = pool_pairs(runs, ["q"], depth=10, seed=seed)
    assert pool_pairs(runs[::-1], ["q"], depth=10, seed=seed) == pairs
    turned = [{"q": one[::-1]} for one in several]
    assert pool_pairs(turned, ["q"], depth=10, seed=seed) == pairs


@pytest.mark.parametrize(
    ("runs", "depth", "said"),
    [
        (RUNS[:2], 3, "leads to 2 rankings: give 3 or more"),
        ([*RUNS[:2], {"q": ["b", "d"], "stranger": ["a"]}], 2, "3 rankings, 2 of them different"),
        (RUNS, 0, "1 or more"),
    ],
)
def test_too_few_runs_and_no_depth_are_refused(runs, depth, said):
    with pytest.raises(ValueError, match=said):
        pool_pairs(runs, ["q"], depth=depth, seed=0)


def test_kappa_by_hand_and_at_its_ends():
    # 2x2 of Cohen's form: 20 and 15 agree, 5 and 10 do not: p_o 0.7, p_e 0.5, kappa 0.4
    one = [2] * 25 + [0] * 25
    other = [2] * 20 + [0] * 5 + [2] * 10 + [0] * 15
    assert cohens_kappa(one, other) == pytest.approx(0.4)
    assert cohens_kappa([0, 1, 2], [0, 1, 2]) == pytest.approx(1.0)
    assert cohens_kappa([0, 0], [0, 0]) is None
    assert cohens_kappa([], []) is None
    assert cohens_kappa([0, 2], [2, 0]) == pytest.approx(-1.0)


QUERIES = [
    Query("q1", "물은 왜 끓나?"),
    Query("q2", "why?", history=(Turn("user", "Water boils."),)),
]
TEXTS = {"a b": "물은 100도에서 끓는다.", "c": "</script>\ud800\0", "d": "", "e": "Waves."}


@pytest.fixture
def pooled(tmp_path):
    """A dataset on disk, three runs of it, and the folder of the page."""
    folder = tmp_path / "data"
    folder.mkdir()
    corpus = [json.dumps({"id": name, "text": text or "x"}) for name, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(corpus) + "\n")
    queries = [json.dumps({"id": q.id, "text": q.text}) for q in QUERIES]
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n")
    files = []
    for number, found in enumerate((["a b", "c"], ["d"], ["e", "a b"])):
        path = tmp_path / f"run{number}.trec"
        write_run(path, Ranking.from_lists({"q1": found, "q2": found[::-1]}))
        files.append(str(path))
    made = setting(tmp_path / "out", dataset=JsonLines(path=str(folder)), submission=None)
    page = PoolStudy(setting=made, runs=files, depth=1).run().folder
    return folder, page, made


def saved(page, path, who, grades):
    """The file that the page saves."""
    pool = Pool.read(page / POOL)
    rows = [[*pair, grades.get(pair[1])] for pair in pool.pairs]
    value = {"pool": pool.fingerprint, "labeller": who, "saved_at": "2026", "judgements": rows}
    path.write_text(json.dumps(value))
    return str(path)


def test_labels_become_qrels_with_their_provenance(pooled, tmp_path, capsys):
    folder, page, made = pooled
    first = saved(page, tmp_path / "kim.json", "김", {"a b": 2, "d": 0, "e": 1})
    other = saved(page, tmp_path / "lee.json", "Lee", {"a b": 2, "d": 1, "e": 0, "c": 0})
    capsys.readouterr()
    PoolStudy(setting=made, labels=[first, other], folder=str(page)).run()
    told = capsys.readouterr().out
    # 김 gave 2 0 1 2 0 and Lee 2 1 0 2 1: p_o 2/5; p_e .4 * .4 + .4 * .2 + .2 * .4 = .32
    assert "김 and Lee both judged 5 passages and differ on 3: Cohen's kappa 0.118." in told
    said = json.loads((page / "provenance.json").read_text())
    assert said["labellers"] == ["김", "Lee"]
    assert said["runs"].keys() == {"run0", "run1", "run2"}
    assert (said["depth"], said["judged"], said["skipped"]) == (1, 6, 1)
    assert datetime.fromisoformat(said["pooled_at"])
    rows = sorted((page / "disagreements.tsv").read_text().split("\n")[1:-1])
    agreed = {"labellers": ["김", "Lee"], "kappa": pytest.approx(0.08 / 0.68)}
    agreed |= {"judged_by_both": 5, "disagreements": 3}
    assert [agreed] == said["agreement"]
    assert rows == ["q1\td\t0\t1", "q1\te\t1\t0", "q2\td\t0\t1"]
    for name in ("qrels.tsv", "provenance.json"):
        (folder / name).write_bytes((page / name).read_bytes())
    data = made.dataset.load()
    assert data.qrels["q1"] == {"a b": 2, "d": 0, "e": 1}, "the first decides, and 0 is judged"
    assert any("judged@k" in note and "김, Lee" in note for note in data.notes)
    run = Ranking.from_lists({"q1": ["a b", "c"], "q2": ["c", "d"]}, TEXTS)
    assert Evaluator("judged@2").evaluate(run, data.qrels).mean()["judged@2"].mean == 0.75


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pool": "other"}, "another pool"),
        ({"judgements": [["q1", "d", 1], ["q1", "d", 2]]}, "judgement 2.*twice"),
        ({"judgements": [["q1", "nowhere", 1]]}, "judgement 1"),
        ({"judgements": [["q1", "d", 3]]}, "judgement 1"),
        ({"judgements": 7}, "no file that the page saved"),
        ({"judgements": []}, "judges nothing"),
    ],
)
def test_strange_labels_are_refused(pooled, tmp_path, change, said):
    _, page, made = pooled
    path = tmp_path / "kim.json"
    saved(page, path, "김", {"d": 1})
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=said):
        PoolStudy(setting=made, labels=str(path), folder=str(page)).run()
    assert not (page / "qrels.tsv").exists()


def half_judged(page, path):
    """The first question's passages alone, saved by an editor that adds a byte order mark."""
    saved(page, path, "김", {"a b": 2, "d": 0, "e": 1})
    value = json.loads(path.read_text())
    value["judgements"] = [row for row in value["judgements"] if row[0] == "q1"]
    path.write_text(json.dumps(value), encoding="utf-8-sig")
    return str(path)


def test_questions_that_nobody_judged_yet_are_named(pooled, tmp_path, capsys):
    folder, page, made = pooled
    path = half_judged(page, tmp_path / "half.json")
    PoolStudy(setting=made, labels=path, folder=str(page)).run()
    assert "1 questions have no judgement yet" in capsys.readouterr().out
    for name in ("qrels.tsv", "provenance.json"):
        (folder / name).write_bytes((page / name).read_bytes())
    data = made.dataset.load()
    assert data.unjudged == {"q2"}
    assert data.pooled


def test_a_page_saved_twice_is_no_second_opinion(pooled, tmp_path):
    _, page, made = pooled
    files = [saved(page, tmp_path / f"{n}.json", "Kim", {"d": 1}) for n in ("kim", "kim (1)")]
    newer = json.loads((tmp_path / "kim (1).json").read_text()) | {"saved_at": "2027"}
    (tmp_path / "kim (1).json").write_text(json.dumps(newer))
    with pytest.raises(ValueError, match=r"both by Kim: give the one saved last, .*kim \(1\)"):
        PoolStudy(setting=made, labels=files, folder=str(page)).run()


def test_two_people_without_a_passage_in_common_and_three(pooled, tmp_path, capsys):
    _, page, made = pooled
    half_judged(page, tmp_path / "kim.json")
    other = json.loads(Path(saved(page, tmp_path / "lee.json", "Lee", {"d": 2})).read_text())
    other["judgements"] = [row for row in other["judgements"] if row[0] == "q2"]
    (tmp_path / "lee.json").write_text(json.dumps(other))
    third = saved(page, tmp_path / "pak.json", "Pak", {"d": 0})
    files = [str(tmp_path / "kim.json"), str(tmp_path / "lee.json"), third]
    capsys.readouterr()
    PoolStudy(setting=made, labels=files, folder=str(page)).run()
    told = capsys.readouterr().out
    assert "김 and Lee judged no passage in common" in told
    assert "Lee and Pak both judged 1 passages and differ on 1" in told
    rows = (page / "disagreements.tsv").read_text().split("\n")
    assert rows == ["query-id\tcorpus-id\t김\tLee\tPak", "q2\td\t\t2\t0", ""]


def test_one_ranking_three_times_and_a_lone_one_are_no_pool(pooled, tmp_path):
    *_, made = pooled
    run = str(tmp_path / "run0.trec")
    for runs, said in (
        ([run] * 3, "3 rankings, 1 of them"),
        ([run], "leads to 1 rankings"),
        (["nowhere"], "There is no file nowhere"),
    ):
        with pytest.raises(ValueError, match=said):
            PoolStudy(setting=made, runs=runs).run()


def large_pool():
    corpus = [
        Document(f"d{i}", f"{i}번째 문단. " + "광합성은 빛으로 당을 만든다. " * 12)
        for i in range(4000)
    ]
    queries = [Query(str(q), f"질문 {q}") for q in range(220)]
    data = Dataset("large", corpus, queries, None, "f")
    pairs = tuple((str(q), f"d{(q * 17 + j) % 4000}") for q in range(220) for j in range(30))
    return Pool(pairs, {"a": "1", "b": "2", "c": "3"}, 30, 0, "large", "f", "2026"), data


def test_a_large_page_is_small_enough(tmp_path):
    pool, data = large_pool()
    path = write_page(tmp_path / "label.html", pool, data)
    assert path.stat().st_size < 15 * 2**20
    text = path.read_text(encoding="utf-8")
    assert "connect-src" not in text
    assert "default-src 'none'" in text
    assert text.count("0번째 문단. 광") == len(
        [d for d in range(4000) if d % 10 == 0 and f"d{d}" in {p for _, p in pool.pairs}]
    )


def test_what_was_read_is_of_this_pool(pooled, tmp_path):
    _, page, _ = pooled
    path = tmp_path / "x.json"
    saved(page, path, "", {"d": 0})
    labels = read_labels(path, Pool.read(page / POOL))
    assert labels.who == "x"
    assert set(labels.grades.values()) == {0}
    assert labels.skipped
