"""The position curve, documents against position, and what each order gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.position_lab.findings import Contrast, Finding

_COLOURS = ("#1f6f8b", "#d1495b", "#edae49", "#66a182", "#6a4c93", "#8d6a9f", "#2e4057", "#c97b63")
_FEW = 4  # lines whose bands can be told apart
_DASHES = ("solid", "dash", "dashdot", "longdash")


def curve_figure(findings: Sequence[Finding], model: str) -> go.Figure:
    """Accuracy by position, a line a condition, with 95 % bands; dotted where there is no position.

    The legend stands below, so that long names take no width from the curves.
    """
    figure = _empty(f"Accuracy by position of the evidence: {model}")
    asked = sorted({p for one in findings for p in one.positions if p is not None}) or [0, 100]
    for number, one in enumerate(findings):
        colour = _COLOURS[number % len(_COLOURS)]
        known = [
            (p, s) for p, s in zip(one.positions, one.accuracy, strict=True) if s.mean is not None
        ]
        fixed = one.positions == (None,)
        if fixed:
            known = [(place, share) for _, share in known for place in (asked[0], asked[-1])]
        xs = [position for position, _ in known]
        if not fixed:
            figure.add_scatter(
                x=xs + xs[::-1],
                y=[share.high for _, share in known] + [share.low for _, share in reversed(known)],
                mode="lines",
                fill="toself",
                fillcolor=colour,
                opacity=0.15 if len(findings) <= _FEW else 0.05,
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=str(number),
            )
        figure.add_scatter(
            x=xs,
            y=[share.mean for _, share in known],
            mode="lines" if fixed else "lines+markers",
            name=one.label,
            line={
                "color": colour,
                "dash": "dot" if fixed else _DASHES[number // len(_COLOURS) % 4],
            },
            legendgroup=str(number),
            hovertemplate="%{x} %: %{y:.3f}",
        )
    figure.update_xaxes(
        title="position of the evidence, percent of the way",
        tickvals=asked,
        ticktext=[place_name(position) for position in asked],
    )
    figure.update_yaxes(title="accuracy, with 95 % bands", range=[-0.02, 1.02])
    rows = -(-len(findings) // 2)
    figure.update_layout(
        height=520 + 24 * rows,
        margin={"b": 90 + 24 * rows},
        legend={"orientation": "h", "y": -90 / 400, "yanchor": "top", "entrywidth": 0.48}
        | {"entrywidthmode": "fraction"},
    )
    return figure


def heat_figure(findings: Sequence[Finding], model: str) -> go.Figure:
    """Accuracy by number of documents and position, a row a condition."""
    positions = all_positions(findings)
    figure = _empty(f"Accuracy by documents and position: {model}")
    cells: list[list[float | None]] = []
    for one in findings:
        means = {p: s.mean for p, s in zip(one.positions, one.accuracy, strict=True)}
        cells.append([means.get(position) for position in positions])
    figure.add_heatmap(
        x=[place_name(position) for position in positions],
        y=[one.label for one in findings],
        z=cells,
        zmin=0,
        zmax=1,
        colorscale="Viridis",
        texttemplate="%{z:.2f}",
        hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
        hoverongaps=False,
    )
    figure.update_xaxes(title="position of the evidence, percent of the way", type="category")
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_layout(height=_height(len(findings)))
    return figure


def all_positions(findings: Sequence[Finding]) -> list[int | None]:
    """The positions of all of them, ascending, None last."""
    known = {position for one in findings for position in one.positions}
    return sorted(known, key=lambda position: (position is None, position or 0))


def place_name(position: int | None) -> str:
    """A position for a heading."""
    return "fixed" if position is None else f"{position} %"


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
    figure.update_layout(height=_height(len(known)))
    return figure


def _height(rows: int) -> int:
    """Pixels of a figure with so many rows, each tall enough to read."""
    return max(420, 200 + 30 * rows)


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
