"""The CSV format: its bytes, its options, and every way in which one can be wrong."""

import pytest

from experiments.schema import Dataset, Document, Query
from experiments.submissions.kaggle import KaggleSubmission
from retrievers.ranking import Ranking
from tests.experiments.submissions.problems import check, found

GOLDEN = "id,prediction\n7,d1 d2\n2,\n30,d3 d1\n"


def one(document, query="q"):
    dataset = Dataset("one", [Document(document, "t")], [Query(query, "?")], None, "")
    return dataset, Ranking.from_lists({query: [document]})


def test_written_bytes(tmp_path, dataset, ranking):
    path = KaggleSubmission().write(tmp_path, dataset, ranking)
    assert path == tmp_path / "submission.csv"
    assert path.read_bytes().decode() == GOLDEN


def test_names_delimiter_and_the_word_for_nothing_are_options(tmp_path, dataset, ranking):
    submission = KaggleSubmission(
        k=25, id_column="query", ids_column="docs,ranked", delimiter=",", empty="-1"
    )
    path = submission.write(tmp_path, dataset, ranking)
    assert path.read_text() == 'query,"docs,ranked"\n7,"d1,d2"\n2,-1\n30,"d3,d1"\n'
    assert submission.check(path, dataset).empty == 1


@pytest.mark.parametrize("name", ["a b", " a", "", "a\n", "a\u3000b"])
def test_a_document_id_with_a_blank_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="cannot stand in a list with ' '"):
        KaggleSubmission().accepts(one(name)[0])
    with pytest.raises(ValueError, match="cannot stand in a list with ' '"):
        KaggleSubmission().write(tmp_path, *one(name))
    assert list(tmp_path.iterdir()) == []


def test_a_document_id_with_a_blank_stands_between_other_signs(tmp_path):
    path = KaggleSubmission(delimiter="|").write(tmp_path, *one("a b"))
    assert path.read_text() == "id,prediction\nq,a b\n"
    with pytest.raises(ValueError, match="cannot stand"):
        KaggleSubmission(delimiter="|").write(tmp_path, *one("a|b"))


def test_a_document_that_is_called_like_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot stand"):
        KaggleSubmission(empty="-1").write(tmp_path, *one("-1"))


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_a_query_id_that_is_no_cell_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="cannot stand in a line of a CSV file"):
        KaggleSubmission().accepts(one("d", query=name)[0])
    with pytest.raises(ValueError, match="cannot stand in a line of a CSV file"):
        KaggleSubmission().write(tmp_path, *one("d", query=name))


def test_a_valid_file_is_counted(tmp_path, dataset):
    checked = check(KaggleSubmission(), dataset, tmp_path, GOLDEN)
    assert (checked.problems, checked.notes) == ((), ())
    assert (checked.rows, checked.empty, checked.ids) == (3, 1, 4)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("id,prediction", "id,pred", 1, "the header is id,pred, not id,prediction"),
        ("id,prediction\n", "", 1, "the header is 7,d1 d2, not id,prediction"),
        ("id,prediction", "id", 1, "1 columns where there must be 2"),
        ("2,\n", "2\n", 3, "1 columns where there must be 2"),
        ("2,\n", "2,d1,d2\n", 3, "3 columns where there must be 2"),
        ("2,\n", '2,"d1\n', 3, "bad CSV"),
        ("2,\n", "9,\n", 3, "id 9 is not in the evaluation file"),
        ("2,\n", "7,\n", 3, "id 7 is repeated; it stands first in line 2"),
        ("2,\n", "2,d1 d1\n", 3, "document id 'd1' is repeated"),
        ("2,\n", "2,d9\n", 3, "document id 'd9' is not in the corpus"),
        ("2,\n", "2,d1 d2 d3 d4\n", 3, "4 document ids where at most 3"),
        ("2,\n", "\n2,\n", 3, "the line is blank"),
        ("2,\n", "", None, "id 2 is missing"),
        ("d3 d1\n", "d", 4, "document id 'd' is not in the corpus"),
        ("\n", "\r\n", 1, "CRLF"),
        ("id,pre", "\ufeffid,pre", 1, "byte order mark"),
        (GOLDEN, "", None, "the file is empty"),
    ],
)
def test_a_problem_is_listed_with_its_line(tmp_path, dataset, old, new, line, message):
    checked = check(KaggleSubmission(), dataset, tmp_path, GOLDEN.replace(old, new))
    assert message in found(checked, line)


def test_a_file_without_its_last_line_break_is_noted(tmp_path, dataset):
    checked = check(KaggleSubmission(), dataset, tmp_path, GOLDEN.removesuffix("\n"))
    assert checked.problems == ()
    assert checked.notes == ("The last line has no line break: is the file complete?",)


def test_the_two_columns_cannot_share_a_name():
    with pytest.raises(ValueError, match="are both prediction"):
        KaggleSubmission(id_column="prediction")
