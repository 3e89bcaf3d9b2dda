"""Score against cost, with the Pareto front; a menu chooses which cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from experiments.cost.measures import BUILD, BYTES, P50, P95, TOKENS, USD
from experiments.cost.pareto import dominated
from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

_FRONT, _BEHIND = "#2a7f62", "#7b8794"
_AXES = {
    P50: "milliseconds a query (p50)",
    P95: "milliseconds a query (p95)",
    BUILD: "seconds to build",
    BYTES: "MiB of the index",
    TOKENS: "tokens",
    USD: "US dollars",
}
_UNITS = {BYTES: 2**20}
_COUNTED = (TOKENS, USD)
"""Costs that may be 0: their axis is linear, those of the others are logarithmic."""
_TICKS = [step * 10.0**power for power in range(-4, 7) for step in (1, 1.5, 2, 3, 5, 7)]


def pareto_figure(
    scores: Mapping[str, float], costs: Mapping[str, Mapping[str, float]], metric: str
) -> go.Figure:
    """One point a pipeline; the line joins those that no other beats in score and cost.

    scores: pipeline -> public mean, higher is better.  costs: pipeline -> its measures. A cost that
    fewer than two pipelines have, or that is the same for all, is not offered.
    """
    import plotly.graph_objects as go

    axes = _offered(scores, costs)
    figure = go.Figure()
    for place, name in enumerate(axes):
        unit = _UNITS.get(name, 1)
        spent = {p: cost[name] / unit for p, cost in costs.items() if name in cost}
        for trace in _traces(scores, spent):
            figure.add_trace(go.Scatter(**trace, visible=place == 0))
    figure.update_layout(
        xaxis=_axis(axes[0]),
        yaxis={"title": f"{metric}, public", "gridcolor": "#e5e5e5"},
        updatemenus=[_menu(axes)] if len(axes) > 1 else [],
        template="plotly_white",
        font={"family": FONT, "size": 14},
        legend={"orientation": "h", "y": -0.22},
        margin={"t": 80, "r": 60},
        height=560,
        width=900,
    )
    return figure


def _offered(scores: Mapping[str, float], costs: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The costs that tell pipelines apart; milliseconds stand first."""
    known = {name: [costs[p][name] for p in scores if name in costs.get(p, {})] for name in _AXES}
    return [name for name, values in known.items() if name == P50 or len({*values}) > 1]


def _traces(scores: Mapping[str, float], spent: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """The front as a line, then all points."""
    names = sorted((name for name in spent if name in scores), key=spent.__getitem__)
    behind = dominated(scores, spent)
    front = [name for name in names if name not in behind]
    yield {
        "x": [spent[name] for name in front],
        "y": [scores[name] for name in front],
        "mode": "lines",
        "line": {"color": _FRONT, "shape": "hv", "dash": "dot"},
        "hoverinfo": "skip",
        "name": "Pareto front",
    }
    yield {
        "x": [spent[name] for name in names],
        "y": [scores[name] for name in names],
        "text": names,
        "mode": "markers+text",
        "textposition": [("top center", "bottom center")[at % 2] for at in range(len(names))],
        "cliponaxis": False,
        "marker": {"size": 12, "color": [_BEHIND if n in behind else _FRONT for n in names]},
        "hovertemplate": "%{text}<br>%{y:.4f} at %{x:.4g}<extra></extra>",
        "name": "pipelines (grey: another is no worse and costs no more)",
    }


def _axis(name: str) -> dict[str, Any]:
    plain = name in _COUNTED
    return {
        "title": {"text": _AXES[name]},
        "gridcolor": "#e5e5e5",
        "type": "linear" if plain else "log",
        "tickmode": "auto" if plain else "array",
        "tickvals": _TICKS,
        "ticktext": [f"{tick:,.10g}" for tick in _TICKS],
    }


def _menu(axes: list[str]) -> dict[str, Any]:
    buttons = []
    for place, name in enumerate(axes):
        shown = [at // 2 == place for at in range(2 * len(axes))]
        axis = {f"xaxis.{key}": value for key, value in _axis(name).items()}
        buttons.append(
            {"label": _AXES[name], "method": "update", "args": [{"visible": shown}, axis]}
        )
    return {"buttons": buttons, "x": 0, "xanchor": "left", "y": 1.16, "yanchor": "top"}
