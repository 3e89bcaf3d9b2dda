"""What calls cost: empty and cut answers, tokens, money, estimates and budgets."""

from __future__ import annotations

import time

import pytest

from experiments.store import Store
from generation.faults import ModelError
from generation.limits import Limits
from generation.prices import BudgetError
from tests.generation.fresh_models import prompts, stored, stub

TOKENS = {"prompt_tokens": 10, "completion_tokens": 5}


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


@pytest.mark.parametrize(("cached", "usd"), [({}, 10 * 1e-4), ({"cached": 10.0}, 2e-4 + 8e-5)])
def test_what_the_server_has_in_its_cache_is_counted_and_has_a_price(cached, usd) -> None:
    llm = stub(usage={**TOKENS, "prompt_tokens_details": {"cached_tokens": 8}})
    model = stored(llm, prices={llm.model: {"input": 100.0, "output": 1000.0, **cached}})
    model.complete("a")
    usage = model.usage()["llm"]
    assert (usage.tokens_in, usage.tokens_cached) == (10, 8)
    assert usage.usd == pytest.approx(usd + 5 * 1e-3)
    assert "10 tokens read (8 from the server's cache)" in usage.sentence()


@pytest.mark.parametrize(
    "price",
    [
        {"input": 1.0},
        {"input": -1.0, "output": 1.0},
        {"input": 1.0, "output": 1.0, "cached": -1.0},
        {"input": 1.0, "output": 1.0, "cache": 1.0},
        {"input": float("nan"), "output": 1.0},
        {},
    ],
)
def test_half_a_price_is_refused(price) -> None:
    llm = stub()
    with pytest.raises(ValueError, match="give input and output"):
        stored(llm, prices={llm.model: price})


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


def test_a_budget_stops_before_the_call_that_may_pass_it_and_keeps_the_answers(tmp_path) -> None:
    """A call may write 16 tokens at $0.001 and writes 5."""
    llm = stub(usage={"prompt_tokens": 1, "completion_tokens": 5}, max_tokens=16)
    prices = {llm.model: {"input": 0.0, "output": 1000.0}}
    limits, store = Limits(concurrency=1), Store(tmp_path)
    model = stored(llm, store=store, prices=prices, budget_usd=0.05, limits=limits)
    with pytest.raises(BudgetError, match=r"budget_usd=0\.05"):
        model.complete_many(prompts(20))
    assert len(llm.asked) == 7  # 7 * 0.005 + 0.016 > 0.05, and 6 * 0.005 + 0.016 is not
    assert model.usage()["llm"].usd == pytest.approx(0.035)
    other = stored(llm, store=store, prices=prices, budget_usd=0.05)
    with pytest.raises(BudgetError):  # one account for all parts of a process
        other.complete("one more")
    assert len(other.complete_many(llm.asked)) == 7


def test_a_budget_holds_under_concurrency() -> None:
    llm = stub(lambda _: time.sleep(0.002) or "x", usage=TOKENS)
    prices = {llm.model: {"input": 0.0, "output": 1000.0}}
    model = stored(llm, prices=prices, budget_usd=0.1, limits=Limits(concurrency=8))
    with pytest.raises(BudgetError):
        model.complete_many(prompts(100))
    assert 0 < model.usage()["llm"].usd <= 0.1


def test_a_budget_without_a_price_is_refused_before_the_first_call() -> None:
    llm = stub()
    with pytest.raises(ModelError, match=r"price of .* is unknown"):
        stored(llm, budget_usd=1.0).complete_many(["a"])
    assert not llm.asked
