"""What each layout reads, what it mends, and what it says about it."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from experiments.datasets.beir import Beir
from experiments.datasets.jsonl import JsonLines
from experiments.datasets.layout import layout_name, layouts
from experiments.datasets.science_qa import ScienceQA
from experiments.datasets.science_sample import science_sample
from experiments.datasets.span_jsonl import SpanJsonLines
from experiments.datasets.trec import Trec
from experiments.schema import Document, Query, Span, Turn
from tests.experiments.datasets.layout_files import CORPUS, jsonl, write

CONF = Path(__file__).parents[3] / "conf" / "dataset"
CHAT = [
    {"role": "user", "content": "얼음이 뭐야?"},
    {"role": "assistant", "content": "언 물입니다."},
    {"role": "user", "content": "왜 떠?"},
]


def science(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    document = {"docid": "x", "src": "book", "content": "얼음은 물에 뜬다."}
    evaluation = [{"eval_id": 30, "msg": CHAT}, {"eval_id": 2, "msg": CHAT[:1]}]
    write(
        folder,
        documents_jsonl=json.dumps(document, ensure_ascii=False) + "\n",
        eval_jsonl="".join(json.dumps(line) + "\n" for line in evaluation),
    )
    return folder


def test_science_qa_reads_turns_and_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    dataset = ScienceQA(path=str(science(tmp_path / "set"))).load()
    history = (Turn("user", "얼음이 뭐야?"), Turn("assistant", "언 물입니다."))
    assert list(dataset.queries) == [
        Query("30", "왜 떠?", history, tags={"turns": "3"}),
        Query("2", "얼음이 뭐야?", tags={"turns": "1"}),
    ]
    assert list(dataset.corpus) == [Document("x", "얼음은 물에 뜬다.", metadata={"src": "book"})]
    assert dataset.name == "set"
    assert dataset.qrels is None
    assert "add qrels.tsv" in dataset.notes[-1]


def test_science_qa_takes_the_corpus_of_the_folder_above(tmp_path: Path) -> None:
    below = science(tmp_path) / "validation"
    below.mkdir()
    (tmp_path / "eval.jsonl").rename(below / "eval.jsonl")
    write(below, qrels_tsv="2\tx\t2\n")
    dataset = ScienceQA(path=str(below)).load()
    assert dataset.qrels == {"2": {"x": 2}}
    assert len(dataset.queries) == 2  # a message without a label stays: it may be chit-chat
    assert str(tmp_path / "documents.jsonl") in dataset.notes[0]
    assert dataset.target is None
    named = ScienceQA(path=str(below), corpus=str(tmp_path / "documents.jsonl")).load()
    assert named.fingerprint == dataset.fingerprint


def test_a_second_set_stands_for_the_questions_of_the_folder_above(tmp_path: Path) -> None:
    below = science(tmp_path) / "validation"
    below.mkdir()
    shutil.copy(tmp_path / "eval.jsonl", below / "eval.jsonl")
    assert ScienceQA(path=str(below)).load().target is None  # without labels nothing is tuned
    write(below, qrels_tsv="2\tx\t2\n")
    dataset = ScienceQA(path=str(below)).load()
    assert dataset.target is not None
    assert dataset.target.name == tmp_path.name
    assert [query.id for query in dataset.target.queries] == [q.id for q in dataset.queries]
    assert ScienceQA(path=str(tmp_path)).load().target is None


def test_jsonl_reads_all_optional_fields(tmp_path: Path) -> None:
    corpus = {"_id": 7, "title": "Ice", "text": "floats", "src": "x", "metadata": {"year": 1}}
    query = {
        "id": 1,
        "text": "Why?",
        "history": CHAT[:2],
        "answer": "It is lighter.",
        "tags": {"level": 2},
    }
    folder = jsonl(
        tmp_path,
        corpus_jsonl=json.dumps(corpus) + "\n",
        queries_jsonl=json.dumps(query) + "\n" + json.dumps({"id": 2, "messages": CHAT}) + "\n",
        qrels_tsv="1\t7\t1\n",
    )
    dataset = JsonLines(path=str(folder), name="mine").load()
    assert dataset.name == "mine"
    assert dataset.corpus[0] == Document("7", "floats", "Ice", {"year": 1, "src": "x"})
    first, second = dataset.queries
    assert first.tags == {"level": "2", "turns": "3"}
    assert first.answer == "It is lighter."
    assert [turn.role for turn in first.history] == ["user", "assistant"]
    assert (second.text, second.history) == ("왜 떠?", first.history)


def test_beir_keeps_the_queries_of_the_chosen_split(tmp_path: Path) -> None:
    folder = jsonl(tmp_path)
    (folder / "qrels.tsv").unlink()
    (folder / "qrels").mkdir()
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n2\ta\t1\n")
    dataset = Beir(path=str(folder), labels="train").load()
    assert [query.id for query in dataset.queries] == ["1"]
    assert dataset.qrels == {"1": {"a": 1, "b": 0}}
    assert any("train.tsv left out: 1 of 2" in note for note in dataset.notes)


def test_trec_reads_topics_and_four_columns(tmp_path: Path) -> None:
    write(
        tmp_path,
        corpus_jsonl=CORPUS,
        topics_tsv="qid\ttext\n1\tcold\tor hot?\n",
        qrels_txt="1 0 a -1\n1  0\tb 2\n",
    )
    dataset = Trec(path=str(tmp_path)).load()
    assert dataset.queries == (Query("1", "cold\tor hot?", tags={"turns": "1"}),)
    assert dataset.qrels == {"1": {"a": -1, "b": 2}}


def test_spans_are_read_and_compared_with_their_content(tmp_path: Path) -> None:
    references = [
        {"start_index": 0, "end_index": 2, "content": "물은"},
        {"start_index": 3, "end_index": 5, "content": "other"},
        {"start_index": 0, "end_index": 3, "corpus_id": "a"},
    ]
    query = {"id": 1, "text": "?", "corpus_id": "b", "references": references}
    write(tmp_path, corpus_jsonl=CORPUS, queries_jsonl=json.dumps(query) + "\n")
    dataset = SpanJsonLines(path=str(tmp_path)).load()
    assert dataset.spans == {"1": [Span("b", 0, 2), Span("b", 3, 5), Span("a", 0, 3)]}
    assert dataset.qrels == {"1": {"b": 1, "a": 1}}
    assert dataset.notes == ("Spans that hold other text than their content says: 1 of 3.",)


def test_lines_end_at_the_line_feed_alone(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\u2003"
    line = json.dumps({"id": "a", "text": text}, ensure_ascii=False) + "\n"
    raw = '{"id": "b", "text": "x\u2028y\x85z"}\n'
    dataset = JsonLines(path=str(jsonl(tmp_path, corpus_jsonl=line + raw))).load()
    assert [document.text for document in dataset.corpus] == [text, "x\u2028y\x85z"]


def test_bom_crlf_and_blank_lines_are_mended_and_counted(tmp_path: Path) -> None:
    plain = JsonLines(path=str(jsonl(tmp_path))).load()
    windows = "\ufeff" + CORPUS.replace("\n", "\r\n") + "\r\n\n"
    dataset = JsonLines(path=str(jsonl(tmp_path, corpus_jsonl=windows))).load()
    assert dataset.fingerprint == plain.fingerprint
    assert plain.notes == ()
    assert dataset.notes == (
        "corpus.jsonl: byte order marks taken off: 1.",
        r"corpus.jsonl: lines that ended in \r\n instead of \n: 3.",
        "corpus.jsonl: blank lines passed over: 2.",
    )


def test_nul_and_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    lines = r'{"id": "a", "text": "1\u0000\ud83d\ude00\udc00."}' + "\n" + CORPUS.split("\n")[1]
    dataset = JsonLines(path=str(jsonl(tmp_path, corpus_jsonl=lines))).load()
    assert dataset.corpus[0].text == "1\ufffd😀\ufffd."
    assert dataset.notes == ("corpus.jsonl: lines with NUL or lone surrogates, now U+FFFD: 1.",)


def test_an_escaped_backslash_is_no_surrogate(tmp_path: Path) -> None:
    line = json.dumps({"id": "a", "text": r"write \ud800 or \u0000"}) + "\n"
    dataset = JsonLines(path=str(jsonl(tmp_path, corpus_jsonl=line))).load()
    assert dataset.corpus[0].text == r"write \ud800 or \u0000"
    assert dataset.notes == ()


def test_empty_documents_go_with_their_labels(tmp_path: Path) -> None:
    corpus = CORPUS + '{"id": "c", "text": " \\n"}\n{"id": "d", "text": "", "title": "Only"}\n'
    folder = jsonl(tmp_path, corpus_jsonl=corpus, qrels_tsv="1\ta\t1\n1\tc\t1\n1\ta\t1\n")
    dataset = JsonLines(path=str(folder)).load()
    assert [document.id for document in dataset.corpus] == ["a", "b", "d"]
    assert dataset.corpus[-1] == Document("d", "Only")
    assert dataset.qrels == {"1": {"a": 1}}
    assert dataset.notes == (
        "corpus.jsonl: empty documents dropped: 1.",
        "corpus.jsonl: documents with a title alone, now their text: 1.",
        "qrels.tsv: repeated rows passed over: 1.",
        "Labels of empty documents dropped: 1.",
    )


@pytest.mark.parametrize(
    "rows",
    ["1\ta\t1\n", "1 a 1\n", "1 0 a 1\n", "1\tQ0\ta\t1\n", "query-id\tcorpus-id\tscore\n1\ta\t1"],
)
def test_label_files_of_every_shape_say_the_same(tmp_path: Path, rows: str) -> None:
    dataset = JsonLines(path=str(jsonl(tmp_path, qrels_tsv=rows))).load()
    assert dataset.qrels == {"1": {"a": 1}}


def test_tabs_keep_blanks_inside_ids(tmp_path: Path) -> None:
    corpus = '{"id": "a b", "text": "ice"}\n'
    folder = jsonl(tmp_path, corpus_jsonl=corpus, qrels_tsv="1\ta b\t1\n")
    assert JsonLines(path=str(folder)).load().qrels == {"1": {"a b": 1}}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("corpus.jsonl", "ice", "Ice"),
        ("corpus.jsonl", '"id": "b"', '"id": "b", "title": "Water"'),
        ("queries.jsonl", "hot?", "hot!"),
        ("qrels.tsv", "a\t1", "a\t2"),
    ],
)
def test_the_fingerprint_follows_the_content(tmp_path: Path, file: str, old: str, new: str) -> None:
    path = jsonl(tmp_path) / file
    before = JsonLines(path=str(tmp_path)).load().fingerprint
    assert JsonLines(path=str(tmp_path), name="other").load().fingerprint == before
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert JsonLines(path=str(tmp_path)).load().fingerprint != before


def test_every_layout_has_its_option_and_back() -> None:
    targets = {yaml.safe_load(path.read_text())["_target_"] for path in CONF.glob("*.yaml")}
    targets -= {f"{science_sample.__module__}.science_sample"}  # one of them, with its folder
    assert targets == {f"{layout.__module__}.{layout.__name__}" for layout in layouts()}
    for layout in layouts():
        options = yaml.safe_load((CONF / f"{layout_name(layout)}.yaml").read_text())
        assert set(options) - {"_target_"} == set(layout.__dataclass_fields__) - {"files"}


def test_the_bundled_sample_does_not_depend_on_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(science_sample().load().queries) > 0
