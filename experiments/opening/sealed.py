"""The trials of a sealed sweep or run, checked against the dataset and the split given now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiments.overfit_report.gather import gather
from experiments.overfit_report.gathered import Gathered

if TYPE_CHECKING:
    from experiments.schema import Dataset
    from experiments.splits import Split


def gather_sealed(folder: Path, metric: str | None, dataset: Dataset, split: Split) -> Gathered:
    """The public scores of all trials in a folder.

    Raises ValueError as `gather` does, where private scores stand in the folder, and where the
    dataset or the split is not the one that the trials ran on.
    """
    found = gather(folder, metric)
    if found.private_ids:
        raise ValueError(
            f"{folder} was not sealed, its private scores are shown: judge it by "
            f"+experiment=overfit_report report.folder={folder}, or run with split.sealed=true."
        )
    if found.dataset != dataset.fingerprint:
        raise ValueError(
            f"The trials in {folder} ran on another dataset than {dataset.name}: give the options "
            "that they ran with (dataset=…)."
        )
    if found.public_ids != split.public or not split.held_out:
        raise ValueError(
            f"The trials in {folder} ran on another public half: give the options of the split "
            "that they ran with (split=…)."
        )
    if dataset.qrels is None:
        raise ValueError(
            f"{dataset.name} is labelled by characters or not at all: a stored ranking of "
            "documents can be opened only on document labels."
        )
    return found
