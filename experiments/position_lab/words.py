"""The findings of a lab in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from experiments.position_lab.cells import FIXED
from experiments.position_lab.findings import Contrast, Finding, T

if TYPE_CHECKING:
    from experiments.position_lab.cells import Axes
    from experiments.position_lab.findings import Findings
    from generation.contract import Estimate

ALPHA = 0.05
_FEW = 4  # cases that are told one by one
ONE_ARRANGEMENT = (
    "Each question was asked with one order of its distractors: repeat it with lab.repeats=2 or "
    "more before you claim an effect of position."
)


def bill(estimate: Estimate, asked: int, model: str) -> str:
    """What is still to be asked, before it is."""
    cost = "price unknown" if estimate.usd is None else f"at most ${estimate.usd:.4f}"
    return (
        f"{asked} prompts for {model}: {estimate.calls} calls to make, the others are stored or "
        f"equal; about {estimate.tokens_in} tokens to read and at most {estimate.tokens_out} to "
        f"write, {cost}."
    )


def one_place(axes: Axes) -> list[str]:
    """Which of the positions are no positions of their own in short prompts."""
    short = sorted(
        {
            one.documents
            for one in axes.conditions()
            if one.spread not in FIXED and len(axes.spots(one)) < len(axes.positions)
        }
    )
    if not short:
        return []
    return [
        f"Prompts of {' and '.join(map(str, short))} passages have fewer places than lab.positions "
        "has: positions that are one place are asked once."
    ]


def sentences(found: Findings, *, repeats: int) -> list[str]:
    """One sentence for each thing that a reader should take away."""
    said = [
        *_told(found.conditions, _gap, "no effect of position shows"),
        *(_gap(one, found.kinds) for one in found.kinds if _shows(one)),
        *_told(
            found.drops,
            partial(_difference, "Shorter prompts gain"),
            "no gain of shorter prompts shows",
        ),
        *_told(found.gains, partial(_difference, "The order gains"), "no gain of an order shows"),
    ]
    said += [
        f"{one.label}: {1 - one.recall:.0%} of the evidence is in no prompt, for it was ranked too "
        "low or did not fit the budget."
        for one in found.conditions
        if one.recall < 1
    ]
    said += [
        f"{one.label}: a prompt takes {one.fill:.0%} of the model's window and may have been cut."
        for one in found.conditions
        if one.fill > 1
    ]
    if found.missing:
        said.append(f"{found.missing} of {found.calls} calls failed and are in no mean.")
    return said + ([ONE_ARRANGEMENT] if repeats == 1 else [])


def _told(found: Sequence[T], sentence: Callable[[T, Sequence[T]], str], quiet: str) -> list[str]:
    """A sentence for each; where there are many, for those that show something, and one for all
    others: what cannot be told from chance need not be read line by line."""
    tested = [one for one in found if one.p_holm is not None]
    if len(tested) <= _FEW:
        return [said for one in found if (said := sentence(one, found))]
    rest = [one for one in tested if not _shows(one)]
    told = [sentence(one, found) for one in tested if _shows(one)]
    if rest:
        least = min(one.p_holm for one in rest if one.p_holm is not None)
        which = "all" if len(rest) == len(tested) else "the other"
        told.append(f"In {which} {len(rest)} cases {quiet} (corrected p at least {least:.4f}).")
    return told


def _shows(one: Finding | Contrast) -> bool:
    return one.p_holm is not None and one.p_holm <= ALPHA


def _gap(one: Finding, beside: Sequence[Finding]) -> str:
    gap = one.gap
    if gap.gap is None or gap.null is None or gap.p is None or one.p_holm is None:
        return ""
    known = [
        (s.mean, p) for p, s in zip(one.positions, one.accuracy, strict=True) if s.mean is not None
    ]
    best, worst = max(known, key=lambda pair: pair[0]), min(known, key=lambda pair: pair[0])
    numbers = (
        f"gap {gap.gap:.2f}, by luck {gap.null:.2f} on average, "
        f"{_p(gap.p, one.p_holm, beside)}, {gap.n} questions"
    )
    if _shows(one):
        return (
            f"{one.label}: position matters: {best[0]:.2f} at {best[1]} %, "
            f"{worst[0]:.2f} at {worst[1]} % ({numbers})."
        )
    return f"{one.label}: no effect of position shows ({numbers})."


def _difference(what: str, one: Contrast, beside: Sequence[Contrast]) -> str:
    found = one.difference
    against = f"{one.condition.label} against {one.baseline.label}"
    if found.mean is None or found.p is None or one.p_holm is None:
        return f"{what}: nothing to compare, {against}."
    interval = "" if found.low is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    p = _p(found.p, one.p_holm, beside)
    return f"{what} {found.mean:+.3f}{interval} in accuracy, {p}: {against}."


def _p(alone: float, corrected: float, beside: Sequence[Finding | Contrast]) -> str:
    """A p-value; with others beside it, also as Holm corrects it for their number."""
    tested = sum(other.p_holm is not None for other in beside)
    return f"p = {alone:.4f}" + (f" ({corrected:.4f} for all {tested})" if tested > 1 else "")
