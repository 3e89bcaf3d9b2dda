"""Calls of a search server over HTTP: JSON out, JSON in, faults tried again."""

from __future__ import annotations

import base64
import json
import logging
import os
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from http.client import HTTPException
from typing import Any, ClassVar
from urllib.parse import urlsplit

LONGEST_REASON = 200
LONGEST_WAIT = 60.0

_LOG = logging.getLogger(__name__)


class RefusedError(ValueError):
    """A call that the server answered and will not do; `status` is its HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class _Fault:
    """kind: what is counted.  wait: seconds that the server asks to wait."""

    kind: str
    wait: float = 0.0


@dataclass(frozen=True)
class SearchServer:
    """The address of a server, who asks, and how patiently.

    address: such as http://localhost:9200, without a user or password in it.
    key_from: the name of the environment variable that holds an API key; None where it wants none.
    login_from: the name of the one that holds "user:password".
    timeout: seconds a call.  attempts: per call, the first one included.
    first_wait: seconds before the second attempt; doubles each time, up to a minute. A server that
        asks for a longer wait (Retry-After) is given it, up to a minute too.
    The values behind the names are read at each call and kept nowhere. 429, 5xx, timeouts, closed
    connections and cut answers are tried again; `repeats` counts them by kind, the log names each.
    """

    address: str
    _: KW_ONLY
    key_from: str | None = None
    login_from: str | None = None
    timeout: float = 60.0
    attempts: int = 6
    first_wait: float = 0.5
    repeats: Counter[str] = field(default_factory=Counter, init=False, compare=False, repr=False)

    kind: ClassVar[str] = "The search server"
    start: ClassVar[str] = "its own command"
    variable: ClassVar[str] = "server.address"
    labels: ClassVar[frozenset[str]] = frozenset(
        {"key_from", "login_from", "timeout", "attempts", "first_wait"}
    )

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(
                f"{self.kind} has no address {parts.hostname or 'of that form'}: give one such as "
                f"http://localhost:9200."
            )
        if "@" in parts.netloc:
            raise ValueError(
                f"The address of {self.kind} holds a user: put user:password into an environment "
                f"variable and give its name as login_from."
            )
        if self.attempts < 1 or self.timeout <= 0 or self.first_wait < 0:
            raise ValueError(
                f"{self.kind} got attempts={self.attempts}, timeout={self.timeout:g} and "
                f"first_wait={self.first_wait:g}: give attempts from 1, a timeout above 0 and a "
                f"wait from 0."
            )

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        busy: Callable[[Any], bool] = lambda answer: False,
    ) -> Any:
        """The JSON answer. A sequence is sent as one JSON line an item.

        busy: whether an answer says that the server was too busy for a part of it.
        Raises RefusedError (a ValueError) for a status that no repetition helps against, and
        ValueError where no attempt was answered.
        """
        request = self._request(method, path, body)
        faults: list[_Fault] = []
        while True:
            answer = self._attempt(request, busy)
            if not isinstance(answer, _Fault):
                return answer
            faults.append(answer)
            if len(faults) >= self.attempts:
                raise ValueError(self._unanswered(faults))
            self.repeats[answer.kind] += 1
            _LOG.warning("%s: attempt %d failed (%s).", self.kind, len(faults), answer.kind)
            backoff = self.first_wait * 2.0 ** (len(faults) - 1)
            time.sleep(min(max(backoff, answer.wait), LONGEST_WAIT))

    def authorization(self, key: str) -> tuple[str, str]:
        """The header, name and value, that shows an API key."""
        return "Authorization", f"Bearer {key}"

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
    ) -> urllib.request.Request:
        data = None if body is None else _encoded(body)
        request = urllib.request.Request(f"{self.address.rstrip('/')}{path}", data, method=method)
        kind = "application/json" if isinstance(body, Mapping) else "application/x-ndjson"
        if body is not None:
            request.add_header("Content-Type", kind)
        # unredirected: a server that sends us elsewhere does not pass our key on
        if self.key_from:
            request.add_unredirected_header(*self.authorization(self._secret(self.key_from)))
        elif self.login_from:
            login = base64.b64encode(self._secret(self.login_from).encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {login}")
        return request

    def _attempt(self, request: urllib.request.Request, busy: Callable[[Any], bool]) -> Any:
        """The answer, or what went wrong where it may go right the next time."""
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                answer = json.loads(response.read())
        except urllib.error.HTTPError as error:
            return self._by_status(error)
        except TimeoutError:
            return _Fault("timeout")
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            return _Fault("timeout" if isinstance(reason, TimeoutError) else "connection")
        except ValueError:
            return _Fault("unreadable")
        return _Fault("429") if busy(answer) else answer

    def _by_status(self, error: urllib.error.HTTPError) -> _Fault:
        if error.code == 429 or error.code >= 500:
            wait = error.headers.get("Retry-After", "")
            return _Fault(str(error.code), float(wait) if wait.isdecimal() else 0.0)
        if error.code in (401, 403):
            raise RefusedError(
                f"{self.kind} at {self.address} does not let us in ({error.code}): name the "
                f"environment variable of your key as key_from, or of user:password as login_from.",
                error.code,
            )
        raise RefusedError(
            f"{self.kind} at {self.address} refuses it ({error.code}): {_reason(error)}", error.code
        )

    def _unanswered(self, faults: Sequence[_Fault]) -> str:
        kinds = Counter(fault.kind for fault in faults)
        if set(kinds) == {"connection"}:
            return (
                f"{self.kind} does not answer at {self.address}: start one with `{self.start}`, "
                f"or put another address into {self.variable}."
            )
        said = ", ".join(f"{kind} {count} times" for kind, count in kinds.items())
        return (
            f"{self.kind} at {self.address} failed in {len(faults)} attempts ({said}): look into "
            f"its log, then run again; what it has loaded is kept."
        )

    def _secret(self, name: str) -> str:
        if not (value := os.environ.get(name)):
            raise ValueError(
                f"The environment variable {name} is empty: put what {self.kind} asks for into it."
            )
        return value


def _encoded(body: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> bytes:
    if isinstance(body, Mapping):
        return json.dumps(body, ensure_ascii=False).encode()
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in body).encode()


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        text = error.read().decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    return " ".join(text.split())[:LONGEST_REASON] or "it does not say why."
