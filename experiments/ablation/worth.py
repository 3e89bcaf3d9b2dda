"""How much the whole pipeline gains by each part, as paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.atomic_file import atomic_file
from experiments.metrics.multiple_testing import holm_known
from experiments.metrics.significance import PairedDifference, paired_difference

if TYPE_CHECKING:
    from rich.table import Table

    from experiments.overfit_report.gathered import Gathered

_COLUMNS = ("part", "half", "worth", "low", "high", "p", "p_holm", "queries", "won", "lost", "same")


@dataclass(frozen=True, slots=True)
class Worth:
    """The whole pipeline minus the one without the part, on one half.

    corrected: p over all the parts of this half (Holm); None without a scored query.
    """

    part: str
    half: str
    difference: PairedDifference
    corrected: float | None

    @property
    def queries(self) -> float:
        """The gain as a number of questions: the mean times how many were scored."""
        return (self.difference.mean or 0.0) * self.difference.n


def worths(gathered: Gathered, whole: str) -> list[Worth]:
    """One a part and half, the parts in their order; halves that were not scored are left out."""
    base = gathered.row(whole)
    found: list[Worth] = []
    for half, table in (("public", gathered.public), ("private", gathered.private)):
        if not table.shape[1]:
            continue
        named = [name for name in gathered.names if name != whole]
        pairs = {
            name: paired_difference(
                table[base], table[gathered.row(name)], higher_is_better=gathered.higher_is_better
            )
            for name in named
        }
        found += _corrected(half, pairs)
    return found


def _corrected(half: str, pairs: Mapping[str, PairedDifference]) -> list[Worth]:
    corrected = holm_known([pair.p for pair in pairs.values()], count=len(pairs))
    told = zip(pairs.items(), corrected, strict=True)
    return [Worth(name, half, pair, p) for (name, pair), p in told]


def write_worths(folder: Path, found: Sequence[Worth]) -> Path:
    """Write ablation.tsv; empty cells where a number does not exist."""
    lines = ["\t".join(_COLUMNS)]
    for one in found:
        pair = one.difference
        numbers = (pair.mean, pair.low, pair.high, pair.p, one.corrected, one.queries)
        cells = ["" if number is None else f"{number:.6g}" for number in numbers]
        counts = [str(count) for count in (pair.wins, pair.losses, pair.ties)]
        lines.append("\t".join([one.part, one.half, *cells, *counts]))
    with atomic_file(folder / "ablation.tsv") as part:
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")
    return folder / "ablation.tsv"


def worth_table(found: Sequence[Worth], metric: str) -> Table:
    """A line for each part and half; 80 columns hold it."""
    from rich.table import Table
    from rich.text import Text

    title = f"What each part is worth: {metric} of the whole minus {metric} of the variant"
    table = Table(title=title, title_justify="left")
    table.add_column("variant", overflow="fold")
    table.add_column("split")
    for heading in ("worth", "95 % interval", "queries", "p (Holm)"):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in dict.fromkeys(one.part for one in found):
        for one in [one for one in found if one.part == part]:
            table.add_row(Text(part), one.half, *_cells(one))
    return table


def _cells(one: Worth) -> list[str]:
    pair = one.difference
    if pair.mean is None:
        return ["–"] * 4
    interval = "–" if pair.low is None else f"{pair.low:+.3f} … {pair.high:+.3f}"
    p = "–" if one.corrected is None else f"{one.corrected:.3f}"
    return [f"{pair.mean:+.4f}", interval, f"{one.queries:+.1f}", p]
