"""How many passages are enough: for the evidence to be among them, and for the model to use it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.answer_variants.kept import VariantScores, keep
from experiments.answer_variants.variants import NO_MODEL, Reading, answer_metric, read_many
from experiments.console import show_notes
from experiments.figures import FONT
from experiments.metrics.answers import NO_REFERENCES
from experiments.metrics.significance import mean_interval

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.metrics.per_query import PerQuery
    from experiments.pipeline import Pipeline
    from experiments.schema import Report
    from experiments.setting import Setting
    from generation.context import ContextAssembler
    from generation.llm import StoredLLM
    from postprocessors.long_context_reorder import Order

TITLE = "top_k_saturation"
_LINES = {"ranking_recall": "#1f6f8b", "assembly_recall": "#66a182"}
_ANSWER = "#d1495b"


@dataclass(frozen=True, kw_only=True)
class TopKSaturation:
    """Recall and answer score against the number of passages, one ranking and one order for all.

    context: its token budget holds for every k, and its top_k is not read.
    llm: None leaves the recalls.
    top_ks: how many passages at most, each 1 or more.
    order: of the passages in the prompt, for every k; the pipeline's own order is not used.

    ranking_recall@k is the share of the needed documents among the first k passages,
    assembly_recall that in the prompt: where it stays behind, the budget is what binds. Where
    recall rises and the answers do not, more passages only cost.
    """

    setting: Setting
    pipeline: Pipeline
    context: ContextAssembler
    llm: StoredLLM | None
    top_ks: Sequence[int] = (1, 2, 3, 5, 10, 20)
    order: Order = "none"

    def run(self) -> Report:
        """Answer every query once for each k, score, draw, write the run's folder and track it.

        Raises ValueError for a k below 1 and for one that the ranking is not deep enough for.
        """
        ks = self._checked()
        dataset = self.setting.dataset.load()
        split = self.setting.split.divide(dataset)
        started = time.time()
        outcome = self.pipeline.run(dataset, self.setting.store)
        readings = {f"top_k_{k}": Reading(k, self.order) for k in ks}
        level = self.setting.metrics.rel_level
        read = read_many(dataset, outcome, self.context, self.llm, readings, level)
        scores = {name: one.scores for name, one in read.items()}
        notes = [note for table in scores.values() for note in table.notes]
        if self.llm is None:
            notes.append(NO_MODEL)
        elif not any(query.answer for query in dataset.queries):
            notes.append(NO_REFERENCES)
        show_notes(list(dict.fromkeys([*dataset.notes, *split.notes, *outcome.notes, *notes])))
        parts = {"pipeline": self.pipeline, "context": self.context, "llm": self.llm}
        run = VariantScores(
            title=TITLE,
            dataset=dataset,
            split=split,
            scores=scores,
            parts={**parts, "order": self.order},
            started=started,
            prompts={name: one.prompts for name, one in read.items()},
            headings={name: f"k={one.top_k}" for name, one in readings.items()},
        )
        figure = saturation_figure(dict(zip(ks, scores.values(), strict=True)), split.public)
        return keep(run, self.setting, figure=figure)

    def _checked(self) -> list[int]:
        ks = sorted(set(self.top_ks))
        if not ks or ks[0] < 1:
            raise ValueError(f"top_ks is {list(self.top_ks)}: give numbers from 1, such as [1,5].")
        if ks[-1] > self.pipeline.depth:
            raise ValueError(
                f"top_ks asks for {ks[-1]} passages and depth is {self.pipeline.depth}: "
                f"add depth={ks[-1]}."
            )
        return ks


def saturation_figure(scores: Mapping[int, PerQuery], queries: Sequence[str]) -> go.Figure:
    """Means of these queries against k, with 95 % intervals: recalls, and the answer score."""
    import plotly.graph_objects as go

    first = next(iter(scores.values()))
    lines = {name: colour for name, colour in _LINES.items() if name in first.metrics}
    if (answer := answer_metric(first)) is not None:
        lines[answer] = _ANSWER
    figure = go.Figure()
    for name, colour in lines.items():
        values = {k: table.of(name, queries) for k, table in scores.items()}
        known = {k: one for k, one in values.items() if one.size}
        ends = {k: mean_interval(one) or (one.mean(), one.mean()) for k, one in known.items()}
        figure.add_scatter(
            name=name,
            x=list(known),
            y=[one.mean() for one in known.values()],
            error_y={
                "type": "data",
                "array": [ends[k][1] - one.mean() for k, one in known.items()],
                "arrayminus": [one.mean() - ends[k][0] for k, one in known.items()],
            },
            mode="lines+markers",
            line={"color": colour},
            hovertemplate="k = %{x}: %{y:.3f}",
        )
    figure.update_layout(
        title="Recall and answers by the number of passages, public queries, 95 % intervals",
        xaxis={"title": "passages in the prompt at most (k)", "type": "log"},
        yaxis={"title": "mean", "range": [-0.02, 1.02]},
        template="plotly_white",
        font={"family": FONT, "size": 15},
    )
    figure.update_xaxes(tickvals=list(scores), ticktext=[str(k) for k in scores])
    return figure
