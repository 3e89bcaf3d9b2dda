"""What a trial of a sweep costs when its stages are stored, and what the store saves.

python benchmarks/sweep.py stored --trials 50      seconds a trial: Hydra, MLflow and the rest
python benchmarks/sweep.py saved --trials 20       the same sweep with and without the store
python benchmarks/sweep.py saved --retriever hybrid_lexical --trials 4 --rounds 1
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def words(folder: Path, retriever: str, trials: int) -> list[str]:
    """The command line of a sweep of that many weights that writes into `folder` alone."""
    weights = ",".join(f"{0.1 + place / trials:.3f}" for place in range(trials))
    return [
        "-m",
        "+experiment=retrieval",
        f"retriever={retriever}",
        f"retriever.weights.bm25={weights}",
        f"setting.folder={folder}",
        f"ledger.path={folder}/ledger.db",
        f"store.dir={folder}/store",
        f"hydra.sweep.dir={folder}/sweeps/${{now:%H%M%S_%f}}",
        f"tracker.uri=sqlite:///{folder}/mlflow.db",
        f"tracker.artifacts={folder}/artifacts",
        f"tracker.folder={folder}/outbox",
    ]


def sweep(arguments: list[str]) -> dict[str, float]:
    """One sweep in a fresh process: its seconds, in all and by share."""
    command = [sys.executable, __file__, "inside", *arguments]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    whole = time.perf_counter() - started
    return {"all": whole, **json.loads(done.stderr.strip().split("\n")[-1])}


def inside(arguments: list[str]) -> None:
    """Run the command with a clock on composing, on the tracker and on the trials."""
    from hydra._internal.config_loader_impl import ConfigLoaderImpl

    from experiments.sweeps import attempt
    from experiments.tracking.mlflow import MLflowTracker

    spent: dict[str, float] = defaultdict(float)
    clock(spent, "compose", ConfigLoaderImpl, "load_sweep_config")
    clock(spent, "mlflow", MLflowTracker, "log")
    clock(spent, "trials", attempt, "attempt")
    os.environ["HYDRA_FULL_ERROR"] = "1"
    sys.argv = ["run.py", *arguments]
    try:
        runpy.run_path(str(ROOT / "run.py"), run_name="__main__")
    finally:
        print(json.dumps(spent), file=sys.stderr)


def clock(spent: dict[str, float], share: str, owner: Any, name: str) -> None:
    """Add the time of every call but the first (which imports) to a share."""
    plain: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def timed(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        started = time.perf_counter()
        try:
            return plain(*args, **kwargs)
        finally:
            if calls > 1:
                spent[share] += time.perf_counter() - started

    setattr(owner, name, timed)


def stored(options: argparse.Namespace) -> None:
    """A sweep whose trials are all stored: seconds a trial, and whose they are."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = words(Path(folder), options.retriever, options.trials)
        sweep(arguments)
        rounds = [sweep(arguments) for _ in range(options.rounds)]
    each = {share: median(r[share] for r in rounds) / options.trials for share in rounds[0]}
    rest = each["trials"] - each["mlflow"]
    print(f"{options.trials} stored trials, median of {options.rounds} sweeps, seconds a trial")
    print(f"  in all, with the start of Python and all imports: {each['all']:.3f} (at most 0.60)")
    print(f"  Hydra composes its configuration: {each['compose']:.3f}")
    print(f"  MLflow:                           {each['mlflow']:.3f}")
    print(f"  reading and writing the trial:    {rest:.3f}")
    print(
        f"  start, imports, the rest of Hydra: {each['all'] - each['compose'] - each['trials']:.3f}"
    )


def saved(options: argparse.Namespace) -> None:
    """The same sweep with every stage stored, and with the store switched off."""
    with tempfile.TemporaryDirectory() as folder:
        on = words(Path(folder), options.retriever, options.trials)
        off = [word for word in on if not word.startswith("store.")] + ["store=off"]
        first = sweep(on)["all"]
        pairs = [(sweep(on)["all"], sweep(off)["all"]) for _ in range(options.rounds)]
    with_store, without = (median(side) for side in zip(*pairs, strict=True))
    print(f"{options.trials} trials of {options.retriever}, median of {options.rounds} rounds")
    print(f"  from nothing: {first:.1f} s; stored: {with_store:.1f} s; store=off: {without:.1f} s")
    print(f"  {without / first:.1f} times from nothing, {without / with_store:.1f} times stored")


def main() -> None:
    """Read the command line."""
    if sys.argv[1:2] == ["inside"]:
        inside(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["stored", "saved"])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--retriever", default="hybrid")
    options = parser.parse_args()
    (stored if options.what == "stored" else saved)(options)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
