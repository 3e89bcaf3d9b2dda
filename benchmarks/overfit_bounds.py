"""How often could any test notice leaked labels? The most powerful test, which knows the leak.

    python -m benchmarks.overfit_bounds

One trial and its baseline give a pair of scores a query, 25 kinds of pairs. A test that keeps its
level whatever the honest rates of these pairs are must deal the pairs out to the halves again: it
is a permutation test (Lehmann & Romano, Testing Statistical Hypotheses, section 5.8). The most
powerful of them sums, over the public half, the logarithm of how much likelier each pair is with
the leak. Here it is told the true rates, with the leak and without, which no real test knows.
Leaks are drawn among the public queries on which the baseline scores below 1/2.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.overfit_scenarios import (
    DIFFICULTY,
    LUCK,
    PRECISIONS,
    Array,
    scored,
    theta_of,
)

PAIRS, FAILING = 2_000_000, PRECISIONS < 0.5


def honest_pairs(level: float) -> Array:
    """The probability of each pair (baseline, trial) of two systems with this mean, [25]."""
    rng = np.random.default_rng(2)
    b = theta_of(level) + rng.normal(0, DIFFICULTY, PAIRS)
    base, trial = (
        np.searchsorted(PRECISIONS, scored(b + LUCK * rng.standard_normal(PAIRS))) for _ in range(2)
    )
    counts = np.bincount(base * 5 + trial, minlength=25) + 0.5
    return counts / counts.sum()


def leaked_pairs(honest: Array, n: int, leaks: int) -> Array:
    """The same where `leaks` of n queries, of those the baseline fails, are won by the trial."""
    table = honest.reshape(5, 5).copy()
    failing = table[FAILING]
    share = min(1.0, leaks / n / failing.sum())
    won = np.zeros_like(failing)
    won[:, -1] = failing.sum(axis=1)
    table[FAILING] = (1 - share) * failing + share * won
    return table.ravel()


def power(honest: Array, leaky: Array, n: int, runs: int, draws: int) -> float:
    """Share of runs in which the most powerful permutation test has p <= 5 %."""
    rng, ratio = np.random.default_rng(3), np.log(leaky / honest)
    found = 0
    for _ in range(runs):
        public, private = rng.multinomial(n, leaky), rng.multinomial(n, honest)
        dealt = rng.multivariate_hypergeometric(public + private, n, size=draws) @ ratio
        found += (1 + (dealt >= public @ ratio - 1e-9).sum()) / (draws + 1) <= 0.05
    return found / runs


def main() -> None:
    """Print the bound for several numbers of leaked queries."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--n", type=int, default=110)
    arguments.add_argument("--level", type=float, default=0.8)
    arguments.add_argument("--leaks", type=int, nargs="*", default=[8, 12, 16])
    arguments.add_argument("--runs", type=int, default=2_000)
    options = arguments.parse_args()
    honest = honest_pairs(options.level)
    for leaks in options.leaks:
        leaky = leaked_pairs(honest, options.n, leaks)
        gain = options.n * float(
            (leaky - honest) @ (PRECISIONS[None] - PRECISIONS[:, None]).ravel()
        )
        share = power(honest, leaky, options.n, options.runs, 499)
        print(f"{leaks} leaked (+{gain:.1f} queries of {options.n}): at most {100 * share:.0f} %")


if __name__ == "__main__":
    main()
