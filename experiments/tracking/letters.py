"""Runs on disk that wait to be sent: one folder each, a page of JSON and the files."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from experiments.schema import Dataset, Document, Mean, Query, RunRecord

PAGE = "run.json"


@dataclass(frozen=True)
class Letter:
    """One run to send.

    key: names the run for good, also on the server, so that it is never sent twice.
    uri: the address without credentials; "" before the run waits.
    run: its MLflow id where it was opened already.
    finished: False for a run that was only begun, for others to stand under.
    """

    key: str
    record: RunRecord
    uri: str = ""
    run: str | None = None
    finished: bool = True

    @classmethod
    def read(cls, path: Path) -> Letter:
        """What `write_letter` wrote."""
        page = json.loads((path / PAGE).read_text(encoding="utf-8"))
        record = page.pop("record")
        dataset, files = record.pop("dataset"), record.pop("files")
        scores = {
            side: {metric: Mean(**mean) for metric, mean in means.items()}
            for side, means in record.pop("scores").items()
        }
        places = [path / "files" / name for name in files]
        known = dataset and _counted(dataset)
        return cls(record=RunRecord(dataset=known, scores=scores, files=places, **record), **page)

    def page(self) -> dict[str, Any]:
        """The letter as a JSON value."""
        dataset = self.record.dataset
        about = dataset and {
            "name": dataset.name,
            "fingerprint": dataset.fingerprint,
            "documents": len(dataset.corpus),
            "queries": len(dataset.queries),
        }
        files = [path.name for path in self.record.files]
        record = asdict(replace(self.record, dataset=None, files=()))
        return {
            "key": self.key,
            "uri": self.uri,
            "run": self.run,
            "finished": self.finished,
            "record": record | {"dataset": about, "files": files},
        }

    def discard(self, path: Path) -> None:
        """Take away what was sent, unless it was written anew since it was read."""
        if Letter.read(path).page() == self.page():
            shutil.rmtree(path)


def letters(folder: Path) -> list[Path]:
    """What waits, in the order in which it was written: parents before their children."""
    return sorted(path.parent for path in folder.glob(f"*-*/{PAGE}"))


def write_letter(folder: Path, letter: Letter) -> Path:
    """Keep a run with its files (linked where that is possible, for the run's folder may go).

    A run that waits since it was opened keeps its place before those that stand under it.
    """
    place = next(
        (path for path in letters(folder) if path.name.endswith(letter.key)),
        folder / f"{time.time_ns():020}-{letter.key}",
    )
    files = place / "files"
    files.mkdir(parents=True, exist_ok=True)
    for path in letter.record.files:
        _link(path, files / path.name)
    part = place / f"{PAGE}.part"
    part.write_text(json.dumps(letter.page(), ensure_ascii=False, indent=1), encoding="utf-8")
    part.replace(place / PAGE)
    return place


def set_aside(path: Path) -> None:
    """Keep a run that cannot be sent where nobody tries again."""
    refused = path.parent / "refused"
    refused.mkdir(exist_ok=True)
    path.rename(refused / path.name)


def _link(path: Path, place: Path) -> None:
    place.unlink(missing_ok=True)
    try:
        os.link(path, place)
    except OSError:
        shutil.copy2(path, place)


def _counted(about: dict[str, Any]) -> Dataset:
    """A dataset of which only the numbers of documents and queries are known, and needed."""
    documents = cast(Sequence[Document], range(about["documents"]))
    queries = cast(Sequence[Query], range(about["queries"]))
    return Dataset(about["name"], documents, queries, None, about["fingerprint"])
