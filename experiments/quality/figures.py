"""The figures of chunk quality: each measure beside its control, and measure against measure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from chunk_quality.review_sample import printable
from experiments.figures import FONT

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from llama_index.core.schema import TextNode

    from experiments.quality.measured import Measured

REAL, SHUFFLED = "#1f6f8b", "#e0a458"
_BINS = 40
_HOVER_LINE, _HOVER_LINES = 60, 5
_MOST_POINTS = 5_000
_LAYOUT = {
    "template": "plotly_white",
    "font": {"family": FONT, "size": 14},
    "height": 340,
    "margin": {"t": 50, "r": 20, "b": 60, "l": 70},
}

TITLES = {
    "tokens": "tokens",
    "sentence_similarity": "sentence similarity (mean cosine)",
    "topic_entropy": "topic entropy (nats)",
}


def histogram(measured: Measured, name: str) -> go.Figure:
    """The chunks of each value, beside the shuffled ones; chunks without a value are left out."""
    import plotly.graph_objects as go

    real, control = measured.compared[name]
    edges = _edges(np.concatenate([real, control]))
    figure = go.Figure()
    for label, values, colour in (("chunks", real, REAL), ("shuffled", control, SHUFFLED)):
        counts, _ = np.histogram(values[np.isfinite(values)], edges)
        figure.add_bar(
            name=label,
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges),
            marker={"color": colour, "opacity": 0.6, "line": {"width": 0}},
            hovertemplate="%{x:.3g}: %{y} " + label + "<extra></extra>",
        )
    figure.update_layout(
        barmode="overlay",
        xaxis={"title": TITLES[name]},
        yaxis={"title": "chunks", "gridcolor": "#e5e5e5"},
        legend={"orientation": "h", "y": 1.12},
        **_LAYOUT,
    )
    return figure


def scatter(nodes: Sequence[TextNode], measured: Measured, seed: int = 0) -> go.Figure:
    """Topic entropy against sentence similarity, one point a chunk, its text on hover.

    Many chunks are thinned to a seeded sample of 5,000, which the title says.
    """
    import plotly.graph_objects as go

    x, y = measured.columns()["sentence_similarity"], measured.entropy
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    title = f"{len(rows):,} chunks with both values"
    if len(rows) > _MOST_POINTS:
        title = f"{_MOST_POINTS:,} of {title}, drawn at random"
        rows = np.sort(np.random.default_rng(seed).choice(rows, _MOST_POINTS, replace=False))
    figure = go.Figure()
    figure.add_scattergl(
        x=x[rows].astype(np.float32),
        y=y[rows].astype(np.float32),
        mode="markers",
        marker={
            "color": measured.tokens.counts[rows],
            "colorscale": "Viridis",
            "colorbar": {"title": "tokens"},
            "size": 6,
            "opacity": 0.7,
        },
        text=[_hover(nodes[row]) for row in rows.tolist()],
        hovertemplate="%{text}<br>similarity %{x:.3f}, entropy %{y:.3f}<extra></extra>",
    )
    figure.update_layout(
        title=title,
        xaxis={"title": TITLES["sentence_similarity"], "gridcolor": "#e5e5e5"},
        yaxis={"title": TITLES["topic_entropy"], "gridcolor": "#e5e5e5"},
        **_LAYOUT | {"height": 560},
    )
    return figure


def _edges(values: np.ndarray) -> np.ndarray:
    known = values[np.isfinite(values)]
    return np.histogram_bin_edges(known, _BINS) if len(known) else np.array([0.0, 1.0])


def _hover(node: TextNode) -> str:
    """The first lines of a chunk, cut at a number of letters: Korean needs no other care."""
    text = printable(node.text[: _HOVER_LINE * _HOVER_LINES])
    lines = [text[begin : begin + _HOVER_LINE] for begin in range(0, len(text), _HOVER_LINE)]
    more = "…" if len(node.text) > len(text) else ""
    return f"<b>{escape(printable(node.node_id))}</b><br>" + "<br>".join(map(escape, lines)) + more
