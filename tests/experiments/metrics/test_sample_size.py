"""Detectable effects and the queries they need are two sides of one formula."""

import math

import numpy as np
import pytest

from experiments.metrics.sample_size import minimum_detectable_effect, queries_needed, spread


def test_a_known_case():
    # (1.96 + 0.84) * 0.18 / sqrt(110)
    assert minimum_detectable_effect(0.18, 110, 1.96) == pytest.approx(0.0481, abs=1e-4)
    assert queries_needed(0.18, 0.02, 1.96) == 636


def test_the_queries_needed_detect_the_effect():
    needed = queries_needed(0.2, 0.03, 1.645)
    assert minimum_detectable_effect(0.2, needed, 1.645) <= 0.03
    assert minimum_detectable_effect(0.2, needed - 1, 1.645) > 0.03


def test_the_promised_power_is_reached():
    rng = np.random.default_rng(0)
    n, effect = queries_needed(0.3, 0.05, 1.645), 0.05
    means = rng.normal(effect, 0.3, (4_000, n)).mean(axis=1)
    assert (means > 1.645 * 0.3 / math.sqrt(n)).mean() == pytest.approx(0.8, abs=0.02)


def test_the_spread_has_a_floor():
    values = np.random.default_rng(0).normal(0, 0.4, 50)
    assert spread(values) == pytest.approx(values.std(ddof=1))
    assert spread(np.zeros(50)) == pytest.approx(0.2)
    assert spread(np.zeros(50), largest=0.5) == pytest.approx(0.1)
    assert spread([]) == math.inf
    assert minimum_detectable_effect(0.2, 0, 1.96) == math.inf


def test_no_effect_needs_no_number():
    with pytest.raises(ValueError, match="positive score"):
        queries_needed(0.2, 0.0, 1.96)
