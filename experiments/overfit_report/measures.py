"""The numbers of a report, as a tracker keeps them."""

from __future__ import annotations

from experiments.overfit_report.findings import Findings


def measures(found: Findings) -> dict[str, float]:
    """Name -> finite number; those that do not exist are left out.

    The names sort behind private/… and public/…, of which a comparison in MLflow shows the first.
    """
    card, evidence = found.card, found.card.verdict.evidence
    told: dict[str, float | None] = {
        "verdict/trials": card.trials,
        "verdict/public_gain": evidence.public,
        "verdict/private_gain": evidence.private,
        "verdict/p": evidence.p,
        "verdict/p_corrected": evidence.corrected_p,
        "verdict/optimism": card.optimism.value,
        "verdict/pbo": card.pbo,
        "verdict/drop": card.drop.value if card.drop else None,
        "verdict/tau": card.agreement.tau if card.agreement else None,
        "verdict/tau_of_noise": card.agreement.noise if card.agreement else None,
        "verdict/smallest_gain_to_find": evidence.mde,
        "verdict/more_queries_needed": evidence.more_queries,
    }
    return {name: float(value) for name, value in told.items() if value is not None}
