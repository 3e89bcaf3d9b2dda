"""`+experiment=pool`: a page to judge on, and from what it saves a label file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.console import say, show_notes, terminal
from experiments.pool.labels import Labels, cohens_kappa, disagreements, merged, read_labels
from experiments.pool.page import write_page
from experiments.pool.pooling import POOL, Pool, pool_pairs
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
        out = terminal()
        asked = len({query for query, _ in pool.pairs})
        say(
            out,
            f"{len(pool.pairs)} passages of {asked} questions, pooled from {len(pool.runs)} runs.",
        )
        say(out, f"Open {page}, judge with 0, 1, 2 and X (skip), save, and then:")
        say(out, f"python run.py +experiment=pool pool.folder={folder} pool.labels=FILE")
        return Report(folder=folder)

    def _pool(self, dataset: Dataset) -> Pool:
        files = [file for given in self.runs for file in _files(Path(str(given)).expanduser())]
        if not files:
            raise ValueError("There is nothing to pool: give 'pool.runs=[RUN,RUN,RUN]'.")
        ballots = read_ballots([str(file) for file in files], dataset) if len(files) > 1 else []
        show_notes([f"{one.path}, {fault}" for one in ballots for fault in one.problems[:3]])
        queries = [query.id for query in dataset.queries]
        results = [one.results for one in ballots]
        return Pool(
            pairs=pool_pairs(results, queries, depth=self.depth, seed=self.seed),
            runs={one.name: hashlib.sha256(one.path.read_bytes()).hexdigest() for one in ballots},
            depth=self.depth,
            seed=self.seed,
            dataset=dataset.name,
            dataset_fingerprint=dataset.fingerprint,
            pooled_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _label(self, files: Sequence[str]) -> Report:
        paths = [Path(str(file)).expanduser() for file in files]
        beside = paths[0].absolute().parent
        latest = Path(self.setting.folder) / "latest"
        folder = (
            Path(self.folder) if self.folder else beside if (beside / POOL).exists() else latest
        )
        pool = Pool.read(folder / POOL)
        labels = [read_labels(path, pool) for path in paths]
        grades = merged(labels)
        if not grades:
            raise ValueError(f"{paths[0]} judges nothing: label some passages and save again.")
        rows = [f"{query}\t{document}\t{grade}" for (query, document), grade in grades.items()]
        _write(folder / QRELS, ["query-id\tcorpus-id\tscore", *rows])
        agreement = _agreement(folder, labels)
        write_provenance(folder, _provenance(pool, labels, len(grades), agreement))
        _show(folder, pool, labels, len(grades), agreement)
        return Report(folder=folder)


def _files(path: Path) -> list[Path]:
    """A file itself; of a folder its ranking, or those of the pipelines in it."""
    if not path.is_dir():
        return [path]
    own = path / "ranking.trec"
    found = [own] if own.exists() else sorted(path.glob("*/ranking.trec"))
    if not found:
        raise ValueError(f"{path} holds no ranking.trec: give the folder of a run.")
    return found


def _agreement(folder: Path, labels: Sequence[Labels]) -> dict[str, Any]:
    """Cohen's kappa of the first two people, and the file of their disagreements."""
    if len(labels) < 2:
        return {}
    one, other = labels[:2]
    shared = [pair for pair in one.grades if pair in other.grades]
    rows = disagreements(one, other)
    lines = ["\t".join(map(str, row)) for row in rows]
    _write(folder / DISAGREEMENTS, [f"query-id\tcorpus-id\t{one.who}\t{other.who}", *lines])
    kappa = cohens_kappa([one.grades[p] for p in shared], [other.grades[p] for p in shared])
    return {"kappa": kappa, "judged_by_both": len(shared), "disagreements": len(rows)}


def _provenance(
    pool: Pool, labels: Sequence[Labels], judged: int, agreement: dict[str, Any]
) -> dict[str, Any]:
    page = pool.to_json()
    del page["pairs"]
    return {
        **page,
        "labellers": [one.who for one in labels],
        "saved_at": [one.saved_at for one in labels],
        "judged": judged,
        "pooled": len(pool.pairs),
        "skipped": sum(len(one.skipped) for one in labels),
        **agreement,
    }


def _show(
    folder: Path, pool: Pool, labels: Sequence[Labels], judged: int, agreement: dict[str, Any]
) -> None:
    out = terminal()
    say(out, f"{judged} of {len(pool.pairs)} pooled passages have a grade: {folder / QRELS}")
    if agreement:
        kappa = agreement["kappa"]
        told = "not defined (one grade alone)" if kappa is None else f"{kappa:.3f}"
        both = f"{labels[0].who} and {labels[1].who} both judged {agreement['judged_by_both']}"
        say(out, f"{both}: Cohen's kappa {told}.")
        say(out, f"{agreement['disagreements']} disagreements: {folder / DISAGREEMENTS}")
    say(
        out, "Copy qrels.tsv and provenance.json into the folder of the dataset to score with them."
    )


def _write(path: Path, lines: Sequence[str]) -> None:
    with atomic_file(path) as part:
        text = "".join(f"{line}\n" for line in lines)
        part.write_text(text, encoding="utf-8", errors="surrogatepass")
