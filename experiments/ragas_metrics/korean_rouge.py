"""Texts as ragas's ROUGE can read them whatever their script."""

from __future__ import annotations

import re

from retrievers.analyzers import analyzer

_DROPPED = re.compile(r"[^\W_a-zA-Z0-9]")  # letters and digits that ROUGE takes for blanks


def rouge_texts(reference: str, answer: str, name: str = "auto") -> tuple[str, str]:
    """Both texts; where one has letters beyond ASCII, both as numbers, one a distinct term.

    ROUGE (Lin, 2004) counts equal words, so a number in place of a word changes no score. The
    package behind ragas keeps a–z and 0–9 alone: of Korean it sees nothing and scores 0. With the
    terms of our analyzer Korean is compared by morphemes, without particles and endings.
    """
    if not _DROPPED.search(reference + answer):
        return reference, answer
    terms = analyzer(name).analyze_many([reference, answer])
    numbers = {term: str(n) for n, term in enumerate(dict.fromkeys(terms[0] + terms[1]))}
    first, second = (" ".join(numbers[term] for term in one) for one in terms)
    return first, second
