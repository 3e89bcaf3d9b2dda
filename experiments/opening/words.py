"""Which look it was and what is left, in sentences."""

from __future__ import annotations

from experiments.openings import Look
from experiments.overfit.rules import Rules


def of_seal(look: Look | None, rules: Rules, *, trial: str, shown: int) -> tuple[str, ...]:
    """The looks together spend alpha: after look j, alpha / 2**j is left for all later ones.

    look: None where the trial's private scores had been shown.  shown: how many trials' had.
    """
    if look is None:
        return (
            f"The seal is broken for {trial}: scores of it on these private questions were shown "
            "before, unsealed or on another split, so this is no look. It is judged as unsealed, "
            "with all trials counted whose private scores were shown.",
        )
    before = ", which was asked before and is the same look" if look.again else ""
    told = (
        f"This is look {look.number} at this private half{before}: it is tested one-sided at "
        f"{rules.level:.4g}, and {rules.level:.4g} is left for all later looks together."
    )
    if not shown:
        return (told,)
    return (
        told,
        f"Scores of {shown} other trials on these private questions were shown, unsealed or on "
        "another split: the level holds only if they did not guide the choice.",
    )
