"""What a run shows in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.metrics.measures import JUDGED

if TYPE_CHECKING:
    from experiments.metrics.significance import PairedDifference
    from experiments.result import Differences, Result
    from experiments.schema import Dataset, Mean

NO_LABELS = "This dataset has no labels, so nothing is scored; the ranking is written."

_WIDE = (
    "p is small beside an interval that spans 0: an interval is never narrower than one full win "
    "and one full loss would make it."
)
_NARROWEST = 60  # columns below which a table would be lines without numbers


def terminal() -> Console:
    """The output stream, at least as wide as a table with one metric needs."""
    out = Console()
    return out if out.width >= _NARROWEST else Console(width=_NARROWEST)


def show_dataset(dataset: Dataset) -> None:
    """One line: how many documents, questions and labels there are."""
    turns = sum(bool(query.history) for query in dataset.queries)
    several = f" ({turns} with earlier turns)" if turns else ""
    said = f"{dataset.name}: {len(dataset.corpus):,} documents, {len(dataset.queries):,} questions"
    if dataset.spans is not None:
        labelled = sum(map(bool, dataset.spans.values()))
    else:
        labelled = sum(any(g > 0 for g in one.values()) for one in (dataset.qrels or {}).values())
    say(terminal(), f"{said}{several}, {labelled:,} of them with a gold passage.")


def show_notes(notes: Sequence[str]) -> None:
    """One line for each thing that loading or splitting left out or mended."""
    for note in notes:
        say(terminal(), f"Note: {note}")


def show(
    results: Mapping[str, Result],
    against: Mapping[str, Differences],
    baseline: str | None,
    folder: Path,
    steps: Mapping[str, Differences] | None = None,
) -> None:
    """The tables of a finished run, and where its files are.

    steps: each pipeline against the one before it, where they build on each other.
    """
    out = terminal()
    first = next(iter(results.values()))
    if first.scores is None:
        say(out, NO_LABELS)
    else:
        _show_scores(out, results, first.scores.metrics)
        _show_score_notes(out, results)
        if baseline is not None and against:
            _show_differences(out, against, baseline, first.scores.metrics[0])
        if steps:
            _show_differences(out, steps, "the step before", first.scores.metrics[0])
    _show_gates(out, results)
    if stored := [name for name, result in results.items() if result.stored]:
        say(
            out, f"Run before and read from the store: {', '.join(stored)} (force=true runs again)."
        )
    say(out, f"Written to {folder} (and {folder.parent.parent / 'latest'}).")


def _show_scores(out: Console, results: Mapping[str, Result], metrics: Sequence[str]) -> None:
    """Pipelines down; their measures, public and private means of the first metrics across."""
    first = next(iter(results.values()))
    sides = [side for side in first.means if side != "all"]
    taken = max(map(len, ["pipeline", *results])) + sum(len(name) + 3 for name in first.measures)
    shown = _that_fit(metrics, out.width - taken, len(sides))
    table = Table(title_justify="left")
    table.add_column("pipeline")
    for name in first.measures:
        table.add_column(name.replace("_", " "), justify="right")
    for metric in shown:
        for side in sides:
            table.add_column(f"{metric}\n{side}", justify="right")
    for name, result in results.items():
        means = [result.means[side][metric].mean for metric in shown for side in sides]
        cells = [f"{value:,.0f}" for value in result.measures.values()]
        cells += ["–" if mean is None else f"{mean:.4f}" for mean in means]
        table.add_row(Text(name), *cells)
    out.print(table)
    for side in sides:
        said = {name: [_coverage(result.means[side])] for name, result in results.items()}
        for coverage, names in _by_sentence(said).items():
            whose = "" if len(names) == len(said) else f" ({', '.join(names)})"
            say(out, f"{side}{whose}: {coverage}")
    if len(shown) < len(metrics):
        say(out, f"In summary.json too: {', '.join(metrics[len(shown) :])}.")


def _show_score_notes(out: Console, results: Mapping[str, Result]) -> None:
    """What a reader of the means should know, and of which pipelines."""
    notes = {name: one.scores.notes if one.scores else () for name, one in results.items()}
    for note, names in _by_sentence(notes).items():
        say(out, f"{'Note' if len(names) == len(results) else ', '.join(names)}: {note}")


def _by_sentence(said: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Sentence -> the pipelines that it is said of, in their order."""
    found: dict[str, list[str]] = {}
    for name, sentences in said.items():
        for sentence in dict.fromkeys(sentences):
            found.setdefault(sentence, []).append(name)
    return found


def _that_fit(metrics: Sequence[str], width: int, sides: int) -> Sequence[str]:
    """The first metrics, as many as the terminal has room for; one at least."""
    room = np.cumsum([sides * (max(len(metric), len("private")) + 3) for metric in metrics])
    return metrics[: max(1, int((room + 6 <= width).sum()))]


def _show_differences(
    out: Console, against: Mapping[str, Differences], baseline: str, metric: str
) -> None:
    """Each pipeline against the baseline, query by query, on the first metric."""
    title = f"{metric} minus {baseline}, query by query"
    table = Table(title=title, title_justify="left")
    p = "p" if len(against) == 1 else f"p of {len(against)}"
    for heading in ("pipeline", "split", "difference", "95 % interval", p, "won/lost/same"):
        words = heading in ("pipeline", "split")
        table.add_column(heading, justify="left" if words else "right")
    for name, by_side in against.items():
        for side in [side for side in by_side if side != "all"]:
            table.add_row(Text(name), side, *_cells(by_side[side][metric]))
    out.print(table)
    if len(against) > 1:
        say(out, f"{p}: corrected for the {len(against)} pipelines of this table (Holm).")
    sides = [
        side for by_side in against.values() for name, side in by_side.items() if name != "all"
    ]
    if any(_open(side[metric]) for side in sides):
        say(out, _WIDE)


def _open(difference: PairedDifference) -> bool:
    """Whether p is small beside an interval that spans zero."""
    p, low, high = _p(difference), difference.low, difference.high
    return p is not None and p < 0.05 and low is not None and high is not None and low < 0 < high


def _p(difference: PairedDifference) -> float | None:
    return difference.p if difference.corrected is None else difference.corrected


def _cells(difference: PairedDifference) -> list[str]:
    p = _p(difference)
    if difference.mean is None or p is None:
        return ["–"] * 4
    interval = "–"
    if difference.low is not None:
        interval = f"{difference.low:+.4f} … {difference.high:+.4f}"
    mean = round(difference.mean, 9) + 0.0  # no -0.0000
    record = f"{difference.wins}/{difference.losses}/{difference.ties}"
    return [f"{mean:+.4f}", interval, f"{p:.4f}", record]


def _show_gates(out: Console, results: Mapping[str, Result]) -> None:
    for name, result in results.items():
        blocked = result.blocked
        if blocked.any():
            said = f"{name}: the gate blocked {int(blocked.sum())} of {len(blocked)} queries"
            say(out, f"{said}; gate.tsv says why.")
        for note in result.notes:
            say(out, f"{name}: {note}")
    cautions = {name: result.cautions for name, result in results.items()}
    for caution, names in _by_sentence(cautions).items():
        say(out, f"Caution: {', '.join(names)}: {caution}")


def say(out: Console, sentence: str) -> None:
    """One line, however long: words and paths are not cut."""
    out.print(sentence, markup=False, highlight=False, soft_wrap=True)


def _coverage(means: Mapping[str, Mean]) -> str:
    """How many queries the means cover, metrics with the same number together.

    The share of judged results is left out, for it depends on how many lists are empty.
    """
    groups: dict[str, list[str]] = {}
    for metric, mean in means.items():
        if metric.startswith(JUDGED) and len(means) > 1:
            continue
        groups.setdefault(f"{mean.n_scored} of {mean.n_total}", []).append(metric)
    if len(groups) == 1:
        return f"{next(iter(groups))} queries scored"
    return "; ".join(f"{said} queries scored by {', '.join(who)}" for said, who in groups.items())
