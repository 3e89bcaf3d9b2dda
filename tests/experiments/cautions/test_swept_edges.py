"""A best value at the end of its range asks for a longer range."""

from experiments.cautions.swept_edges import swept_edges
from experiments.sweeps.trial import FAILED, RUN, Ending


def trials(scores, option="k1"):
    return [
        Ending(
            number=n,
            name=f"{option}={value}",
            values={option: value},
            state=FAILED if score is None else RUN,
            seconds=1.0,
            metric="map@3" if score is not None else None,
            scores={"public": {"map@3": score}} if score is not None else {},
        )
        for n, (value, score) in enumerate(scores.items())
    ]


def test_the_smallest_and_the_largest_are_pointed_out():
    (low,) = swept_edges(trials({"0.5": 0.9, "1": 0.8, "1.5": 0.7}))
    assert "smallest k1 that was tried (0.5): try further down" in low
    (high,) = swept_edges(trials({"9": 0.7, "10": 0.8, "1e2": 0.9}))
    assert "largest k1 that was tried (1e2): try further up" in high


def test_the_middle_two_values_words_and_ties_are_not():
    assert swept_edges(trials({"0.5": 0.8, "1": 0.9, "1.5": 0.7})) == ()
    assert swept_edges(trials({"0.5": 0.9, "1": 0.8})) == ()
    assert swept_edges(trials({"bm25": 0.9, "1": 0.8, "2": 0.7})) == ()
    assert swept_edges(trials({"0.5": 0.9, "1": 0.9, "1.5": 0.7})) == ()
    assert swept_edges(trials({"nan": 0.9, "1": 0.8, "1.5": 0.7})) == ()


def test_a_value_that_failed_was_tried_too():
    assert swept_edges(trials({"0": None, "0.5": 0.9, "1": 0.8})) == ()
    assert swept_edges(trials({"0": None})) == ()
    assert swept_edges([]) == ()
