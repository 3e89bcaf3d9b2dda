"""What an error of a model's library means, and how long the next attempt waits."""

from __future__ import annotations

import json
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.faults import Fault, fault_of, rejected, seconds_to_wait
from generation.retry import Retry
from tests.generation.stub_llm import StatusError


class APITimeoutError(Exception):
    """As libraries of servers call it."""


class APIConnectionError(Exception):
    """As libraries of servers call it."""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StatusError(429), "rate_limit"),
        (StatusError(500), "server_error"),
        (StatusError(529), "server_error"),
        (StatusError(408), "timeout"),
        (APITimeoutError(), "timeout"),
        (TimeoutError(), "timeout"),
        (APIConnectionError(), "connection"),
        (ConnectionResetError(), "connection"),
        (json.JSONDecodeError("cut", "{", 1), "unreadable"),
        (TypeError("'NoneType' object is not subscriptable"), "unreadable"),
        (StatusError(400), "refused"),
        (StatusError(422), "refused"),
        (ValueError("the prompt is too long"), "refused"),
        (StatusError(401), "denied"),
        (StatusError(429, "code: insufficient_quota"), "denied"),
    ],
)
def test_an_error_is_of_one_kind(error, kind) -> None:
    fault = fault_of(error)
    assert fault is not None
    assert fault.kind == kind
    assert fault.reason
    assert (Retry(attempts=3).wait("call", [fault]) is None) == (kind in ("refused", "denied"))


@pytest.mark.parametrize("error", [MemoryError(), ZeroDivisionError(), ImportError("openai")])
def test_a_fault_of_the_code_is_no_failed_call(error) -> None:
    assert fault_of(error) is None


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        (formatdate(1_000_030, usegmt=True), 30.0),
        (formatdate(999_000, usegmt=True), 0.0),
        ("soon", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("name", ["retry-after", "Retry-After"])
def test_retry_after_is_seconds_or_a_date(name, value, wait) -> None:
    assert seconds_to_wait({name: value}, now=1_000_000) == wait


def test_a_server_is_given_the_time_it_asks_for_up_to_a_limit() -> None:
    retry = Retry(first_wait=1.0, longest_wait=30.0)
    for asked in (5.0, 30.0):
        wait = retry.wait("call", [Fault("rate_limit", "slow down", wait=asked)])
        assert wait is not None
        assert wait >= asked
    assert retry.wait("call", [Fault("rate_limit", "slow down", wait=31.0)]) is None


@given(st.text(), st.integers(0, 9), st.integers(0, 5))
def test_waits_double_with_jitter_and_are_the_same_again(key, seed, before) -> None:
    retry = Retry(attempts=10, first_wait=2.0, longest_wait=20.0, seed=seed)
    faults = [Fault("server_error", "it failed")] * (before + 1)
    wait = retry.wait(key, faults)
    most = min(2.0 * 2**before, 20.0)
    assert wait is not None
    assert most / 2 <= wait <= most
    assert wait == retry.wait(key, faults)


def test_calls_that_fail_together_do_not_come_back_together() -> None:
    fault = [Fault("server_error", "it failed")]
    waits = {Retry().wait(f"call {number}", fault) for number in range(50)}
    assert len(waits) == 50
    assert waits.isdisjoint(Retry(seed=1).wait(f"call {number}", fault) for number in range(50))


def test_attempts_end() -> None:
    fault = Fault("server_error", "it failed")
    assert Retry(attempts=3).wait("call", [fault] * 2) is not None
    assert Retry(attempts=3).wait("call", [fault] * 3) is None
    assert Retry(attempts=1).wait("call", [fault]) is None


def test_an_answer_of_no_use_is_asked_once_more_whatever_failed_before() -> None:
    failed, useless = Fault("server_error", "it failed"), rejected("the wrong language")
    assert Retry().wait("call", [failed, useless]) is not None
    assert Retry().wait("call", [useless, failed, useless]) is None


@pytest.mark.parametrize("options", [{"attempts": 0}, {"first_wait": -1.0}, {"longest_wait": -1.0}])
def test_impossible_waits_are_refused(options) -> None:
    with pytest.raises(ValueError, match="1 or more attempts"):
        Retry(**options)
