"""Make a logged run again, and hold what comes out against what it left."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.atomic_file import atomic_file
from experiments.console import say, terminal
from experiments.identity import ROOT
from experiments.replay.differences import reasons, result_differences, results
from experiments.replay.stored_run import StoredRun, find_run, sets
from experiments.schema import Report

if TYPE_CHECKING:
    from experiments.setting import Setting


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Does a run give the same rankings, prompts and scores today, byte for byte?

    source: the folder of a run, or its id in MLflow.
    fresh: nothing is read from the store, so that embeddings and indexes are computed again. A
        model is asked again, too, and pays.

    The run is made by the command line that it kept, in a process of its own, without a tracker
    and without the ledger: a replay is no trial. What it was made of is compared as well, so that
    each difference has its reason where one is known.
    """

    setting: Setting
    source: str | None
    fresh: bool = False
    title: str = "replay"

    def run(self) -> Report:
        """Write replay.json and say "the same", or what differs and why.

        Raises ValueError for a run that is not there or cannot be made again.
        """
        if not self.source:
            raise ValueError("There is no run to repeat: give replay.run=runs/latest.")
        folder = self.setting.open_folder(self.title)
        uri = getattr(self.setting.tracker, "uri", None)
        before = find_run(self.source, Path(self.setting.folder), uri, folder / "before")
        after = self._again(before.words(), folder / "again")
        compared = sorted(results(before))
        if not compared:
            raise ValueError(
                f"{before.folder} keeps no table of rankings, prompts, answers or scores, so there "
                "is nothing to hold a repeated run against."
            )
        differing, why = result_differences(before, after), reasons(before, after)
        page = {
            "run": str(before.folder),
            "same": not differing,
            "compared": compared,
            "differences": differing,
        }
        with atomic_file(folder / "replay.json") as part:
            text = json.dumps({**page, "reasons": why}, ensure_ascii=False, indent=2)
            part.write_text(f"{text}\n", encoding="utf-8")
        self._tell(compared, differing, why, folder)
        return Report(folder=folder)

    def _again(self, words: Sequence[str], folder: Path) -> StoredRun:
        own = [f"setting.folder={folder}", "tracker=none", "ledger=null", "force=true"]
        if self.fresh:
            words = [word for word in words if not sets(word, ["store"])]
            own.append("store=off")
        command = [sys.executable, str(ROOT / "run.py"), *words, *own, "hydra.mode=RUN"]
        if subprocess.run(command, check=False).returncode:
            raise ValueError(
                f"The run cannot be made again, for the reason above: {' '.join(words)}."
            )
        return StoredRun.read((folder / "latest").resolve())

    def _tell(
        self, compared: Sequence[str], differing: Sequence[str], why: Sequence[str], folder: Path
    ) -> None:
        out = terminal()
        if not differing:
            say(out, f"The same, byte for byte: {', '.join(compared)}.")
        for sentence in differing:
            say(out, f"Differs: {sentence}")
        for sentence in why:
            say(out, f"Changed: {sentence}")
        if differing and not why:
            say(out, "No part, source, library or dataset that a run keeps has changed.")
        say(out, f"Written to {folder}.")
