"""One side of a comparison, read from the files that a run left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.diff.prompts import (
    MANIFESTS,
    answers_of,
    most_shown,
    ranked_in_prompts,
    with_prompts,
)
from experiments.gold_path import UNKNOWN, GoldPaths
from experiments.summary import SUMMARY, summaries
from experiments.trec_run import read_run

if TYPE_CHECKING:
    import pandas as pd

    from experiments.schema import Dataset

RANKING, SCORES, GOLD, GATE = "ranking.trec", "per_query.parquet", "gold.parquet", "gate.tsv"
_ID = "mlflow_run_id"


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One pipeline as its folder tells it.

    name: its folder's.  scores: one row a question; the column `split`, then the metrics.
    ranked: query id -> document ids, best first.  gold: how far each gold passage came.
    told: whether the run itself noted that; else it is read off the ranking.
    metric: the score that counts in the run, None where it does not say.
    shown: how many passages its fullest prompt shows, 0 in a run without answers.
    answers: query id -> what a model said.
    """

    name: str
    folder: Path
    scores: pd.DataFrame
    ranked: dict[str, list[str]]
    gold: GoldPaths
    told: bool
    metric: str | None = None
    shown: int = 0
    answers: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def metrics(self) -> list[str]:
        """Its scores, without what else the table says of a question."""
        return [str(name) for name in self.scores.select_dtypes("float").columns]


def find(given: str, run: Path, runs: Path) -> Path:
    """The folder of the pipeline that is meant.

    given: a folder, the name of a pipeline in `run`, or the beginning (6 letters or more) of its
        fingerprint or of its id in MLflow, looked up in the newest run of `runs` that has it.
    Raises ValueError where there is none, or more than one pipeline in the folder.
    """
    for folder in (Path(given).expanduser(), run / given):
        if folder.is_dir():
            return _only_pipeline(folder)
    for folder in _marked(given, runs):
        return folder
    raise ValueError(
        f'"{given}" is no folder of a run, no pipeline of {run} and no fingerprint in {runs}: give '
        f"one of {', '.join(_pipelines(run)) or 'the folders in runs'}."
    )


def read_side(folder: Path, dataset: Dataset) -> Side:
    """Raises ValueError for a run of another dataset, and for one without scores."""
    import pandas as pd

    _same_dataset(folder, dataset)
    if not (folder / SCORES).exists():
        raise ValueError(f"{folder} has no {SCORES}: only runs with labels can be compared.")
    scores = pd.read_parquet(folder / SCORES)
    names = {*(document.id for document in dataset.corpus), *(q.id for q in dataset.queries)}
    ranked = ranked_in_prompts(folder)
    if (folder / RANKING).exists() and (folder / RANKING).stat().st_size:
        ranked = read_run(folder / RANKING, names=names).ranking.by_query()
    told = (folder / GOLD).exists()
    if told:
        table = pd.read_parquet(folder / GOLD)
        gold = GoldPaths.from_json({name: table[name].tolist() for name in table})
    else:
        gold = _of_ranking(dataset, [*map(str, scores.index)], ranked, _blocked(folder / GATE))
    return Side(
        folder.name,
        folder,
        scores,
        ranked,
        with_prompts(gold, folder),
        told,
        metric=_metric(folder / SUMMARY),
        shown=most_shown(folder),
        answers=answers_of(folder),
    )


def _metric(summary: Path) -> str | None:
    """The score that a run of answers is judged by."""
    if not summary.exists():
        return None
    return json.loads(summary.read_text(encoding="utf-8")).get("metric")  # type: ignore[no-any-return]


def _pipelines(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/{RANKING}"))


def _only_pipeline(folder: Path) -> Path:
    if (folder / RANKING).exists() or (folder / MANIFESTS).exists():
        return folder
    names = _pipelines(folder)
    if len(names) == 1:
        return folder / names[0]
    if not names:
        raise ValueError(f"{folder} holds no {RANKING}: give the folder of a run.")
    raise ValueError(
        f"{folder} holds {len(names)} pipelines ({', '.join(names)}): give one, such as "
        f"{folder}/{names[0]}."
    )


def _marked(given: str, runs: Path) -> Iterator[Path]:
    """Pipelines whose fingerprint or id begins so, the newest run first."""
    if len(given) < 6:
        return
    for path in summaries(runs):
        page = json.loads(path.read_text(encoding="utf-8"))
        if any(str(mark or "").startswith(given) for mark in (_state(page), page.get(_ID))):
            yield path.parent
        for name, one in page.get("pipelines", {}).items():
            marks = (page["fingerprints"].get("pipelines", {}).get(name), one.get(_ID))
            if any(str(mark or "").startswith(given) for mark in marks):
                yield path.parent / name


def _state(page: Mapping[str, Any]) -> str | None:
    """The fingerprint of a run of answers."""
    return page.get("fingerprints", {}).get("state")  # type: ignore[no-any-return]


def _same_dataset(folder: Path, dataset: Dataset) -> None:
    for summary in (folder / SUMMARY, folder.parent / SUMMARY):
        if not summary.exists():
            continue
        page = json.loads(summary.read_text(encoding="utf-8"))
        if page["fingerprints"]["dataset"] != dataset.fingerprint:
            raise ValueError(
                f"{folder} ran on {page['dataset']}, not on {dataset.name} as it is: give its "
                "options, dataset=… and dataset.path=…."
            )


def _blocked(path: Path) -> set[str]:
    if not path.exists():
        return set()
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]
    return {row[0] for row in rows if row[1] == "yes"}


def _of_ranking(
    dataset: Dataset, query_ids: Sequence[str], ranked: dict[str, list[str]], blocked: set[str]
) -> GoldPaths:
    """What a ranking alone tells: nobody knows where it lost what it does not name."""
    corpus = {document.id for document in dataset.corpus}
    rows = []
    for query in query_ids:
        places = {name: rank for rank, name in enumerate(ranked.get(query, ()), 1)}
        for gold, grade in (dataset.qrels or {}).get(query, {}).items():
            if grade > 0:
                final = places.get(gold, 0)
                before = (query, gold, int(gold in corpus), UNKNOWN, UNKNOWN, int(query in blocked))
                rows.append((*before, UNKNOWN, final, UNKNOWN, UNKNOWN))
    return GoldPaths.of_rows(rows)
