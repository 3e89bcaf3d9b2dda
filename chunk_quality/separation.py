"""Does a measure tell real chunks from their control? The AUC, its interval, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
Level = Literal["well chunked", "weak", "none", "below", "unknown"]

CLEAR = 0.7
"""From here on Hosmer, Lemeshow & Sturdivant (2013) call a discrimination acceptable."""
FEWEST = 20
"""Chunks with a value, on either side, below which nothing is said."""
MOSTLY_STAYED = 0.5
"""Share of sentences in their own document above which a control that looks alike says nothing."""


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a measure tells real chunks from their control.

    auc: the probability that a real chunk is more coherent than a control chunk, ties half: 0.5 =
        no more coherent than shuffled sentences, 1 = always. None where a side has no value.
    low, high: its 95 % interval; None with fewer than two clusters, and where no value differs
        from another.
    n_real, n_control: chunks with a value.  real_missing, control_missing: those without.
    clusters: independent units, see `separation`.
    """

    auc: float | None
    low: float | None
    high: float | None
    n_real: int
    n_control: int
    real_missing: int
    control_missing: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """level: what was found; "well chunked" only where it is clear.  words: it in a sentence."""

    level: Level
    words: str


def separation(
    real: ArrayLike,
    control: ArrayLike,
    *,
    higher_is_coherent: bool,
    clusters: ArrayLike | None = None,
) -> Separation:
    """The AUC of real against control chunks, aligned by chunk [n]; NaN = no value.

    clusters: int [n], chunks of one number depend on each other, such as those of one document;
        by default each chunk with its control. A chunk and its control are of equal length, so
        their values go together: the interval is that of Obuchowski (Biometrics 1997), which is
        DeLong, DeLong & Clarke-Pearson (Biometrics 1988) with the structural components summed by
        cluster. It is taken on the logit scale with the t distribution, clusters - 1 degrees of
        freedom. At an AUC of 0 or 1, where the components do not vary, it is method 5 of Newcombe
        (Statistics in Medicine 2006).
    Raises ValueError: columns of different length, or an infinite value.
    """
    left, right = _checked(real), _checked(control)
    names = np.arange(len(left)) if clusters is None else np.asarray(clusters)
    if left.shape != right.shape or names.shape != left.shape:
        raise ValueError(
            f"real, control and clusters must be aligned by chunk, not of lengths {len(left)}, "
            f"{len(right)} and {len(names)}."
        )
    sign = 1.0 if higher_is_coherent else -1.0
    has, had = ~np.isnan(left), ~np.isnan(right)
    ours, theirs = sign * left[has], sign * right[had]
    _, cluster_of = np.unique(names, return_inverse=True)
    count = len(np.unique(cluster_of[has | had]))
    auc, low, high = None, None, None
    if len(ours) and len(theirs):
        wins, lost = _wins(ours, theirs), 1 - _wins(theirs, ours)
        auc = float(wins.mean())
        low, high = _interval(auc, (wins, cluster_of[has]), (lost, cluster_of[had]))
    missing = int((~has).sum()), int((~had).sum())
    return Separation(auc, low, high, len(ours), len(theirs), *missing, count)


def verdict(found: Separation, measure: str, stayed_share: float = 0.0) -> Verdict:
    """What a separation says of the chunks, and what it cannot say.

    measure: its name in the sentence.  stayed_share: of the control, see `control.Shuffled`.
    "well chunked": the interval lies above 0.5 and the AUC is at least `CLEAR`; "weak": it lies
    above 0.5; "none": it holds 0.5; "below": it lies below; "unknown": fewer than `FEWEST` chunks
    with a value, no interval, or one that holds 0.5 where the control is mostly the chunks
    themselves. Sentences that stayed make the control more coherent, so what is found in spite of
    them holds.
    """
    reason = _why_unknown(found, stayed_share)
    if reason or found.auc is None or found.low is None or found.high is None:
        return Verdict("unknown", f"By {measure} it could not be told: {reason}.")
    auc, low, high = map(rounded, (found.auc, found.low, found.high))
    figures = f"AUC {auc}, 95 % interval {low} to {high}"
    if found.low > 0.5:
        clear = found.auc >= CLEAR
        level: Level = "well chunked" if clear else "weak"
        finding = (
            "the chunks are well chunked: clearly more coherent than shuffled sentences"
            if clear
            else "the chunks are more coherent than shuffled sentences, but only weakly"
        )
    elif found.high < 0.5:
        level, finding = "below", "the chunks are less coherent than shuffled sentences"
    else:
        level, finding = "none", "the chunks cannot be told from shuffled sentences"
    return Verdict(level, f"By {measure} {finding} ({figures}){_gaps(found, stayed_share)}.")


def rounded(share: float) -> str:
    """Two decimals, or three where two would make 0 or 1 of what is neither."""
    text = f"{share:.2f}"
    return f"{share:.3f}" if text in ("0.00", "1.00") and 0 < share < 1 else text


def _why_unknown(found: Separation, stayed_share: float) -> str:
    fewest = min(found.n_real, found.n_control)
    if fewest < FEWEST:
        return f"chunks with a value: {fewest}, and fewer than {FEWEST} say nothing"
    if found.low is None or found.high is None:
        together = "all chunks are of one document" if found.clusters < 2 else "no value differs"
        return f"{together}, so there is no interval"
    if stayed_share > MOSTLY_STAYED and found.low <= 0.5 <= found.high:
        return (
            f"{stayed_share:.0%} of the sentences had to stay in their own document, so that the "
            f"control is mostly the chunks themselves"
        )
    return ""


def _gaps(found: Separation, stayed_share: float) -> str:
    """What the figure leaves open, as the end of a sentence."""
    gaps = []
    if found.real_missing:
        total = found.n_real + found.real_missing
        gaps.append(
            f"about {found.real_missing:,} of {total:,} chunks, which have no value to compare"
        )
    if found.control_missing > found.real_missing:
        gaps.append(f"how {found.control_missing:,} control chunks without a value would compare")
    if stayed_share > 0.05:
        gaps.append(
            f"how much larger the difference would be had not {stayed_share:.0%} of the sentences "
            f"stayed in their own document"
        )
    return "; it could not tell " + ", and ".join(gaps) if gaps else ""


def _wins(ours: Values, theirs: Values) -> Values:
    """For each of ours the share of theirs that is lower, ties half."""
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, "left") + np.searchsorted(ordered, ours, "right")
    return below / (2 * len(theirs))


Components = tuple[Values, NDArray[np.int64]]


def _interval(
    auc: float, real: Components, control: Components
) -> tuple[float | None, float | None]:
    from scipy.special import expit, logit, stdtrit

    count = len(np.unique(np.concatenate([real[1], control[1]])))
    if count < 2:
        return None, None
    if auc in (0.0, 1.0):
        end = _newcombe(len(np.unique(real[1])), len(np.unique(control[1])))
        return (end, 1.0) if auc == 1.0 else (0.0, 1.0 - end)
    error = np.sqrt(_variance(auc, real, control)) / (auc * (1 - auc))
    if not error:
        return None, None
    reach = stdtrit(count - 1, 0.975) * error
    return float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))


def _variance(auc: float, real: Components, control: Components) -> float:
    """Obuchowski's, from the sums of the components of each cluster."""
    size = 1 + max(int(real[1].max()), int(control[1].max()))
    sums, own = [], []
    for wins, cluster_of in (real, control):
        deviations = np.bincount(cluster_of, wins - auc, minlength=size) / len(wins)
        held = len(np.unique(cluster_of))
        sums.append(deviations)
        own.append((deviations**2).sum() * held / max(held - 1, 1))
    count = len(np.unique(np.concatenate([real[1], control[1]])))
    together = (sums[0] * sums[1]).sum() * count / (count - 1)
    return max(float(own[0] + own[1] + 2 * together), 0.0)


def _newcombe(n_real: int, n_control: int) -> float:
    """The lower end where every pair was won: the AUC that lies 1.96 of its own errors below 1."""
    half = (n_real + n_control) / 2 - 1
    low, high = 0.0, 1.0
    for _ in range(60):
        auc = (low + high) / 2
        spread = 1 + half * ((1 - auc) / (2 - auc) + auc / (1 + auc))
        reached = (1 - auc) ** 2 <= 1.96**2 * auc * (1 - auc) * spread / (n_real * n_control)
        low, high = (low, auc) if reached else (auc, high)
    return (low + high) / 2


def _checked(values: ArrayLike) -> Values:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or np.isinf(column).any():
        raise ValueError("Give one finite number a chunk, NaN where a chunk has no value.")
    return column
