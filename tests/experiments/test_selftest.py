"""The self-test passes, notices a broken kernel, and starts fast."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from experiments import selftest
from experiments.metrics.measures import parse
from experiments.selftest import CASES, Selftest

ROOT = Path(__file__).parents[2]


def test_every_metric_has_a_golden_case():
    shown = {parse(metric).kind for case in CASES for metric in case.expected}
    assert shown == {"map", "mrr", "ndcg", "recall", "precision", "hit_rate", "judged",
                     "failure_rate", "1-recall", "map_comp", "mrr_comp"}  # fmt: skip


def test_it_prints_every_case(capsys):
    Selftest().run()
    printed = capsys.readouterr().out
    assert all(case.name in printed for case in CASES)
    assert "NO" not in printed.replace("NONE", "")


def test_it_fails_when_a_number_is_off(monkeypatch, capsys):
    monkeypatch.setattr(selftest.Case, "score", lambda *_: 0.5)
    with pytest.raises(ValueError, match="scores are wrong"):
        Selftest().run()
    assert "NO" in capsys.readouterr().out


@pytest.mark.slow
def test_it_is_ready_in_two_seconds_and_loads_nothing_heavy():
    code = (
        "import sys; from experiments.selftest import Selftest; Selftest().run();"
        "heavy = {'mlflow', 'llama_index', 'pandas', 'scipy', 'ranx'} & set(sys.modules);"
        "sys.exit(' '.join(heavy) or 0)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("path", sorted((ROOT / "conf" / "metrics").glob("*.yaml")), ids=str)
def test_the_metrics_of_every_config_exist(path):
    from experiments.evaluation import Evaluator

    config = yaml.safe_load(path.read_text())
    assert config.pop("_target_") == "experiments.evaluation.Evaluator"
    spans = any("span" in name for name in config["names"])
    Evaluator(**config).check(spans=spans)
