"""How many calls run side by side, and how fast they start."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from typing import Any

from generation.limits import Limits
from tests.generation.fresh_models import prompts, stored, stub
from tests.generation.stub_llm import StatusError


def test_no_more_calls_run_at_once_than_allowed_in_all_parts_together() -> None:
    now, most = Counter(), [0]
    lock = threading.Lock()

    def answer(_: str) -> str:
        with lock:
            now["calls"] += 1
            most[0] = max(most[0], now["calls"])
        time.sleep(0.01)
        with lock:
            now["calls"] -= 1
        return "x"

    llm, limits = stub(answer), Limits(concurrency=3)
    parts = [stored(llm, limits=limits) for _ in range(3)]
    threads = [
        threading.Thread(target=part.complete_many, args=(prompts(10, str(number)),))
        for number, part in enumerate(parts)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llm.asked) == 30
    assert most[0] == 3


def test_asynchronous_calls_run_side_by_side() -> None:
    barrier = threading.Barrier(3, timeout=5)
    model = stored(stub(lambda _: str(barrier.wait() * 0)), limits=Limits(concurrency=3))

    async def ask() -> list[Any]:
        return await asyncio.gather(*(model.acomplete(name) for name in "abc"))

    assert [answer.text for answer in asyncio.run(ask())] == ["0"] * 3


def test_calls_start_no_faster_than_the_rate() -> None:
    limits = Limits(concurrency=8, requests_per_minute=60 * 50)
    started = time.monotonic()
    stored(stub(), limits=limits).complete_many(prompts(10))
    assert time.monotonic() - started >= 9 / 50


def test_a_pause_that_the_server_asks_for_holds_for_all_calls() -> None:
    failure = StatusError(429, **{"retry-after": "0.3"})
    llm = stub(failures=[failure])
    started = time.monotonic()
    stored(llm).complete_many(prompts(5))
    assert time.monotonic() - started >= 0.3
    assert len(llm.asked) == 6
