"""Where the misses are, from the lowest to the highest values of a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.figures import FONT
from experiments.misses.relation import MissRelation

if TYPE_CHECKING:
    import plotly.graph_objects as go


def miss_figure(relation: MissRelation) -> go.Figure | None:
    """The share of the misses in each tenth of the gold passages, with 95 % intervals.

    Without a relation every bar reaches the dashed line, give or take its interval. None where
    too few gold passages have a value, or where none or all of them were missed.
    """
    if not relation.deciles:
        return None
    import plotly.graph_objects as go

    shares = [100 * share for share, _, _ in relation.deciles]
    figure = go.Figure()
    figure.add_bar(
        x=[f"{10 * place}–{10 * place + 10} %" for place in range(len(shares))],
        y=shares,
        error_y=_intervals(relation),
        marker={"color": "#1f6f8b"},
        hovertemplate="%{x}: %{y:.1f} % of the misses<extra></extra>",
    )
    figure.add_hline(
        y=10,
        line={"dash": "dash", "color": "#d1495b"},
        annotation={"text": "no relation", "font": {"color": "#d1495b"}},
        annotation_position="right",
    )
    figure.update_layout(
        title=f"{relation.name}: where the misses are",
        xaxis={"title": "tenths of the gold passages, lowest values to highest"},
        yaxis={"title": "share of the misses (%)", "rangemode": "tozero", "gridcolor": "#e5e5e5"},
        template="plotly_white",
        font={"family": FONT, "size": 14},
        margin={"t": 60, "r": 90, "b": 60, "l": 70},
        height=380,
    )
    return figure


def _intervals(relation: MissRelation) -> dict[str, object]:
    rows = [(share, low, high) for share, low, high in relation.deciles if low is not None]
    return {
        "type": "data",
        "visible": len(rows) == len(relation.deciles),
        "array": [100 * ((high or 0.0) - share) for share, _, high in rows],
        "arrayminus": [100 * (share - low) for share, low, _ in rows],
    }
