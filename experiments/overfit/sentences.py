"""Each verdict in plain words: what was seen, in queries, and what to do next."""

from __future__ import annotations

from experiments.overfit.drop import DropTest
from experiments.overfit.evidence import Evidence

_A_QUERY = 0.05
_IDLE = (
    "the change did nothing here. Check that the option reaches the pipeline, or try a larger "
    "change."
)


def overfit(evidence: Evidence, drop: DropTest) -> str:
    """More is lost from public to private than chance takes."""
    tried = _tried(evidence.trials, "choosing the best of {} trials", "chance")
    seen = (
        f"The gain drops by {_queries(drop.drop, evidence)} from public to private, where {tried} "
        f"explains about {_queries(max(drop.expected, 0.0), evidence)} ({p_text(drop.p)})"
    )
    if drop.surprise_p < drop.drop_p:
        seen = (
            f"It wins public queries that the others lose, far more of them than private ones, and "
            f"{tried} does not explain that ({p_text(drop.p)})"
        )
    return (
        f"{seen}: look for evaluation questions or labels in prompts and settings, and for tuning "
        f"on the public half by steps or without a log; then choose again on fresh queries."
    )


def real(evidence: Evidence, p: float, drop: DropTest | None = None) -> str:
    """The private gain is significant.  drop: where it is more than chance makes, too."""
    counted = _tried(evidence.family, ", with all {} shown trials counted", "")
    yet = ""
    if drop is not None:
        yet = (
            f" Yet it gained more in public than chance makes ({p_text(drop.p)}): count on the "
            "private gain alone, and look for public questions in prompts and settings."
        )
    return (
        f"{_gain(evidence)}; luck alone rarely does that ({p_text(p)}{counted}): use it from here "
        f"on.{yet}"
    )


def noise(evidence: Evidence, margin: float) -> str:
    """The two are as good as equal."""
    told = (
        f"{_gain(evidence)}, and a true difference of {margin:g} or more "
        f"({_queries(margin, evidence)}) is ruled out ({p_text(evidence.equivalence_p)})"
    )
    if not evidence.differing:
        return f"{told}: {_IDLE}"
    return f"{told}: keep the cheaper of the two and try a larger change."


def unresolved(evidence: Evidence, p: float, margin: float) -> str:
    """Neither a gain nor its absence is shown."""
    if not evidence.differing:
        return f"{_gain(evidence)}, as on every public one: {_IDLE}"
    gain = max(evidence.private or 0.0, margin)
    doubt = (
        f"which luck can do ({p_text(p)})" if (evidence.private or 0.0) > 0 else "which is no gain"
    )
    return (
        f"{_gain(evidence)}, {doubt}: keep the baseline. So few queries can show a gain from about "
        f"{_queries(evidence.mde, evidence)} on; about {evidence.more_queries:,} more private ones "
        f"would settle a gain of {gain:.2g} in score ({_queries(gain, evidence)} of {evidence.n})."
    )


def sealed(evidence: Evidence) -> str:
    """Nobody has seen the private half."""
    if evidence.public <= 0:
        told = f"{_gain(evidence)}, which is no gain: keep the baseline and the seal"
        return f"{told}, and try something else." if evidence.differing else f"{told}; {_IDLE}"
    return (
        f"{_gain(evidence)}, and choosing by public scores flatters: fix this trial and open the "
        f"private half for it (+experiment=open_private)."
    )


def _gain(evidence: Evidence) -> str:
    half, value = "public", evidence.public
    if evidence.private is not None:
        half, value = "private", evidence.private
    if abs(value) * evidence.n < _A_QUERY:
        return f"It scores as the baseline does on {evidence.n} {half} queries"
    side = "above" if value > 0 else "below"
    amount = _queries(abs(value), evidence)
    return f"It stands {amount} of {evidence.n} {side} the baseline in {half}"


def _queries(value: float, evidence: Evidence) -> str:
    """A score as the number of whole queries it is worth on the half that decides."""
    amount = f"{value * evidence.n:.1f}".removesuffix(".0")
    return f"{amount} {'query' if amount == '1' else 'queries'}"


def _tried(trials: int, several: str, one: str) -> str:
    return several.format(trials) if trials > 1 else one


def p_text(p: float) -> str:
    """A p-value as a sentence has it."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
