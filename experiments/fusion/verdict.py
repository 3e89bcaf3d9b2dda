"""What a search over weights found: the best point, what it is worth, and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.fusion.choice import Flatness, bootstrap_best, flatness, folds
from experiments.fusion.points import Points, walk
from experiments.fusion.simplex import WeightSearch, named
from experiments.metrics.significance import PairedDifference, paired_difference

if TYPE_CHECKING:
    from experiments.fusion.surface import Rule

Floats = NDArray[np.float64]

BOOTSTRAP_DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The outcome of a search; scores are of the first metric over the public queries scored.

    best: the chosen point's place.  rule, weights: what it is.  mean: its public mean, which is
        too good, since these queries chose it.
    interval: part -> the 2.5 % and 97.5 % points of the best weight over 1000 resamples of the
        queries, under the chosen rule.
    held_out: [q], the score of each query by the weights that the other folds chose; its mean
        `cross_validated` is what choosing this way is worth.  choices: the point of each fold.
    gain: held_out minus the configured weights, query by query.
    """

    best: int
    rule: Rule
    weights: Mapping[str, float]
    mean: float
    interval: Mapping[str, tuple[float, float]]
    held_out: Floats
    cross_validated: float
    choices: Sequence[int]
    gain: PairedDifference
    flatness: Flatness

    def page(self, points: Points) -> dict[str, Any]:
        """As it stands in summary.json under `search`."""
        error = self.held_out.std(ddof=1) / np.sqrt(len(self.held_out))
        chosen = [{**_rule(points, at), "weights": points.named(at)} for at in self.choices]
        return {
            "metric": points.surface.measures[0].name,
            "points": len(points.rule),
            "queries": len(self.held_out),
            "best": {
                **_rule(points, self.best),
                "weights": dict(self.weights),
                "interval": {part: list(ends) for part, ends in self.interval.items()},
                "mean": self.mean,
            },
            "cross_validated": {"mean": self.cross_validated, "standard_error": float(error)},
            "folds": chosen,
            "gain_over_configured": asdict(self.gain),
            "flatness": {
                "share": self.flatness.share,
                "standard_error": self.flatness.error,
                "words": self.flatness.words,
            },
        }


def decide(
    points: Points,
    search: WeightSearch,
    start: Sequence[int],
    groups: Sequence[Sequence[int]],
    configured: Floats,
    *,
    count: int,
    seed: int,
) -> Verdict:
    """Choose on the public queries and hold the choice against folds it has not seen.

    start: the points spread over the simplex.  groups: places of public queries that share a fold.
    configured: [q], what the weights as configured score.  count: folds.
    Raises ValueError with fewer scored queries than folds.
    """
    seen = points.scored()
    if seen.sum() < max(count, 2) or count < 2:
        raise ValueError(
            f"folds={count} cannot divide {seen.sum()} scored public queries: "
            f"give folds from 2 up to that number."
        )
    fold = folds(_among(groups, seen), count, len(seen), seed)
    held_out, choices = np.full(len(seen), np.nan), []
    for number in range(count):
        chosen, _ = walk(points, search, start, seen & (fold != number))
        held_out[fold == number] = points.first[chosen][fold == number]
        choices.append(chosen)
    top, allowed = walk(points, search, start, seen)
    same = [place for place in allowed if points.rule[place] == points.rule[top]]
    spread = [place for place in start if points.rule[place] == points.rule[top]]
    higher = points.surface.measures[0].higher_is_better
    sign = 1.0 if higher else -1.0
    scores = sign * points.first[:, seen]
    drawn = bootstrap_best(scores[same], points.weights[same], BOOTSTRAP_DRAWS, seed)
    ends = np.quantile(drawn, [0.025, 0.975], axis=0).T
    parts = points.surface.parts
    return Verdict(
        best=top,
        rule=points.rules[points.rule[top]],
        weights=named(points.weights[top], parts),
        mean=float(points.first[top][seen].mean()),
        interval={p: (float(a), float(b)) for p, (a, b) in zip(parts, ends, strict=True)},
        held_out=held_out[seen],
        cross_validated=float(held_out[seen].mean()),
        choices=choices,
        gain=paired_difference(held_out[seen], configured[seen], higher_is_better=higher),
        flatness=flatness(scores[spread], scores[top]),
    )


def _among(groups: Sequence[Sequence[int]], seen: NDArray[np.bool_]) -> list[list[int]]:
    """The groups without the queries that no point can score, so that the folds stay even."""
    kept = [[row for row in group if seen[row]] for group in groups]
    return [group for group in kept if group]


def _rule(points: Points, place: int) -> dict[str, Any]:
    rule: Rule = points.rules[points.rule[place]]
    return rule.options()
