"""The card and what stands around it, in sentences."""

from __future__ import annotations

from experiments.overfit_report.findings import Findings
from experiments.overfit_report.remembered import Remembered


def about(found: Findings) -> list[str]:
    """How much was tried, and what choosing among so much does."""
    card, metric = found.card, found.gathered.metric
    tried = f"{card.trials:,} trial{'s' if card.trials > 1 else ''} beside the baseline"
    told = [f"Tried on these questions: {tried}{_earlier(found.remembered)}."]
    if card.trials > 1:
        told.append(
            f"Choosing the best of them flatters its public {metric} by about "
            f"{_queries(card.optimism.value, card.public.n)}: of a gain of "
            f"{card.optimism.observed:+.4f} about {card.optimism.corrected:+.4f} would be left on "
            "questions that did not choose it."
        )
    if card.pbo is not None:
        told.append(
            f"In {100 * card.pbo:.0f} % of ways to halve the public questions, the best trial of "
            "one half is in the lower half of all on the other (probability of backtest "
            "overfitting; 50 % = choosing is noise)."
        )
    return [*told, *_halves(found), *found.notes]


def _earlier(known: Remembered) -> str:
    """What of that came from the ledger, and what was tried without a score."""
    said = ""
    if known.count:
        said = f", {known.count:,} of them remembered by the ledger from earlier runs"
    parts = {
        "known on some of the questions alone, as on another split": len(known.partly),
        "by other metrics alone": max(known.untold),
    }
    if told := [f"{many:,} {how}" for how, many in parts.items() if many]:
        said += f" ({', '.join(told)})"
    return said + (f"; {known.failed:,} more failed and have no score" if known.failed else "")


def _halves(found: Findings) -> list[str]:
    card = found.card
    told = []
    if card.drop is not None:
        told.append(
            f"The gain over the baseline changes by {-card.drop.value:+.4f} from public to private "
            f"(standard error {card.drop.error:.4f}); this split could show a drop of "
            f"{card.drop.detectable:.4f} or more."
        )
    if card.agreement is not None:
        both = card.agreement
        told.append(
            f"Both halves order the trials with a Kendall tau of {both.tau:.2f} "
            f"[{both.low:.2f}, {both.high:.2f}]; random halves of the same questions give "
            f"{both.noise:.2f} [{both.noise_low:.2f}, {both.noise_high:.2f}]."
        )
    if card.stability is not None:
        drawn = card.stability
        told.append(
            f"Of {drawn.draws} other draws of the split {100 * drawn.same:.0f} % choose the same "
            f"trial, in {100 * drawn.ahead:.0f} % the choice beats the baseline in private, in "
            f"{100 * drawn.significant:.0f} % significantly."
        )
    return told


def next_to_best(found: Findings) -> str:
    """Who came second in public, or first, where the card is of another one."""
    gains = found.scores.gains()
    place = "Second" if gains.names[gains.winner] == found.card.trial else "Best"
    return f"{place} in public: {found.card.runner_up}." if found.card.runner_up else ""


def _queries(value: float, n: int) -> str:
    return f"{value:.4f} ({value * n:.1f} of {n} questions)"
