"""`python run.py` lists the experiments, `python run.py +experiment=NAME` runs one."""

import os
import sys

import hydra
from hydra.utils import instantiate
from omegaconf import DictConfig

from experiments.schema import Experiment


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config: DictConfig) -> float | None:
    """Build the configured experiment and run it; a sweeper reads the primary score."""
    experiment: Experiment = instantiate(config.experiment, _convert_="all")
    return experiment.run().primary


if __name__ == "__main__":
    os.environ["HYDRA_FULL_ERROR"] = "1"  # mistakes are explained below, in one sentence
    try:
        main()
    except Exception as error:
        from experiments.mistakes import explain

        sys.exit(explain(error, sys.argv[1:]))
