"""The run file as a submission: its bytes, and every way in which one can be wrong."""

import pytest

from experiments.schema import Dataset, Document, Query
from experiments.submissions.trec import TrecSubmission
from experiments.trec_run import read_run
from retrievers.ranking import Ranking
from tests.experiments.submissions.problems import check, found

GOLDEN = "7 Q0 d1 1 2 mine\n7 Q0 d2 2 1 mine\n30 Q0 d3 1 2 mine\n30 Q0 d1 2 1 mine\n"


def test_written_bytes(tmp_path, dataset, ranking):
    path = TrecSubmission(tag="mine").write(tmp_path, dataset, ranking)
    assert path == tmp_path / "submission.trec"
    assert path.read_bytes().decode() == GOLDEN
    assert read_run(path).ranking.by_query() == {"7": ["d1", "d2"], "30": ["d3", "d1"]}


def test_at_most_k_documents(tmp_path, dataset, ranking):
    path = TrecSubmission(k=1).write(tmp_path, dataset, ranking)
    assert path.read_text() == "7 Q0 d1 1 1 rankproof\n30 Q0 d3 1 1 rankproof\n"


def test_blanks_in_a_tag_become_dashes(tmp_path, dataset, ranking):
    path = TrecSubmission(tag="my run").write(tmp_path, dataset, ranking)
    assert path.read_text() == GOLDEN.replace("mine", "my-run")
    with pytest.raises(ValueError, match="The tag '' cannot stand"):
        TrecSubmission(tag=" ").accepts(dataset)


@pytest.mark.parametrize(("query", "document"), [("1", "my file.pdf"), ("q 1", "d")])
def test_an_id_with_a_blank_is_refused_before_any_work(query, document):
    dataset = Dataset("one", [Document(document, "t")], [Query(query, "?")], None, "")
    with pytest.raises(ValueError, match="cannot stand in a TREC run"):
        TrecSubmission().accepts(dataset)


def test_nothing_found_at_all_is_not_a_run(tmp_path, dataset):
    with pytest.raises(ValueError, match="the file is empty"):
        TrecSubmission().write(tmp_path, dataset, Ranking.from_lists({"7": []}))


def test_a_query_without_a_line_has_no_results_and_is_valid(tmp_path, dataset):
    checked = check(TrecSubmission(), dataset, tmp_path, GOLDEN)
    assert checked.problems == ()
    assert (checked.rows, checked.empty, checked.ids) == (2, 0, 4)


@pytest.mark.parametrize(
    ("second_line", "message"),
    [
        ("7 Q0 d2 2 1", "5 columns where there must be 6"),
        ("7 Q0 d2 2 1 mine too", "7 columns where there must be 6"),
        ("7 q1 d2 2 1 mine", "the second column is 'q1', not 'Q0'"),
        ("7 Q0 d2 two 1 mine", "the rank 'two' is not a whole number"),
        ("7 Q0 d2 1.5 1 mine", "the rank '1.5' is not a whole number"),
        ("7 Q0 d2 3 1 mine", "the rank is 3 after 1; ranks rise by one"),
        ("7 Q0 d2 1 1 mine", "the rank is 1 after 1; ranks rise by one"),
        ("2 Q0 d2 2 1 mine", "the query's first rank is 2, not 1"),
        ("7 Q0 d2 2 2 mine", "the score 2 does not fall: the one before is 2"),
        ("7 Q0 d2 2 3 mine", "the score 3 does not fall: the one before is 2"),
        ("7 Q0 d2 2 nan mine", "the score 'nan' is not a finite number"),
        ("7 Q0 d2 2 inf mine", "the score 'inf' is not a finite number"),
        ("7 Q0 d2 2 best mine", "the score 'best' is not a finite number"),
        ("7 Q0 d2 2 1 other", "the tag is 'other', not 'mine' as in the first line"),
        ("7 Q0 d1 2 1 mine", "document id 'd1' is repeated"),
        ("7 Q0 d9 2 1 mine", "document id 'd9' is not in the corpus"),
        ("9 Q0 d2 1 1 mine", "query 9 is not in the evaluation file"),
        ("", "the line is blank"),
    ],
)
def test_a_problem_is_listed_with_its_line(tmp_path, dataset, second_line, message):
    content = GOLDEN.replace("7 Q0 d2 2 1 mine", second_line)
    checked = check(TrecSubmission(), dataset, tmp_path, content)
    assert found(checked, 2) == message or message in found(checked, 2).split("; ")[0]
    assert {problem.line for problem in checked.problems} == {2}


def test_more_than_k_documents_are_told_where_they_begin(tmp_path, dataset):
    checked = check(TrecSubmission(k=1), dataset, tmp_path, GOLDEN)
    assert found(checked, 2) == found(checked, 4) == "2 document ids where at most 1 are allowed"


def test_ranks_may_count_from_zero_and_queries_may_be_mixed(tmp_path, dataset):
    content = "7 Q0 d1 0 2 m\n30 Q0 d3 1 2 m\n7 Q0 d2 1 1 m\n30 Q0 d1 2 1 m\n"
    assert check(TrecSubmission(), dataset, tmp_path, content).problems == ()


def test_scores_are_shown_as_the_file_writes_them(tmp_path, dataset):
    lines = "7 Q0 d1 1 2.0000000 mine\n7 Q0 d2 2 2.0000001 mine\n"
    checked = check(TrecSubmission(), dataset, tmp_path, lines)
    message = "the score 2.0000001 does not fall: the one before is 2.0000000"
    assert message in found(checked, 2)
