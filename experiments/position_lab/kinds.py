"""Questions by their kind, such as exact, paraphrased or multi-hop wording, where tags say so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.position_lab.tasks import Task

WORDING = "wording"
"""The tag that is taken where nobody names one and the questions have it."""

_MOST = 20


def kinds_of(tasks: Sequence[Task], tag: str | None) -> dict[str, NDArray[np.bool_]]:
    """Value of the tag -> which tasks have it, [n]; {} where no tag is named and none is there.

    A question without the tag is in no kind. Raises ValueError for a tag that no question has, and
    for one with so many values that it names questions and not kinds.
    """
    name = tag or WORDING
    values = sorted({task.tags[name] for task in tasks if name in task.tags})
    if not values and tag is not None:
        known = sorted({one for task in tasks for one in task.tags})
        there = f"they have {', '.join(known)}" if known else "they have no tags"
        raise ValueError(f"lab.by is {tag}, a tag that no question has: {there}.")
    if len(values) > _MOST:
        raise ValueError(
            f"The tag {name} has {len(values)} values: name one by lab.by with at most {_MOST}."
        )
    return {value: np.array([task.tags.get(name) == value for task in tasks]) for value in values}
