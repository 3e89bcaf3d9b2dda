"""The model layer against a server that fails: what is asked, counted, stored, and asked again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import ChatMessage

from experiments.store import NoStore, Store
from generation.faults import ModelError
from generation.limits import Limits
from generation.llm import StoredLLM
from generation.retry import Retry
from tests.generation.faulty_server import FaultyServer, echo

openai_like = pytest.importorskip("llama_index.llms.openai_like")
pytestmark = pytest.mark.server

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = [f"question {number}" for number in range(120)] + [f"질문 {n}" for n in range(60)]
TIMEOUT = 3.0
ATTEMPTS = 8
KINDS = {
    "429": "rate_limit",
    "500": "server_error",
    "slow": "timeout",
    "cut": "unreadable",
    "language": "rejected",
    "close": "connection",
}


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """The client's first call loads its modules, which takes a second or two."""
    with FaultyServer().running() as address:
        client(address).complete("hello")


def client(address: str, **options: Any) -> Any:
    fields = {"model": "faulty", "api_key": "sk-1234567890", "is_chat_model": True, **options}
    return openai_like.OpenAILike(api_base=address, **fields)


def layer(address: str, store: Any = None, timeout: float = 60.0, **options: Any) -> StoredLLM:
    return StoredLLM(
        llm=client(address, **options),
        store=store or NoStore(),
        limits=Limits(concurrency=8, timeout=timeout),
        retry=Retry(first_wait=0.01, attempts=ATTEMPTS),
    )


def right_language(prompt: str, text: str) -> str:
    """What a caller that knows its language hands in."""
    return "" if text.startswith(echo(prompt)[0]) else "it is in another language"


def calls_needed(server: FaultyServer, prompt: str) -> int:
    """Calls until the prompt has its answer, or is rightly given up as in the wrong language."""
    drawn = [server.drawn(prompt, attempt) for attempt in range(ATTEMPTS)]
    for made, kind in enumerate(drawn, start=1):
        if kind == "right" or drawn[:made].count("language") == 2:
            return made
    return ATTEMPTS


@pytest.mark.slow
def test_with_30_percent_faults_every_fault_is_counted_and_nothing_is_asked_in_vain(
    tmp_path: Path,
) -> None:
    server = FaultyServer(rate=0.3, slow=TIMEOUT * 2)
    with server.running() as address:
        model = layer(address, Store(tmp_path), TIMEOUT)
        answers = model.complete_many(PROMPTS, check=right_language)
        usage = model.usage()["llm"]
        assert set(server.seen) == {"right", *KINDS}
        seen = {KINDS[kind]: n for kind, n in server.seen.items() if kind != "right"}
        answered = sum(not answer.missing for answer in answers)
        assert usage.made == server.requests
        assert sum(usage.faults.values()) == server.requests - answered
        # On a busy machine another response may come too late, which is a timeout as well.
        late = usage.faults["timeout"] - seen["timeout"]
        assert 0 <= late <= 3
        assert all(0 <= n - usage.faults[k] <= late for k, n in seen.items() if k != "timeout")
        needed = sum(calls_needed(server, prompt) for prompt in PROMPTS)
        assert usage.made - usage.retried == len(PROMPTS)
        assert server.requests <= 1.2 * needed
        assert late or server.requests == needed
        assert answered >= 0.99 * len(PROMPTS)
        for prompt, answer in zip(PROMPTS, answers, strict=True):
            assert answer.text in (echo(prompt), None)
            assert answer.missing == bool(answer.reason)
        assert sum(usage.failed.values()) == len(PROMPTS) - answered

        before = server.requests
        again = layer(address, Store(tmp_path), TIMEOUT).complete_many(
            PROMPTS, check=right_language
        )
        unanswered = len(PROMPTS) - answered
        assert before + unanswered <= server.requests <= before + ATTEMPTS * unanswered
        assert [one.text for one in again if one.stored] == [
            one.text for one in answers if not one.missing
        ]


KILLED = """
import sys
from experiments.store import Store
from tests.generation.test_llm_server import PROMPTS, layer
layer(sys.argv[1], Store(sys.argv[2])).complete_many(PROMPTS)
"""


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_a_run_killed_half_way_makes_only_the_missing_calls(tmp_path: Path, started: Any) -> None:
    server = FaultyServer(lambda prompt: time.sleep(0.02) or echo(prompt))
    with server.running() as address:
        command = [sys.executable, "-c", KILLED, address, str(tmp_path)]
        started.append(process := subprocess.Popen(command, cwd=ROOT))
        deadline = time.monotonic() + 120
        while server.requests < len(PROMPTS) / 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        model = layer(address, Store(tmp_path))
        kept = model._calls.records.count()  # type: ignore[attr-defined]
        before = server.requests
        assert before - 8 <= kept <= before < len(PROMPTS)  # 8 were under way
        assert [one.text for one in model.complete_many(PROMPTS)] == [*map(echo, PROMPTS)]
        assert server.requests - before == len(PROMPTS) - kept
        assert model.usage()["llm"].stored == kept


def test_two_processes_that_ask_the_same_at_once_share_the_calls(tmp_path: Path, started) -> None:
    server = FaultyServer(lambda prompt: time.sleep(0.02) or f"{echo(prompt)} {time.monotonic()}")
    with server.running() as address:
        command = [sys.executable, "-c", KILLED, address, str(tmp_path)]
        started += [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
        assert [process.wait(120) for process in started] == [0, 0]
        assert server.requests == len(PROMPTS) == len(server.prompts)


@pytest.mark.parametrize("chat", [True, False])
def test_both_kinds_of_endpoint_answer_and_are_counted(chat: bool) -> None:
    server = FaultyServer()
    with server.running() as address:
        model = layer(address, is_chat_model=chat)
        assert model.complete("water").text == "answer: water"
        said = model.chat([ChatMessage(content="물")]).message.content
        assert said is not None
        assert "답" in said
        assert model.usage()["llm"].estimated == 0
        assert model.usage()["llm"].tokens_in >= len("water")


def test_tokens_are_estimated_where_a_server_does_not_count() -> None:
    server = FaultyServer()
    server.usage = False
    with server.running() as address:
        model = layer(address)
        model.complete("water")
        assert model.usage()["llm"].estimated == 1
        assert model.usage()["llm"].tokens_in == 1


def test_the_library_repeats_nothing_behind_our_back() -> None:
    server = FaultyServer(rate=1.0, faults=["500"])
    with server.running() as address:
        model = StoredLLM(
            llm=client(address, max_retries=5),
            store=NoStore(),
            retry=Retry(attempts=2, first_wait=0.0),
        )
        assert model.complete_many(["a"])[0].missing
        assert server.requests == 2


@pytest.mark.parametrize("status", ["401", "400"])
def test_no_key_stands_in_what_is_said_of_a_refusal(status: str) -> None:
    """This server repeats the key in its message."""
    server = FaultyServer(rate=1.0, faults=[status])
    with server.running() as address, pytest.raises(ModelError) as raised:
        layer(address).complete("a")
    assert server.keys == {"Bearer sk-1234567890"}
    assert "1234567890" not in str(raised.value)
    assert status in str(raised.value)
    assert server.requests == 1


def test_nobody_there_is_one_sentence() -> None:
    with FaultyServer().running() as address:
        pass
    with pytest.raises(ModelError, match="look after the server"):
        layer(address).complete_many(PROMPTS)
