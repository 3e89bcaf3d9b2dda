"""Chunks end where an embedding sees a turn, and always stand where they say."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from llama_index.core.node_parser import SemanticSplitterNodeParser
from llama_index.core.schema import Document as LlamaDocument

from experiments.chunking import chunk
from experiments.identity import describe, fingerprint
from experiments.pipeline import Pipeline
from experiments.schema import Dataset, Document
from experiments.semantic_chunker import Semantic
from experiments.stopwatch import Stopwatch
from experiments.store import NoStore, Store
from experiments.stored_embedding import StoredEmbedding
from retrievers.bm25 import BM25Retriever
from retrievers.enrich import NoEnrichment
from retrievers.gate import NoGate
from retrievers.local_embedding import LocalEmbedding, Vectors
from retrievers.lsa import LsaEmbedding
from retrievers.queries import AllUserTurns
from retrievers.sentences import split_sentences
from retrievers.tokens import tokens_of
from tests.experiments.test_chunkers import TEXTS

ICE = ["Ice floats on water.", "Ice is lighter than water.", "Water freezes into ice."]
STARS = ["A galaxy holds stars.", "Stars burn hydrogen.", "A galaxy turns around stars."]
KOREAN = [
    "얼음은 물에 떠요",
    "얼음은 물보다 가벼워요",
    "은하에는 별이 많아요",
    "별은 은하를 이뤄요",
]


class Letters(LocalEmbedding):
    """How often some letters occur: an embedding that needs no corpus."""

    def _vectors(self, texts, *, queries) -> Vectors:
        return np.array([[text.count(sign) for sign in "abeio물"] for text in texts], np.float32)


def texts_of(splitter, text):
    return [text[start:end] for start, end in splitter.spans(text)]


@settings(max_examples=30, deadline=None)
@given(text=TEXTS)
def test_spans_tile_every_letter_and_stay_below_the_size(text):
    spans = Semantic(Letters(), breakpoint_percentile_threshold=50, chunk_size=12).spans(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for place, letter in enumerate(text) if letter.strip()} <= covered
    sizes = [len(tokens_of("o200k_base", text[start:end])) for start, end in spans]
    assert all(size <= 14 for size in sizes)  # a piece is counted before its last blank is cut off


def test_chunks_are_those_of_llama_index():
    rng = np.random.default_rng(0)
    words = " ".join(ICE + STARS).replace(".", "").split()
    text = " ".join(" ".join(rng.choice(words, 6)) + "." for _ in range(60)).replace(". ", ".\n")
    for percentile in (95, 60):
        theirs = SemanticSplitterNodeParser(
            embed_model=Letters(),
            breakpoint_percentile_threshold=percentile,
            sentence_splitter=split_sentences,
        )
        nodes = theirs.get_nodes_from_documents([LlamaDocument(text=text)])
        ours = Semantic(Letters(), breakpoint_percentile_threshold=percentile, chunk_size=10_000)
        assert texts_of(ours, text) == [node.text.strip() for node in nodes]
        assert len(nodes) > 2


def test_as_in_llama_index_two_sentences_stay_together_and_three_are_cut():
    for count, chunks in ((2, 1), (3, 2)):
        text = " ".join(ICE[:count])
        theirs = SemanticSplitterNodeParser(
            embed_model=Letters(), sentence_splitter=split_sentences
        ).get_nodes_from_documents([LlamaDocument(text=text)])
        assert len(texts_of(Semantic(Letters()), text)) == len(theirs) == chunks


@pytest.mark.parametrize("sentences", [ICE + STARS, KOREAN])
def test_a_chunk_ends_where_the_subject_changes(sentences):
    text = " ".join(sentences)
    half = len(sentences) // 2
    splitter = Semantic(LsaEmbedding(), buffer_size=0, breakpoint_percentile_threshold=80)
    assert texts_of(splitter, text) == [" ".join(sentences[:half]), " ".join(sentences[half:])]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \n\t", 0),
        ("One sentence.", 1),
        ("얼음은 물에 뜬다.", 1),
        ("?!… —", 1),
        ("1 2 3", 1),
    ],
)
def test_texts_of_one_sentence_or_none(text, count):
    for embedding in (LsaEmbedding(), Letters()):
        assert texts_of(Semantic(embedding), text) == [text] * count


@pytest.mark.parametrize("text", ["x" * 100_000, "보험" * 10_000, "😀" * 5_000, "\ud800 a. " * 9])
def test_a_text_without_a_blank_is_cut_by_size(text):
    chunks = texts_of(Semantic(LsaEmbedding(), chunk_size=512), text)
    assert "".join(chunks).replace(" ", "") == text.replace(" ", "")
    longest = max(len(chunk) for chunk in chunks)
    assert longest <= 8 * 512 + 8
    assert len(chunks) >= len(text) // longest


def test_a_group_without_a_known_term_ends_no_chunk():
    """LlamaIndex's own distance is NaN there, and then no chunk ends anywhere."""
    text = "Bbb bbb bbb. Bbb bbb bbb. Xxx xxx xxx. Ooo ooo ooo. Ooo ooo ooo."
    splitter = Semantic(Letters(), buffer_size=0, breakpoint_percentile_threshold=50)
    assert texts_of(splitter, text) == [text]
    assert len(texts_of(splitter, text.replace("Xxx xxx xxx. ", ""))) == 2


def test_repeated_sentences_are_not_told_apart_by_rounding():
    assert len(texts_of(Semantic(LsaEmbedding()), "Ice floats on the water. " * 40)) == 1


def test_more_chunks_with_a_lower_percentile():
    text = " ".join((ICE + STARS) * 6)
    counts = [
        len(Semantic(Letters(), breakpoint_percentile_threshold=p).spans(text))
        for p in (99, 80, 40)
    ]
    assert counts[0] < counts[1] < counts[2]


def test_all_documents_are_fitted_together_and_the_given_embedding_stays_as_it_was():
    documents = [Document(str(n), " ".join(part)) for n, part in enumerate([ICE, [" "], STARS])]
    embedding = LsaEmbedding()
    nodes = chunk(documents, Semantic(embedding))
    again = chunk(documents, Semantic(LsaEmbedding()))
    assert [(n.id_, n.text) for n in nodes] == [(n.id_, n.text) for n in again]
    assert {node.ref_doc_id for node in nodes} == {"0", "2"}
    texts = {document.id: document.text for document in documents}
    for node in nodes:
        assert texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx] == node.text
    with pytest.raises(ValueError, match="knows no corpus yet"):
        embedding.get_text_embedding("ice")


def test_it_is_a_llama_index_parser_too():
    text = " ".join(ICE + STARS)
    splitter = Semantic(LsaEmbedding(), buffer_size=0, breakpoint_percentile_threshold=80)
    nodes = splitter.get_nodes_from_documents([LlamaDocument(id_="d", text=text)])
    assert [node.text for node in nodes] == texts_of(splitter, text)
    assert {node.ref_doc_id for node in nodes} == {"d"}


def test_the_store_answers_the_second_time_and_knows_every_option(tmp_path, monkeypatch):
    corpus = [Document("a", " ".join(ICE)), Document("b", " ".join(KOREAN))]
    store, dataset = Store(tmp_path), Dataset("made", corpus, [], None, fingerprint="made")

    def nodes(**options):
        pipeline = Pipeline(
            chunker=Semantic(LsaEmbedding(), **options),
            enrich=NoEnrichment(),
            query=AllUserTurns(),
            retriever=BM25Retriever(),
            gate=NoGate(),
        )
        return [node.text for node in pipeline.read(dataset, store, Stopwatch())[0]]

    first = nodes()
    monkeypatch.setattr(LsaEmbedding, "fit", lambda *_: pytest.fail("fitted again"))
    assert nodes() == first
    with pytest.raises(pytest.fail.Exception, match="fitted again"):
        nodes(buffer_size=2)


def test_every_option_is_part_of_the_identity_and_the_store_is_not():
    base = fingerprint(describe(Semantic(LsaEmbedding())))
    changes = [
        {"buffer_size": 2},
        {"breakpoint_percentile_threshold": 90},
        {"chunk_size": 100},
        {"encoding": "cl100k_base"},
    ]
    others = [fingerprint(describe(Semantic(LsaEmbedding(), **change))) for change in changes]
    others.append(fingerprint(describe(Semantic(LsaEmbedding(dimensions=9)))))
    assert len({base, *others}) == len(changes) + 2
    stored = Semantic(StoredEmbedding(model=Letters(), store=NoStore()))
    assert describe(stored)["arguments"]["embed_model"] == describe(Letters())


@pytest.mark.parametrize(
    "options",
    [
        {"buffer_size": -1},
        {"breakpoint_percentile_threshold": 101},
        {"breakpoint_percentile_threshold": 97.5},
        {"chunk_size": 0},
    ],
)
def test_options_that_do_not_fit_are_refused(options):
    with pytest.raises(ValueError, match="do not fit: whole numbers are wanted"):
        Semantic(LsaEmbedding(), **options)
