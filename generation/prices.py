"""What calls of a model cost, and a budget that holds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import inf

from generation.faults import ModelError

PriceTable = Mapping[str, Mapping[str, float]]
"""Model -> {"input": US dollars for a million tokens, "output": the same}, and "cached" where what
the server has in its prompt cache is cheaper to read."""

_SIDES = {"input", "output"}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens that a model reads and writes.

    cached: for those that it reads from its prompt cache; None costs as much as any.
    """

    input: float
    output: float
    cached: float | None = None

    def of(self, tokens_in: float, tokens_out: float, tokens_cached: float = 0.0) -> float:
        """US dollars. tokens_cached: so many of tokens_in came from the cache."""
        cached = self.input if self.cached is None else self.cached
        fresh = tokens_in - tokens_cached
        return (fresh * self.input + tokens_cached * cached + tokens_out * self.output) / 1e6


def price_of(model: str, prices: PriceTable) -> Price | None:
    """The price that the table gives; None where it does not name the model.

    Raises ValueError for a price that is not an input and an output (and a cached input), each 0
    or more.
    """
    if model not in prices:
        return None
    given = {side: usd for side, usd in prices[model].items() if usd is not None}
    known = all(isinstance(usd, int | float) and 0 <= usd < inf for usd in given.values())
    if {*given} - {"cached"} != _SIDES or not known:
        raise ValueError(
            f"The price of {model} is {dict(prices[model])}: give input and output (and cached, if "
            "cached input has a price of its own), in US dollars for a million tokens."
        )
    return Price(**{side: float(usd) for side, usd in given.items()})


class BudgetError(ModelError):
    """The next call would cost more than is left."""


class Spending:
    """What this process has spent on a model, with what calls under way may cost at most."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._reserved = 0.0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """US dollars of the calls that ended."""
        return self._spent

    def reserve(self, usd: float, budget: float | None) -> None:
        """Set aside what a call may cost. Raises BudgetError where that passes the budget."""
        with self._lock:
            committed = self._spent + self._reserved
            if budget is not None and committed + usd > budget:
                raise BudgetError(
                    f"The next call may cost ${usd:.4f} and ${committed:.4f} of "
                    f"budget_usd={budget:g} are spent or promised: raise the budget and run again, "
                    "the answers so far are stored."
                )
            self._reserved += usd

    def settle(self, reserved: float, actual: float) -> None:
        """A call has ended: what it cost in place of what was set aside."""
        with self._lock:
            self._reserved -= reserved
            self._spent += actual


@cache
def spending(model: str) -> Spending:
    """The one account that all parts of this process share for a model."""
    return Spending()
