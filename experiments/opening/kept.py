"""The files that an opening leaves in its own folder: the only ones with private scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.atomic_file import atomic_file

if TYPE_CHECKING:
    from experiments.openings import Look
    from experiments.overfit_report.findings import Findings


def write_scores(folder: Path, found: Findings) -> Path:
    """private.parquet: a row a private query, the scores of the trial and of the baseline."""
    import pandas as pd

    gathered, path = found.gathered, folder / "private.parquet"
    names = [found.card.trial, found.card.baseline]
    columns = {name: gathered.private[gathered.row(name)] for name in names}
    index = pd.Index(gathered.private_ids, name="query")
    with atomic_file(path) as part:
        pd.DataFrame(columns, index=index).to_parquet(part)
    return path


def write_opening(folder: Path, found: Findings, look: Look | None) -> Path:
    """opening.json: the question, the look and the answer."""
    card, path = found.card, folder / "opening.json"
    evidence = card.verdict.evidence
    page = {
        "trial": card.trial,
        "baseline": card.baseline,
        "metric": found.gathered.metric,
        "look": look.number if look else None,
        "level": evidence.level,
        "p": evidence.corrected_p,
        "private": card.private_means,
        "verdict": str(card.verdict.word),
        "sentence": card.verdict.sentence,
    }
    with atomic_file(path) as part:
        part.write_text(json.dumps(page, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return path
