"""Public and private halves of a query set."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from experiments.datasets.lines import read_lines
from experiments.pooled_scores import judged_queries
from experiments.query_groups import kept_together, near_duplicates
from experiments.schema import SPLITS, Dataset, Query

SIDES = ("public", "private")
BOTH = "both"


@dataclass(frozen=True, slots=True)
class Split:
    """Who is on which side.

    everyone, public, private: query ids in ascending order; a query that nobody judged is in none.
        A nested split's private queries hold the public ones.
    notes: one sentence for each thing that weakens the split.
    sealed: nothing about the private half, nor about all queries, may be computed yet.
    """

    everyone: tuple[str, ...]
    public: tuple[str, ...]
    private: tuple[str, ...]
    notes: tuple[str, ...] = ()
    sealed: bool = False

    @property
    def held_out(self) -> tuple[str, ...]:
        """The private query ids that are not public too: they had no say in any choice."""
        public = {*self.public}
        return tuple(query for query in self.private if query not in public)

    def labels(self, query_ids: Sequence[str]) -> list[str]:
        """For each query "public", "private" where it is held out, or "neither"."""
        side = dict.fromkeys(self.private, "private") | dict.fromkeys(self.public, "public")
        return [side.get(query, "neither") for query in query_ids]

    @property
    def neither(self) -> tuple[str, ...]:
        """The query ids on no side: they count in "all" only."""
        sided = {*self.public, *self.private}
        return tuple(query for query in self.everyone if query not in sided)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names that may be computed: "all" beside "public" gives the private half away."""
        return ("public",) if self.sealed else SPLITS

    @property
    def sides(self) -> tuple[str, ...]:
        """Those of public and private that may be computed."""
        return tuple(side for side in SIDES if side in self.shown)

    @property
    def visible(self) -> frozenset[str]:
        """The query ids that may be scored: all, or the public ones of a sealed split."""
        return frozenset(self.public if self.sealed else self.everyone)

    def of(self, name: str) -> tuple[str, ...]:
        """The query ids of "all", "public" or "private"."""
        if name not in SPLITS:
            raise ValueError(f'There is no split "{name}": choose {", ".join(SPLITS)}.')
        return {"all": self.everyone, "public": self.public, "private": self.private}[name]


@dataclass(frozen=True, slots=True)
class RandomSplit:
    """A seeded draw, stratified by tags, that keeps related queries on one side.

    fraction: the public share of the queries, between 0 and 1.
    stratify: tags whose mix both sides should have, or one tag; "turns" is counted where no tag
        says it.
    nested: the private half is everybody, as on boards whose private score covers all queries.

    Together stay equal and nearly equal queries, and queries that share gold (`kept_together`).
    The draw depends on the seed and the query ids, not on the order of the file.
    """

    _: KW_ONLY
    fraction: float = 0.5
    seed: int = 0
    stratify: str | Sequence[str] | None = ("turns",)
    nested: bool = False
    sealed: bool = False

    def divide(self, dataset: Dataset) -> Split:
        """Draw the two sides. Raises ValueError for an impossible fraction."""
        if not (isinstance(self.fraction, int | float) and 0 < self.fraction < 1):
            raise ValueError(f"split.fraction is {self.fraction}: give a share between 0 and 1.")
        queries, unjudged = judged_queries(dataset)
        groups, notes = kept_together(queries, dataset)
        notes += unjudged + tuple(
            f'No query has the tag "{tag}": the split is not stratified by it.'
            for tag in self._tags()
            if queries and not any(tag_of(query, tag) for query in queries)
        )
        public, everyone = self._public(queries, groups), {query.id for query in queries}
        private = everyone if self.nested else everyone - public
        return _split(queries, public, private, notes, self.sealed)

    def _public(self, queries: Sequence[Query], groups: Sequence[Sequence[int]]) -> set[str]:
        """Large groups first, each to the side that lacks more of its strata, then of all."""
        strata = self.strata(queries)
        sizes = Counter(strata)
        lacks = {
            "public": {stratum: self.fraction * size for stratum, size in sizes.items()},
            "private": {stratum: (1 - self.fraction) * size for stratum, size in sizes.items()},
        }
        total = {"public": self.fraction * len(queries), "private": 0.0}
        total["private"] = len(queries) - total["public"]
        public: set[str] = set()
        for rows in sorted(groups, key=lambda rows: (-len(rows), self._coin(queries[rows[0]]))):
            members = Counter(strata[row] for row in rows)
            wishes = {side: _wish(lacks[side], members, total[side]) for side in SIDES}
            side = max(SIDES, key=wishes.__getitem__)
            if wishes["public"] == wishes["private"]:
                heads = self._coin(queries[rows[0]], "side") < self.fraction
                side = SIDES[0] if heads else SIDES[1]
            total[side] -= len(rows)
            for stratum, size in members.items():
                lacks[side][stratum] -= size
            if side == "public":
                public.update(queries[row].id for row in rows)
        return public

    def strata(self, queries: Sequence[Query]) -> list[str]:
        """The stratum of each query: its values of the tags that both sides should have alike."""
        return ["\t".join(tag_of(query, tag) for tag in self._tags()) for query in queries]

    def _tags(self) -> tuple[str, ...]:
        return (self.stratify,) if isinstance(self.stratify, str) else (*(self.stratify or ()),)

    def _coin(self, query: Query, purpose: str = "order") -> float:
        """A number in [0, 1) that the seed and the id decide."""
        digest = hashlib.sha256(f"{self.seed}\t{purpose}\t{query.id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(frozen=True, slots=True)
class FileSplit:
    """The split that a file names.

    path: one public query id a line (all other queries are private), or two columns, `id` and
        `public`, `private` or `both`, with a tab between them (an id left out is on neither side).
        UTF-8; blank lines are passed over.
    """

    path: str
    _: KW_ONLY
    sealed: bool = False

    def divide(self, dataset: Dataset) -> Split:
        """Read the sides. Raises ValueError with file and line for the first line that is wrong."""
        queries, unjudged = judged_queries(dataset)
        named = self._sides({query.id for query in dataset.queries})
        sides = {query: where for query, where in named.items() if query not in dataset.unjudged}
        public, private = (
            {query for query, where in sides.items() if where in (side, BOTH)} for side in SIDES
        )
        return _split(queries, public, private, unjudged + _leaks(queries, sides), self.sealed)

    def _sides(self, known: set[str]) -> dict[str, str]:
        """Query id -> "public", "private" or "both", as far as the file says or implies it."""
        lines = [(line, line.text.split("\t")) for line in read_lines(Path(self.path), [])]
        width = len(lines[0][1])
        if width not in (1, 2):
            raise lines[0][0].error(
                f"{width} columns: write one public query id a line, or id, tab, side."
            )
        sides: dict[str, str] = {}
        for line, cells in lines:
            if fault := _fault(cells, width, known, sides):
                raise line.error(fault)
            sides[cells[0]] = cells[1] if width == 2 else "public"
        if width == 1:
            sides.update((query, "private") for query in known - sides.keys())
        return sides


def _fault(
    cells: Sequence[str], width: int, known: set[str], before: Mapping[str, str]
) -> str | None:
    """What is wrong with a line of a split file, as the end of a sentence."""
    if len(cells) != width:
        return f"{len(cells)} columns, where the first line has {width}: keep to one form."
    if cells[0] not in known:
        return f'"{cells[0]}" is no query of the dataset: write its id as the query file has it.'
    if cells[0] in before:
        return f'query "{cells[0]}" stands here a second time: name it once.'
    if width == 2 and cells[1] not in (*SIDES, BOTH):
        return f'the side is "{cells[1]}": write public, private or both.'
    return None


def _split(
    queries: Sequence[Query],
    public: set[str],
    private: set[str],
    notes: tuple[str, ...],
    sealed: bool,
) -> Split:
    everyone = tuple(query.id for query in queries)
    for side, ids in zip(SIDES, (public, private), strict=True):
        if queries and not ids:
            notes += (f"No query is {side}: this half has no scores.",)
    split = Split(everyone, tuple(sorted(public)), tuple(sorted(private)), notes, sealed)
    if both := len(private) - len(split.held_out):
        notes += (
            f"{both} queries are public and private: a verdict looks at the "
            f"{len(split.held_out)} that are private alone.",
        )
    if split.neither:
        notes += (f"{len(split.neither)} queries are on neither side: they count in all only.",)
    return replace(split, notes=notes)


def _leaks(queries: Sequence[Query], sides: Mapping[str, str]) -> tuple[str, ...]:
    chosen_by = {query: side != "private" for query, side in sides.items()}
    torn = sum(
        len({chosen_by[queries[row].id] for row in rows if queries[row].id in sides}) > 1
        for rows in near_duplicates(queries).members()
    )
    if not torn:
        return ()
    return (f"{torn} groups of nearly equal queries stand on both sides: private scores leak.",)


def _wish(
    lacks: Mapping[str, float], members: Mapping[str, int], total: float
) -> tuple[float, float]:
    """How much a side lacks of what a group brings; rounded, so that no dust decides."""
    brought = sum(lacks[stratum] * size for stratum, size in members.items())
    return round(brought, 9), round(total, 9)


def tag_of(query: Query, tag: str) -> str:
    """A query's value of a tag; turns are counted where no tag says them, others are "" there."""
    if tag == "turns" and tag not in query.tags:
        return str(1 + sum(turn.role == "user" for turn in query.history))
    return query.tags.get(tag, "")
