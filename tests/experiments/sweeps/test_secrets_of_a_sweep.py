"""A sweep leaves no copy of the command line: a password may stand in it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
@pytest.mark.ci
def test_what_the_user_typed_is_in_no_file_of_the_sweep(tmp_path):
    words = ["-m", "+experiment=retrieval", "retriever=bm25", "retriever.k1=0.9,1.5"]
    places = [f"hydra.sweep.dir={tmp_path}/sweep", f"store.dir={tmp_path}/store", "ledger=null"]
    places += ["tracker.uri=http://me:sesame@127.0.0.1:9", f"tracker.folder={tmp_path}/outbox"]
    done = subprocess.run(
        [sys.executable, "run.py", *words, *places, "gate=none"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / "sweep" / "trials.json" in files
    assert "sesame" not in done.stdout + done.stderr
    assert not [path for path in files if b"sesame" in path.read_bytes()]
    assert not (tmp_path / "sweep" / "multirun.yaml").exists()
