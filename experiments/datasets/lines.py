"""The lines of a text file in UTF-8, each with its file and number for the sentence of an error."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from experiments.datasets.paths import existing_file

REPLACEMENT = "\ufffd"
CUT_SHORT = "the last line breaks off: the file was cut short, copy it again."
LONE_RETURNS = (
    r"a line ends in \r alone, as on old Macs: write the file anew with \n at the end of each line."
)
_BOM = "\ufeff"


class Line(NamedTuple):
    """One line. ends: whether a line break closes it; only the last one of a file may not."""

    file: Path
    number: int
    text: str
    ends: bool = True

    def error(self, problem: str) -> ValueError:
        """The error to raise about this line."""
        return ValueError(f"{self.file}, line {self.number}: {problem}")


def read_lines(path: Path, notes: list[str]) -> list[Line]:
    r"""The lines of `path` that are not blank; `notes` takes what was mended, with its count.

    A line ends in \n alone: documents may hold U+2028, U+0085 and other separators of lines.
    A byte order mark and the \r of \r\n are taken off; NUL becomes U+FFFD.
    Raises ValueError: no such file, unreadable, not UTF-8, nothing but blank lines, or lines that
    end in \r alone.
    """
    *whole, rest = read_text(path).split("\n")
    if not whole and "\r" in rest.strip():
        raise Line(path, 1, "").error(LONE_RETURNS)
    texts = [*whole, rest] if rest else whole
    lines = [Line(path, n, text, n <= len(whole)) for n, text in enumerate(texts, start=1)]
    lines = _mended(lines, notes)
    if not lines:
        raise ValueError(f"{path} is empty: at least one line is wanted.")
    return lines


def read_text(path: Path) -> str:
    """The whole file as it stands.

    Raises ValueError: no such file, unreadable, or not UTF-8 (with the line and the likely
    encoding).
    """
    try:
        data = existing_file(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from error
    if 0 in data[:2] or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(_wrong_encoding(path, data, 0, "utf-16"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            number = data.count(b"\n") + 1
            raise Line(path, number, "").error(CUT_SHORT) from error
        encoding = _likely_encoding(data)
        raise ValueError(_wrong_encoding(path, data, error.start, encoding)) from error


def _mended(lines: list[Line], notes: list[str]) -> list[Line]:
    marked = sum(line.text.startswith(_BOM) for line in lines)
    returns = sum(line.text.endswith("\r") for line in lines)
    zeros = sum("\0" in line.text for line in lines)
    clean = [
        line._replace(
            text=line.text.removeprefix(_BOM).removesuffix("\r").replace("\0", REPLACEMENT)
        )
        for line in lines
    ]
    kept = [line for line in clean if line.text.strip()]
    name = lines[0].file.name if lines else ""
    for count, what in [
        (marked, "byte order marks taken off"),
        (returns, r"lines that ended in \r\n instead of \n"),
        (zeros, "lines with the character NUL, now U+FFFD"),
        (len(clean) - len(kept), "blank lines passed over"),
    ]:
        if count:
            notes.append(f"{name}: {what}: {count}.")
    return kept


def _wrong_encoding(path: Path, data: bytes, offset: int, encoding: str) -> str:
    line = data.count(b"\n", 0, offset) + 1
    return (
        f"{path}, line {line}: UTF-8 is wanted, but byte {offset} of the file is not UTF-8; "
        f"it looks like {encoding}: convert the file (iconv -f {encoding} -t utf-8)."
    )


def _likely_encoding(data: bytes) -> str:
    """cp949 where that gives Hangul, the Western code page otherwise."""
    try:
        text = data.decode("cp949")
    except UnicodeDecodeError:
        return "cp1252"
    return "cp949" if any("가" <= letter <= "힣" for letter in text) else "cp1252"
