"""Interactive figures, each one file that opens without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from experiments.atomic_file import atomic_file
from experiments.metrics.significance import bca_interval

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.result import Result
    from experiments.splits import Split

_COLOURS = {"public": "#1f6f8b", "private": "#d1495b"}
FONT = "Pretendard, 'Noto Sans KR', 'Apple SD Gothic Neo', 'Malgun Gothic', sans-serif"


def score_figure(results: Mapping[str, Result], metric: str, split: Split) -> go.Figure:
    """Each pipeline's mean with its 95 % interval, public beside private.

    Two intervals that overlap widely say that the order of two pipelines is not settled; whether
    a difference is more than luck is told by the paired test, which is sharper.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for side in [side for side in split.shown if side in _COLOURS]:
        rows = _rows(results, metric, split.of(side))
        figure.add_scatter(
            name=side,
            y=[row.name for row in rows],
            x=[row.mean for row in rows],
            error_x={
                "type": "data",
                "array": [row.high - row.mean for row in rows],
                "arrayminus": [row.mean - row.low for row in rows],
            },
            mode="markers",
            orientation="h",
            marker={"color": _COLOURS[side], "size": 11},
            hovertemplate="%{y}: %{x:.4f}",
        )
    figure.update_layout(
        title=f"{metric} with 95 % intervals",
        xaxis={"title": metric, "gridcolor": "#e5e5e5"},
        yaxis={"autorange": "reversed", "type": "category"},
        scattermode="group",
        template="plotly_white",
        font={"family": FONT, "size": 15},
        height=150 + 70 * len(results),
        width=860,
    )
    return figure


def write_figure(figure: go.Figure, path: Path) -> Path:
    """Write a figure with the script that draws it: about 5 MB, no network needed."""
    with atomic_file(path) as part:
        part.write_text(figure.to_html(include_plotlyjs=True, full_html=True), encoding="utf-8")
    return path


class _Row(NamedTuple):
    name: str
    mean: float
    low: float
    high: float


def _rows(results: Mapping[str, Result], metric: str, query_ids: tuple[str, ...]) -> list[_Row]:
    """Those pipelines of which a query was scored; an interval needs two."""
    rows = []
    for name, result in results.items():
        values = result.scores.of(metric, query_ids) if result.scores else np.zeros(0)
        if values.size:
            mean = float(values.mean())
            rows.append(_Row(name, mean, *(bca_interval(values) or (mean, mean))))
    return rows
