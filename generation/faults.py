"""Why a call of a model failed, and whether it is worth another attempt.

Libraries are told apart by the names of their errors, so that none has to be installed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

_DENIED = {
    401: "the server does not accept the key (401): check the environment variable that holds it",
    403: "the key may not use this model (403): choose another model or key",
    404: "the server does not know this model or address (404): check model and api_base",
}
_SPENT = "insufficient_quota"
_TIMEOUTS = {"TimeoutError", "APITimeoutError", "TimeoutException", "Timeout"}
_CONNECTIONS = {"ConnectionError", "APIConnectionError", "TransportError", "RequestException"}
_UNREADABLE = {"JSONDecodeError", "APIResponseValidationError", "ValidationError"}
_MALFORMED = (TypeError, AttributeError, LookupError)
_LONGEST_MESSAGE = 200


class ModelError(ValueError):
    """A call that cannot succeed; one sentence that a user can act on."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One attempt that failed.

    kind: rate_limit, server_error, timeout, connection, unreadable, rejected (the answer could not
        be used), refused (this prompt) or denied (every call).
    reason: one clause, without any key.
    allowed: how many faults of this kind end a call; None where only all its attempts do.
    wait: seconds that the server asks to wait, None where it does not say.
    """

    kind: str
    reason: str
    allowed: int | None = None
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without a result.  faults: of its attempts; () where it was not made at all."""

    faults: tuple[Fault, ...]


def fault_of(error: Exception, hide: Callable[[str], str] = str) -> Fault | None:
    """What an error of a model's library means; None for one that is no failed call.

    A ModelError is none: it says already that no call can succeed.
    hide: takes secrets out of a message.
    """
    if isinstance(error, ModelError):
        return None
    status = _status(error)
    if status is not None:
        return _by_status(status, error, hide)
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & _TIMEOUTS:
        return Fault("timeout", "it did not answer in time")
    if names & _CONNECTIONS:
        return Fault("connection", "the connection failed")
    if names & _UNREADABLE or isinstance(error, _MALFORMED):
        return Fault("unreadable", "what it sent cannot be read")
    if isinstance(error, ValueError):
        return Fault("refused", _message(error, hide), allowed=1)
    return None


def rejected(reason: str) -> Fault:
    """An answer that cannot be used; asked once more, for a model at temperature 0 repeats it."""
    return Fault("rejected", reason, allowed=2)


def seconds_to_wait(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """What Retry-After asks for (RFC 9110): seconds, or a date; None where it asks nothing."""
    value = headers.get("retry-after", headers.get("Retry-After"))
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value).timestamp()
    except ValueError:
        return None
    return max(0.0, until - (time.time() if now is None else now))


def _by_status(status: int, error: Exception, hide: Callable[[str], str]) -> Fault:
    if status in _DENIED:
        return Fault("denied", _DENIED[status], allowed=1)
    if status == 429 and _SPENT in str(error):
        return Fault("denied", "the account has no money left (429)", allowed=1)
    wait = seconds_to_wait(getattr(getattr(error, "response", None), "headers", None) or {})
    if status == 429:
        return Fault("rate_limit", "the server asks for fewer calls (429)", wait=wait)
    if status == 408:
        return Fault("timeout", "it did not answer in time (408)", wait=wait)
    if status >= 500:
        return Fault("server_error", f"the server failed ({status})", wait=wait)
    return Fault("refused", f"the server refuses it ({status}): {_message(error, hide)}", 1)


def _status(error: Exception) -> int | None:
    for source in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(source, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 400:
                return value
    return None


def _message(error: Exception, hide: Callable[[str], str]) -> str:
    body: Any = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, Mapping) else None
    text = said if isinstance(said, str) else str(error) or json.dumps(type(error).__name__)
    return hide(" ".join(text.split()))[:_LONGEST_MESSAGE].rstrip(".")
