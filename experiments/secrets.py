"""What must not be written down: keys, tokens and passwords."""

from __future__ import annotations

import re

MASK = "…"
_NAME = re.compile(
    r"(^|[+~._-])((api|access|secret|private)_?key|token|secret|passw(or)?d|credentials?|headers)$",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret: api_key, auth_token, password, headers."""
    return _NAME.search(name) is not None


def masked(text: str) -> str:
    """A word of the command line, or an address, without the secret in it."""
    option, sign, _ = text.partition("=")
    if sign and is_secret(option):
        return f"{option}={MASK}"
    return _IN_ADDRESS.sub(MASK, text)


def without_credentials(uri: str) -> str:
    """An address (or any text with one) without user and password; a server's without its query."""
    bare = re.sub(r"(?<=://)[^/@\s]+@", "", uri)
    return re.sub(r"(https?://[^\s?]*)\?\S*", r"\1", bare)
