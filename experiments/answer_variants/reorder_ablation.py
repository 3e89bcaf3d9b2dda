"""Does the order of the passages change this model's answers, with everything else the same?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, get_args

from experiments.answer_variants.kept import VariantScores, keep
from experiments.answer_variants.variants import (
    NO_POSITION,
    Reading,
    answer_metric,
    is_extractive,
    read_many,
)
from experiments.console import show_notes
from experiments.metrics.answers import NO_REFERENCES
from experiments.metrics.multiple_testing import holm_known
from postprocessors.long_context_reorder import Order

if TYPE_CHECKING:
    from experiments.metrics.per_query import PerQuery
    from experiments.metrics.significance import PairedDifference
    from experiments.pipeline import Pipeline
    from experiments.schema import Report
    from experiments.setting import Setting
    from generation.context import ContextAssembler
    from generation.llm import StoredLLM

TITLE = "reorder_ablation"
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, kw_only=True)
class ReorderAblation:
    """One ranking and one choice of passages in several orders; the answers are compared in pairs.

    orders: of `LongContextReorder`, applied however few passages there are (min_nodes 0); the
        pipeline's own order is not used.
    baseline: the order that the others are held against.

    Every order shows the same passages, so recalls cannot differ, and are the same in all tables.
    A difference is the mean over the public queries that both orders have an answer to, with its
    95 % interval and a sign-flip p-value, corrected for the number of orders (Holm).
    """

    setting: Setting
    pipeline: Pipeline
    context: ContextAssembler
    llm: StoredLLM | None
    orders: Sequence[Order] = ORDERS
    baseline: Order = "none"

    def run(self) -> Report:
        """Answer every query in each order, compare, write the run's folder and track it.

        Raises ValueError without a model or reference answers, and for an unknown order.
        """
        orders = self._orders()
        dataset = self.setting.dataset.load()
        if not any(query.answer for query in dataset.queries):
            raise ValueError(f"{NO_REFERENCES} Choose a dataset with answers.")
        split = self.setting.split.divide(dataset)
        started = time.time()
        outcome = self.pipeline.run(dataset, self.setting.store)
        readings = {str(order): Reading(self.context.top_k, order) for order in orders}
        level = self.setting.metrics.rel_level
        read = read_many(dataset, outcome, self.context, self.llm, readings, level)
        scores = {name: one.scores for name, one in read.items()}
        notes = [note for table in scores.values() for note in table.notes]
        show_notes(list(dict.fromkeys([*dataset.notes, *split.notes, *outcome.notes, *notes])))
        found = order_gains(scores, self.baseline, split.public)
        told = [_sentence(order, self.baseline, *one) for order, one in found.items()]
        if is_extractive(self.llm):
            told.append(NO_POSITION)
        parts = {"pipeline": self.pipeline, "context": self.context, "llm": self.llm}
        run = VariantScores(
            title=TITLE,
            dataset=dataset,
            split=split,
            scores=scores,
            parts=parts,
            started=started,
            prompts={name: one.prompts for name, one in read.items()},
        )
        gains = {order: {**asdict(gain), "p_corrected": p} for order, (gain, p) in found.items()}
        metric = answer_metric(next(iter(scores.values())))
        findings = {"baseline": self.baseline, "metric": metric, "gains": gains}
        return keep(run, self.setting, told=told, findings=findings)

    def _orders(self) -> list[Order]:
        if self.llm is None:
            raise ValueError(f"{TITLE} asks a model and llm is none: add llm=offline or llm=local.")
        unknown = [one for one in [*self.orders, self.baseline] if one not in ORDERS]
        if unknown:
            raise ValueError(f"There is no order '{unknown[0]}': choose from {', '.join(ORDERS)}.")
        return list(dict.fromkeys([self.baseline, *self.orders]))


def order_gains(
    scores: Mapping[str, PerQuery], baseline: str, queries: Sequence[str]
) -> dict[str, tuple[PairedDifference, float | None]]:
    """Order -> its gain over the baseline in the answer score, and the corrected p-value.

    The p-value is None where no query has an answer in both.
    """
    metric = answer_metric(scores[baseline])
    if metric is None:
        return {}
    gains = {
        order: table.difference(scores[baseline], metric, queries)
        for order, table in scores.items()
        if order != baseline
    }
    corrected = holm_known([gain.p for gain in gains.values()], len(gains))
    return dict(zip(gains, zip(gains.values(), corrected, strict=True), strict=True))


def _sentence(order: str, baseline: str, gain: PairedDifference, p: float | None) -> str:
    if gain.mean is None or p is None:
        return f"{order} and {baseline} have no query that both answered."
    ends = "" if gain.low is None else f" ({gain.low:+.3f} to {gain.high:+.3f})"
    return (
        f"{order} minus {baseline}: {gain.mean:+.4f}{ends} over {gain.n} public queries, "
        f"p {p:.3f} after correction."
    )
