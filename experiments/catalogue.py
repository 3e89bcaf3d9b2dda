"""What can be run: the experiments in `conf/experiment/`, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from experiments.schema import Report

PRESETS = Path(__file__).resolve().parent.parent / "conf" / "experiment"

_NEXT = """
Try next:
  python run.py +experiment=quickstart
  python run.py +experiment=retrieval dataset=science_qa dataset.path=FOLDER

An option is a word on the same line: retriever=bm25 retriever.analyzer=english.
`python run.py --help` lists every group of options."""


class Catalogue:
    """Prints what there is to run."""

    def run(self) -> Report:
        """The experiments with their one-line descriptions, and two commands to try."""
        lines = presets()
        width = max(map(len, lines))
        print("Experiments: python run.py +experiment=NAME\n")
        for name, line in lines.items():
            print(f"  {name:{width}}  {line}")
        print(_NEXT)
        return Report()


def presets(folder: Path = PRESETS) -> Mapping[str, str]:
    """Name -> what the experiment is for: the second line of its file, under its header."""
    files = sorted(folder.rglob("*.yaml"))
    return {str(path.relative_to(folder).with_suffix("")): _purpose(path) for path in files}


def _purpose(path: Path) -> str:
    """Hydra reads `# @package` from the first line alone, so the comment comes after it."""
    lines = path.read_text(encoding="utf-8").split("\n", 2)
    return lines[1].removeprefix("#").strip()
