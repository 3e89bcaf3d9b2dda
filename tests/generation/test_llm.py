"""A model behind a store: what it is asked, what is kept, counted, paid and refused."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate

from experiments.identity import describe
from experiments.store import NoStore, Store
from generation.faults import ModelError
from generation.limits import Limits
from generation.llm import StoredLLM
from generation.prices import BudgetError
from generation.retry import Retry
from tests.generation.stub_llm import StatusError, StubLLM

NAMES = (f"stub-{number}" for number in count())
TOKENS = {"prompt_tokens": 10, "completion_tokens": 5}


def stored(llm: StubLLM | None = None, *, store: Any = None, **options: Any) -> StoredLLM:
    """A fast-failing layer over a model whose name no other test shares."""
    llm = llm or stub()
    options.setdefault("retry", Retry(first_wait=0.0))
    return StoredLLM(llm=llm, store=store or NoStore(), **options)


def stub(*arguments: Any, **fields: Any) -> StubLLM:
    return StubLLM(*arguments, **{"model": next(NAMES), **fields})


def refusing(*statuses: int, **headers: str) -> list[Exception]:
    return [StatusError(status, **headers) for status in statuses]


def test_answers_come_in_the_order_asked_and_equal_prompts_are_sent_once() -> None:
    llm = stub(lambda prompt: time.sleep(0.01 * (prompt == "a")) or prompt.upper())
    model = stored(llm)
    answers = model.complete_many(["a", "b", "a", "c"])
    assert [answer.text for answer in answers] == ["A", "B", "A", "C"]
    assert sorted(llm.asked) == ["a", "b", "c"]


def test_nothing_is_asked_twice_by_another_part_or_through_another_method(tmp_path) -> None:
    llm = stub()
    first = stored(llm, store=Store(tmp_path)).complete_many(["a", "b"])
    second = stored(llm, store=Store(tmp_path), budget_usd=0.0)
    again = second.complete_many(["b", "a"])
    assert [answer.text for answer in again] == [first[1].text, first[0].text]
    assert all(answer.stored for answer in again)
    assert second.complete("a").text == first[0].text
    assert len(llm.asked) == 2
    assert second.usage()["llm"].numbers()["stored"] == 3


@pytest.mark.parametrize("keeps", [True, False])
def test_what_is_under_way_is_waited_for_and_not_asked_again(tmp_path, keeps) -> None:
    llm = stub(lambda prompt: time.sleep(0.05) or f"{prompt} {time.monotonic()}")
    parts = [stored(llm, store=Store(tmp_path)) for _ in range(2)] if keeps else [stored(llm)] * 2
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda part: part.complete_many(map_prompts(12)), parts)
    assert sorted(llm.asked) == sorted(map_prompts(12))
    assert [answer.text for answer in one] == [answer.text for answer in other]
    usage = sum(part.usage()["llm"].made for part in {id(one): one for one in parts}.values())
    assert usage == 12


@pytest.mark.parametrize(
    ("change", "asked_again"),
    [
        ({"temperature": 0.5}, True),
        ({"model": "another"}, True),
        ({"api_key": "other-key"}, False),
    ],
)
def test_an_answer_belongs_to_the_model_and_its_parameters(tmp_path, change, asked_again) -> None:
    store, fields = Store(tmp_path), {"model": "a model", "api_key": "a-key"}
    stored(stub(**fields), store=store).complete("a")
    llm = stub(**{**fields, **change})
    stored(llm, store=store).complete("a")
    assert bool(llm.asked) is asked_again


def test_another_version_of_the_prompt_asks_anew_and_another_stage_does_not(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    model.complete_many(["a"], stage="one", version="1")
    model.complete_many(["a"], stage="two", version="1")
    assert len(llm.asked) == 1
    model.complete_many(["a"], stage="two", version="2")
    assert len(llm.asked) == 2
    assert model.usage()["two"].asked == 2


def test_neither_the_key_nor_what_surrounds_a_call_identifies_a_part(tmp_path) -> None:
    plain = describe(stored(stub(model="one")))
    fields = {"api_key": "secret-key"}
    changed = stored(stub(model="one", **fields), store=Store(tmp_path), budget_usd=1.0)
    assert describe(changed) == plain
    assert "secret-key" not in str(describe(changed))


@pytest.mark.parametrize(
    "failure",
    [*refusing(429, 500, 503, 408), TimeoutError(), ConnectionResetError(), KeyError("choices")],
)
def test_what_may_pass_is_tried_again(failure) -> None:
    model = stored(stub(failures=[failure, failure]))
    assert model.complete_many(["a"])[0].text == "answer to a"
    usage = model.usage()["llm"]
    assert (usage.made, usage.retried, sum(usage.faults.values())) == (3, 2, 2)
    assert not usage.failed


def test_a_call_that_never_succeeds_is_missing_and_counted_and_not_stored(tmp_path) -> None:
    llm = stub(failures=refusing(500, 500, 500))
    model = stored(llm, store=Store(tmp_path), retry=Retry(attempts=3, first_wait=0.0))
    answer = model.complete_many(["a"])[0]
    assert answer.missing
    assert answer.text is None
    assert "500" in answer.reason
    assert model.usage()["llm"].failed == {"server_error": 1}
    assert model.complete("a").text == "answer to a"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_stops_the_run_after_one_call_in_one_sentence(status) -> None:
    error = StatusError(status, "bad key sk-abcdef123456")
    llm = stub(failures=[error] * 9, api_key="sk-abcdef123456")
    with pytest.raises(ModelError, match=str(status)) as raised:
        stored(llm).complete_many(["a", "b", "c"])
    assert len(llm.asked) == 1
    assert "abcdef" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_a_refused_prompt_is_not_repeated_and_the_others_go_on() -> None:
    llm = stub(failures=[StatusError(400, "too long for key-12345")], api_key="key-12345")
    answers = stored(llm).complete_many(["a", "b"])
    assert [answer.missing for answer in answers] == [True, False]
    assert "too long" in answers[0].reason
    assert "12345" not in answers[0].reason
    assert llm.asked == ["a", "b"]


def test_an_account_without_money_is_not_asked_again() -> None:
    llm = stub(failures=[StatusError(429, "insufficient_quota")])
    with pytest.raises(ModelError, match="no money"):
        stored(llm).complete_many(["a", "b"])
    assert len(llm.asked) == 1


def test_a_dead_server_ends_the_run_before_every_prompt_has_waited_for_it() -> None:
    llm = stub(failures=[ConnectionRefusedError()] * 1000)
    with pytest.raises(ModelError, match="look after the server"):
        stored(llm, retry=Retry(attempts=2, first_wait=0.0)).complete_many(map_prompts(500))
    assert len(llm.asked) < 60


def test_a_key_that_is_withdrawn_ends_the_calls_that_wait_for_their_turn() -> None:
    llm = stub(failures=[None, StatusError(401)])
    limits = Limits(concurrency=8, requests_per_minute=60)
    started = time.monotonic()
    with pytest.raises(ModelError, match="401"):
        stored(llm, limits=limits).complete_many(map_prompts(50))
    assert time.monotonic() - started < 3  # one a second: the 2nd call is refused
    assert len(llm.asked) == 2


def test_options_that_no_prompt_gets_through_end_the_run_and_long_prompts_do_not() -> None:
    llm = stub(failures=refusing(*[400] * 100))
    with pytest.raises(ModelError, match="options of llm"):
        stored(llm, limits=Limits(concurrency=1)).complete_many(map_prompts(50))
    assert 10 <= len(llm.asked) <= 12
    long = stored(stub(lambda prompt: "x" if prompt == "short" else str(int("long"))))
    answers = long.complete_many(["short", *map_prompts(50)])
    assert sum(answer.missing for answer in answers) == 50


def test_a_model_that_cannot_start_ends_the_run_at_once() -> None:
    llm = stub(failures=[ModelError("There is no such file.")] * 9)
    with pytest.raises(ModelError, match="no such file"):
        stored(llm).complete_many(["a", "b"])
    assert len(llm.asked) == 1


def test_a_fault_of_the_code_is_not_taken_for_a_failed_call() -> None:
    with pytest.raises(ZeroDivisionError):
        stored(stub(failures=[ZeroDivisionError()])).complete_many(["a", "b"])


def test_an_answer_that_cannot_be_used_is_asked_once_more_and_never_stored(tmp_path) -> None:
    llm = stub(lambda prompt: "나쁨" if "bad" in prompt else "fine")
    model = stored(llm, store=Store(tmp_path))
    answers = model.complete_many(["bad", "good"], check=lambda _, text: "no" * (text != "fine"))
    assert [answer.text for answer in answers] == [None, "fine"]
    assert Counter(llm.asked) == {"bad": 2, "good": 1}
    assert model.usage()["llm"].failed == {"rejected": 1}
    assert model.complete("bad").text == "나쁨"


def test_an_empty_answer_and_a_cut_one_are_answers_and_counted() -> None:
    model = stored(stub(lambda prompt: "" if prompt == "a" else "x", finish="length"))
    answers = model.complete_many(["a", "b"])
    assert [answer.text for answer in answers] == ["", "x"]
    assert not answers[0].missing
    usage = model.usage()["llm"]
    assert (usage.empty, usage.cut, usage.failed) == (1, 2, {})


def test_tokens_are_the_servers_or_estimates_that_say_so() -> None:
    counted, guessed = stored(stub(usage=TOKENS)), stored(stub())
    counted.complete("a")
    guessed.complete("물의 끓는점은 얼마인가?")
    known, estimated = counted.usage()["llm"], guessed.usage()["llm"]
    assert (known.tokens_in, known.tokens_out, known.estimated) == (10, 5, 0)
    assert estimated.estimated == 1
    assert 5 <= estimated.tokens_in <= 15


def test_money_is_known_only_where_the_price_is() -> None:
    llm = stub(usage=TOKENS)
    prices = {llm.model: {"input": 100.0, "output": 1000.0}}
    priced, other = stored(llm, prices=prices), stored(stub(usage=TOKENS), prices=prices)
    priced.complete_many(["a", "b"])
    other.complete_many(["a", "b"])
    assert priced.usage()["llm"].usd == pytest.approx(2 * (10 * 1e-4 + 5 * 1e-3))
    assert other.usage()["llm"].usd is None
    assert "usd" not in other.usage()["llm"].numbers()
    assert "price unknown" in other.usage()["llm"].sentence()


def test_a_budget_stops_before_the_call_that_may_pass_it_and_keeps_the_answers(tmp_path) -> None:
    """A call may write 16 tokens at $0.001 and writes 5."""
    llm = stub(usage={"prompt_tokens": 1, "completion_tokens": 5}, max_tokens=16)
    prices = {llm.model: {"input": 0.0, "output": 1000.0}}
    limits, store = Limits(concurrency=1), Store(tmp_path)
    model = stored(llm, store=store, prices=prices, budget_usd=0.05, limits=limits)
    with pytest.raises(BudgetError, match=r"budget_usd=0\.05"):
        model.complete_many(map_prompts(20))
    assert len(llm.asked) == 7  # 7 * 0.005 + 0.016 > 0.05, and 6 * 0.005 + 0.016 is not
    assert model.usage()["llm"].usd == pytest.approx(0.035)
    other = stored(llm, store=store, prices=prices, budget_usd=0.05)
    with pytest.raises(BudgetError):  # one account for all parts of a process
        other.complete("one more")
    assert len(other.complete_many(llm.asked)) == 7


def test_a_budget_holds_under_concurrency() -> None:
    llm = stub(lambda _: time.sleep(0.002) or "x", usage={"prompt_tokens": 0, **TOKENS})
    prices = {llm.model: {"input": 0.0, "output": 1000.0}}
    model = stored(llm, prices=prices, budget_usd=0.1, limits=Limits(concurrency=8))
    with pytest.raises(BudgetError):
        model.complete_many(map_prompts(100))
    assert model.usage()["llm"].usd <= 0.1


def test_a_budget_without_a_price_is_refused_before_the_first_call() -> None:
    llm = stub()
    with pytest.raises(ModelError, match=r"price of .* is unknown"):
        stored(llm, budget_usd=1.0).complete_many(["a"])
    assert not llm.asked


def test_the_estimate_covers_what_is_not_stored_and_comes_before_the_first_call(capsys) -> None:
    llm = stub(max_tokens=50)
    model = stored(llm, prices={llm.model: {"input": 0.0, "output": 1000.0}})
    model.complete("a")
    estimate = model.estimate(["a", "b", "b", "c"])
    assert (estimate.calls, estimate.tokens_out) == (2, 100)
    assert estimate.usd == pytest.approx(0.1)
    model.complete_many(["a", "b", "c"], stage="judge")
    assert "judge: 2 calls" in (said := capsys.readouterr().err)
    assert "at most $0.1000" in said


@pytest.mark.parametrize("price", [{"input": 1.0}, {"input": -1.0, "output": 1.0}, {}])
def test_half_a_price_is_refused(price) -> None:
    llm = stub()
    with pytest.raises(ValueError, match="give input and output"):
        stored(llm, prices={llm.model: price})


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
        threading.Thread(target=part.complete_many, args=(map_prompts(10, str(number)),))
        for number, part in enumerate(parts)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(llm.asked) == 30
    assert most[0] == 3


def test_calls_start_no_faster_than_the_rate() -> None:
    limits = Limits(concurrency=8, requests_per_minute=60 * 50)
    started = time.monotonic()
    stored(stub(), limits=limits).complete_many(map_prompts(10))
    assert time.monotonic() - started >= 9 / 50


def test_a_pause_that_the_server_asks_for_holds_for_all_calls() -> None:
    failure = StatusError(429, **{"retry-after": "0.3"})
    llm = stub(failures=[failure])
    started = time.monotonic()
    stored(llm).complete_many(map_prompts(5))
    assert time.monotonic() - started >= 0.3
    assert len(llm.asked) == 6


def test_a_call_that_hangs_is_given_up_in_time() -> None:
    llm = stub(lambda prompt: time.sleep(5) or "late" if prompt == "hang" else "x")
    model = stored(llm, limits=Limits(timeout=0.1), retry=Retry(attempts=2, first_wait=0.0))
    started = time.monotonic()
    answers = model.complete_many(["a", "hang", "b"])
    assert time.monotonic() - started < 3
    assert [answer.text for answer in answers] == ["x", None, "x"]
    assert model.usage()["llm"].faults == {"timeout": 2}


def test_the_methods_of_llama_index_answer_from_the_store_too(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    text = model.complete("a").text
    assert "".join(piece.delta or "" for piece in model.stream_complete("a")) == text
    assert asyncio.run(model.acomplete("a")).text == text
    assert llm.asked == ["a"]
    said = model.chat([ChatMessage(content="hello")]).message.content
    assert asyncio.run(model.achat([ChatMessage(content="hello")])).message.content == said
    assert len(llm.asked) == 2
    filled = [model.predict(PromptTemplate("{it}"), it="a") for _ in range(2)]
    assert filled == [text, text]
    assert len(llm.asked) == 3  # a filled template is sent without the model's own frame


def test_a_message_of_another_role_is_another_prompt(tmp_path) -> None:
    llm = stub()
    model = stored(llm, store=Store(tmp_path))
    model.chat([ChatMessage(role="user", content="a")])
    model.chat([ChatMessage(role="system", content="a")])
    model.complete("a")
    assert len(llm.asked) == 3


def test_a_failed_call_raises_where_llama_index_knows_no_missing_answer() -> None:
    model = stored(stub(failures=refusing(500)), retry=Retry(attempts=1))
    with pytest.raises(ModelError, match="did not answer"):
        model.complete("a")


def test_asynchronous_calls_run_side_by_side() -> None:
    barrier = threading.Barrier(3, timeout=5)
    model = stored(stub(lambda _: str(barrier.wait() * 0)), limits=Limits(concurrency=3))

    async def ask() -> list[Any]:
        return await asyncio.gather(*(model.acomplete(name) for name in "abc"))

    assert [answer.text for answer in asyncio.run(ask())] == ["0"] * 3


@pytest.mark.parametrize("prompt", ["", "   ", "\ud800 lone", "🙂", "각", "물 water 水"])
def test_any_text_is_a_prompt(tmp_path, prompt) -> None:
    llm = stub(lambda _: "x", usage=None)
    model = stored(llm, store=Store(tmp_path))
    assert model.complete_many([prompt])[0].text == "x"
    assert model.complete_many([prompt])[0].stored


def test_no_prompt_is_no_call() -> None:
    assert stored().complete_many([]) == []


def map_prompts(number: int, prefix: str = "p") -> list[str]:
    return [f"{prefix}{place}" for place in range(number)]
