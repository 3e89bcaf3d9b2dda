"""Calls that fail: what is tried again, what is a missing answer, and what ends the run."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from experiments.store import Store
from generation.faults import ModelError
from generation.limits import Limits
from generation.retry import Retry
from tests.generation.fresh_models import prompts, stored, stub
from tests.generation.stub_llm import StatusError

KEY = "sk-abcdef123456"


@pytest.mark.parametrize(
    "failure",
    [
        *map(StatusError, (429, 500, 503, 408)),
        TimeoutError(),
        ConnectionResetError(),
        KeyError("choices"),
    ],
)
def test_what_may_pass_is_tried_again(failure) -> None:
    model = stored(stub(failures=[failure, failure]))
    assert model.complete_many(["a"])[0].text == "answer to a"
    usage = model.usage()["llm"]
    assert (usage.made, usage.retried, sum(usage.faults.values())) == (3, 2, 2)
    assert not usage.failed


def test_a_call_that_never_succeeds_is_missing_and_counted_and_not_stored(tmp_path) -> None:
    llm = stub(failures=[StatusError(500)] * 3)
    model = stored(llm, store=Store(tmp_path), retry=Retry(attempts=3, first_wait=0.0))
    answer = model.complete_many(["a"])[0]
    assert answer.missing
    assert answer.text is None
    assert "500" in answer.reason
    assert model.usage()["llm"].failed == {"server_error": 1}
    assert model.complete("a").text == "answer to a"


def test_a_call_that_hangs_is_given_up_in_time() -> None:
    llm = stub(lambda prompt: time.sleep(5) or "late" if prompt == "hang" else "x")
    model = stored(llm, limits=Limits(timeout=0.1), retry=Retry(attempts=2, first_wait=0.0))
    started = time.monotonic()
    answers = model.complete_many(["a", "hang", "b"])
    assert time.monotonic() - started < 3
    assert [answer.text for answer in answers] == ["x", None, "x"]
    assert model.usage()["llm"].faults == {"timeout": 2}


def test_a_refused_prompt_is_not_repeated_and_the_others_go_on() -> None:
    llm = stub(failures=[StatusError(400, "too long for key-12345")], api_key="key-12345")
    answers = stored(llm).complete_many(["a", "b"])
    assert [answer.missing for answer in answers] == [True, False]
    assert "too long" in answers[0].reason
    assert "12345" not in answers[0].reason
    assert llm.asked == ["a", "b"]


def test_an_answer_that_cannot_be_used_is_asked_once_more_and_never_stored(tmp_path) -> None:
    llm = stub(lambda prompt: "나쁨" if "bad" in prompt else "fine")
    model = stored(llm, store=Store(tmp_path))
    answers = model.complete_many(["bad", "good"], check=lambda _, text: "no" * (text != "fine"))
    assert [answer.text for answer in answers] == [None, "fine"]
    assert Counter(llm.asked) == {"bad": 2, "good": 1}
    assert model.usage()["llm"].failed == {"rejected": 1}
    assert model.complete("bad").text == "나쁨"


def test_a_failed_call_raises_where_llama_index_knows_no_missing_answer() -> None:
    model = stored(stub(failures=[StatusError(500)]), retry=Retry(attempts=1))
    with pytest.raises(ModelError, match="did not answer"):
        model.complete("a")


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (StatusError(401, f"bad key {KEY}"), "401"),
        (StatusError(403, f"bad key {KEY}"), "403"),
        (StatusError(404, f"bad key {KEY}"), "404"),
        (StatusError(429, f"insufficient_quota of {KEY}"), "no money"),
        (ModelError("There is no such file."), "no such file"),
    ],
    ids=["key", "right", "model", "money", "start"],
)
def test_what_no_repeat_can_mend_ends_the_run_after_one_call_in_one_sentence(failure, said) -> None:
    llm = stub(failures=[failure] * 9, api_key=KEY)
    with pytest.raises(ModelError, match=said) as raised:
        stored(llm).complete_many(["a", "b", "c"])
    assert len(llm.asked) == 1
    assert "abcdef" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_a_dead_server_ends_the_run_before_every_prompt_has_waited_for_it() -> None:
    llm = stub(failures=[ConnectionRefusedError()] * 1000)
    with pytest.raises(ModelError, match="look after the server"):
        stored(llm, retry=Retry(attempts=2, first_wait=0.0)).complete_many(prompts(500))
    assert len(llm.asked) < 60


def test_a_key_that_is_withdrawn_ends_the_calls_that_wait_for_their_turn() -> None:
    llm = stub(failures=[None, StatusError(401)])
    limits = Limits(concurrency=8, requests_per_minute=60)
    started = time.monotonic()
    with pytest.raises(ModelError, match="401"):
        stored(llm, limits=limits).complete_many(prompts(50))
    assert time.monotonic() - started < 3  # one a second: the 2nd call is refused
    assert len(llm.asked) == 2


def test_options_that_no_prompt_gets_through_end_the_run_and_long_prompts_do_not() -> None:
    llm = stub(failures=[StatusError(400)] * 100)
    with pytest.raises(ModelError, match="options of llm"):
        stored(llm, limits=Limits(concurrency=1)).complete_many(prompts(50))
    assert 10 <= len(llm.asked) <= 12
    long = stored(stub(lambda prompt: "x" if prompt == "short" else str(int("long"))))
    answers = long.complete_many(["short", *prompts(50)])
    assert sum(answer.missing for answer in answers) == 50


def test_a_fault_of_the_code_is_not_taken_for_a_failed_call() -> None:
    with pytest.raises(ZeroDivisionError):
        stored(stub(failures=[ZeroDivisionError()])).complete_many(["a", "b"])
