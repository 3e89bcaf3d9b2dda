"""On which terms a model is called, and what that may cost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from generation.faults import ModelError
from generation.limits import Limits
from generation.prices import Price
from generation.retry import Retry
from generation.usage import count_tokens

ASSUMED_OUTPUT = 1024
"""Tokens that an answer is taken to have at most, where the model has no `max_tokens`."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls will cost at most; usd is None where the price is unknown."""

    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The terms of one model.

    model: its name, for messages.  longest_answer: tokens.
    price: None where it is unknown.  budget: US dollars, None for no limit.
    hide: takes secrets out of a message.
    """

    model: str
    longest_answer: int
    limits: Limits
    retry: Retry
    price: Price | None
    budget: float | None
    hide: Callable[[str], str] = field(default=str)

    def estimate(self, prompts: Sequence[str]) -> Estimate:
        """What it costs to send these, as if every answer were as long as it may be."""
        tokens_in = sum(map(count_tokens, prompts))
        tokens_out = self.longest_answer * len(prompts)
        usd = None if self.price is None else self.price.of(tokens_in, tokens_out)
        return Estimate(len(prompts), tokens_in, tokens_out, usd)

    def most(self, prompt: str) -> float:
        """US dollars that one call may cost; 0 where nothing limits an unknown price.

        Raises ModelError for a budget that cannot be kept.
        """
        if self.price is not None:
            return self.estimate([prompt]).usd or 0.0
        if self.budget is None:
            return 0.0
        raise ModelError(
            f"budget_usd={self.budget:g} cannot be kept, for the price of {self.model} is unknown: "
            f"add it to the model's prices as {{{self.model}: {{input: …, output: …}}}}, in US "
            "dollars for a million tokens, or leave the budget out."
        )

    def announce(self, prompts: Sequence[str], stage: str) -> None:
        """One line on the error stream before several calls that may cost money."""
        if len(prompts) < 2 or self.price == Price(0.0, 0.0):
            return
        estimate = self.estimate(prompts)
        cost = "price unknown" if estimate.usd is None else f"at most ${estimate.usd:.4f}"
        limit = "" if self.budget is None else f" of budget_usd={self.budget:g}"
        print(
            f"{stage}: {estimate.calls} calls of {self.model}, about {estimate.tokens_in} tokens "
            f"to read, {cost}{limit}.",
            file=sys.stderr,
        )
