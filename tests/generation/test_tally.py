"""Counts of calls: whole under threads, finite for a tracker, readable for people."""

from __future__ import annotations

import math
import threading

from generation.answers import Answer
from generation.tally import StageUsage, Tally


def test_no_count_is_lost_between_threads() -> None:
    tally = Tally()
    answer = Answer("x", tokens_in=2, tokens_out=1, seconds=0.5)

    def work() -> None:
        for _ in range(500):
            tally.asked("stage", 1)
            tally.sent("stage", again=False)
            tally.fault("stage", "timeout")
            tally.answered("stage", answer, 0.001)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    usage = tally.stages()["stage"]
    assert (usage.asked, usage.made, usage.faults["timeout"]) == (4000, 4000, 4000)
    assert (usage.tokens_in, usage.tokens_out, len(usage.seconds)) == (8000, 4000, 4000)
    assert usage.usd is not None
    assert math.isclose(usage.usd, 4.0)


def test_numbers_are_finite_and_what_is_unknown_is_left_out() -> None:
    nothing = StageUsage(asked=3, stored=3).numbers()
    assert {"p50", "p95"}.isdisjoint(nothing)
    usage = StageUsage(asked=2, made=2, usd=None, seconds=(1.0, 3.0))
    numbers = usage.numbers()
    assert "usd" not in numbers
    assert (numbers["p50"], numbers["p95"]) == (2.0, 2.9)
    assert all(math.isfinite(value) for value in [*nothing.values(), *numbers.values()])


def test_a_sum_less_one_part_is_the_other() -> None:
    first = StageUsage(asked=2, made=3, faults={"timeout": 1}, usd=0.25, seconds=(1.0, 2.0))
    second = StageUsage(asked=1, made=1, failed={"refused": 1}, usd=0.5, seconds=(3.0,))
    assert first.plus(second).since(first) == second


def test_a_sentence_names_faults_and_an_unknown_price() -> None:
    said = StageUsage(
        asked=5, stored=1, made=6, retried=2, faults={"rate_limit": 2}, failed={}, usd=None
    ).sentence()
    assert "2 of them repeats (2 rate limit)" in said
    assert "price unknown" in said
    assert "failed" not in said
