"""Text that every file, table and tracker can hold."""

from __future__ import annotations


def storable_text(text: str) -> str:
    """The text with a question mark for each lone surrogate: those have no UTF-8 form."""
    return text.encode("utf-8", "replace").decode("utf-8")
