"""What stands in the corpus more than once: equal chunks, nearly equal ones, shared sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from llama_index.core.schema import BaseNode
from numpy.typing import NDArray

from chunk_quality.minhash import check_likeness, similar_groups
from chunk_quality.reading import Reading, read, text_of
from retrievers.analyzers import clean

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class SharedSentence:
    """A sentence that many documents hold.

    text: as it stands where it comes first.
    documents, chunks: how many hold it.  characters: of all its occurrences.
    """

    text: str
    documents: int
    chunks: int
    characters: int


@dataclass(frozen=True, slots=True, eq=False)
class Repetition:
    """What of n chunks is said more than once.

    exact: groups of equal chunks, by id. near: groups of chunks that are linked by being equal or
        nearly equal; each exact group lies in one of them. In all groups the first chunk of the
        corpus leads, and groups stand in the order of their leaders. A group is a connected
        component: where A is like B and B is like C, all three are one group, also if A is not
        like C.
    copies: int32 [n], the other chunks of the chunk's group in `near`, 0 for most.
    boilerplate: the shared sentences, those that fill most characters first.
    boilerplate_characters: int64 [n], what they fill of each chunk.
    characters: of all chunks together.  blank: chunks without text, which have no copies.
    """

    chunk_ids: tuple[str, ...]
    exact: Groups
    near: Groups
    copies: NDArray[np.int32]
    boilerplate: tuple[SharedSentence, ...]
    boilerplate_characters: NDArray[np.int64]
    characters: int
    blank: int

    @property
    def redundant(self) -> int:
        """How many chunks would go if each group of `near` kept one."""
        return sum(len(group) - 1 for group in self.near)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Finds repeated chunks and boilerplate.

    threshold: chunks are near duplicates when the Jaccard similarity of their sets of `shingle`
        consecutive letters is at least this, 0.2 to 1.
    boilerplate_documents: in how many different documents a sentence stands to be boilerplate;
        one with fewer than two terms ("1.", "Methods.") never is.
    seed: of the hash functions that propose pairs (see `similar_groups`).

    Texts are compared as the analyzers read them (`clean`), with each run of white space one
    blank. Neighbours cut from one document with an overlap are no near duplicates of each other,
    for the overlap was asked for: two chunks of a document whose characters overlap are linked
    only where they are equal. They may still meet in a group through a third chunk.
    Raises ValueError for an impossible option.
    """

    threshold: float = 0.8
    _: KW_ONLY
    shingle: int = 5
    boilerplate_documents: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_likeness(self.threshold, self.shingle)
        if self.boilerplate_documents < 2:
            raise ValueError(
                f"boilerplate_documents is {self.boilerplate_documents}: "
                "a sentence is shared from 2 documents on."
            )

    def find(self, nodes: Sequence[BaseNode], reading: Reading | None = None) -> Repetition:
        """Compare the chunks' own text (no title, no metadata).

        reading: what `read(nodes)` gives, where it is at hand.
        Raises ValueError for a reading of other chunks.
        """
        ids = tuple(node.node_id for node in nodes)
        reading = read(nodes) if reading is None else reading
        if reading.chunk_ids != ids:
            raise ValueError("The reading is of other chunks: give the one of these nodes.")
        texts = [text_of(node) for node in nodes]
        equal, distinct = _numbered([_normal(text) for text in texts])
        alike = self._alike(nodes, equal, distinct)[equal]
        blank = np.array([not distinct[number] for number in equal.tolist()], dtype=np.bool_)
        shared, characters = self._boilerplate(reading, alike)
        sizes = np.bincount(alike)[alike]
        return Repetition(
            chunk_ids=ids,
            exact=_groups(ids, equal, blank),
            near=_groups(ids, alike, blank),
            copies=np.where(blank, 0, sizes - 1).astype(np.int32),
            boilerplate=shared,
            boilerplate_characters=characters,
            characters=sum(map(len, texts)),
            blank=int(blank.sum()),
        )

    def _alike(
        self, nodes: Sequence[BaseNode], equal: NDArray[np.intp], distinct: Sequence[str]
    ) -> NDArray[np.intp]:
        """The group of each distinct text."""
        places = _places(nodes, equal, len(distinct))

        def overlapping(left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
            one, other = places[left], places[right]
            same = (one[:, 0] == other[:, 0]) & (one[:, 0] >= 0)
            met = (one[:, 1] < other[:, 2]) & (other[:, 1] < one[:, 2])
            return same & met  # type: ignore[no-any-return]

        return similar_groups(
            distinct, self.threshold, shingle=self.shingle, seed=self.seed, apart=overlapping
        )

    def _boilerplate(
        self, reading: Reading, alike: NDArray[np.intp]
    ) -> tuple[tuple[SharedSentence, ...], NDArray[np.int64]]:
        """The shared sentences, and the characters of them in each chunk.

        Copies of a chunk count once, for their sentences meet no other company: what counts is
        the documents or the groups of alike chunks, whichever are fewer.
        """
        number, _ = _numbered([_normal(sentence) for sentence in reading.sentences])
        document, _ = _numbered(reading.documents)
        lengths = np.array([len(sentence) for sentence in reading.sentences], dtype=np.int64)
        owners = reading.owners
        holders = np.minimum(_holders(number, document[owners]), _holders(number, alike[owners]))
        says_something = np.array([len(terms) > 1 for terms in reading.terms], dtype=np.bool_)
        shared = (holders >= self.boilerplate_documents)[number] & says_something
        chunks = _holders(number, owners)
        filled = np.bincount(number, weights=lengths).astype(np.int64)
        _, firsts = np.unique(number, return_index=True)
        found = [
            SharedSentence(reading.sentences[first], *map(int, counts))
            for first, *counts in zip(firsts, holders, chunks, filled, strict=True)
            if shared[first]
        ]
        found.sort(key=lambda sentence: (-sentence.characters, sentence.text))
        characters = np.bincount(
            owners[shared], weights=lengths[shared], minlength=len(reading.chunk_ids)
        )
        return tuple(found), characters.astype(np.int64)


def _normal(text: str) -> str:
    return " ".join(clean(text).split())


def _numbered(texts: Sequence[str]) -> tuple[NDArray[np.intp], list[str]]:
    """The number of each text among the distinct ones, and those."""
    numbers: dict[str, int] = {}
    of_each = [numbers.setdefault(text, len(numbers)) for text in texts]
    return np.array(of_each, dtype=np.intp), [*numbers]


def _groups(ids: Sequence[str], labels: NDArray[np.intp], blank: NDArray[np.bool_]) -> Groups:
    members: dict[int, list[str]] = defaultdict(list)
    for row in np.flatnonzero(~blank).tolist():
        members[labels[row]].append(ids[row])
    return tuple(tuple(group) for group in members.values() if len(group) > 1)


def _places(nodes: Sequence[BaseNode], equal: NDArray[np.intp], distinct: int) -> NDArray[np.int64]:
    """Document, start and end of each distinct text, [d, 3]; document -1 if it has no one place."""
    places = np.full((distinct, 3), -1, dtype=np.int64)
    documents, _ = _numbered([getattr(node, "ref_doc_id", None) or "" for node in nodes])
    once = np.bincount(equal, minlength=distinct) == 1
    for row, node in enumerate(nodes):
        start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
        if once[equal[row]] and start is not None and end is not None and node.ref_doc_id:
            places[equal[row]] = documents[row], start, end
    return places


def _holders(number: NDArray[np.intp], holder: NDArray[np.integer]) -> NDArray[np.intp]:
    """How many different holders each number has."""
    width = int(holder.max(initial=0)) + 1
    return np.bincount(np.unique(number * width + holder) // width)
