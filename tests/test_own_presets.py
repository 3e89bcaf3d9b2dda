"""A preset of one's own changes the configuration, or is refused: it is never passed over."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from experiments.building import check_options
from experiments.unread_options import check_chosen

CONF = str(Path(__file__).resolve().parents[1] / "conf")
HEADER = "# @package _global_\n"
BASE = "defaults:\n  - retrieval\n"


def composed(folder, text):
    (folder / "experiment").mkdir()
    (folder / "experiment" / "mine.yaml").write_text(text, encoding="utf-8")
    words = ["+experiment=mine", f"hydra.searchpath=[file://{folder}]"]
    with initialize_config_dir(CONF, version_base="1.3"):
        return compose("config", overrides=words)


def checked(config):
    check_options(config)
    check_chosen(config, ["+experiment=mine"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{BASE}depth: 1\n", "no option 'experiment.depth'.*begin with the line \"# @package"),
        ("depth: 1\n", "no option 'experiment.depth'.*begin with the line \"# @package"),
        (f"{HEADER}depth: 1\n", r"\+experiment=mine names nothing to run: let its file build on"),
    ],
)
def test_one_that_would_change_nothing_is_refused(tmp_path, text, said):
    config = composed(tmp_path, text)
    with pytest.raises(ValueError, match=said):
        checked(config)


def test_one_that_builds_on_an_experiment_counts(tmp_path):
    config = composed(tmp_path, f"{HEADER}{BASE}depth: 1\n")
    checked(config)
    assert config.depth == 1


def test_without_a_preset_the_catalogue_may_be_asked_for():
    with initialize_config_dir(CONF, version_base="1.3"):
        check_chosen(compose("config"), [])
