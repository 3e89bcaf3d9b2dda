"""How often terms, and pairs of terms near each other, stand in each passage of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """The terms of n passages one after the other.

    vocabulary: term -> number.  terms: int64 [tokens], their numbers.
    owners: int64 [tokens], the passage of each.  lengths: int64 [n], in tokens.
    """

    vocabulary: dict[str, int]
    terms: Codes
    owners: Codes
    lengths: Codes

    @classmethod
    def of(cls, passages: Sequence[Sequence[str]]) -> TermCounts:
        """passages: the terms of each, in the order of the text."""
        numbers: dict[str, int] = {}
        terms = [numbers.setdefault(term, len(numbers)) for own in passages for term in own]
        lengths = np.array([len(own) for own in passages], dtype=np.int64)
        owners = np.repeat(np.arange(len(passages)), lengths)
        return cls(numbers, np.array(terms, dtype=np.int64), owners, lengths)

    def numbers(self, terms: Sequence[str]) -> Codes:
        """The numbers of those terms that the corpus has, in their order."""
        known = [self.vocabulary[term] for term in terms if term in self.vocabulary]
        return np.array(known, dtype=np.int64)

    def pair(self, first: Codes, second: Codes) -> Codes:
        """One number for two terms in this order."""
        return np.asarray(first * max(len(self.vocabulary), 1) + second, dtype=np.int64)

    def pair_any_order(self, first: Codes, second: Codes) -> Codes:
        """One number for two terms in either order."""
        return self.pair(np.minimum(first, second), np.maximum(first, second))

    def of_terms(self, wanted: Codes) -> sparse.csr_array:
        """How often each passage has each of these terms (sorted, distinct), [n, wanted]."""
        return self._counted([(self.terms, self.owners)], wanted)

    def of_adjacent(self, wanted: Codes) -> sparse.csr_array:
        """The same for `pair`s of which the second follows the first at once."""
        return self._counted([self._at_distance(1, ordered=True)], wanted)

    def of_near(self, wanted: Codes, window: int) -> sparse.csr_array:
        """The same for `pair_any_order`s less than `window` terms apart."""
        found = [self._at_distance(distance, ordered=False) for distance in range(1, window)]
        return self._counted(found, wanted)

    def _at_distance(self, distance: int, *, ordered: bool) -> tuple[Codes, Codes]:
        """All pairs of tokens of one passage so far apart, and whose they are."""
        together = self.owners[:-distance] == self.owners[distance:]
        first, second = self.terms[:-distance][together], self.terms[distance:][together]
        code = self.pair if ordered else self.pair_any_order
        return code(first, second), self.owners[:-distance][together]

    def _counted(self, found: Sequence[tuple[Codes, Codes]], wanted: Codes) -> sparse.csr_array:
        from scipy import sparse

        shape = (len(self.lengths), len(wanted))
        total = sparse.csr_array(shape, dtype=np.float64)
        for codes, owners in found if wanted.size else ():
            columns = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
            hits = wanted[columns] == codes
            ones = np.ones(int(hits.sum()))
            total = total + sparse.csr_array((ones, (owners[hits], columns[hits])), shape=shape)
        total.sum_duplicates()
        return total
