"""Run files: the order trec_eval reads, and files that people really have."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.trec_run import read_run, write_run
from retrievers.ranking import Ranking


def read(tmp_path, content):
    path = tmp_path / "a.run"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_run(path)


def test_scores_order_the_results_not_the_lines_nor_the_ranks(tmp_path):
    run = read(tmp_path, "q Q0 a 1 0.5 t\nq Q0 b 2 0.9 t\nq Q0 c 3 0.7 t\n")
    assert run.ranking.by_query() == {"q": ["b", "c", "a"]}
    assert run.ranking.scores.tolist() == [[0.9, 0.7, 0.5]]


def test_equal_scores_go_by_rank_and_then_by_line(tmp_path):
    run = read(tmp_path, "q Q0 z 2 1 t\nq Q0 b 1 1 t\nq Q0 y 2 1 t\nq Q0 a 2 1 t\n")
    assert run.ranking.by_query() == {"q": ["b", "z", "y", "a"]}


def test_queries_may_be_mixed_and_of_unequal_length(tmp_path):
    run = read(tmp_path, "q2 Q0 a 1 3 t\nq1 Q0 b 1 9 t\nq2 Q0 c 2 2 t\n")
    assert run.ranking.by_query() == {"q2": ["a", "c"], "q1": ["b"]}
    assert run.ranking.nodes.tolist() == [[0, 2], [1, -1]]


def test_a_repeated_document_is_kept_once_at_its_best_place_and_counted(tmp_path):
    run = read(tmp_path, "q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 3 t\nr Q0 a 1 1 t\n")
    assert run.ranking.by_query() == {"q": ["a", "b"], "r": ["a"]}
    assert len(run.notes) == 1
    assert run.notes[0].endswith("kept once, first: 1.")


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfq Q0 \xeb\xac\xbc 1 2 t\nq Q0 b 2 1 t\n",
        b"q Q0 \xeb\xac\xbc 1 2 t\r\nq Q0 b 2 1 t\r\n",
        b"  q\tQ0   \xeb\xac\xbc 1   2.0  t\n\n \nq\tQ0\tb\t2\t1\tt",
        b"q Q0 \xeb\xac\xbc 1 2 t and more words\nq Q0 b 2 1 t u\n",
    ],
    ids=["BOM", "CRLF", "blanks", "words after the tag"],
)
def test_what_is_read_all_the_same(tmp_path, content):
    run = read(tmp_path, content)
    assert run.ranking.by_query() == {"q": ["물", "b"]}
    assert (run.tag, run.notes) == ("t", ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.run is empty"),
        (b"\n \n", "a.run is empty"),
        (b"q Q0 a 1 2 t\nq Q0 b 2 1\n", "a.run, line 2: 5 columns where"),
        (b"q Q0 a 1 2 t\n\nq Q0 b two 1 t\n", "a.run, line 3: the rank 'two' is not"),
        (b"q Q0 a 1 high t\n", "a.run, line 1: the score 'high' is not"),
        (b"q Q0 a 1 nan t\n", "a.run, line 1: the score 'nan' is not"),
        (b"q Q0 a 1 2 t\nq Q0 b 2 -inf t\n", "a.run, line 2: the score '-inf' is not"),
        (b"q Q0 a 1 2 t\nq Q0 \xb9\xb0 2 1 t\n", "a.run, line 2: UTF-8 is wanted"),
        ("q Q0 a 1 2 t\n".encode("utf-16"), "looks like utf-16"),
    ],
)
def test_a_malformed_file_is_one_sentence_with_its_line(tmp_path, content, message):
    with pytest.raises(ValueError, match=r"a\.run") as error:
        read(tmp_path, content)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(ValueError, match=r"none\.run does not exist"):
        read_run(tmp_path / "none.run")


def test_written_bytes(tmp_path):
    ranking = Ranking.from_lists({"q1": [("b", 0.5), ("물", 0.5)], "q2": [], "q3": ["a"]})
    path = write_run(tmp_path / "x" / "out.trec", ranking, tag="mine")
    assert path.read_bytes().decode() == "q1 Q0 b 1 2 mine\nq1 Q0 물 2 1 mine\nq3 Q0 a 1 1 mine\n"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("my file.pdf", "my%20file.pdf"),
        ("a\n", "a%0A"),
        ("a\u00a0b", "a%C2%A0b"),
        ("a\u2028b", "a%E2%80%A8b"),
        ("\ufeffa", "%EF%BB%BFa"),
        ("a%20b", "a%2520b"),
        ("100%25", "100%2525"),
        ("100%", "100%"),
        ("caf%C3%A9", "caf%C3%A9"),
    ],
)
def test_a_blank_in_an_id_is_encoded_and_little_else(tmp_path, name, written):
    path = write_run(tmp_path / "a.run", Ranking.from_lists({name: [name]}))
    assert path.read_text() == f"{written} Q0 {written} 1 1 rankproof\n"
    assert read_run(path, names=[name]).ranking.by_query() == {name: [name]}
    assert read_run(path).ranking.by_query() == {written: [written]}


def test_an_id_of_the_dataset_that_looks_encoded_is_read_as_it_stands(tmp_path):
    path = tmp_path / "foreign.run"
    path.write_text("q Q0 a%20b 1 1 t\n")
    assert read_run(path, names=["q", "a%20b"]).ranking.by_query() == {"q": ["a%20b"]}


def test_blanks_in_a_tag_become_dashes(tmp_path):
    path = write_run(tmp_path / "a.run", Ranking.from_lists({"q": ["a"]}), tag=" my  hybrid ")
    assert path.read_text() == "q Q0 a 1 1 my-hybrid\n"


def test_an_empty_id_is_refused_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.trec"
    path.write_text("old")
    with pytest.raises(ValueError, match="cannot stand in a TREC run"):
        write_run(path, Ranking.from_lists({"q": ["a", ""]}))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


SIGNS = st.characters(codec="utf-8") | st.sampled_from(" \u2028\ufeff%20258EA")
IDS = st.text(SIGNS, min_size=1)


@settings(max_examples=50)
@given(st.dictionaries(IDS, st.lists(IDS, min_size=1, unique=True), min_size=1, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, results):
    path = tmp_path_factory.mktemp("run") / "a.run"
    written = write_run(path, Ranking.from_lists(results))
    run = read_run(written, names={*results, *itertools.chain(*results.values())})
    assert run.ranking.by_query() == results
    assert run.notes == ()


class TestOracle:
    @pytest.mark.parametrize(
        ("folder", "run", "qrels", "key"),
        [
            ("trec_eval", "results.test", "qrels.test", "official (out.test)"),
            (
                "trec_eval",
                "results.trunc",
                "qrels.test",
                "results.trunc official (all qrels queries, -c)",
            ),
        ],
    )
    def test_the_order_gives_the_official_values(self, real_data, folder, run, qrels, key):
        pytrec_eval = pytest.importorskip("pytrec_eval")
        with open(real_data / "trec_oracle" / folder / qrels) as file:
            judged = pytrec_eval.parse_qrel(file)
        found = read_run(real_data / "trec_oracle" / folder / run).ranking.by_query()
        places = {q: {name: -float(n) for n, name in enumerate(ids)} for q, ids in found.items()}
        scores = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank"}).evaluate(places)
        wanted = json.loads((real_data / "trec_oracle" / "expected_values.json").read_text())[key]
        for measure in ("map", "recip_rank"):
            mean = sum(row[measure] for row in scores.values()) / len(judged)
            assert f"{mean:.4f}" == wanted[measure]

    @pytest.mark.parametrize(
        ("run", "queries", "results"),
        [
            ("trec_eval/results.test", 3, 1500),
            ("trec_eval/results-302.test", 1, 500),
            ("trec_eval/results.trunc", 2, 584),
            ("ir_measures/compat.run", 2, 1927),
            ("ir_measures/cwl.run", 3, 30),
        ],
    )
    def test_every_run_there_is_read_whole(self, real_data, run, queries, results):
        read = read_run(real_data / "trec_oracle" / run)
        assert len(read.ranking.query_ids) == queries
        assert int((read.ranking.nodes >= 0).sum()) == results
        falls = np.diff(read.ranking.scores, axis=1) <= 0
        assert (falls | np.isnan(read.ranking.scores[:, 1:])).all()


def test_lines_that_end_in_returns_alone_are_refused_and_not_lost(tmp_path):
    path = tmp_path / "mac.trec"
    path.write_bytes(b"q1 Q0 a 1 2 tag\rq1 Q0 b 2 1 tag\r")
    with pytest.raises(ValueError, match=r"line 1: a line ends in \\r alone"):
        read_run(path)
