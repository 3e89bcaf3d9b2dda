"""The CSV of a review, read back: what spreadsheets do to it, and what a hand gets wrong."""

import pytest

from chunk_quality.review_labels import load_labels


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "labels.csv"
    path.write_bytes(text.encode(encoding))
    return path


PLAIN = "chunk_id,labels,note\nd1#0,good,\nd2,translated;mixed,한국어\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        PLAIN.replace("good", '"good"'),
        PLAIN.replace("translated;mixed", " translated ; ;mixed;translated"),
        PLAIN + "\n,,\n",
        'chunk_id;labels;note\nd1#0;good;\nd2;"translated;mixed";한국어, 영어\n',
        '\ufeffchunk_id\tlabels\tnote\rd1#0\tgood\t"a;b;c;d"\rd2\ttranslated;mixed\t\r',
        "note,labels , chunk_id\n,good,d1#0\n,translated;mixed,d2\n",
    ],
)
def test_the_same_labels_in_any_dress(tmp_path, text):
    labels = load_labels(written(tmp_path, text))
    assert labels == {"d1#0": ("good",), "d2": ("translated", "mixed")}
    assert [*labels] in (["d1#0", "d2"], ["d2", "d1#0"])


def test_quoted_commas_quotes_and_line_breaks_stay_in_their_cell(tmp_path):
    text = 'chunk_id,labels,note\n"a,""1""",너무 김,"one\ntwo, three"\nb,,note alone\n'
    assert load_labels(written(tmp_path, text)) == {'a,"1"': ("너무 김",), "b": ()}


def test_ids_are_those_of_the_chunks_although_a_page_cannot_hold_them(tmp_path):
    path = written(tmp_path, "chunk_id,labels\na\ufffd,good\n")
    assert load_labels(path, {"a\0"}) == {"a\0": ("good",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "labels.csv is empty"),
        ("\ufeff\n\n", "labels.csv is empty"),
        ("id,labels\n", 'line 1: one column "chunk_id"'),
        ("chunk_id,note\n", 'line 1: one column "labels"'),
        ("chunk_id,labels,labels\n", 'line 1: one column "labels"'),
        ("chunk_id labels note\nd1 good\n", 'line 1: one column "chunk_id"'),
        ("chunk_id;labels\nd1;good;wrong\n", "line 2: 3 cells, where the header has 2"),
        ('chunk_id,labels,note\nd1,good,"a\nb"\nx,good,\n', 'line 4: "x" is no chunk'),
        ("chunk_id,labels\nd1,good\n\nd1,wrong\n", 'line 4: chunk "d1" stands here a second'),
        ("chunk_id,labels\nd1,good,wrong\n", "line 2: 3 cells, where the header has 2"),
        ("chunk_id,labels\nd1,good\nd1", "line 3: 1 cells"),
        ('chunk_id,labels\nd1,"good\n', "line 2: no row of a CSV file"),
        ('chunk_id,labels\nd1,"good"x\n', "line 2: no row of a CSV file"),
    ],
)
def test_a_fault_is_one_sentence_with_file_and_line(tmp_path, text, said):
    with pytest.raises(ValueError, match=said) as error:
        load_labels(written(tmp_path, text), {"d1"})
    assert "labels.csv" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_table_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, "chunk_id,labels\nd1,번역\n", "cp949")
    with pytest.raises(ValueError, match="line 2: UTF-8 is wanted"):
        load_labels(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nothing\.csv cannot be read"):
        load_labels(tmp_path / "nothing.csv")
