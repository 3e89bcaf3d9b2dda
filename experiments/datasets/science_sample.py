"""The sample that comes with the project: found from every working directory."""

from __future__ import annotations

from pathlib import Path

from experiments.datasets.science_qa import ScienceQA

FOLDER = Path(__file__).resolve().parents[2] / "data" / "science_sample"


def science_sample(
    path: str | None = None,
    *,
    name: str | None = "science_sample",
    labels: str | None = None,
    corpus: str | None = None,
    target: str | None = None,
) -> ScienceQA:
    """The loader of the bundled questions.  path: another folder of the same layout."""
    folder = str(FOLDER if path is None else path)
    return ScienceQA(path=folder, name=name, labels=labels, corpus=corpus, target=target)
