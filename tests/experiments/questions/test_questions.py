"""Written questions: filtered, searchable as a dataset, and flagged as what they are."""

import json

import pytest

from experiments.datasets.jsonl import JsonLines
from experiments.provenance import read_provenance
from experiments.questions.asked import UNANSWERED, ModelQuestions
from experiments.questions.cloze import Cloze
from experiments.questions.easiness import easiness
from experiments.questions.study import WriteQuestions
from experiments.questions.written import Written, as_dataset, fault, kept, sampled
from experiments.schema import Dataset, Document, Query
from retrievers.bm25 import BM25Retriever
from retrievers.dense import DenseRetriever
from retrievers.gate import ScoreGate
from retrievers.lsa import LsaEmbedding
from tests.experiments.test_comparison import compare, pipeline, setting
from tests.generation.stub_llm import StubLLM

CORPUS = [
    Document("a", "Plants make sugar from light and water. The chloroplast does it all day long."),
    Document("b", "식물은 빛과 물로 당을 만든다. 이 일은 엽록체가 하루 종일 한다."),
    Document("c", "!!! 123 😀"),
    Document("d", ""),
    Document("e", "Plants need light and water all day long to make their sugar."),
]


def test_a_cloze_question_blanks_the_rarest_word_once():
    made, lost = Cloze().write(CORPUS, CORPUS)
    written = {one.document: one for one in made}
    assert written.keys() == {"a", "b", "e"}
    assert sum(lost.values()) == 2
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


def written_set(*pairs, frame=""):
    questions = [Written(name, text, frame=frame) for name, text in pairs]
    return as_dataset(questions, CORPUS, "written"), questions


def test_how_easy_questions_are_by_hand():
    # of a: light and water of light, water, moon; of e: sugar alone
    made, questions = written_set(("a", "light water moon"), ("e", "sugar"))
    real = Dataset("real", CORPUS, made.queries, None, "f")
    told = {"written": pytest.approx(5 / 6), "real": None}
    assert easiness(made, questions, real, {"w1", "w2"})[0] == told
    labelled = Dataset("real", CORPUS, made.queries, {"w1": {"c": 1, "a": 0}}, "f")
    assert easiness(made, questions, labelled, {"w1", "w2"})[0]["real"] == 0
    framed, questions = written_set(("e", "which word? sugar"), frame="which word?")
    assert easiness(framed, questions, real, ())[0]["written"] == 1


def test_a_passage_that_stands_twice_is_gold_twice():
    copied = [*CORPUS, Document("copy", CORPUS[0].text)]
    made = as_dataset([Written("a", "What makes sugar?")], copied, "written")
    assert made.qrels == {"w1": {"a": 1, "copy": 1}}


def test_only_the_questions_that_may_be_looked_at_are_compared():
    made, questions = written_set(("e", "sugar"))
    asked = [Query("seen", "light moon"), Query("sealed", "moon")]
    labels = {"seen": {"a": 1, "b": 0}, "sealed": {"b": 1}}
    real = Dataset("real", CORPUS, asked, labels, "f")
    assert easiness(made, questions, real, {"seen"})[0]["real"] == 0.5
    assert easiness(made, questions, real, {"seen", "sealed"})[0]["real"] == 0.25


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
    assert "Caution: Questions of the written set share" in told
    data = JsonLines(path=str(folder))
    assert all(len(gold) == 1 for gold in data.load().qrels.values())
    report = compare(tmp_path, dataset=data, submission=None)
    assert report.means["bm25"]["all"]["map@3"].mean > 0.9
    told = capsys.readouterr().out
    assert "circular" in told
    assert "written by cloze" in told
    shares = [said["word_overlap"][name] for name in ("written", "real")]
    assert f"({shares[0]:.2f} of their words stand in their gold passage, of the real" in told
    assert f"ones' {shares[1]:.2f})" in told
    assert "bm25 works as the generator of these questions does" in told


def test_a_gate_that_matches_words_makes_no_other_retriever_circular(tmp_path, capsys):
    made = setting(tmp_path)
    data = JsonLines(path=str(WriteQuestions(setting=made, size=40).run().folder))
    dense = DenseRetriever(LsaEmbedding())
    base = pipeline(gate=ScoreGate(draws=9, judge=BM25Retriever()))
    variants = {"bm25": {}, "dense": {"retriever": dense}}
    capsys.readouterr()
    compare(tmp_path, base, variants, "bm25", dataset=data, submission=None)
    told = capsys.readouterr().out
    assert "bm25 works as the generator" in told
    assert "dense works as the generator" not in told


def says(prompt):
    if "Question: " in prompt:
        return "광합성" if "sugar?" in prompt else "The passage does not mention it."
    if "엽록체" in prompt:
        return ""
    if "!!!" in prompt:
        return "Why?"
    return "What part makes sugar?" if "chloroplast" in prompt else "Who invented the wheel?"


def test_a_model_writes_answers_and_drops_what_its_passage_does_not_answer():
    model = StubLLM(says)
    written, reasons = ModelQuestions(model).write(CORPUS, CORPUS)
    assert written == [Written("a", "What part makes sugar?", "광합성")]
    assert reasons == {
        "it is too short to search for": 2,
        "it is asked twice": 1,
        UNANSWERED: 1,
    }
    assert ModelQuestions(model).circular == ("stub",)


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
