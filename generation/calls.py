"""Makes calls of one model: within limits and a budget, again where that helps, stored at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial

from generation.answers import Answer, Check, Records, Request
from generation.contract import Contract, Estimate
from generation.faults import Failure, Fault, ModelError, fault_of, rejected
from generation.limits import Limiter, within
from generation.prices import Spending
from generation.side_by_side import side_by_side
from generation.tally import Tally
from generation.usage import usage_of, was_cut

_HOPELESS = 10  # calls in a row without an answer, for no fault of the prompts


class Calls:
    """All calls of one model by one part; the limiter and the account are shared with others."""

    def __init__(
        self,
        contract: Contract,
        *,
        open_records: Callable[[], Records],
        limiter: Limiter,
        account: Spending,
    ) -> None:
        self.contract, self.open_records = contract, open_records
        self.limiter, self.account = limiter, account
        self.tally = Tally()
        self._lock = threading.RLock()
        self._unanswered, self._reached = 0, False

    def answers(
        self, requests: Sequence[Request], stage: str, check: Check | None = None
    ) -> list[Answer]:
        """The answers in the order asked; equal requests are sent once.

        Raises ModelError where no call can succeed, BudgetError where the next one would cost more
        than is left. What was answered until then is stored.
        """
        self.tally.asked(stage, len(requests))
        found = self._stored(requests)
        missing = list({r.key: r for r in requests if r.key not in found}.values())
        for request in requests:
            if request.key in found:
                self.tally.stored(stage, found[request.key])
        if missing:
            self.contract.announce([request.prompt for request in missing], stage)
            found |= self._all(missing, stage, check)
        return [found[request.key] for request in requests]

    def estimate(self, requests: Sequence[Request]) -> Estimate:
        """What the calls that the store does not answer will cost at most."""
        found = self._stored(requests)
        fresh = {request.key: request.prompt for request in requests if request.key not in found}
        return self.contract.estimate(list(fresh.values()))

    @cached_property
    def records(self) -> Records:
        return self.open_records()

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """Where calls of asynchronous code wait, as many as may run at once."""
        return ThreadPoolExecutor(self.contract.limits.concurrency)

    def _stored(self, requests: Sequence[Request]) -> dict[str, Answer]:
        with self._lock:
            values = self.records.get([request.key for request in requests])
        return {key: Answer.from_bytes(value) for key, value in values.items()}

    def _all(
        self, requests: Sequence[Request], stage: str, check: Check | None
    ) -> dict[str, Answer]:
        """The first call that this part makes goes alone: it finds a wrong key or address."""
        stop = threading.Event()
        jobs = [partial(self._answer, request, stage, check, stop) for request in requests]
        first = [] if self._reached else [jobs.pop(0)()]
        rest = side_by_side(
            jobs,
            at_once=self.contract.limits.concurrency,
            stop=stop,
            label=f"{stage}: asking {self.contract.model}",
        )
        keys = [request.key for request in requests]
        return dict(zip(keys, [*first, *rest], strict=True))

    def _answer(
        self, request: Request, stage: str, check: Check | None, stop: threading.Event
    ) -> Answer:
        """One call with all its attempts; its answer is stored before it is returned.

        What another thread or process is being asked just now is waited for, and not asked again.
        """
        with self.records.claimed(request.key, stop.is_set):
            if known := self._stored([request]).get(request.key):
                self.tally.stored(stage, known)
                return known
            outcome = self.contract.retry.result(
                lambda again: self._attempt(request, stage, check, stop, again=again),
                key=request.key,
                limiter=self.limiter,
                stop=stop,
            )
            if isinstance(outcome, Failure):
                return self._given_up(stage, outcome.faults)
            with self._lock:
                self._unanswered, self._reached = 0, True
                self.records.put({request.key: outcome.to_bytes()})
            return outcome

    def _attempt(
        self,
        request: Request,
        stage: str,
        check: Check | None,
        stop: threading.Event,
        *,
        again: bool,
    ) -> Answer | Fault:
        """One call, counted. Raises StoppedError where it is not made any more."""
        outcome = self._sent(request, stage, stop, again=again)
        if check and isinstance(outcome, Answer):
            why = check(request.prompt, outcome.text or "")
            outcome = rejected(why) if why else outcome
        if isinstance(outcome, Fault):
            self.tally.fault(stage, outcome.kind)
        return outcome

    def _sent(
        self, request: Request, stage: str, stop: threading.Event, *, again: bool
    ) -> Answer | Fault:
        with self.limiter.place(stop), self._paying(request) as bill:
            self.tally.sent(stage, again=again)
            started = time.perf_counter()
            try:
                response = within(self.contract.limits.timeout, request.send)
                usage = usage_of(request.prompt, response)
            except Exception as error:
                if (fault := fault_of(error, self.contract.hide)) is None:
                    raise
                return fault
            answer = Answer(
                response.text,
                tokens_in=usage.tokens_in,
                tokens_out=usage.tokens_out,
                tokens_cached=usage.tokens_cached,
                estimated=usage.estimated,
                cut=was_cut(response),
                seconds=time.perf_counter() - started,
            )
            price = self.contract.price
            tokens = usage.tokens_in, usage.tokens_out, usage.tokens_cached
            usd = None if price is None else price.of(*tokens)
            bill.append(usd or 0.0)
            self.tally.answered(stage, answer, usd)
            return answer

    @contextmanager
    def _paying(self, request: Request) -> Iterator[list[float]]:
        """What the call may cost is set aside; what the block adds to the bill is spent."""
        bill: list[float] = []
        most = self.contract.most(request.prompt)
        self.account.reserve(most, self.contract.budget)
        try:
            yield bill
        finally:
            self.account.settle(most, sum(bill))

    def _given_up(self, stage: str, faults: Sequence[Fault]) -> Answer:
        """A counted missing answer. Raises ModelError where further calls are hopeless."""
        if not faults:
            return Answer(None, reason="it was not asked, for the run ends")
        fault = faults[-1]
        self.tally.failed(stage, fault.kind)
        model = self.contract.model
        if fault.kind == "denied":
            raise ModelError(f"{model} cannot be asked: {fault.reason}.")
        with self._lock:
            own_fault = fault.kind == "rejected" or (fault.kind == "refused" and self._reached)
            self._unanswered += not own_fault
            hopeless = self._unanswered >= _HOPELESS
        if hopeless:
            raise ModelError(
                f"{model} left {_HOPELESS} calls in a row unanswered (at last: {fault.reason}): "
                "look after the server and the options of llm, and run again; the answers so far "
                "are stored."
            )
        again = f" ({len(faults)} attempts)" if len(faults) > 1 else ""
        return Answer(None, reason=f"{fault.reason}{again}")
