"""The splitters: sizes, boundaries, and offsets that are exact by construction."""

import logging
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.node_parser import SentenceSplitter

from experiments.chunkers import FixedTokens, Sentences, WholeDocuments
from retrievers.tokens import encoding, tokens_of

ENCODING = "o200k_base"
PIECES = [
    "물은 언다. ",
    "Ice floats. ",
    "😀",
    "👩‍👩‍👧",
    "한글",
    "e\u0301",
    " ",
    "\n\n\n",
    "보험",
    "a,b; ",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.tuples(st.sampled_from(PIECES), st.integers(1, 60)).map(lambda p: p[0] * p[1]),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200),
)
SIZES = st.tuples(st.integers(1, 24), st.integers(0, 12)).filter(lambda sizes: sizes[1] < sizes[0])


def size(text: str) -> int:
    return len(tokens_of(ENCODING, text))


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, sizes=SIZES, splitter=st.sampled_from([FixedTokens, Sentences]))
def test_spans_move_forward_and_cover_every_letter(text, sizes, splitter) -> None:
    chunk_size, overlap = sizes
    spans = splitter(chunk_size=chunk_size, chunk_overlap=overlap).spans(text)
    assert all(text[start:end].strip() for start, end in spans)
    assert all(a[0] <= b[0] and a[1] < b[1] for a, b in pairwise(spans))
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered for place, letter in enumerate(text) if letter.strip())


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, sizes=SIZES)
def test_without_overlap_no_character_stands_in_two_chunks(text, sizes) -> None:
    for splitter in (FixedTokens(chunk_size=sizes[0], chunk_overlap=0), Sentences(chunk_size=9)):
        spans = splitter.spans(text)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, sizes=SIZES)
def test_fixed_windows_are_runs_of_the_text_s_own_tokens(text, sizes) -> None:
    chunk_size, overlap = sizes
    ends, place = {0: 0}, 0
    for number, token in enumerate(tokens_of(ENCODING, text), start=1):
        place += len(encoding(ENCODING).decode_single_token_bytes(token))
        ends[place] = number
    spans = FixedTokens(chunk_size=chunk_size, chunk_overlap=overlap).spans(text)
    windows = [[ends[len(text[:edge].encode())] for edge in span] for span in spans]
    widest = 4  # a character is at most four bytes, so four tokens
    assert all(last - first <= max(chunk_size, widest) for first, last in windows)
    assert all(a[1] - b[0] <= overlap for a, b in pairwise(windows))


def test_fixed_windows_have_the_size_and_the_overlap_asked_for() -> None:
    text = " ice" * 100
    spans = FixedTokens(chunk_size=10, chunk_overlap=4).spans(text)
    assert spans[:3] == [(0, 40), (24, 64), (48, 88)]
    assert spans[-1] == (360, 400)


def test_a_long_character_costs_the_overlap_not_a_chunk_inside_another() -> None:
    assert FixedTokens(chunk_size=2, chunk_overlap=1).split_text("0:\x81") == ["0:", "\x81"]


def test_sentence_chunks_are_those_of_llama_index() -> None:
    text = "Ice floats on water. It is lighter, as water expands. Salt lowers that point. " * 20
    theirs = SentenceSplitter(
        chunk_size=40, chunk_overlap=20, tokenizer=lambda piece: tokens_of(ENCODING, piece)
    )
    ours = Sentences(chunk_size=40, chunk_overlap=20)
    assert ours.split_text(text) == theirs.split_text(text)


def test_korean_sentences_stay_whole() -> None:
    first, second = "얼음은 물보다 가벼워요", "그래서 물 위에 떠요"
    sizes = max(size(first), size(second)) + 1
    assert Sentences(chunk_size=sizes).split_text(f"{first} {second}") == [first, second]


@pytest.mark.parametrize("splitter", [FixedTokens, Sentences])
@pytest.mark.parametrize("text", ["보험" * 50, "𓀀" * 20, "x" * 5000, "<|endoftext|>" * 30])
def test_units_without_a_break_are_cut_hard(splitter, text: str) -> None:
    for chunk_size in (1, 2, 7):
        chunks = splitter(chunk_size=chunk_size, chunk_overlap=0).split_text(text)
        assert "".join(chunks) == text


def test_a_character_longer_than_the_chunk_size_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert Sentences(chunk_size=1).split_text("𓀀𓀀") == ["𓀀", "𓀀"]
    assert "2 characters are longer than chunk_size=1" in caplog.text


@pytest.mark.parametrize("splitter", [FixedTokens, Sentences])
@pytest.mark.parametrize("sizes", [(0, 0), (8, 8), (8, -1), (8.5, 0), ("8", 0)])
def test_sizes_that_do_not_fit_are_refused(splitter, sizes) -> None:
    with pytest.raises(ValueError, match=r"^chunk_size=.* do not fit: .*wanted\.$"):
        splitter(chunk_size=sizes[0], chunk_overlap=sizes[1])


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ValueError, match="choose o200k_base or cl100k_base"):
        FixedTokens(encoding="gpt9").spans("ice")


@pytest.mark.parametrize("text", ["", " \n\t", "\u2028"])
def test_blank_texts_give_no_chunk(text: str) -> None:
    for splitter in (WholeDocuments(), FixedTokens(), Sentences()):
        assert list(splitter.spans(text)) == []


def test_options_are_readable_under_their_own_names() -> None:
    for splitter in (FixedTokens, Sentences):
        part = splitter(chunk_size=77, chunk_overlap=7, encoding="cl100k_base")
        assert (part.chunk_size, part.chunk_overlap, part.encoding) == (77, 7, "cl100k_base")
