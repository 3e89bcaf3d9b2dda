"""What a vote shows: what could not be read, and what each file adds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from experiments.atomic_file import atomic_file
from experiments.console import say, terminal
from experiments.vote.agreement import Share
from experiments.vote.ballots import Ballot

_SHOWN = 10
_HEADINGS = ("file", "weight", "half", "overlap", "questions changed", "gain", "low", "high")


def show_problems(ballots: Sequence[Ballot]) -> None:
    """The first problems of each file, by line; the rest of the file votes."""
    out = terminal()
    for ballot in ballots:
        for told in ballot.faults(_SHOWN, "more problems stand in problems.tsv"):
            say(out, told)


def write_problems(folder: Path, ballots: Sequence[Ballot]) -> Path:
    """Write problems.tsv: file, line (empty: the whole file), problem."""
    rows = [
        "\t".join([str(one.path), "" if line is None else str(line), " ".join(message.split())])
        for one in ballots
        for line, message in one.problems
    ]
    return _write(folder / "problems.tsv", ["file\tline\tproblem", *rows])


def write_shares(folder: Path, shares: Sequence[Share]) -> Path:
    """Write files.tsv: one row a file and half; without labels one row a file, of no half."""
    rows = []
    for side in _sides(shares):
        for share in shares:
            name, weight, *cells = _cells(share, side)
            rows.append("\t".join([name, weight, side, *cells]))
    return _write(folder / "files.tsv", ["\t".join(_HEADINGS), *rows])


def show_shares(shares: Sequence[Share]) -> None:
    """A table a half; without labels one, of how far each file agrees with the vote."""
    out = terminal()
    for side in _sides(shares):
        say(out, f"What each file adds, {side}:" if side else "How far each file agrees:")
        table = Table()
        headings = ["file", "weight", "agrees", "changes"]
        headings += ["gain", "95 % interval"] if side else []
        for heading in headings:
            words = heading == "file"
            table.add_column(heading, justify="left" if words else "right", no_wrap=not words)
        for share in shares:
            name, weight, overlap, changed, mean, low, high = _cells(share, side)
            told = [mean, f"{low} … {high}" if low else "–"] if side else []
            table.add_row(Text(name, overflow="fold"), weight, overlap, changed, *told)
        out.print(table)
    gain = "; gain: the vote minus the vote without it" if any(_sides(shares)) else ""
    say(
        out,
        "agrees: how much of the vote the file names itself; changes: questions that the vote "
        f"answers otherwise without it{gain}.",
    )


def _sides(shares: Sequence[Share]) -> Sequence[str]:
    """The halves with gains; without labels one, "", that has none."""
    return [*shares[0].gains] or [""]


def _cells(share: Share, side: str) -> list[str]:
    gain = share.gains.get(side)
    numbers = [None, None, None] if gain is None else [gain.mean, gain.low, gain.high]
    return [
        share.name,
        f"{share.weight:g}",
        f"{share.overlap:.3f}",
        str(share.changed),
        *("" if number is None else f"{number:+.4f}" for number in numbers),
    ]


def _write(path: Path, lines: Sequence[str]) -> Path:
    with atomic_file(path) as part:
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")
    return path
