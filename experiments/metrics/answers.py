"""Scores of answers against references, without a judge; Korean is compared without particles."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.metrics.per_query import PerQuery
from retrievers import korean
from retrievers.analyzers import HANGUL, clean

METRICS = ("exact_match", "token_f1", "best_subspan")
NO_REFERENCES = "The dataset has no reference answers, so answers are not scored."

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CITATIONS = re.compile(r"\[\d{1,6}(?:\s*[,;-]\s*\d{1,6})*\]")
_WIDEST = 1000  # numbers that one range stands for, at most
_HANGUL = re.compile(f"[{HANGUL}]")
_NO_WORD = ("J", "E", "VCP", "XSV", "XSA", "SF", "SP", "SS", "SO", "SW")


@dataclass(frozen=True, slots=True)
class Words:
    """A text as it is compared: case folded, in NFKC, without marks and English articles.

    text: the words as they are, one blank between them.
    words: the same, of Korean the morphemes without particles, endings and copula, where any are
        left without these.
    hangul: whether there is any Hangul in it.
    """

    text: str
    words: tuple[str, ...]
    hangul: bool


def exact_match(answer: Words, reference: Words) -> float:
    """1 where both are the same words, else 0 (Rajpurkar et al., SQuAD, EMNLP 2016).

    "서울" and "서울이다" are the same; "서울이 아니다" is not.
    """
    return float(answer.words == reference.words)


def token_f1(answer: Words, reference: Words) -> float:
    """F1 of the words that both have, as often as both have them, 0 to 1, higher is better.

    Rajpurkar et al. (SQuAD, EMNLP 2016).
    """
    shared = (Counter(answer.words) & Counter(reference.words)).total()
    return 2 * shared / max(len(answer.words) + len(reference.words), 1)


def best_subspan(answer: Words, reference: Words) -> float:
    """1 where the reference stands somewhere in the answer, letter for letter, else 0.

    Liu et al. (Lost in the Middle, TACL 2024). A Korean reference is also found without its
    particles and whatever the blanks: "서울은" in "서울", "대한민국 서울" in "대한민국서울".
    """
    if reference.text in answer.text:
        return 1.0
    parts = "".join(reference.words)
    return float(reference.hangul and bool(parts) and parts in "".join(answer.words))


_RULES: dict[str, Callable[[Words, Words], float]] = {
    "exact_match": exact_match,
    "token_f1": token_f1,
    "best_subspan": best_subspan,
}


def read_words(texts: Sequence[str]) -> list[Words]:
    """Each text as it is compared; all Korean ones in one pass."""
    plain = [_plain(text) for text in texts]
    hangul = [bool(_HANGUL.search(text)) for text in plain]
    pieces = korean.analyse([text for text, yes in zip(plain, hangul, strict=True) if yes])
    stems = [
        tuple(p.form for p in next(pieces) if not p.tag.startswith(_NO_WORD)) if yes else ()
        for yes in hangul
    ]
    return [
        Words(text, own or tuple(text.split()), yes)
        for text, own, yes in zip(plain, stems, hangul, strict=True)
    ]


def without_citations(answer: str) -> str:
    """An answer without the numbers of its passages: the [14] of a passage is not the answer 14.

    Else a number would be found or missed by the place of a passage.
    """
    return _CITATIONS.sub(" ", answer)


def cited_numbers(answer: str) -> list[int]:
    """The numbers of passages that an answer cites, each once, in its order.

    "[2]", "[1, 3]" and "[1; 3]" name single passages, "[1-3]" all from the first to the last.
    """
    found: dict[int, None] = {}
    for citation in _CITATIONS.findall(answer):
        for part in re.split("[,;]", citation.strip("[]")):
            ends = [int(number) for number in part.split("-")]
            found |= dict.fromkeys(range(ends[0], min(ends[-1] + 1, ends[0] + _WIDEST)))
    return list(found)


def score_answers(
    query_ids: Sequence[str],
    answers: Sequence[str | None],
    references: Sequence[Sequence[str]],
) -> PerQuery:
    """The three scores of each answer: its best over the query's references.

    answers: None where the call failed, which is no wrong answer: it is not scored, and counted.
        Citations such as [1] are taken out.
    references: [] (or only empty ones) where the query has none: it is not scored, and counted.
    """
    said = read_words([without_citations(answer or "") for answer in answers])
    known = [[words for words in read_words(several) if words.text] for several in references]
    values = np.full((len(answers), len(METRICS)), np.nan)
    for row, (answer, own) in enumerate(zip(said, known, strict=True)):
        if answers[row] is not None and own:
            values[row] = [max(_RULES[name](answer, one) for one in own) for name in METRICS]
    failed = sum(answer is None for answer in answers)
    return PerQuery(
        tuple(query_ids),
        metrics=METRICS,
        values=values,
        higher_is_better=(True,) * len(METRICS),
        notes=_notes(failed, sum(not own for own in known), len(answers)),
    )


def _notes(failed: int, without: int, total: int) -> tuple[str, ...]:
    return tuple(
        note
        for count, note in (
            (failed, f"{failed} of {total} answers are missing, for their calls failed."),
            (without, f"{without} of {total} queries have no reference answer to score by."),
        )
        if count
    )


def _plain(text: str) -> str:
    """Without marks and articles; a text of nothing else is kept as it is."""
    folded = clean(text)
    joined = "".join(_unmarked(folded))
    bare = " ".join(_ARTICLES.sub(" ", joined).split())
    return bare or " ".join(folded.split())


def _unmarked(text: str) -> list[str]:
    """Marks are dropped as in SQuAD; a blank takes their place beside Hangul."""
    around = f" {text} "
    return [
        (" " if _HANGUL.search(around[place] + around[place + 2]) else "")
        if _is_mark(sign)
        else sign
        for place, sign in enumerate(text)
    ]


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "P" or sign in "$+<=>^`|~"
