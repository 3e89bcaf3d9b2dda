"""Makes calls of one model: within limits and a budget, again where that helps, stored at once."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cached_property

from generation.answers import Answer, Check, Records, Request
from generation.contract import Contract, Estimate
from generation.faults import Fault, ModelError, fault_of, rejected
from generation.limits import Limiter, within
from generation.prices import Spending
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
        found: dict[str, Answer] = {}
        if not self._reached:
            first, *requests = requests
            found[first.key] = self._answer(first, stage, check, stop)
        if not requests:
            return found
        with ThreadPoolExecutor(min(self.contract.limits.concurrency, len(requests))) as pool:
            waiting = {
                pool.submit(self._answer, request, stage, check, stop): request.key
                for request in requests
            }
            try:
                label = f"{stage}: asking {self.contract.model}"
                for done in _as_done(waiting, label):
                    found[waiting[done]] = done.result()
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found

    def _answer(
        self, request: Request, stage: str, check: Check | None, stop: threading.Event
    ) -> Answer:
        """One call with all its attempts; its answer is stored before it is returned."""
        faults: list[Fault] = []
        while True:
            outcome = self._attempt(request, stage, check, again=bool(faults))
            if isinstance(outcome, Answer):
                with self._lock:
                    self._unanswered, self._reached = 0, True
                    self.records.put({request.key: outcome.to_bytes()})
                return outcome
            faults.append(outcome)
            self.tally.fault(stage, outcome.kind)
            wait = self.contract.retry.wait(request.key, faults)
            if wait is None or stop.is_set():
                return self._given_up(stage, faults)
            if outcome.wait is not None:
                self.limiter.pause(outcome.wait)
            stop.wait(wait)

    def _attempt(
        self, request: Request, stage: str, check: Check | None, *, again: bool
    ) -> Answer | Fault:
        with self.limiter.place(), self._paying(request) as bill:
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
                estimated=usage.estimated,
                cut=was_cut(response),
                seconds=time.perf_counter() - started,
            )
            price = self.contract.price
            usd = None if price is None else price.of(usage.tokens_in, usage.tokens_out)
            bill.append(usd or 0.0)
            self.tally.answered(stage, answer, usd)
        why = check(request.prompt, response.text) if check else ""
        return rejected(why) if why else answer

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


def _as_done(waiting: dict[Future[Answer], str], label: str) -> Iterator[Future[Answer]]:
    """The calls as they end, with a bar and the time left."""
    from rich.console import Console
    from rich.progress import track

    console = Console(file=sys.stderr)
    silent = not console.is_terminal or len(waiting) < 2
    yield from track(
        as_completed(waiting),
        description=label,
        total=len(waiting),
        console=console,
        transient=True,
        disable=silent,
    )
