"""A trial's folder is its number: no swept value, however long or odd, becomes part of a path."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import open_dict

from experiments.sweeps.trial import SweepHeader, current

CONF = str(Path(__file__).resolve().parents[3] / "conf")


@pytest.mark.parametrize("value", ["x" * 300, "intfloat/multilingual-e5-small", "../..", "서울 은"])
def test_a_swept_value_is_in_no_path(tmp_path, monkeypatch, value):
    word = f"name='{value}'"
    with initialize_config_dir(CONF, version_base="1.3"):
        config = compose("config", ["+experiment=retrieval", word], return_hydra_config=True)
    with open_dict(config):
        config.hydra.mode, config.hydra.job.num = "MULTIRUN", 3
        config.hydra.sweep.dir = str(tmp_path)
        config.hydra.overrides.task = [f"name={value}"]
    monkeypatch.setattr(HydraConfig.instance(), "cfg", config)
    SweepHeader(experiment="retrieval", swept={"name": "name"}, total=4).write(tmp_path)
    trial = current()
    assert trial.folder == tmp_path / "0003"
    assert trial.values == {"name": value}
    assert len(trial.name) < 60
    assert config.hydra.sweep.subdir == "."
