"""Where the gold passages end in a, and where the same ones end in b."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.figures import FONT
from experiments.gold_path import KEPT, STAGES

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from experiments.diff.moves import Diff

_COLOURS = {KEPT: "#2a7f62"}
_LOST = "#b7791f"
_BETTER, _WORSE, _LEVEL = "rgba(42,127,98,.5)", "rgba(209,73,91,.5)", "rgba(120,130,140,.25)"


def flow_figure(found: Diff, a: str, b: str) -> go.Figure:
    """A flow from each stage of a to each of b; red leaves the kept ones, green joins them."""
    import plotly.graph_objects as go

    flows = found.gold.groupby(["stage_a", "stage_b"]).size()
    counts = {side: found.stages(side) for side in "ab"}
    ends = [(side, stage) for side in "ab" for stage in STAGES if stage in counts[side]]
    places = {end: place for place, end in enumerate(ends)}
    pairs = [(str(one), str(other), int(count)) for (one, other), count in flows.items()]
    names = {"a": a, "b": b}
    figure = go.Figure(
        go.Sankey(
            node={
                "label": [
                    f"{names[side]}: {stage} ({counts[side][stage]})" for side, stage in ends
                ],
                "color": [_COLOURS.get(stage, _LOST) for _, stage in ends],
                "pad": 18,
                "thickness": 16,
            },
            link={
                "source": [places["a", one] for one, _, _ in pairs],
                "target": [places["b", other] for _, other, _ in pairs],
                "value": [count for *_, count in pairs],
                "color": [_colour(one, other) for one, other, _ in pairs],
                "hovertemplate": "%{value:.0f} gold passages<extra></extra>",
            },
        )
    )
    figure.update_layout(font={"family": FONT, "size": 13}, height=460, margin={"t": 44, "b": 20})
    return figure


def _colour(one: str, other: str) -> str:
    if (one == KEPT) == (other == KEPT):
        return _LEVEL
    return _WORSE if one == KEPT else _BETTER
