"""Public against private gains of all trials, with the band that chance explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import FONT
from experiments.storable_text import storable_text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.overfit_report.findings import Findings


def gains_figure(found: Findings) -> go.Figure | None:
    """One point a trial; the band is 95 % of the differences between two halves by chance.

    None while the private half is sealed, or where no trial has private scores.
    """
    import plotly.graph_objects as go

    gains = found.scores.gains()
    if gains.private is None or not gains.shown.any():
        return None
    places = np.flatnonzero(gains.shown)
    public, private = gains.public[places].mean(axis=1), gains.private[places].mean(axis=1)
    names = [storable_text(gains.names[int(place)]) for place in places]
    chosen, baseline = storable_text(found.card.trial), storable_text(found.card.baseline)
    ends = np.array([min(public.min(), private.min(), 0.0), max(public.max(), private.max(), 0.0)])
    band = 1.96 * found.card.drop.error if found.card.drop else 0.0
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
        x=public,
        y=private,
        mode="markers",
        marker={
            "color": ["#d1495b" if name == chosen else "#1f6f8b" for name in names],
            "size": 9,
            "opacity": 0.8,
        },
        text=names,
        hovertemplate="%{text}<br>public %{x:+.4f}, private %{y:+.4f}<extra></extra>",
        name=f"trials (red: {chosen})",
    )
    figure.update_layout(
        xaxis={"title": f"public gain over {baseline}", "gridcolor": "#e5e5e5"},
        yaxis={"title": "private gain", "gridcolor": "#e5e5e5"},
        template="plotly_white",
        font={"family": FONT, "size": 14},
        legend={"orientation": "h", "y": -0.2},
        margin={"t": 30},
        height=560,
    )
    return figure
