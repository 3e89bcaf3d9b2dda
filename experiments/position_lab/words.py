"""The findings of a lab in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.position_lab.findings import Contrast, Finding, Findings
    from generation.contract import Estimate

ALPHA = 0.05
ONE_ARRANGEMENT = (
    "Each question was asked with one order of its distractors: repeat it with lab.repeats=2 or "
    "more before you claim an effect of position."
)


def bill(estimate: Estimate, asked: int, model: str) -> str:
    """What is still to be asked, before it is."""
    cost = "price unknown" if estimate.usd is None else f"at most ${estimate.usd:.4f}"
    return (
        f"{asked} prompts for {model}: {estimate.calls} calls to make, the rest is stored; about "
        f"{estimate.tokens_in} tokens to read and at most {estimate.tokens_out} to write, {cost}."
    )


def sentences(found: Findings, *, repeats: int) -> list[str]:
    """One sentence for each thing that a reader should take away."""
    said = [sentence for one in found.conditions if (sentence := _gap(one))]
    said += [_difference("Shorter prompts gain", one) for one in found.drops]
    said += [_difference("The order gains", one) for one in found.gains]
    short = [one for one in found.conditions if one.recall < 1]
    said += [
        f"{one.condition.label}: {1 - one.recall:.0%} of the evidence is in no prompt, for it was "
        "ranked too low or did not fit the budget."
        for one in short
    ]
    said += [
        f"{one.condition.label}: a prompt takes {one.fill:.0%} of the model's window, so it may "
        "have been cut."
        for one in found.conditions
        if one.fill > 1
    ]
    if found.missing:
        said.append(f"{found.missing} of {found.calls} calls failed and are in no mean.")
    return said + ([ONE_ARRANGEMENT] if repeats == 1 else [])


def _gap(one: Finding) -> str:
    gap = one.gap
    if gap.gap is None or gap.null is None or gap.p is None or one.p_holm is None:
        return ""
    known = [
        (s.mean, p) for p, s in zip(one.positions, one.accuracy, strict=True) if s.mean is not None
    ]
    best, worst = max(known, key=lambda pair: pair[0]), min(known, key=lambda pair: pair[0])
    numbers = (
        f"gap {gap.gap:.2f}, by luck {gap.null:.2f} on average, p = {gap.p:.4f}, "
        f"{one.p_holm:.4f} for all conditions, {gap.n} questions"
    )
    if one.p_holm <= ALPHA:
        return (
            f"{one.condition.label}: position matters: {best[0]:.2f} at {best[1]} %, "
            f"{worst[0]:.2f} at {worst[1]} % ({numbers})."
        )
    return f"{one.condition.label}: no effect of position shows ({numbers})."


def _difference(what: str, one: Contrast) -> str:
    found = one.difference
    against = f"{one.condition.label} against {one.baseline.label}"
    if found.mean is None or found.p is None:
        return f"{what}: nothing to compare, {against}."
    interval = "" if found.low is None else f" [{found.low:+.3f}, {found.high:+.3f}]"
    return f"{what} {found.mean:+.3f}{interval} in accuracy, p = {found.p:.4f}: {against}."
