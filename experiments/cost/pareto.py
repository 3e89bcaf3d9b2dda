"""Which pipelines cost more than another and are no better."""

from __future__ import annotations

from collections.abc import Mapping


def dominated(
    scores: Mapping[str, float], costs: Mapping[str, float], *, margin: float = 0.0
) -> dict[str, str]:
    """Pipeline -> one that scores at least as well at no more cost, and is better in one of them.

    scores: higher is better.  costs: lower is better. Names that stand in one alone are left out.
    margin: the share by which the other must cost less at least, where costs are noisy.
    Of several that dominate, the one with the best score is named. Those not in the answer are the
    Pareto front. The scores are means, so a front of close ones is a matter of luck.
    """
    names = [name for name in scores if name in costs]
    ranked = sorted(names, key=lambda name: (-scores[name], costs[name]))
    found = {}
    for name in names:
        for other in ranked:
            level = scores[other] == scores[name] and costs[other] == costs[name]
            cheaper = costs[other] <= (1 - margin) * costs[name]
            if scores[other] >= scores[name] and cheaper and not level:
                found[name] = other
                break
    return found
