"""The gate on small made corpora: what it blocks, what it lets through, and why."""

import random

import numpy as np
import pytest
from llama_index.core.schema import TextNode

from retrievers.bm25 import BM25Retriever
from retrievers.char_tfidf import CharTfidfRetriever
from retrievers.dense import DenseRetriever
from retrievers.fusion import Hybrid
from retrievers.gate import GateDecision, NoGate, ScoreGate
from retrievers.local_embedding import LocalEmbedding
from retrievers.lsa import LsaEmbedding
from retrievers.random_words import RandomWords, geometric_mean, main_script
from retrievers.ranking import EVERY_PART, QueryPlan

TOPICS = {
    "the heart": "heart ventricle atrium valve artery blood pulse aorta muscle oxygen",
    "volcanoes": "volcano magma lava crater eruption ash mantle basalt vent plume",
    "plants": "leaf chlorophyll root stem pollen sunlight glucose stomata petal seed",
    "circuits": "resistor voltage current capacitor battery circuit diode copper wire switch",
}
FILLER = (
    "study method result value change time part form case state level rate number group".split()
)
KOREAN = {
    "심장": "심장 심실 심방 판막 동맥 혈액 맥박 대동맥 근육 산소",
    "화산": "화산 마그마 용암 분화구 분출 화산재 맨틀 현무암 분기공 연기",
}
KOREAN_FILLER = "연구 방법 결과 변화 시간 부분 형태 경우 상태 수준 비율 집단".split()

ON_TOPIC = ["Which valve closes when blood leaves the ventricle?", "magma, lava and the crater"]
CHAT = ["Hello, how are you today?", "You are so funny, lol", "Thanks, good night!"]


def passages(topics: dict[str, str], filler: list[str], each: int, seed: int = 0) -> list[str]:
    """Every passage repeats a few words of its topic among words that all topics share."""
    draw = random.Random(seed)
    return [
        " ".join(
            draw.choices(draw.sample(words.split(), 4), k=8)
            + draw.sample(filler, 6)
            + [f"{chr(97 + place)}{words[0]}x"]
        )
        for place in range(each)
        for words in topics.values()
    ]


class WordSums(LocalEmbedding):
    """The sum of fixed random word vectors and, as in real models, a part that all texts share."""

    def _vectors(self, texts, *, queries):
        return np.array([self._vector(text.lower().split()) for text in texts])

    def _vector(self, words):
        own = [np.random.default_rng(list(word.encode())).normal(size=64) for word in words]
        return np.sum([np.full(64, 10.0), *own], axis=0)


def lexical() -> Hybrid:
    return Hybrid({"bm25": BM25Retriever(), "char_tfidf": CharTfidfRetriever()})


def dense() -> DenseRetriever:
    return DenseRetriever(WordSums())


RETRIEVERS = {
    "bm25": BM25Retriever,
    "char_tfidf": CharTfidfRetriever,
    "dense": dense,
    "lexical": lexical,
    "nested": lambda: Hybrid({"dense": dense(), "words": lexical()}, weights={"words": 0.5}),
}


def decide(make, texts, queries, gate=None) -> GateDecision:
    retriever = make()
    retriever.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(texts)])
    plans = [QueryPlan(str(row), {EVERY_PART: (query,)}) for row, query in enumerate(queries)]
    return (gate or ScoreGate()).decide(plans, retriever.retrieve_many(plans, 10), retriever)


@pytest.fixture(scope="module")
def english() -> list[str]:
    return passages(TOPICS, FILLER, each=25)


@pytest.mark.parametrize("make", [BM25Retriever, lexical, RETRIEVERS["nested"]])
def test_chat_is_blocked_and_questions_are_not(make, english) -> None:
    decision = decide(make, english, ON_TOPIC + CHAT)
    assert decision.blocked.tolist() == [False] * len(ON_TOPIC) + [True] * len(CHAT)


@pytest.mark.parametrize("make", RETRIEVERS.values(), ids=RETRIEVERS)
@pytest.mark.parametrize("each", [1, 8, 25])
def test_a_passage_itself_is_never_blocked(make, each) -> None:
    texts = passages(TOPICS, FILLER, each)
    assert not decide(make, texts, texts[:8]).blocked.any()


@pytest.mark.parametrize("make", RETRIEVERS.values(), ids=RETRIEVERS)
def test_one_query_alone_gets_the_verdict_it_gets_in_a_batch(make, english) -> None:
    queries = [*ON_TOPIC, *CHAT, "study of blood", "", "zzz"]
    together = decide(make, english, queries)
    for row, query in enumerate(queries):
        alone = decide(make, english, [query])
        assert alone.blocked[0] == together.blocked[row]
        assert alone.reasons[0] == together.reasons[row]
        assert np.array_equal(alone.statistics, together.statistics[[row]], equal_nan=True)


def test_the_verdict_is_the_same_twice(english) -> None:
    first, second = (decide(lexical, english, ON_TOPIC + CHAT) for _ in range(2))
    assert first.reasons == second.reasons
    assert np.array_equal(first.statistics, second.statistics, equal_nan=True)


def test_a_judge_that_matches_no_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no part that matches words"):
        ScoreGate(judge=DenseRetriever(LsaEmbedding(dimensions=8)))


@pytest.mark.parametrize("query", ["", "   ", "?!", "שלום"])
def test_a_query_that_finds_nothing_is_blocked_with_that_reason(query, english) -> None:
    decision = decide(lexical, english, [query])
    assert decision.blocked.tolist() == [True]
    assert decision.reasons == ("it finds no passage at all",)
    assert np.isnan(decision.statistics[0])


def test_a_reason_gives_the_measured_value_and_the_limit(english) -> None:
    decision = decide(BM25Retriever, english, ["study", *ON_TOPIC])
    assert decision.blocked.tolist() == [True, False, False]
    assert f"p = {decision.statistics[0]:.2f}, limit 0.2" in decision.reasons[0]
    assert decision.reasons[1:] == ("", "")


@pytest.mark.parametrize(
    "make",
    [
        lambda: DenseRetriever(LsaEmbedding(dimensions=8)),
        CharTfidfRetriever,
        lambda: BM25Retriever("char_ngram"),
        lambda: Hybrid({"dense": dense(), "characters": CharTfidfRetriever()}),
    ],
    ids=["dense", "char_tfidf", "char_ngram", "hybrid"],
)
def test_what_matches_no_whole_words_is_no_judge_and_says_so(make, english) -> None:
    decision = decide(make, english, ["study", "שלום"])
    assert not decision.blocked[0]
    assert np.isnan(decision.statistics[0])
    assert "no part that matches whole words" in decision.note


@pytest.mark.parametrize("count", [1, 2, 29])
def test_a_tiny_corpus_cannot_tell_and_blocks_only_what_finds_nothing(count, english) -> None:
    decision = decide(lexical, english[:count], ["study of blood", english[0], "שלום"])
    assert decision.blocked.tolist() == [False, False, True]


def test_no_passage_at_all() -> None:
    assert decide(BM25Retriever, [], ["heart"]).blocked.tolist() == [True]


def test_languages_of_one_corpus_do_not_hide_chat(english) -> None:
    """Chat that is like all English passages alike still stands out from Korean ones."""
    english = [f"{text} how are you today, you are so funny" for text in english]
    korean = passages(KOREAN, KOREAN_FILLER, each=50)
    decision = decide(lexical, english + korean, ["how are you, funny?", *ON_TOPIC])
    assert decision.blocked.tolist() == [True, False, False]


def test_a_part_without_a_hit_leaves_the_verdict_to_the_others() -> None:
    chances = {"bm25": np.array([np.nan, 0.5, np.nan]), "dense": np.array([0.1, 0.02, np.nan])}
    joined = geometric_mean(chances)
    assert joined == pytest.approx([0.1, 0.1, np.nan], nan_ok=True)


def test_a_plan_of_several_texts_counts_by_its_best(english) -> None:
    leaf = BM25Retriever()
    leaf.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(english)])
    words = RandomWords(english, draws=99, seed=0)
    plans = [
        QueryPlan("both", {EVERY_PART: ("study", ON_TOPIC[0])}),
        QueryPlan("vague", {EVERY_PART: ("study",)}),
        QueryPlan("clear", {EVERY_PART: (ON_TOPIC[0],)}),
    ]
    both, vague, clear = words.chances(leaf, plans)
    assert both == clear < vague


def test_a_part_is_judged_by_the_text_it_reads(english) -> None:
    """A fusion names its parts; the vague text of the plan is not what this part searches."""
    retriever = Hybrid({"words": BM25Retriever()})
    retriever.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(english)])
    plans = [QueryPlan("q", {EVERY_PART: ("study",), "words": (ON_TOPIC[0],)})]
    found = retriever.retrieve_many(plans, 10)
    assert not ScoreGate().decide(plans, found, retriever).blocked.any()


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("the heart 12", "LATIN"),
        ("DNA의 역할은 무엇?", "HANGUL"),
        ("心臓のはたらき", "CJK"),
        ("12!", ""),
    ],
)
def test_main_script(text, script) -> None:
    assert main_script(text) == script


def test_no_gate_blocks_nothing(english) -> None:
    decision = decide(lexical, english, ["", *CHAT], NoGate())
    assert not decision.blocked.any()
    assert decision.reasons == ("",) * 4


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1.0}, {"draws": 0}])
def test_impossible_options_are_refused(options) -> None:
    with pytest.raises(ValueError, match="gate=score got"):
        ScoreGate(**options)


@pytest.mark.parametrize("make", RETRIEVERS.values(), ids=RETRIEVERS)
def test_spread_is_the_deviation_of_the_scores_over_the_corpus(make, english) -> None:
    """Oracle: the leaves' own scores of every passage, misses as 0."""
    retriever = make()
    retriever.build([TextNode(text=text, id_=str(row)) for row, text in enumerate(english)])
    among = np.arange(len(english)) % 3 > 0
    for leaf in retriever.leaves().values():
        rows, scores = leaf.search(ON_TOPIC, len(english))
        table = np.zeros((len(ON_TOPIC), len(english)))
        for query in range(len(ON_TOPIC)):
            table[query, rows[query][rows[query] >= 0]] = scores[query][rows[query] >= 0]
        assert leaf.spread(ON_TOPIC, among) == pytest.approx(table[:, among].std(axis=1), rel=1e-5)
        assert np.isnan(leaf.spread([""], among)).all()
