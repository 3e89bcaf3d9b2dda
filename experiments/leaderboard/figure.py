"""Public against private scores of a leaderboard, with the band that noise explains."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.leaderboard.reading import BoardReading


def board_figure(reading: BoardReading) -> go.Figure:
    """One point a submission; the band holds 95 % of equal submissions, give or take."""
    import plotly.graph_objects as go

    public, private = reading.public, reading.private
    ends = np.array([min(public.min(), private.min()), max(public.max(), private.max())])
    middle, band = ends - reading.noise.shift, 1.96 * reading.noise.deviation
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([ends, ends[::-1]]),
        y=np.concatenate([middle - band, middle[::-1] + band]),
        mode="lines",
        fill="toself",
        fillcolor="rgba(31,111,139,0.12)",
        line={"width": 0},
        hoverinfo="skip",
        name="what noise explains",
    )
    colours = np.full(len(public), "#1f6f8b", dtype=object)
    colours[reading.best] = "#d1495b"
    figure.add_scatter(
        x=public,
        y=private,
        mode="markers",
        marker={"color": colours.tolist(), "size": 9},
        text=[
            escape(f"{name} {time}")
            for name, time in zip(reading.board.names, reading.board.times, strict=True)
        ],
        hovertemplate="%{text}<br>public %{x:.4f}, private %{y:.4f}<extra></extra>",
        name="submissions (red: best in public)",
    )
    figure.update_layout(
        margin={"t": 30},
        xaxis={"title": "public", "gridcolor": "#e5e5e5"},
        yaxis={"title": "private", "gridcolor": "#e5e5e5"},
        template="plotly_white",
        font={"family": FONT, "size": 15},
        legend={"orientation": "h", "y": -0.18},
        height=720,
    )
    return figure
