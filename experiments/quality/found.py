"""All that a study of chunk quality found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.quality.measured import Measured
    from experiments.quality.misses import Misses
    from experiments.quality.reviewed import Reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The measures, what goes with missed passages, and a reader's labels (None: no review)."""

    measured: Measured
    misses: Misses
    labels: Reviewed | None = None
