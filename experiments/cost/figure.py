"""Score against milliseconds a query, with the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from experiments.cost.measures import P50, P95
from experiments.cost.pareto import dominated
from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

_FRONT, _BEHIND = "#2a7f62", "#9aa5b1"


def pareto_figure(
    scores: Mapping[str, float], costs: Mapping[str, Mapping[str, float]], metric: str
) -> go.Figure:
    """One point a pipeline; the line joins those that no other beats in both.

    scores: pipeline -> public mean, higher is better.  costs: pipeline -> its measures.
    """
    import plotly.graph_objects as go

    times = {name: cost[P50] for name, cost in costs.items() if P50 in cost and name in scores}
    behind = dominated(scores, times)
    front = sorted((name for name in times if name not in behind), key=lambda name: times[name])
    figure = go.Figure()
    figure.add_scatter(
        x=[times[name] for name in front],
        y=[scores[name] for name in front],
        mode="lines",
        line={"color": _FRONT, "shape": "hv", "dash": "dot"},
        hoverinfo="skip",
        name="Pareto front",
    )
    figure.add_scatter(
        x=[*times.values()],
        y=[scores[name] for name in times],
        text=[*times],
        customdata=[costs[name].get(P95, times[name]) for name in times],
        mode="markers+text",
        textposition="top center",
        marker={"size": 12, "color": [_BEHIND if name in behind else _FRONT for name in times]},
        hovertemplate="%{text}<br>%{y:.4f} at %{x:.2f} ms (p95 %{customdata:.2f})<extra></extra>",
        name="pipelines (grey: another is no worse and no slower)",
    )
    figure.update_layout(
        xaxis={"title": "milliseconds a query (p50)", "type": "log", "gridcolor": "#e5e5e5"},
        yaxis={"title": f"{metric}, public", "gridcolor": "#e5e5e5"},
        template="plotly_white",
        font={"family": FONT, "size": 14},
        legend={"orientation": "h", "y": -0.25},
        height=560,
        width=900,
    )
    return figure
