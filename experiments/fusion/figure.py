"""The surface of a search over weights as an interactive figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import FONT

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


_MOST_LINES = 3000


def surface_figure(
    frame: pd.DataFrame, parts: Sequence[str], metric: str, best: int, error: float
) -> go.Figure:
    """Public means over the weights: lines for two parts, a triangle for three, axes beyond.

    frame: one row a point, see `Points.frame`.  best: the row of the chosen point.
    error: one standard error of its mean, the band inside which a difference says nothing.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    rules = frame["normalise"] + ", " + frame["missing"] + ", " + frame["candidates"]
    title = f"public {metric} by weight: best {frame[metric][best]:.4f} ± {error:.4f}"
    figure.update_layout(title=title, template="plotly_white", font={"family": FONT, "size": 14})
    if len(parts) == 2:
        _lines(figure, frame, rules, parts, metric, best, error)
    elif len(parts) == 3:
        _triangles(figure, frame, rules, parts, metric, best)
    else:
        _axes(figure, frame, rules, parts, metric)
    return figure


def _lines(
    figure: go.Figure,
    frame: pd.DataFrame,
    rules: pd.Series,
    parts: Sequence[str],
    metric: str,
    best: int,
    error: float,
) -> None:
    """One line a rule; the band is one standard error below the best point."""
    weight = f"weight.{parts[0]}"
    top = float(frame[metric][best])
    figure.add_hrect(y0=top - error, y1=top + error, fillcolor="#1f6f8b", opacity=0.1, line_width=0)
    for rule in dict.fromkeys(rules):
        line = frame[rules == rule].sort_values(weight)
        figure.add_scatter(x=line[weight], y=line[metric], name=rule, mode="lines+markers")
    figure.update_xaxes(title=f"weight of {parts[0]} (the rest is {parts[1]}'s)")
    figure.update_yaxes(title=metric)


def _triangles(
    figure: go.Figure,
    frame: pd.DataFrame,
    rules: pd.Series,
    parts: Sequence[str],
    metric: str,
    best: int,
) -> None:
    """One triangle a rule, chosen by a button; the best point's own comes first."""
    names = list(dict.fromkeys([rules[best], *rules]))
    low, high = frame[metric].min(), frame[metric].max()
    for name in names:
        rows = frame[rules == name]
        figure.add_scatterternary(
            **{axis: rows[f"weight.{part}"] for axis, part in zip("abc", parts, strict=True)},
            text=[f"{value:.4f}" for value in rows[metric]],
            name=name,
            visible=name == names[0],
            mode="markers",
            marker={
                "color": rows[metric],
                "colorscale": "Viridis",
                "cmin": low,
                "cmax": high,
                "size": 9,
                "colorbar": {"title": metric},
            },
            hovertemplate="%{text}<br>%{a:.3f}, %{b:.3f}, %{c:.3f}",
        )
    buttons = [
        {"label": name, "method": "update", "args": [{"visible": [n == name for n in names]}]}
        for name in names
    ]
    axes = {f"{axis}axis": {"title": part} for axis, part in zip("abc", parts, strict=True)}
    figure.update_layout(ternary={"sum": 1, **axes}, updatemenus=[{"buttons": buttons, "x": 0}])


def _axes(
    figure: go.Figure, frame: pd.DataFrame, rules: pd.Series, parts: Sequence[str], metric: str
) -> None:
    """Parallel axes, the best points only: more lines than that hide each other."""
    kept = np.argsort(-frame[metric].to_numpy(), kind="stable")[:_MOST_LINES]
    names = list(dict.fromkeys(rules))
    rule = {
        "label": "rule",
        "values": [names.index(name) for name in rules.iloc[kept]],
        "tickvals": list(range(len(names))),
        "ticktext": names,
    }
    axes = [{"label": part, "values": frame[f"weight.{part}"].iloc[kept]} for part in parts]
    score = frame[metric].iloc[kept]
    dimensions = [*axes, rule, {"label": metric, "values": score}]
    line = {"color": score, "colorscale": "Viridis", "showscale": True}
    figure.add_parcoords(dimensions=dimensions, line=line)
