"""Written questions: filtered, searchable as a dataset, and flagged as what they are."""

import json

import pytest
from llama_index.core.llms import MockLLM

from experiments.datasets.jsonl import JsonLines
from experiments.provenance import read_provenance
from experiments.questions.asked import ModelQuestions
from experiments.questions.cloze import Cloze
from experiments.questions.study import WriteQuestions
from experiments.questions.written import Written, fault, kept, sampled, word_overlap
from experiments.schema import Dataset, Document
from tests.experiments.test_comparison import compare, setting

CORPUS = [
    Document("a", "Plants make sugar from light and water. The chloroplast does it all day long."),
    Document("b", "식물은 빛과 물로 당을 만든다. 이 일은 엽록체가 하루 종일 한다."),
    Document("c", "!!! 123 😀"),
    Document("d", ""),
    Document("e", "Plants need light and water all day long to make their sugar."),
]


def test_a_cloze_question_blanks_the_rarest_word_once():
    written = {one.document: one for one in Cloze().write(CORPUS, CORPUS)}
    assert written.keys() == {"a", "b", "e"}
    assert written["a"].answer == "chloroplast"
    assert written["a"].text == "Which word is missing? The ____ does it all day long."
    assert written["b"].text.startswith("빈칸에 들어갈 말은?")
    for one in written.values():
        assert one.text.count("____") == 1
        assert one.answer not in one.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What makes sugar in a plant?", ""),
        ("식물의 어느 부분이 당을 만드나요?", ""),
        ("Why?", "too short"),
        ("What does this passage say of plants?", "points at"),
        ("이 글에서 식물은 무엇을 만드나요?", "points at"),
        ("Who said plants make sugar from light and water?", "copied"),
    ],
)
def test_what_cannot_be_used(question, said):
    found = fault(question, CORPUS[0].text)
    assert (said in found) if said else (found == "")


def test_a_question_is_kept_once_and_the_others_are_counted():
    texts = ["What makes sugar in a plant?"] * 2 + ["Why?"]
    good, reasons = kept([Written("a", text) for text in texts], {"a": CORPUS[0].text})
    assert len(good) == 1
    assert sum(reasons.values()) == 2


def test_word_overlap_by_hand():
    assert word_overlap([("light water", "water"), ("sugar", "sugar")], "unicode") == 0.75
    assert word_overlap([("", "water")]) is None
    assert word_overlap([]) is None


def test_blank_passages_are_not_drawn_and_the_order_of_the_corpus_does_not_matter():
    drawn = sampled(CORPUS, 9, 0)
    assert "d" not in {one.id for one in drawn}
    assert [one.id for one in sampled(CORPUS[::-1], 9, 0)] == [one.id for one in drawn]


def test_the_set_can_be_searched_and_says_that_it_flatters(tmp_path, capsys):
    folder = WriteQuestions(setting=setting(tmp_path), size=40).run().folder
    told = capsys.readouterr().out
    assert "easy" in told
    said = json.loads((folder / "provenance.json").read_text())
    assert said["generator"] == "cloze"
    assert said["word_overlap"]["written"] > said["word_overlap"]["real"]
    data = JsonLines(path=str(folder))
    assert all(len(gold) == 1 for gold in data.load().qrels.values())
    report = compare(tmp_path, dataset=data, submission=None)
    assert report.means["bm25"]["all"]["map@3"].mean > 0.9
    told = capsys.readouterr().out
    assert "circular" in told
    assert "written by cloze" in told
    assert "bm25 works as the generator of these questions does" in told


class Answers(MockLLM):
    def complete(self, prompt, formatted=False, **kwargs):
        response = super().complete(prompt, formatted, **kwargs)
        response.text = "" if "엽록체" in prompt else "What part of a plant makes sugar?"
        return response


def test_a_model_writes_and_its_name_is_kept():
    writer = ModelQuestions(Answers())
    written = writer.write(CORPUS[:2], CORPUS)
    assert [one.document for one in written] == ["a"], "an empty answer is no question"
    assert written[0].text == "What part of a plant makes sugar?"
    assert writer.circular == (writer.name,)


class Loader:
    def load(self):
        return Dataset("bare", [Document("x", "!!!")], [], None, "f")


@pytest.mark.parametrize(
    ("options", "said"),
    [({"size": 0}, "1 passage or more"), ({"dataset": Loader()}, "none gave a question")],
)
def test_mistakes_are_named(tmp_path, options, said):
    size = {name: value for name, value in options.items() if name == "size"}
    made = setting(tmp_path, **{n: v for n, v in options.items() if n != "size"})
    with pytest.raises(ValueError, match=said):
        WriteQuestions(setting=made, **size).run()


def test_a_damaged_provenance_is_told(tmp_path):
    (tmp_path / "provenance.json").write_text("{")
    with pytest.raises(ValueError, match="no JSON"):
        read_provenance(tmp_path)
    (tmp_path / "provenance.json").write_text("[1]")
    with pytest.raises(ValueError, match="no JSON object"):
        read_provenance(tmp_path)
