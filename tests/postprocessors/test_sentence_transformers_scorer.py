"""Raw logits go through as they are; the library itself is not needed here."""

import sys
import types

import numpy as np
import pytest

from experiments.identity import describe
from postprocessors.sentence_transformers_scorer import SentenceTransformersScorer


class Identity:
    """What stands for torch's."""


@pytest.fixture
def library(monkeypatch):
    """A library that notes how it is called, and gives what `logits` holds."""
    calls = types.SimpleNamespace(logits=None, made=[], asked=[], options={})

    class CrossEncoder:
        def __init__(self, model, **options):
            calls.made.append((model, options))

        def predict(self, pairs, **options):
            calls.asked, calls.options = pairs, options
            return np.asarray(calls.logits, dtype=np.float32)

    torch_nn = types.SimpleNamespace(Identity=Identity)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(nn=torch_nn))
    monkeypatch.setitem(sys.modules, "torch.nn", torch_nn)
    library = types.SimpleNamespace(CrossEncoder=CrossEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    return calls


def test_logits_come_without_softmax_or_sigmoid_and_the_model_is_loaded_once(library):
    scorer = SentenceTransformersScorer("m", max_length=128, backend="onnx")
    library.logits = [[-7.5], [12.25]]
    for _ in range(2):
        assert scorer.score_pairs(["q", "q\ud800"], ["a", "가"]).tolist() == [-7.5, 12.25]
    assert library.asked == [("q", "a"), ("q ", "가")]
    assert library.options["apply_softmax"] is False
    assert isinstance(library.options["activation_fn"], Identity)
    assert len(library.made) == 1
    assert library.made[0][1]["backend"] == "onnx"


def test_a_model_with_several_outputs_is_refused(library):
    library.logits = [[0.1, 0.9]]
    with pytest.raises(ValueError, match="m gives 2 numbers a pair"):
        SentenceTransformersScorer("m").score_pairs(["q"], ["a"])


def test_how_it_runs_does_not_change_who_it_is():
    one = SentenceTransformersScorer("m", batch_size=1, device="cpu")
    assert describe(one) == describe(SentenceTransformersScorer("m", batch_size=64))
    assert describe(one) != describe(SentenceTransformersScorer("m", max_length=64))
