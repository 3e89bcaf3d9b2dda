"""The position curve, documents against position, and what each order gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.position_lab.findings import Contrast, Finding

_COLOURS = ("#1f6f8b", "#d1495b", "#edae49", "#66a182", "#6a4c93", "#8d6a9f", "#2e4057", "#c97b63")


def curve_figure(findings: Sequence[Finding], model: str) -> go.Figure:
    """Accuracy by position, a line a condition, with 95 % bands."""
    figure = _empty(f"Accuracy by position of the evidence: {model}")
    for number, one in enumerate(findings):
        colour = _COLOURS[number % len(_COLOURS)]
        known = [
            (p, s) for p, s in zip(one.positions, one.accuracy, strict=True) if s.mean is not None
        ]
        xs = [position for position, _ in known]
        band = [share.high for _, share in known] + [share.low for _, share in reversed(known)]
        figure.add_scatter(
            x=xs + xs[::-1],
            y=band,
            fill="toself",
            fillcolor=colour,
            opacity=0.15,
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=str(number),
        )
        figure.add_scatter(
            x=xs,
            y=[share.mean for _, share in known],
            mode="lines+markers",
            name=one.condition.label,
            line={"color": colour},
            legendgroup=str(number),
            hovertemplate="%{x} %: %{y:.3f}",
        )
    figure.update_xaxes(title="position of the evidence, percent of the way", ticksuffix=" %")
    figure.update_yaxes(title="accuracy", range=[-0.02, 1.02])
    return figure


def heat_figure(findings: Sequence[Finding], model: str) -> go.Figure:
    """Accuracy by number of documents and position, a row a condition."""
    positions = sorted({position for one in findings for position in one.positions})
    figure = _empty(f"Accuracy by documents and position: {model}")
    cells: list[list[float | None]] = []
    for one in findings:
        means = {p: s.mean for p, s in zip(one.positions, one.accuracy, strict=True)}
        cells.append([means.get(position) for position in positions])
    figure.add_heatmap(
        x=[f"{position} %" for position in positions],
        y=[one.condition.label for one in findings],
        z=cells,
        zmin=0,
        zmax=1,
        colorscale="Viridis",
        texttemplate="%{z:.2f}",
        hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", type="category")
    return figure


def gain_figure(gains: Sequence[Contrast], model: str) -> go.Figure:
    """What each order adds to the accuracy without one, over all ranks alike, with intervals."""
    figure = _empty(f"Accuracy gained by an order of the passages: {model}")
    known: list[tuple[Contrast, Any]] = [
        (one, one.difference) for one in gains if one.difference.mean is not None
    ]
    figure.add_scatter(
        y=[one.condition.label for one, _ in known],
        x=[found.mean for _, found in known],
        mode="markers",
        marker={"size": 11, "color": _COLOURS[0]},
        error_x={
            "type": "data",
            "array": [_or(found.high, found.mean) - found.mean for _, found in known],
            "arrayminus": [found.mean - _or(found.low, found.mean) for _, found in known],
        },
        hovertemplate="%{y}: %{x:+.3f}<extra></extra>",
    )
    figure.add_vline(x=0, line_color="#999999")
    figure.update_xaxes(title="accuracy minus that of order none")
    figure.update_yaxes(autorange="reversed", type="category")
    return figure


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _empty(title: str) -> go.Figure:
    import plotly.graph_objects as go

    return go.Figure(
        layout={
            "title": title,
            "template": "plotly_white",
            "font": {"family": FONT, "size": 14},
            "width": 960,
        }
    )
