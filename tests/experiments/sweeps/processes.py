"""Real sweeps in processes of their own, on six documents that need no language model."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLANETS = ["mercury", "venus", "earth", "mars", "jupiter", "saturn"]


def write_dataset(folder):
    """Six documents, twelve questions with labels, as jsonl."""
    folder.mkdir(parents=True)
    rows = [{"id": name, "text": f"{name} is planet number {n}"} for n, name in enumerate(PLANETS)]
    asked = [{"id": f"q{n}", "text": f"what is {PLANETS[n % 6]} {n}"} for n in range(12)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    labels = [f"q{n}\t{PLANETS[(n + n // 7) % 6]}\t1\n" for n in range(12)]
    (folder / "qrels.tsv").write_text("".join(labels))
    return folder


def words(folder, data, *more):
    """The words of a sweep over BM25 that writes into `folder` alone; later words count."""
    given = [
        "-m",
        "+experiment=retrieval",
        "dataset=jsonl",
        f"dataset.path={data}",
        "retriever=bm25",
        "retriever.analyzer=unicode",
        "gate=none",
        "tracker=none",
        f"setting.folder={folder}",
        f"ledger.path={folder}/ledger.db",
        f"store.dir={folder}/store",
        f"hydra.sweep.dir={folder}/sweeps/${{now:%H%M%S_%f}}",
    ]
    names = {word.split("=")[0] for word in more}
    return [word for word in given if word.split("=")[0] not in names] + list(more)


def mlflow(folder):
    """The words that log into an MLflow store in `folder`."""
    return [
        "tracker=mlflow",
        f"tracker.uri=sqlite:///{folder}/mlflow.db",
        f"tracker.artifacts={folder}/artifacts",
        f"tracker.folder={folder}/outbox",
    ]


def start(arguments):
    """Begin `python run.py` with these words."""
    return subprocess.Popen(
        [sys.executable, "run.py", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def finish(arguments):
    """Run it to its end: exit code, what it printed, what it complained."""
    process = start(arguments)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def sweeps(folder):
    """The folders of all sweeps so far, oldest first."""
    return sorted(path for path in (folder / "sweeps").glob("*") if not path.is_symlink())


def endings(sweep):
    """The trials of a sweep's folder as they stand on disk."""
    paths = sorted(sweep.glob("*/trial.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]
