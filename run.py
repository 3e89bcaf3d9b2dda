"""`python run.py` lists the experiments, `python run.py +experiment=NAME` runs one."""

import os
import sys

try:  # the imports take a second, time enough to press Ctrl-C
    import hydra
    from omegaconf import DictConfig

    from experiments.building import build
    from experiments.command_line import readable
    from experiments.mistakes import explained
    from experiments.sweeps.attempt import attempt
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
    sys.exit(130)


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config: DictConfig) -> float:
    """Build the configured experiment and run it; a sweeper maximises the number."""
    return attempt(lambda: build(config).run(), config)


if __name__ == "__main__":
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra hands its own errors on: they are explained here
    with explained():
        sys.argv[1:] = readable(sys.argv[1:])
        main()
