"""Questions without a model: a sentence of the passage with its rarest word blanked out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from experiments.questions.written import Written
from experiments.schema import Document
from retrievers.sentences import split_sentences

_WORD = re.compile(r"[^\W\d_]{2,}")
_KOREAN = re.compile(r"[가-힣]")
_BLANK = "____"
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Cloze:
    """Blanks one word. Such questions copy their passage, so lexical retrieval finds it easily."""

    name: ClassVar[str] = "cloze"
    circular: ClassVar[tuple[str, ...]] = ("retrievers.bm25", "retrievers.char_tfidf")

    def write(
        self, documents: Sequence[Document], corpus: Sequence[Document]
    ) -> tuple[list[Written], Counter[str]]:
        """One a document that has a sentence of five words or more, and how many have none.

        The word that the fewest passages of the corpus hold is blanked, the longest of equals; it
        stands once in its sentence, so the blank has one answer there.
        """
        counts = Counter(word for one in corpus for word in {*_WORD.findall(one.text)})
        found = (_question(document, counts) for document in documents)
        written = [one for one in found if one is not None]
        lost = len(documents) - len(written)
        return written, Counter({"no sentence has five words": lost} if lost else {})


def _question(document: Document, counts: Counter[str]) -> Written | None:
    best: tuple[tuple[int, int], str, str] | None = None
    for sentence in split_sentences(document.text):
        words = _WORD.findall(sentence)
        if len(words) < _FEWEST_WORDS:
            continue
        for word in words:
            if sentence.count(word) == 1:
                rank = (counts[word], -len(word))
                if best is None or rank < best[0]:
                    best = (rank, sentence, word)
    if best is None:
        return None
    _, sentence, word = best
    blanked = " ".join(sentence.replace(word, _BLANK).split())
    korean = _KOREAN.search(blanked)
    ask = "빈칸에 들어갈 말은?" if korean else "Which word is missing?"
    return Written(document.id, f"{ask} {blanked}", word, frame=ask)
