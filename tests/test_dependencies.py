"""What is installed can be imported, and is imported only where it is asked for."""

import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
RAGAS = {one.name: one.specifier for one in map(Requirement, EXTRAS["ragas"])}


def test_the_extra_ragas_takes_no_release_that_it_cannot_be_imported_with():
    assert "0.4.2" not in RAGAS["langchain-community"]
    assert "0.4.1" in RAGAS["langchain-community"]


def test_what_ci_installs_lies_within_what_the_extra_takes():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==", 1) for line in lines if "==" in line]
    pinned = {canonicalize_name(name): number.split()[0] for name, number in pairs}
    assert [name for name, allowed in RAGAS.items() if pinned[name] not in allowed] == []


def test_ragas_can_be_imported_where_it_is_installed():
    """`importorskip` would pass over all its tests where it cannot."""
    try:
        version("ragas")
    except PackageNotFoundError:
        pytest.skip("the extra ragas is not installed")
    assert import_module("ragas.metrics.collections").Faithfulness


@pytest.mark.slow
@pytest.mark.ci
def test_ragas_is_imported_only_where_a_score_is_asked_for():
    program = (
        "import sys, experiments.ragas_metrics.judged, experiments.ragas_metrics.plain; "
        "sys.exit('ragas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
