"""Public against private gains of all trials, with the band that chance explains."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import FONT
from experiments.storable_text import storable_text

_LONGEST = 40

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.overfit_report.findings import Findings


def gains_figure(found: Findings) -> go.Figure | None:
    """One point a trial; the band is 95 % of the differences between two halves by chance.

    Both axes have one scale, so that the dotted line of equal gains rises by 45 degrees.
    None while the private half is sealed, or where no trial has private scores.
    """
    import plotly.graph_objects as go

    gains = found.scores.gains()
    if gains.private is None or not gains.shown.any():
        return None
    last = np.array([name == found.card.trial for name in gains.names])
    places = np.concatenate([np.flatnonzero(gains.shown & one) for one in (~last, last)])
    public, private = gains.public[places].mean(axis=1), gains.private[places].mean(axis=1)
    names = [storable_text(gains.names[int(place)]) for place in places]
    chosen, baseline = storable_text(found.card.trial), storable_text(found.card.baseline)
    band = 1.96 * found.card.drop.error if found.card.drop else 0.0
    reach = 1.1 * float(np.abs([*public, *private, band]).max() or 1.0)
    ends = np.array([-2 * reach, 2 * reach])
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([ends, ends[::-1]]),
        y=np.concatenate([ends - band, ends[::-1] + band]),
        mode="lines",
        fill="toself",
        fillcolor="rgba(31,111,139,0.12)",
        line={"width": 0},
        hoverinfo="skip",
        name="equal in both halves, give or take chance",
    )
    figure.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        line={"dash": "dot", "width": 1, "color": "#5b6b7b"},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=[0],
        y=[0],
        mode="markers",
        marker={"symbol": "cross", "size": 10, "color": "#1d2733"},
        hovertemplate=f"{escape(baseline)}<extra></extra>",
        name="baseline",
    )
    figure.add_scatter(
        x=public,
        y=private,
        mode="markers",
        marker={
            "color": ["#d1495b" if name == chosen else "#1f6f8b" for name in names],
            "size": 9,
            "opacity": 0.8,
        },
        text=[*map(escape, names)],
        hovertemplate="%{text}<br>public %{x:+.4f}, private %{y:+.4f}<extra></extra>",
        name=f"trials (red: {escape(_short(chosen))})",
    )
    figure.update_layout(
        xaxis={
            "title": f"public gain over {escape(_short(baseline))}",
            "gridcolor": "#e5e5e5",
            "range": [-reach, reach],
        },
        yaxis={
            "title": "private gain",
            "gridcolor": "#e5e5e5",
            "range": [-reach, reach],
            "scaleanchor": "x",
        },
        template="plotly_white",
        font={"family": FONT, "size": 14},
        legend={"orientation": "h", "y": -0.15},
        margin={"t": 30},
        height=640,
    )
    return figure


def _short(name: str) -> str:
    """As much of a name as stands beside an axis."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
