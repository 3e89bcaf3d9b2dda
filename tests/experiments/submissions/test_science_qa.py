"""The science competition's file: its bytes, and every way in which one can be wrong."""

import json

import pytest

from experiments.schema import Dataset, Document, Query
from experiments.submissions.science_qa import ScienceQASubmission
from retrievers.ranking import Ranking
from tests.experiments.submissions.problems import check, found

GOLDEN = (
    '{"eval_id": 7, "standalone_query": "물의 끓는점", "topk": ["d1", "d2"], "answer": "100도", '
    '"references": [{"score": 1.23457, "content": "물은 100도에서 끓는다."}, '
    '{"score": 0.0, "content": "A \\"quoted\\" text"}]}\n'
    '{"eval_id": 2, "standalone_query": "안녕!", "topk": [], "answer": "", "references": []}\n'
    '{"eval_id": 30, "standalone_query": "What is c?", "topk": ["d3", "d1"], "answer": "", '
    '"references": [{"score": 1.0, "content": "c"}, '
    '{"score": 0.5, "content": "물은 100도에서 끓는다."}]}\n'
)
LINES = GOLDEN.splitlines(keepends=True)


def test_written_bytes(tmp_path, dataset, ranking):
    submission = ScienceQASubmission()
    wording = {"asked": {"7": "물의 끓는점"}, "answers": {"7": "100도"}}
    path = submission.write(tmp_path / "run", dataset, ranking, **wording)
    assert path == tmp_path / "run" / "submission.csv"
    assert path.read_bytes().decode() == GOLDEN
    submission.write(tmp_path / "run", dataset, ranking, **wording)
    assert path.read_bytes().decode() == GOLDEN
    assert list(path.parent.iterdir()) == [path]


def test_at_most_k_documents(tmp_path, dataset, ranking):
    path = ScienceQASubmission(str(tmp_path / "mine.csv"), k=1).write(tmp_path, dataset, ranking)
    assert path.name == "mine.csv"
    assert [json.loads(line)["topk"] for line in path.open()] == [["d1"], [], ["d3"]]


def test_a_query_that_the_ranking_lacks_is_submitted_empty(tmp_path, dataset):
    path = ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({"7": ["d1"]}))
    assert [json.loads(line)["topk"] for line in path.open()] == [["d1"], [], []]


def test_half_a_surrogate_in_a_text_still_gives_legal_utf8(tmp_path):
    corpus = [Document("d", "\ud83d?")]
    dataset = Dataset("one", corpus, [Query("1", "q")], qrels=None, fingerprint="")
    path = ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({"1": ["d"]}))
    assert json.loads(path.read_text(encoding="utf-8"))["references"][0]["content"] == "\ud83d?"


def test_a_ranking_of_other_queries_is_not_submitted_as_empty_rows(tmp_path, dataset):
    with pytest.raises(ValueError, match="answers the query '99', which tiny does not have"):
        ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({"99": ["d1"]}))


def test_a_file_without_any_document_is_noted(tmp_path, dataset):
    path = ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({"7": []}))
    checked = ScienceQASubmission().check(path, dataset)
    assert (checked.problems, checked.notes) == ((), ("No row names a document.",))


@pytest.mark.parametrize("name", ["q1", "07", "1.0", "", "-1"])
def test_a_query_id_that_is_no_whole_number_cannot_be_submitted(tmp_path, name):
    dataset = Dataset("one", [Document("d", "t")], [Query(name, "q")], None, "")
    with pytest.raises(ValueError, match="whole numbers as query ids"):
        ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({name: ["d"]}))
    assert list(tmp_path.iterdir()) == []


def test_a_document_outside_the_corpus_is_not_written(tmp_path, dataset):
    old = tmp_path / "submission.csv"
    old.write_text("old")
    with pytest.raises(ValueError, match="'d1#0', which is not in the corpus"):
        ScienceQASubmission().write(tmp_path, dataset, Ranking.from_lists({"7": ["d1#0"]}))
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_file_that_would_not_be_valid_is_not_written(tmp_path):
    twice = Dataset("twice", [Document("d", "t")], [Query("1", "a"), Query("1", "b")], None, "")
    with pytest.raises(ValueError, match="line 2: eval_id 1 is repeated"):
        ScienceQASubmission().write(tmp_path, twice, Ranking.from_lists({"1": ["d"]}))
    assert list(tmp_path.iterdir()) == []


def test_a_valid_file_is_counted(tmp_path, dataset):
    checked = check(ScienceQASubmission(), dataset, tmp_path, GOLDEN)
    assert (checked.problems, checked.notes) == ((), ())
    assert checked.summary == "valid (3 rows, 1 of them without a document, 4 document ids)"


def test_another_order_and_other_keys_are_valid(tmp_path, dataset):
    lines = [LINES[2], LINES[0], LINES[1].replace('"answer"', '"model": "m", "answer"')]
    assert check(ScienceQASubmission(), dataset, tmp_path, "".join(lines)).problems == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"eval_id": 2', '"eval_id": 99', "eval_id 99 is not in the evaluation file"),
        ('"eval_id": 2', '"eval_id": 7', "eval_id 7 is repeated; it stands first in line 1"),
        ('"eval_id": 2', '"eval_id": "2"', 'eval_id is "2", not a whole number'),
        ('"eval_id": 2', '"eval_id": "\\ud800"', r'eval_id is "\ud800", not a whole number'),
        ('"eval_id": 2', '"eval_id": 2.0', "eval_id is 2.0, not a whole number"),
        ('"eval_id": 2', '"eval_id": true', "eval_id is true, not a whole number"),
        ('"eval_id": 2, ', "", "the key 'eval_id' is missing"),
        ('"topk": [], ', "", "the key 'topk' is missing"),
        (', "references": []', "", "the key 'references' is missing"),
        ('"topk": []', '"topk": null', "topk is null, not a list of document ids"),
        ('"topk": []', '"topk": "d1"', 'topk is "d1", not a list of document ids'),
        ('"topk": []', '"topk": ["d1", 2]', "topk holds 2, not a document id"),
        ('"topk": []', '"topk": ["d9"]', "document id 'd9' is not in the corpus"),
        ('"topk": []', '"topk": ["d1", "d2", "d1"]', "document id 'd1' is repeated"),
        ('"topk": []', '"topk": ["d1", "d2", "d3", "d4"]', "4 document ids where at most 3 are"),
        ('"answer": ""', '"answer": null', "answer is null, not a string"),
        ('"references": []', '"references": {}', "references is {}, not a list"),
        ('"references": []', '"references": [{"score": NaN}]', "NaN is not JSON"),
        ('"references": []', '"references": [{"score": -Infinity}]', "-Infinity is not JSON"),
        ('"topk": [],', '"topk": []', "bad JSON: Expecting ',' delimiter at character"),
        ('"answer": ""', '"answer": "", "answer": ""', 'the key "answer" stands twice'),
        ('"eval_id": ', '"eval_id": 1' + "0" * 5000, "digits is too long"),
        ("{", "", "bad JSON"),
        ("}", "}}", "bad JSON: Extra data"),
        ('"references": []}', '"references": [', "the line is cut off"),
        ('"안녕!", "topk": [], "answer": "", "references": []}', '"안', "the line is cut off"),
        (LINES[1], "[1]\n", "not a JSON object but [1]"),
        (LINES[1], "eval_id,topk\n", "bad JSON"),
        (LINES[1], "[" * 100_000 + "\n", "nested too deeply"),
        (LINES[1], "\n" + LINES[1], "the line is blank"),
    ],
)
def test_a_problem_is_listed_with_its_line(tmp_path, dataset, old, new, message):
    content = LINES[0] + LINES[1].replace(old, new) + LINES[2]
    checked = check(ScienceQASubmission(), dataset, tmp_path, content)
    assert message in found(checked, 2)
    assert {problem.line for problem in checked.problems} <= {2, 4, None}


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "the file is empty"),
        (b" \n\n", None, "the file is empty"),
        (b"\xef\xbb\xbf" + GOLDEN.encode(), 1, "byte order mark"),
        (GOLDEN.replace("\n", "\r\n").encode(), 1, "CRLF, not LF (lines that do: 3)"),
        (GOLDEN.replace("\n", "\r").encode(), 1, "the line ends with CR alone"),
        (GOLDEN.encode("utf-16"), 1, "the file is UTF-16"),
        (GOLDEN.encode("cp949"), 2, "the line is not UTF-8 (byte 0xbe"),
        (GOLDEN.encode()[:-30], 3, "the line is cut off"),
        (GOLDEN.encode() + b"\n", 4, "the line is blank"),
        ((LINES[0] + LINES[2]).encode(), None, "eval_id 2 is missing"),
    ],
    ids=[
        "empty",
        "blank",
        "BOM",
        "CRLF",
        "CR",
        "UTF-16",
        "cp949",
        "cut off",
        "blank end",
        "missing",
    ],
)
def test_a_problem_of_the_file_is_listed(tmp_path, dataset, content, line, message):
    assert message in found(check(ScienceQASubmission(), dataset, tmp_path, content), line)


def test_a_file_cut_inside_a_character_says_so(tmp_path, dataset):
    cut = GOLDEN.encode()[: len(GOLDEN.encode()) - 8]
    checked = check(ScienceQASubmission(), dataset, tmp_path, cut)
    assert "cut off inside a character" in found(checked, 3)
    assert checked.notes == ("The last line has no line break: is the file complete?",)


def test_every_problem_is_listed_by_line_and_those_of_the_file_last(tmp_path, dataset):
    content = LINES[1].replace("[]", '["d9", "d9"]', 1) + "oops\n" + LINES[1]
    checked = check(ScienceQASubmission(), dataset, tmp_path, content)
    assert [problem.line for problem in checked.problems] == [1, 1, 1, 2, 3, None, None]
    assert checked.summary.startswith("not valid (2 rows")
    assert "7 problems, first: line 1" in checked.summary


def test_references_of_another_form_are_noted_for_the_board_reads_topk(tmp_path, dataset):
    content = GOLDEN.replace('"score": 1.0', '"rank": 1')
    checked = check(ScienceQASubmission(), dataset, tmp_path, content)
    assert checked.problems == ()
    assert checked.notes == ("Rows whose references are not a list of {score, content}: 1.",)


def test_a_missing_file_is_said(tmp_path, dataset):
    with pytest.raises(ValueError, match="There is no file"):
        ScienceQASubmission().check(tmp_path / "none.csv", dataset)


def test_the_competitions_own_sample_is_valid(real_data):
    folder = real_data / "science_qa_ko"
    with open(folder / "documents.jsonl", encoding="utf-8", newline="\n") as file:
        corpus = [Document(json.loads(line)["docid"], "") for line in file]
    with open(folder / "eval.jsonl", encoding="utf-8", newline="\n") as file:
        queries = [Query(str(json.loads(line)["eval_id"]), "") for line in file]
    dataset = Dataset("science_qa", corpus, queries, qrels=None, fingerprint="")
    checked = ScienceQASubmission().check(folder / "sample_submission.csv", dataset)
    assert (checked.problems, checked.notes) == ((), ())
    assert (checked.rows, checked.empty, checked.ids) == (220, 18, 606)


@pytest.mark.parametrize("name", ["q1", "01", "-1", ""])
def test_a_query_id_that_is_no_whole_number_is_refused_before_any_work(name):
    dataset = Dataset("one", [Document("d", "t")], [Query("1", "?"), Query(name, "?")], None, "")
    with pytest.raises(ValueError, match=f"needs whole numbers as query ids, and one is '{name}'"):
        ScienceQASubmission().accepts(dataset)
