"""The report as one page that opens without a network, and as a few lines of text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments import pages
from experiments.overfit_report import words
from experiments.overfit_report.figure import gains_figure
from experiments.overfit_report.findings import Findings

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.metrics.significance import PairedDifference

_TEMPLATE = Path(__file__).with_name("page.html")
_COLOURS = {"OVERFIT": "#d1495b", "REAL": "#2a7f62", "NOISE": "#5b6b7b", "UNRESOLVED": "#b7791f"}


def write_page(path: Path, found: Findings) -> Path:
    """Write the card, what choosing did, and the ladder."""
    return pages.write_page(
        path,
        _TEMPLATE,
        card=found.card,
        colour=_COLOURS[found.card.verdict.word],
        metric=found.gathered.metric,
        meaning=words.MEANINGS[found.card.verdict.word],
        glossary=words.GLOSSARY,
        second=words.next_to_best(found),
        halves=halves(found),
        about=words.about(found),
        ladder=rungs(found),
        figure=pages.inserted(gains_figure(found), "gains"),
    )


def halves(found: Findings) -> list[list[str]]:
    """A row a half: both means, the gain with its interval, in queries, won/lost/same."""
    card = found.card
    rows = [["public", *_means(card.public_means), *_gain(card.public)]]
    if card.private is not None and card.private_means is not None:
        rows.append(["private", *_means(card.private_means), *_gain(card.private)])
    return rows


def rungs(found: Findings) -> list[list[str]]:
    """A row for each of the best in public."""
    return [
        [
            rung.trial,
            _signed(rung.public.mean),
            f"{rung.public_p:.4f}",
            "–" if rung.private is None else _signed(rung.private.mean),
            "–" if rung.private_p is None else f"{rung.private_p:.4f}",
        ]
        for rung in found.ladder
    ]


def ladder_table(found: Findings) -> Table:
    """The ladder for a terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title_justify="left")
    for heading in ("trial", "public gain", "corrected p", "private gain", "corrected p"):
        table.add_column(heading, justify="left" if heading == "trial" else "right")
    for name, *cells in rungs(found):
        table.add_row(Text(name), *cells, style="bold" if name == found.card.trial else "")
    return table


def _means(pair: tuple[float, float]) -> list[str]:
    return [f"{mean:.4f}" for mean in pair]


def _gain(gain: PairedDifference) -> list[str]:
    mean = gain.mean or 0.0
    interval = "–" if gain.low is None else f"{gain.low:+.4f} … {gain.high:+.4f}"
    record = f"{gain.wins} / {gain.losses} / {gain.ties}"
    return [_signed(mean), interval, f"{mean * gain.n:+.1f} of {gain.n}", record]


def _signed(value: float | None) -> str:
    """Four digits and a sign, and no minus before nothing."""
    return f"{round(value or 0.0, 4) + 0.0:+.4f}"
