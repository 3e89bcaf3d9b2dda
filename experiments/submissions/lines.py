"""A submission file as lines, and what is wrong with it before any format is looked at."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Problem(NamedTuple):
    """Something wrong with a file. line counts from 1; None = the file as a whole."""

    line: int | None
    message: str

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class Line(NamedTuple):
    """One line that can be read."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """The readable, non-blank lines of a file.

    problems: of the bytes: an empty file, a wrong encoding, a byte order mark, CRLF, blank lines.
    notes: what is allowed and yet worth knowing.
    """

    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()


def read_lines(path: Path) -> Lines:
    """Split a UTF-8 file at line feeds alone: texts hold U+2028 and more that looks like an end.

    Raises ValueError where there is no such file; all else is a problem in the list.
    """
    if not path.is_file():
        raise ValueError(f"There is no file {path}; give the path of the submission to check.")
    data = path.read_bytes()
    if not data.strip():
        return Lines((), (Problem(None, "the file is empty"),))
    if data.startswith(UTF16):
        return Lines((), (Problem(1, "the file is UTF-16; save it as UTF-8"),))
    if b"\n" not in data and b"\r" in data.strip():
        return Lines((), (Problem(1, "the line ends with CR alone; end each line with LF"),))
    raw = data.removeprefix(codecs.BOM_UTF8).removesuffix(b"\n").split(b"\n")
    lines: list[Line] = []
    problems = _marks(data, raw)
    for number, content in enumerate(raw, 1):
        try:
            text = content.removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            problems.append(Problem(number, _undecodable(error)))
            continue
        if text.strip():
            lines.append(Line(number, text))
        else:
            problems.append(Problem(number, "the line is blank"))
    note = "The last line has no line break: is the file complete?"
    return Lines(tuple(lines), tuple(problems), () if data.endswith(b"\n") else (note,))


def _marks(data: bytes, raw: list[bytes]) -> list[Problem]:
    """What an editor left behind."""
    problems = []
    if data.startswith(codecs.BOM_UTF8):
        problems.append(Problem(1, "the file starts with a byte order mark (BOM)"))
    windows = [number for number, content in enumerate(raw, 1) if content.endswith(b"\r")]
    if windows:
        message = f"the line ends with CRLF, not LF (lines that do: {len(windows)})"
        problems.append(Problem(windows[0], message))
    return problems


def _undecodable(error: UnicodeDecodeError) -> str:
    if error.reason == "unexpected end of data":
        return "the line is cut off inside a character"
    byte = error.object[error.start]
    return f"the line is not UTF-8 (byte 0x{byte:02x} at position {error.start + 1})"
