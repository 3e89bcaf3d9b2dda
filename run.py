"""`python run.py` lists the experiments, `python run.py +experiment=NAME` runs one."""

import os

import hydra
from omegaconf import DictConfig

from experiments.building import build
from experiments.mistakes import explained
from experiments.schema import Report
from experiments.sweeps.attempt import attempt


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config: DictConfig) -> float:
    """Build the configured experiment and run it; a sweeper maximises the number."""

    def run() -> Report:
        return build(config).run()

    return attempt(run, config)


if __name__ == "__main__":
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra hands its own errors on: they are explained here
    with explained():
        main()
