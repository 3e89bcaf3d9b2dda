"""`+experiment=pool`: a page to judge on, and from what it saves a label file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.console import say, show_notes, terminal
from experiments.pool.labels import (
    Agreement,
    Labels,
    Pair,
    agreement,
    disagreements,
    merged,
    read_labels,
    refuse_twice,
)
from experiments.pool.page import write_page
from experiments.pool.pooling import POOL, Pool, pool_pairs
from experiments.provenance import FILE as PROVENANCE
from experiments.provenance import write_provenance
from experiments.schema import Report
from experiments.vote.ballots import read_ballots

if TYPE_CHECKING:
    from experiments.schema import Dataset
    from experiments.setting import Setting

PAGE, QRELS, DISAGREEMENTS = "label.html", "qrels.tsv", "disagreements.tsv"


@dataclass(frozen=True, kw_only=True)
class PoolStudy:
    """Without `labels` it pools runs into a page; with them it writes qrels.tsv.

    runs: folders of runs (all their pipelines), TREC runs, submission files; three or more.
    depth: results of each that are judged.
    labels: what the page saved, one file a person; the first decides where they differ.
    folder: of the page that the labels belong to; None takes the folder of the first file, else
        runs/latest.
    """

    setting: Setting
    runs: Sequence[str] = ()
    depth: int = 10
    seed: int = 0
    labels: str | Sequence[str] | None = None
    folder: str | None = None

    def run(self) -> Report:
        """Raises ValueError for too few runs and for labels of another pool."""
        if self.labels:
            return self._label([self.labels] if isinstance(self.labels, str) else [*self.labels])
        dataset = self.setting.dataset.load()
        pool = self._pool(dataset)
        folder = self.setting.open_folder("pool")
        with atomic_file(folder / POOL) as part:
            part.write_text(json.dumps(pool.to_json()), encoding="utf-8")
        page = write_page(folder / PAGE, pool, dataset)
        self.setting.point_latest(folder)
        _show_pool(pool, len(dataset.queries), page, folder)
        return Report(folder=folder)

    def _pool(self, dataset: Dataset) -> Pool:
        files = [file for given in self.runs for file in _files(Path(str(given)).expanduser())]
        if not files:
            raise ValueError("There is nothing to pool: give 'pool.runs=[RUN,RUN,RUN]'.")
        ballots = read_ballots([str(file) for file in files], dataset)
        show_notes([note for one in ballots for note in one.faults()])
        queries = [query.id for query in dataset.queries]
        results = [one.results for one in ballots]
        return Pool(
            pairs=pool_pairs(results, queries, depth=self.depth, seed=self.seed),
            runs={one.name: {"file": str(one.path), "sha256": one.sha256} for one in ballots},
            depth=self.depth,
            seed=self.seed,
            dataset=dataset.name,
            dataset_fingerprint=dataset.fingerprint,
            pooled_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _label(self, files: Sequence[str]) -> Report:
        paths = [Path(str(file)).expanduser() for file in files]
        folder = self._folder(paths[0])
        pool = Pool.read(folder / POOL)
        labels = [read_labels(path, pool) for path in paths]
        refuse_twice(labels)
        grades = merged(labels)
        if not grades:
            raise ValueError(f"{paths[0]} judges nothing: label some passages and save again.")
        rows = [f"{query}\t{document}\t{grade}" for (query, document), grade in grades.items()]
        _write(folder / QRELS, ["query-id\tcorpus-id\tscore", *rows])
        pairs = [agreement(one, other) for one, other in combinations(labels, 2)]
        if pairs:
            _write_disagreements(folder, labels)
        page = _provenance(pool, labels, grades, pairs)
        write_provenance(folder, page)
        _show_labels(folder, page, pairs)
        return Report(folder=folder)

    def _folder(self, labels: Path) -> Path:
        """Where the page stands that the labels belong to."""
        if self.folder:
            return Path(self.folder).expanduser()
        beside, latest = labels.absolute().parent, Path(self.setting.folder) / "latest"
        if (beside / POOL).exists():
            return beside
        return latest.parent / latest.readlink() if latest.is_symlink() else latest


def _files(path: Path) -> list[Path]:
    """A file itself; of a folder its ranking, or those of the pipelines in it."""
    if not path.is_dir():
        return [path]
    own = path / "ranking.trec"
    found = [own] if own.exists() else sorted(path.glob("*/ranking.trec"))
    if not found:
        raise ValueError(f"{path} holds no ranking.trec: give the folder of a run.")
    return found


def _write_disagreements(folder: Path, labels: Sequence[Labels]) -> None:
    header = "\t".join(["query-id", "corpus-id", *(one.who for one in labels)])
    lines = [
        "\t".join([query, document, *("" if grade is None else str(grade) for grade in grades)])
        for query, document, grades in disagreements(labels)
    ]
    _write(folder / DISAGREEMENTS, [header, *lines])


def _provenance(
    pool: Pool,
    labels: Sequence[Labels],
    grades: Mapping[Pair, int],
    agreements: Sequence[Agreement],
) -> dict[str, Any]:
    page = pool.to_json()
    del page["pairs"]
    judged = {query for query, _ in grades}
    asked = dict.fromkeys(query for query, _ in pool.pairs)
    return {
        **page,
        "labellers": [one.who for one in labels],
        "saved_at": [one.saved_at for one in labels],
        "judged": len(grades),
        "pooled": len(pool.pairs),
        "skipped": sum(len(one.skipped) for one in labels),
        "unjudged": [query for query in asked if query not in judged],
        "agreement": [asdict(one) for one in agreements],
    }


def _show_pool(pool: Pool, questions: int, page: Path, folder: Path) -> None:
    out = terminal()
    asked = len({query for query, _ in pool.pairs})
    say(out, f"{len(pool.pairs)} passages of {asked} questions, from {len(pool.runs)} runs.")
    if questions > asked:
        say(
            out,
            f"{questions - asked} questions have no passage in any run, and will count as having "
            "nothing to find: pool runs with gate=none to judge those too.",
        )
    say(out, f"Open {page}, judge with 0, 1, 2 and X (skip), save, and then:")
    say(out, f"python run.py +experiment=pool pool.folder={folder} pool.labels=FILE")


def _show_labels(folder: Path, page: Mapping[str, Any], agreements: Sequence[Agreement]) -> None:
    out = terminal()
    say(out, f"{page['judged']} of {page['pooled']} pooled passages have a grade: {folder / QRELS}")
    if page["unjudged"]:
        say(
            out,
            f"{len(page['unjudged'])} questions have no judgement yet: they count in no score "
            "until they do.",
        )
    for one in agreements:
        say(out, one.sentence)
    if any(one.disagreements for one in agreements):
        say(out, f"Where they differ: {folder / DISAGREEMENTS}")
    files = f"{folder / QRELS} {folder / PROVENANCE}"
    say(out, f"To score with them: cp {files} FOLDER, the folder of the dataset.")


def _write(path: Path, lines: Sequence[str]) -> None:
    with atomic_file(path) as part:
        text = "".join(f"{line}\n" for line in lines)
        part.write_text(text, encoding="utf-8", errors="surrogatepass")
