"""AUC against sklearn, the interval against its promise, and what the verdict may say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from chunk_quality.separation import Separation, rounded, separation, verdict

values = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.5000001, 1.0]), min_size=1, max_size=30)


@settings(deadline=None)
@given(st.lists(st.tuples(values.map(lambda v: v[0]), values.map(lambda v: v[0])), min_size=1))
def test_auc_is_sklearns(pairs):
    real, control = np.array(pairs).T
    labels = np.r_[np.ones(len(real)), np.zeros(len(control))]
    expected = roc_auc_score(labels, np.r_[real, control])
    found = separation(real, control, higher_is_coherent=True)
    assert found.auc == pytest.approx(expected, abs=1e-12)
    turned = separation(real, control, higher_is_coherent=False)
    assert turned.auc == pytest.approx(1 - expected, abs=1e-12)
    if found.low is not None:
        assert 0 <= found.low <= found.auc <= found.high <= 1
        assert turned.low == pytest.approx(1 - found.high, abs=1e-9)


def test_missing_values_are_left_out_and_counted():
    nan = np.nan
    found = separation([3.0, nan, 2.0, 1.0], [0.0, 5.0, nan, nan], higher_is_coherent=True)
    assert (found.n_real, found.n_control) == (3, 2)
    assert (found.real_missing, found.control_missing) == (1, 2)
    assert found.auc == 0.5
    assert found.clusters == 4


def test_nothing_to_compare():
    found = separation([np.nan, np.nan], [1.0, 2.0], higher_is_coherent=True)
    assert (found.auc, found.low, found.high) == (None, None, None)
    assert separation([], [], higher_is_coherent=True).auc is None
    single = separation([1.0], [0.0], higher_is_coherent=True)
    assert (single.auc, single.low) == (1.0, None)


def test_unpaired_the_variance_is_delongs():
    """With one chunk a cluster, either real or control, the formula is that of DeLong (1988)."""
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(0.8, 1, 40), rng.normal(0, 1, 60)
    real = np.r_[ours, np.full(60, np.nan)]
    control = np.r_[np.full(40, np.nan), theirs]
    found = separation(real, control, higher_is_coherent=True)
    wins = (ours[:, None] > theirs).astype(float)
    auc = wins.mean()
    variance = wins.mean(axis=1).var(ddof=1) / 40 + wins.mean(axis=0).var(ddof=1) / 60
    reach = 1.98422 * np.sqrt(variance) / (auc * (1 - auc))  # t with 99 degrees of freedom
    logit = np.log(auc / (1 - auc))
    expected = [1 / (1 + np.exp(-(logit - reach))), 1 / (1 + np.exp(-(logit + reach)))]
    assert [found.low, found.high] == pytest.approx(expected, abs=1e-5)


def test_pairs_that_go_together_make_the_interval_narrower():
    rng = np.random.default_rng(0)
    length = rng.normal(0, 1, 300)
    real, control = length + 0.3 + rng.normal(0, 0.2, 300), length + rng.normal(0, 0.2, 300)
    paired = separation(real, control, higher_is_coherent=True)
    apart = separation(real, rng.permutation(control), higher_is_coherent=True)
    assert paired.high - paired.low < 0.5 * (apart.high - apart.low)


def test_repeated_chunks_of_a_document_do_not_narrow_the_interval():
    rng = np.random.default_rng(0)
    real, control = rng.normal(0.5, 1, 40), rng.normal(0, 1, 40)
    once = separation(real, control, higher_is_coherent=True)
    repeated = separation(
        np.repeat(real, 10),
        np.repeat(control, 10),
        higher_is_coherent=True,
        clusters=np.repeat(np.arange(40), 10),
    )
    assert (repeated.low, repeated.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert repeated.clusters == 40


def test_a_perfect_separation_of_few_is_not_certain():
    few = separation(np.arange(5) + 10.0, np.arange(5.0), higher_is_coherent=True)
    many = separation(np.arange(500) + 1000.0, np.arange(500.0), higher_is_coherent=True)
    assert few.auc == many.auc == 1.0
    assert few.low < 0.8 < 0.98 < many.low < 1.0
    assert few.high == 1.0
    turned = separation(np.arange(5) + 10.0, np.arange(5.0), higher_is_coherent=False)
    assert (turned.low, turned.high) == pytest.approx((0.0, 1 - few.low))


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("gain", [0.0, 0.8, 1.6])
@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_the_interval_holds_the_truth_95_times_in_100(n, gain, shared):
    """Normal values of which real and control chunk share a part: AUC = Phi(gain / sqrt 2)."""
    from scipy.stats import norm

    rng = np.random.default_rng(5)
    truth = norm.cdf(gain / np.sqrt(2))
    held = 0
    for _ in range(2000):
        common = np.sqrt(shared) * rng.normal(size=n)
        own = np.sqrt(1 - shared) * rng.normal(size=(2, n))
        found = separation(common + own[0] + gain, common + own[1], higher_is_coherent=True)
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 2000 <= 0.975


def test_the_null_passes_as_well_chunked_in_no_draw():
    rng = np.random.default_rng(0)
    levels = []
    for _ in range(300):
        real, control = rng.normal(size=(2, 50))
        levels.append(verdict(separation(real, control, higher_is_coherent=True), "x").level)
    assert "well chunked" not in levels
    assert levels.count("none") >= 270


def _found(auc=0.8, low=0.75, high=0.85, n=200, missing=(0, 0)):
    return Separation(auc, low, high, n, n, *missing, n)


@pytest.mark.parametrize(
    ("found", "stayed", "level"),
    [
        (_found(), 0.0, "well chunked"),
        (_found(0.7, 0.65, 0.75), 0.0, "well chunked"),
        (_found(0.69, 0.65, 0.73), 0.0, "weak"),
        (_found(0.9, 0.49, 0.99), 0.0, "none"),
        (_found(0.5, 0.45, 0.55), 0.0, "none"),
        (_found(0.3, 0.25, 0.35), 0.0, "below"),
        (_found(n=19), 0.0, "unknown"),
        (_found(), 0.6, "well chunked"),
        (_found(0.52, 0.49, 0.55), 0.6, "unknown"),
        (_found(None, None, None, n=0), 0.0, "unknown"),
        (_found(0.8, None, None), 0.0, "unknown"),
    ],
)
def test_only_a_clear_case_is_called_well_chunked(found, stayed, level):
    said = verdict(found, "topic entropy", stayed)
    assert said.level == level
    assert ("well chunked" in said.words) == (level == "well chunked")
    assert "topic entropy" in said.words
    assert said.words.count(". ") == 0
    assert said.words.endswith(".")


def test_the_verdict_says_what_it_could_not_tell():
    words = verdict(_found(missing=(7, 9)), "sentence similarity", 0.2).words
    assert "7 of 207 chunks, which have no value" in words
    assert "9 control chunks" in words
    assert "20% of the sentences stayed" in words
    assert "could not tell" not in verdict(_found(), "sentence similarity").words


def test_sentences_that_stay_hide_a_difference_and_make_none():
    """A control of half the chunk's own sentences can only look more coherent than it should."""
    rng = np.random.default_rng(0)
    real, other = rng.normal(1.0, 1, 400), rng.normal(0.0, 1, 400)
    stayed = rng.random(400) < 0.6
    mostly_real = np.where(stayed, real, other)
    hidden = separation(real, mostly_real, higher_is_coherent=True)
    assert 0.5 < hidden.low < hidden.auc < separation(real, other, higher_is_coherent=True).auc
    words = verdict(hidden, "sentence similarity", 0.6).words
    assert "more coherent" in words
    assert "how much larger the difference would be had not 60% of the sentences stayed" in words


def test_values_that_do_not_differ_have_no_interval():
    found = separation(np.ones(40), np.ones(40), higher_is_coherent=True)
    assert (found.auc, found.low, found.high) == (0.5, None, None)
    assert "no value differs" in verdict(found, "x").words
    one = separation(
        np.arange(40.0), np.ones(40), higher_is_coherent=True, clusters=np.zeros(40, dtype=int)
    )
    assert "all chunks are of one document" in verdict(one, "x").words


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "0.50"), (0.998, "0.998"), (0.0021, "0.002"), (1.0, "1.00")]
)
def test_what_is_nearly_all_is_not_rounded_to_all(share, text):
    assert rounded(share) == text


@pytest.mark.parametrize("bad", [[1.0, 2.0, 3.0], [np.inf, 1.0]])
def test_columns_that_do_not_fit_are_refused(bad):
    with pytest.raises(ValueError, match="chunk"):
        separation(bad, [1.0, 2.0], higher_is_coherent=True)
