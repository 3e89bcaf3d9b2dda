"""The guide from a folder without labels to a submission runs as it stands."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from experiments.datasets.science_qa import ScienceQA
from experiments.pool.pooling import POOL, Pool
from tests.test_docs import ROOT, blocks

FAST = "tracker=none ledger=null"


@pytest.fixture
def project(tmp_path):
    """A folder in which the commands of the guide can be typed."""
    for name in ("run.py", "conf", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def typed(project, block):
    lines = [f"{line} {FAST}" if line.startswith("python") else line for line in block.splitlines()]
    script = "set -e\n" + "\n".join(
        line.replace("python ", f"{sys.executable} ", 1) for line in lines
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def label(project):
    """What a person who knows the sample's answers would save after 100 questions."""
    gold = ScienceQA(path=str(ROOT / "data" / "science_sample")).load().qrels
    pool = Pool.read(project / "runs" / "latest" / POOL)
    asked = [*dict.fromkeys(query for query, _ in pool.pairs)][:100]
    rows = [[q, name, gold.get(q, {}).get(name, 0)] for q, name in pool.pairs if q in asked]
    page = {"pool": pool.fingerprint, "labeller": "Kim", "saved_at": "", "judgements": rows}
    (project / "kim.json").write_text(json.dumps(page))


@pytest.mark.slow
def test_the_guide_runs_from_the_folder_to_the_submission(project):
    told = {}
    for number, block in enumerate(blocks("docs/everyday.md", "bash")):
        if "pool.labels" in block:
            label(project)
        told[number] = typed(project, block)
    said = "\n".join(told.values())
    for words in (
        "circular",
        "no labels, so nothing is scored",
        "pooled from 3 runs",
        "judged by Kim",
        "judged@3",
        "50 of 150 questions have no judgement yet",
        "ms a query",
        "questions won",
        "Where the gold passages went",
        "What each file adds, public",
        "What each part is worth",
        "is valid (150 rows",
        "beside the baseline",
    ):
        assert words in said, words
    (worth,) = (project / "runs").glob("*/*-ablation/ablation.tsv")
    assert pd.read_csv(worth, sep="\t")["part"].nunique() >= 6
