"""One trial of a sweep: what was swept, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode

from experiments.atomic_file import atomic_file

if TYPE_CHECKING:
    from experiments.schema import RunRecord

STORED, RUN, FAILED = "stored", "run", "failed"
_LONGEST_VALUE = 40
_ENDING = "trial.json"
_YARDSTICKS = ("dataset", "split", "metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepHeader:
    """What all trials of a sweep share; it stands in the sweep's folder as sweep.json.

    swept: option -> the shortest name that tells it from the other swept options.
    total: how many trials are planned.
    parent: the tracker's run that holds the trials.  group: the name the runs are listed under.
    """

    experiment: str
    swept: Mapping[str, str]
    total: int
    parent: str | None = None
    group: str | None = None

    def write(self, folder: Path) -> None:
        """Put it into the folder of the sweep."""
        with atomic_file(folder / "sweep.json") as part:
            part.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> SweepHeader:
        """The header that `write` left there."""
        return cls(**json.loads((folder / "sweep.json").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One point of a sweep, before it runs.

    number: from 0, in the order of the sweeper.  values: swept option -> its value, as typed.
    folder: what this trial writes; it need not exist yet.
    """

    number: int
    values: Mapping[str, str]
    folder: Path
    sweep: SweepHeader

    @property
    def name(self) -> str:
        """What was swept, for people: `retriever=hybrid dense=0.7`."""
        words = [f"{self.sweep.swept[key]}={_short(value)}" for key, value in self.values.items()]
        return " ".join(words) or f"trial {self.number}"

    def placed(self, record: RunRecord) -> RunRecord:
        """A run of the tracker as a child of the sweep, named by what was swept.

        One that has a parent already, as the pipelines of a comparison have, keeps it and its name.
        """
        sweep, params = self.sweep, {**record.params, **self.values}
        name, parent = (record.name, record.parent) if record.parent else (self.name, sweep.parent)
        return replace(record, name=name, group=sweep.group, parent=parent, params=params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a trial ended.

    state: stored (it had been run before), run or failed.
    metric: the first one, None without labels.  scores: split -> metric -> mean.
    scored: split -> metric -> on how many queries, such as "9/10".
    reason: why it failed, one line.
    """

    number: int
    name: str
    values: Mapping[str, str]
    state: str
    seconds: float
    metric: str | None = None
    higher_is_better: bool = True
    scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    scored: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reason: str | None = None

    def score(self, side: str) -> float | None:
        """The mean of the first metric on "public" or "private"; None where there is none."""
        return self.scores.get(side, {}).get(self.metric or "")

    def covers(self, side: str) -> str:
        """On how many queries that mean is, such as "9/10"; "" where it is not known."""
        return self.scored.get(side, {}).get(self.metric or "", "")

    def write(self, folder: Path) -> None:
        """Put it into the trial's folder."""
        with atomic_file(folder / _ENDING) as part:
            part.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")


def endings(sweep: Path) -> list[Ending]:
    """The trials of a sweep's folder that have ended, in the order of their numbers."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sweep.glob(f"*/{_ENDING}")]
    return sorted((Ending(**value) for value in found), key=lambda ending: ending.number)


def best(trials: Sequence[Ending]) -> Ending | None:
    """The trial with the best public score, the earliest of equals; None where nothing scored.

    None too where the scored trials differ in dataset, split, metric or in how many queries they
    score: an easier half is no gain, and neither are calls that failed on the hard ones.
    """
    scored = [trial for trial in trials if trial.score("public") is not None]
    if len({_yardstick(trial) for trial in scored}) > 1:
        return None
    return max(scored, key=_goodness, default=None)


def current() -> Trial | None:
    """The trial that this process is asked to run; None in a run that is no sweep."""
    hydra = HydraConfig.get() if HydraConfig.initialized() else None
    if hydra is None or hydra.mode != RunMode.MULTIRUN:
        return None
    folder = Path(hydra.sweep.dir)
    sweep = SweepHeader.read(folder)
    words = dict(word.lstrip("+").split("=", 1) for word in hydra.overrides.task)
    return Trial(
        number=int(hydra.job.num),
        values={key: words[key] for key in sweep.swept if key in words},
        folder=folder / f"{int(hydra.job.num):04}",
        sweep=sweep,
    )


def _yardstick(trial: Ending) -> tuple[str | None, ...]:
    """What its scores were measured by, as far as the trials of a sweep differ in it."""
    swept = trial.values.items()
    groups = (value for key, value in swept if key.split("@")[0].split(".")[0] in _YARDSTICKS)
    return (trial.metric, trial.covers("public"), *groups)


def _goodness(trial: Ending) -> float:
    public = trial.score("public") or 0.0
    return public if trial.higher_is_better else -public


def _short(value: str) -> str:
    """Numbers to four digits, long words cut: names are for reading, the values stand beside."""
    try:
        return f"{float(value):.4g}"
    except ValueError:
        return value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…"
