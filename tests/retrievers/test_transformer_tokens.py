"""Token vectors and their places, with letters for tokens in the place of a library's model."""

import unicodedata
from itertools import pairwise

import numpy as np
import pytest

from experiments.identity import describe
from retrievers.transformer_tokens import TransformerTokens
from tests.retrievers.stub_transformer import Tokenizer

pytestmark = pytest.mark.usefixtures("stub_transformer")

DOCUMENT = "Rome is a city. It has a river; it is old."


def tokens(**options):
    return TransformerTokens(model="m", **{"passage_prefix": "read this: ", **options})


def letters(text):
    """What each token of a text is, as its vector says and as its place says."""
    vectors, spans = tokens().token_embeddings(text)
    ids = Tokenizer()(unicodedata.normalize("NFC", text), add_special_tokens=False)["input_ids"]
    assert vectors.argmax(axis=1).tolist() == ids
    return [text[start:end] for start, end in spans]


def test_each_token_has_its_vector_and_its_place_and_the_prefix_is_none():
    assert letters(DOCUMENT) == [letter for letter in DOCUMENT if letter.isalnum()]


def test_places_are_those_of_the_text_as_it_is_spelled():
    decomposed = unicodedata.normalize("NFD", "café 물은 x")
    found = letters(decomposed)
    assert [unicodedata.normalize("NFC", one) for one in found] == [*"caf", "é", "물", "은", "x"]


@pytest.mark.parametrize(("window", "overlap"), [(12, 0), (17, 4), (20, 8), (512, 128)])
def test_a_document_beyond_the_window_is_read_in_windows_that_share_tokens(window, overlap):
    model = tokens(window=window, overlap=overlap, passage_prefix="p")
    vectors, spans = model.token_embeddings(DOCUMENT)
    whole, places = tokens().token_embeddings(DOCUMENT)
    np.testing.assert_array_equal(vectors, whole)
    np.testing.assert_array_equal(spans, places)
    shown = model._loaded[1].shown
    assert max(map(len, shown)) <= window
    room = window - 3  # two special tokens and the prefix
    assert len(shown) == max(1, -(-(len(whole) - overlap) // (room - overlap)))
    assert len({one[1] for one in shown}) == 1  # the prefix
    for one, following in pairwise(shown):
        assert one[-1 - overlap : -1] == following[2 : 2 + overlap]


def test_an_overlap_that_leaves_nothing_is_refused():
    with pytest.raises(ValueError, match="leaves 0 tokens for what is new"):
        tokens(window=16, overlap=14).token_embeddings(DOCUMENT)


@pytest.mark.parametrize("text", ["", " ", "!?", "\ud800", "\0"])
def test_a_text_without_a_token_has_none(text):
    vectors, spans = tokens().token_embeddings(text)
    assert vectors.shape == (0, 2048)
    assert spans.shape == (0, 2)


def test_a_query_is_the_mean_of_what_the_model_reads_alone_or_in_a_batch():
    model = tokens(query_prefix="q", window=8)
    alone = model.get_query_embedding("ab\ud800")
    together = model.get_query_embedding_batch(["a", "ab\ud800", "y" * 100])
    assert together[1] == alone
    assert sorted(np.unique(alone)) == pytest.approx([0.0, 1 / 5])  # q, a, b and two of no letter
    assert max(together[2]) == pytest.approx(5 / 8)  # what lies beyond the window is cut


def test_where_it_runs_is_no_part_of_what_it_is():
    assert describe(tokens(device="cuda")) == describe(tokens())
    assert describe(tokens(window=256)) != describe(tokens())
