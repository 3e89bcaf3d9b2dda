"""The trials of one vote: each file alone, the vote of all, and the vote without each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from experiments.vote.count import count

if TYPE_CHECKING:
    from experiments.schema import Dataset
    from experiments.vote.ballots import Ballot
    from retrievers.ranking import Ranking


class Trial(NamedTuple):
    """key: all that decides the ranking, as a JSON value.  ranking: of the dataset's documents."""

    key: Mapping[str, Any]
    ranking: Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """Ballots to be counted.

    weights: one a ballot.  method, k: as in `count`.
    """

    ballots: Sequence[Ballot]
    weights: Sequence[float]
    method: str
    k: int
    dataset: Dataset

    def files(self) -> dict[str, Trial]:
        """What each file names, by its name, in their order."""
        return {
            one.name: Trial({"file": {"sha256": one.sha256}}, one.ranking(self.dataset))
            for one in self.ballots
        }

    def vote(self) -> Trial:
        """The vote of all files."""
        return Trial(self._key(), self._count(self.weights))

    def without(self) -> list[Trial | None]:
        """The vote without each file, in their order; None where no other has a weight."""
        key, trials = self._key(), list[Trial | None]()
        for place in range(len(self.ballots)):
            others = [0.0 if at == place else one for at, one in enumerate(self.weights)]
            left = any(others)
            trials.append(Trial({**key, "without": place}, self._count(others)) if left else None)
        return trials

    def _key(self) -> dict[str, Any]:
        marks = [one.sha256 for one in self.ballots]
        rules = {"weights": [*self.weights], "method": self.method, "k": self.k}
        return {"vote": {"files": marks, **rules}}

    def _count(self, weights: Sequence[float]) -> Ranking:
        return count(
            [ballot.results for ballot in self.ballots],
            weights,
            queries=[query.id for query in self.dataset.queries],
            documents=[document.id for document in self.dataset.corpus],
            k=self.k,
            method=self.method,
        )
