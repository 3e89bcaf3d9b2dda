"""What a fusion search tries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from experiments.fusion.simplex import WeightSearch
from experiments.fusion.surface import Option, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What is tried: every rule of the three lists, with the weightings of the search.

    normalise, missing: options of the fusion; each one for all parts, or by part name.
    candidates: how many results of each part; None = as many as the fusion reads as configured.
    """

    weights: WeightSearch
    normalise: Sequence[Option]
    missing: Sequence[Option]
    candidates: Sequence[int] | None = None

    def rules(self, depth: int, configured: int) -> list[Rule]:
        """The distinct rules.

        Raises ValueError for an empty list and for candidates that the ranking's depth overrides.
        With normalise=rank a missing score is 0 whatever `missing` says, so it stands there once.
        """
        for name in ("normalise", "missing"):
            if not getattr(self, name):
                raise ValueError(f"space.{name} is an empty list: name at least one to try.")
        counts = self.candidates or [configured]
        shallow = [count for count in counts if count < depth]
        if shallow:
            raise ValueError(
                f"candidates={shallow[0]} is less than depth={depth}, and a ranking of that depth "
                f"reads {depth} of each part: raise it, or add depth={shallow[0]}."
            )
        found = {}
        for normalise, missing, count in product(self.normalise, self.missing, counts):
            rule = Rule(normalise, "zero" if normalise == "rank" else missing, count)
            found[repr(rule)] = rule
        return list(found.values())
