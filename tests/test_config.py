"""Every option composes, every `_target_` exists, and a preset without its header cannot exist."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.utils import get_object
from omegaconf import DictConfig, ListConfig, OmegaConf

from experiments.building import check_options

CONF = Path(__file__).resolve().parents[1] / "conf"
PRESETS = sorted(
    str(path.relative_to(CONF / "experiment").with_suffix(""))
    for path in (CONF / "experiment").rglob("*.yaml")
)
DEFAULTS = OmegaConf.load(CONF / "config.yaml").defaults
OPTIONS = sorted(
    str(path.relative_to(CONF).with_suffix(""))
    for path in CONF.glob("*/*.yaml")
    if path.parent.name != "experiment"
)


def composed(*overrides):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", overrides=list(overrides), return_hydra_config=True)
    HydraConfig.instance().set_config(config)
    return config


def targets(node):
    if isinstance(node, DictConfig):
        if "_target_" in node:
            yield node["_target_"]
        for key in node:
            if key != "hydra" and not OmegaConf.is_missing(node, key):
                yield from targets(node[key])
    elif isinstance(node, ListConfig):
        for item in node:
            yield from targets(item)


def check_targets(config):
    found = list(targets(config))
    assert found
    for target in found:
        get_object(target)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_experiment_composes_and_changes_the_configuration(preset):
    lines = (CONF / "experiment" / f"{preset}.yaml").read_text(encoding="utf-8").split("\n")
    assert lines[0] == "# @package _global_"
    assert lines[1].startswith("# ")
    assert lines[1].endswith(".")
    config = composed(f"+experiment={preset}", "dataset.path=.")
    assert config.experiment != composed().experiment
    check_targets(config)
    check_options(config)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_every_group_composes(option):
    group, choice = option.split("/")
    value = f"[{choice}]" if group == "postprocessor" else choice
    sign = "" if any(group in entry for entry in DEFAULTS if entry != "_self_") else "+"
    config = composed(f"{sign}{group}={value}")
    check_targets(config)
    if not sign:  # a group that one experiment alone reads is composed with that experiment
        config.experiment = {"read": config.pipeline, "with": config.setting}
        check_options(config)


def test_no_option_is_set_before_the_groups_are_read():
    assert DEFAULTS[0] == "_self_"
    assert not any("experiment" in str(entry) for entry in DEFAULTS)
