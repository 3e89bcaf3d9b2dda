"""The card and what stands around it, in sentences, each under its word."""

from __future__ import annotations

from experiments.overfit.sentences import p_text
from experiments.overfit_report.findings import Findings
from experiments.overfit_report.remembered import Remembered

MEANINGS = {
    "OVERFIT": "Something knew the public queries.",
    "REAL": "The gain stands on queries that had no say in the choice.",
    "NOISE": "The two are as good as equal.",
    "UNRESOLVED": "These queries show neither a gain nor that there is none.",
}
GLOSSARY = {
    "public, private": "the half of the queries that trials are chosen by, and the half that has "
    "no say in it.",
    "trial, baseline": "one setting that was tried, and the one that the others are held against.",
    "in queries": "the mean gain times the number of queries: +1.0 is one query answered instead "
    "of missed.",
    "won / lost / same": "on how many queries the trial scores better, worse, or alike.",
    "95 % interval": "the gains that fit what was seen; one that spans zero leaves open who is "
    "better.",
    "p": "how often luck alone makes a gain as large, if both were equally good: 0.03 is 3 times "
    "in 100. Small is good.",
    "corrected p": "the same for the best of all trials that were tried: the more were, the "
    "larger it is.",
    "standard error": "how far a number typically lies from the truth, by luck.",
}


def about(found: Findings) -> list[tuple[str, str]]:
    """How much was tried, and what choosing among so much does: pairs of a word and a sentence."""
    return [*_tried(found), *_luck(found), *_choosing(found), *_across_halves(found)] + [
        ("note", note) for note in found.notes
    ]


def next_to_best(found: Findings) -> str:
    """Who came second in public, or first, where the card is of another one."""
    gains = found.scores.gains()
    place = "Second" if gains.names[gains.winner] == found.card.trial else "Best"
    return f"{place} in public: {found.card.runner_up}." if found.card.runner_up else ""


def _tried(found: Findings) -> list[tuple[str, str]]:
    trials, known = found.card.trials, found.remembered
    said = f"{trials:,} trial{'s' if trials > 1 else ''} beside the baseline{_earlier(known)}."
    return [("trials", f"Tried on these queries: {said}")]


def _earlier(known: Remembered) -> str:
    """What of that came from the ledger, and what was tried without a score."""
    said = ""
    if known.count:
        said = f", {known.count:,} of them remembered by the ledger from earlier runs"
    parts = {
        "known on some of the queries alone, as on another split": len(known.partly),
        "by other metrics alone": max(known.untold),
    }
    if told := [f"{many:,} {how}" for how, many in parts.items() if many]:
        said += f" ({', '.join(told)})"
    return said + (f"; {known.failed:,} more failed and have no score" if known.failed else "")


def _luck(found: Findings) -> list[tuple[str, str]]:
    evidence = found.card.verdict.evidence
    if evidence.p is None or evidence.corrected_p is None or (evidence.private or 0.0) <= 0:
        return []
    said = f"Its private gain has {p_text(evidence.p)} by itself"
    if evidence.family > 1:
        said += f", corrected for all {evidence.family} shown trials {p_text(evidence.corrected_p)}"
    return [("p", f"{said}; REAL asks for {evidence.level:.2g} or less.")]


def _choosing(found: Findings) -> list[tuple[str, str]]:
    card, told = found.card, []
    if card.trials > 1 and round(card.optimism.value, 4) <= 0:
        told.append(("optimism", "Choosing it among all did not flatter its public gain."))
    elif card.trials > 1:
        said = (
            f"Choosing it among all flatters its public gain by about "
            f"{_amount(card.optimism.value, card.public.n)}: of {card.optimism.observed:+.4f} "
            f"about {card.optimism.corrected:+.4f} would be left on queries that did not choose it."
        )
        told.append(("optimism", said))
    if card.pbo is not None:
        said = (
            f"In {100 * card.pbo:.0f} % of ways to halve the public queries, the best trial of one "
            "half is in the lower half of all on the other (50 % = choosing is a coin toss)."
        )
        told.append(("PBO", said))
    return told


def _across_halves(found: Findings) -> list[tuple[str, str]]:
    card, told = found.card, []
    if card.drop is not None:
        said = (
            f"From public to private the gain changes by {-card.drop.value:+.4f} (standard error "
            f"{card.drop.error:.4f}). So few queries could show a drop of "
            f"{card.drop.detectable:.4f} or more"
            + (
                "."
                if card.drop.value >= card.drop.detectable
                else "; a smaller one proves nothing."
            )
        )
        told.append(("drop", said))
    if card.agreement is not None:
        both = card.agreement
        below = both.tau < both.noise_low
        said = (
            f"The halves order the trials with a Kendall tau of {both.tau:.2f} "
            f"[{both.low:.2f}, {both.high:.2f}]; random halves of the same queries give "
            f"{both.noise:.2f} [{both.noise_low:.2f}, {both.noise_high:.2f}], "
            + ("and this is below that." if below else "so the order is no sign of overfitting.")
        )
        told.append(("tau", said))
    if card.stability is not None:
        drawn = card.stability
        said = (
            f"Of {drawn.draws} other draws of the split {100 * drawn.same:.0f} % choose the same "
            f"trial, in {100 * drawn.ahead:.0f} % the choice beats the baseline in private, in "
            f"{100 * drawn.significant:.0f} % significantly."
        )
        told.append(("re-draws", said))
    return told


def _amount(value: float, n: int) -> str:
    return f"{value:.4f} ({value * n:.1f} of {n} queries)"
