"""How well a query does among queries of one random word: the null that a gate tests against."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from retrievers.analyzers import analyzer
from retrievers.base import BatchRetriever
from retrievers.ranking import EVERY_PART, Flags, QueryPlan, Scores

FEWEST = 30
"""Fewer passages than this give no standard deviation to rely on."""

ROUNDING = 1e-9
"""Spreads that differ by less, relatively, are equal."""


class RandomWords:
    """Queries of one word each, drawn evenly from the distinct words of a corpus's passages.

    A query is compared with words and passages of its own script, because telling Korean from
    English passages is no sign of knowing what it is about. Where fewer than `FEWEST` passages are
    written in its script, all passages and words serve.
    """

    def __init__(self, texts: Sequence[str], draws: int, seed: int) -> None:
        self.texts, self.draws, self.seed = texts, draws, seed
        self._drawn: dict[str, tuple[Flags, list[str]]] = {}

    def chances(self, leaf: BatchRetriever, plans: Sequence[QueryPlan]) -> Scores:
        """How often a word tells passages apart as well as each plan, in (0, 1], [q].

        NaN where the leaf says nothing: the plan has no hit, no word tells passages apart, or the
        corpus has fewer than `FEWEST` passages.
        """
        several = [plan.for_part(leaf.name).texts[EVERY_PART] for plan in plans]
        every = {text: np.nan for texts in several for text in texts}
        for script, texts in _grouped(every).items():
            every |= zip(texts, self._of_texts(leaf, texts, script), strict=True)
        return np.array([_least([every[text] for text in texts]) for texts in several])

    def for_script(self, script: str) -> tuple[Flags, list[str]]:
        """The passages (bool [n]) and the words that a query in this script is compared with."""
        if script not in self._drawn:
            own = np.array([main_script(text) == script for text in self.texts], dtype=bool)
            among = own if own.sum() >= FEWEST else np.ones(len(self.texts), dtype=bool)
            self._drawn[script] = (among, self._words(among))
        return self._drawn[script]

    def _words(self, among: Flags) -> list[str]:
        """At most `draws` distinct words of those passages, each as likely as any other."""
        texts = [text for text, wanted in zip(self.texts, among, strict=True) if wanted]
        words = {word for terms in analyzer("unicode").analyze_many(texts) for word in terms}
        drawn = np.random.default_rng(self.seed).permutation(sorted(words))[: self.draws]
        return [str(word) for word in drawn]

    def _of_texts(self, leaf: BatchRetriever, texts: Sequence[str], script: str) -> Scores:
        among, words = self.for_script(script)
        if among.sum() < FEWEST or not words:
            return np.full(len(texts), np.nan)
        null = leaf.spread(words, among)
        null = null[~np.isnan(null)]
        if not null.any():
            return np.full(len(texts), np.nan)
        spreads = leaf.spread(texts, among)
        as_good = (null >= spreads[:, None] * (1 - ROUNDING)).sum(axis=1)
        return np.where(np.isnan(spreads), np.nan, (1 + as_good) / (1 + len(null)))


def geometric_mean(chances: Mapping[str, Scores]) -> Scores:
    """The geometric mean over the parts that say something, [q]; NaN where none does."""
    values = np.array(list(chances.values()))
    said = ~np.isnan(values)
    logs, count = np.log(np.where(said, values, 1.0)).sum(axis=0), said.sum(axis=0)
    return np.where(count > 0, np.exp(logs / np.maximum(count, 1)), np.nan)


def main_script(text: str) -> str:
    """The script of most letters of a text ("LATIN", "HANGUL", ...), "" where it has none."""
    counts: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        counts[_script(letter)] += count
    del counts[""]
    return max(sorted(counts), key=counts.__getitem__, default="")


@cache
def _script(letter: str) -> str:
    """The first word of a letter's Unicode name; Han and kana are one script here."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").split(" ")[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA") else name


def _grouped(texts: Mapping[str, float]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(main_script(text), []).append(text)
    return groups


def _least(values: Sequence[float]) -> float:
    return min((value for value in values if not np.isnan(value)), default=np.nan)
