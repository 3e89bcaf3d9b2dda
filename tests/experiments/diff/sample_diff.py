"""Two sides of the sample, compared."""

from __future__ import annotations

from experiments.diff.study import DiffStudy
from tests.experiments.test_comparison import setting


def study(a, b, run, folder=None, **changes):
    """The diff of two sides; its own folder lies beside the run, or in the folder given."""
    changed = setting(folder or run.parents[1], submission=None, **changes)
    return DiffStudy(setting=changed, a=a, b=b, folder=str(run)).run()
