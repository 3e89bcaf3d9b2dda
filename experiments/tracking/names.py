"""Names and numbers as MLflow takes them: for one that it refuses, it loses a whole batch."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.schema import Mean

LONGEST = 250
"""Signs of a name, at most."""

_REFUSED = re.compile(r"[^\w.\- :/]")
_NO_STEP = ("", ".", "..")  # parts of a path that MLflow takes for another path


def stored_name(name: str) -> str:
    """The name as it is stored: "@" as "_at_", every other sign that MLflow refuses as "_".

    A name that is too long is cut and ends in a hash of the whole.
    """
    legal = _REFUSED.sub("_", name.replace("@", "_at_"))
    legal = "/".join("_" if step in _NO_STEP else step for step in legal.split("/"))
    if len(legal) <= LONGEST:
        return legal
    mark = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{legal[: LONGEST - len(mark) - 1]}-{mark}"


def stored_names(names: Iterable[str]) -> dict[str, str]:
    """Name -> the name as it is stored. Raises ValueError where two would be stored as one."""
    taken: dict[str, str] = {}
    for name in names:
        stored = stored_name(name)
        if taken.setdefault(stored, name) != name:
            raise ValueError(
                f"{taken[stored]} and {name} would both be logged to MLflow as {stored}: give one "
                "of them another name."
            )
    return {name: stored for stored, name in taken.items()}


def renamed(names: Mapping[str, str]) -> dict[str, str]:
    """Stored name -> its own, for those that do not tell it: all but "map_at_3" for "map@3"."""
    return {stored: name for name, stored in names.items() if stored != name.replace("@", "_at_")}


def finite(numbers: Mapping[str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers that are some, and name -> "nan" or "inf" for the others.

    MLflow would store an infinity as 1.8e308, and a filter would take NaN for 0.
    """
    kept = {name: value for name, value in numbers.items() if math.isfinite(value)}
    return kept, {name: str(numbers[name]) for name in numbers.keys() - kept.keys()}


def metric_values(scores: Mapping[str, Mapping[str, Mean]]) -> dict[str, float]:
    """MLflow name -> value for every mean that exists, and the number of queries it covers.

    Raises ValueError where two metrics get the same MLflow name.
    """
    values: dict[str, float] = {}
    for split, means in scores.items():
        if split == "all":  # the two halves are what is compared; the whole is in summary.json
            continue
        for metric, mean in means.items():
            name = f"{split}/{metric.replace('@', '_at_')}"
            if name in values:
                raise ValueError(f"Two metrics would both be logged to MLflow as {name}.")
            if mean.mean is not None:
                values[name] = mean.mean
        if means:
            values[f"{split}/queries_scored"] = min(mean.n_scored for mean in means.values())
    return values
