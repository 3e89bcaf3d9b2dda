"""`tracker=none`: runs leave only their folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.schema import RunRecord


class NoTracker:
    """Writes nothing."""

    def log(self, record: RunRecord) -> None:
        """Nothing is tracked, so there is no id."""

    def open(self, record: RunRecord) -> None:
        """Nothing is tracked, so there is no id."""

    def close(self, run: str | None, record: RunRecord) -> None:
        """There was nothing to end."""
