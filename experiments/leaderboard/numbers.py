"""Scores as people write them: 0.8773, 0,8773 and 87.73 %."""

from __future__ import annotations

import math
import re

_PLAIN = re.compile(r"[+]?(\d+)(?:[.,](\d*))?|[+]?[.,](\d+)")
_SCIENTIFIC = re.compile(r"[+]?\d+(\.\d*)?[eE][+-]?\d+")


def score(text: str) -> tuple[float, int]:
    """The number from 0 to 1, NaN where it is none, and how many decimals it has.

    A percent sign divides by 100; a comma before the last digits is a decimal point.
    """
    plain = "".join(text.split())
    percent = plain.endswith(("%", "％"))
    plain = plain.rstrip("%％")
    shift = 2 if percent else 0
    if _SCIENTIFIC.fullmatch(plain):
        value, digits = float(plain), 17
    elif _PLAIN.fullmatch(plain):
        value = float(plain.replace(",", "."))
        digits = len(re.split("[.,]", plain)[1]) if re.search("[.,]", plain) else 0
    else:
        return math.nan, 0
    value /= 10**shift
    return (value if 0 <= value <= 1 else math.nan), digits + shift
