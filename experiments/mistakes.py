"""One sentence for a user's mistake, a traceback only for a fault of ours."""

from __future__ import annotations

import difflib
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException, InstantiationException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from experiments.extras import install, missing_extra

USER_MISTAKE = 2
FAULT = 1
INTERRUPTED = 130
CONF = Path(__file__).resolve().parent.parent / "conf"
_PLUGINS = ("optuna", "joblib")


@contextmanager
def explained() -> Iterator[None]:
    """Ends the process with `explain`'s code where the block raises."""
    try:
        yield
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(explain(error, sys.argv[1:]))


def explain(error: Exception, arguments: Sequence[str]) -> int:
    """Print what went wrong to the error stream; returns the exit code.

    arguments: the words of the command line. A `ValueError`, a configuration error, a missing
    extra or a file that cannot be reached is a user's mistake (2); all else is a fault (1).
    `HYDRA_TRACEBACK=1` in the environment shows the traceback of a mistake too.
    """
    cause = _cause(error)
    sentence = _sentence(cause, arguments)
    if sentence is None or os.environ.get("HYDRA_TRACEBACK"):
        traceback.print_exception(error, file=sys.stderr)
        return FAULT if sentence is None else USER_MISTAKE
    print(f"error: {sentence}", file=sys.stderr)
    return USER_MISTAKE


def reason(error: Exception) -> str:
    """One line that says why: the sentence of a mistake, else the kind of fault and its words."""
    cause = _cause(error)
    said = _sentence(cause, ()) or f"{type(cause).__name__}: {cause}"
    return " ".join(said.split())


def _cause(error: BaseException) -> BaseException:
    """What lies under Hydra's own wrapping of an error in a constructor."""
    while isinstance(error, InstantiationException) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _sentence(error: BaseException, arguments: Sequence[str]) -> str | None:
    if isinstance(error, MissingConfigException):
        return _unknown_choice(error)
    if isinstance(error, MissingMandatoryValue):
        return _unset(error)
    if isinstance(error, HydraException | OmegaConfBaseException):
        return _configuration(error, arguments)
    if isinstance(error, ImportError):
        return missing_extra(error.name or "")
    if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
        return f"An option does not exist here: {error}."
    if isinstance(error, ValueError):
        return str(error)
    if isinstance(error, OSError):
        place = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{place}."
    return None


def _unknown_choice(error: MissingConfigException) -> str:
    group, _, choice = str(error.missing_cfg_file).rpartition("/")
    if group in ("hydra/sweeper", "hydra/launcher") and choice in _PLUGINS:
        return install(f"hydra-{choice}-{group.removeprefix('hydra/')}", "sweep")
    options = sorted(error.options or ())
    near = difflib.get_close_matches(choice, options, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"There is no {group} '{choice}'.{hint} There are: {', '.join(options)}."


def _unset(error: MissingMandatoryValue) -> str:
    key = re.search(r"full_key: (\S+)", str(error))
    full = key.group(1) if key else "an option"
    name = re.sub(r"^experiment\.(setting|pipeline|base)\.", "", full)
    return f"{name} has no value: add {name}=… to the command."


def _configuration(error: BaseException, arguments: Sequence[str]) -> str:
    first = str(error).strip().split("\n", 1)[0]
    if listed := re.search(r"(?:Ambiguous value for argument|Sweep parameters) '(.+)'", first):
        return (
            f"{listed.group(1)} is a list, and a single run takes one value: "
            f"add -m to run a trial for each, as in python run.py -m {' '.join(arguments)}."
        )
    if launcher := re.search(r"In '(experiment/\S+)'.*'experiment/hydra/(launcher|sweeper)", first):
        file, part = launcher.groups()
        return (
            f"conf/{file}.yaml chooses a {part}, which Hydra looks for in the wrong place: "
            f"write hydra/{part}=… on the command line instead."
        )
    unknown = re.search(r"Could not (?:override|delete from config)[. ]+'?([\w./@]+)'?", first)
    if unknown is None:
        return f"{first} (in: {' '.join(arguments)})" if arguments else first
    name = unknown.group(1).rstrip(".")
    if name == "experiment":
        return "Write +experiment=NAME, with the plus: a run has no experiment to replace."
    near = difflib.get_close_matches(name, list(_options(arguments)), n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`python run.py --help` lists them."
    return f"There is no option '{name}'. {hint}"


def _options(arguments: Sequence[str]) -> Iterator[str]:
    """Every group and every key of the configuration that the groups on the command line give."""
    groups = [str(path.relative_to(CONF)) for path in CONF.rglob("*") if path.is_dir()]
    yield from groups
    known = (*groups, "experiment")
    chosen = [word for word in arguments if word.lstrip("+").split("=")[0] in known]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            config = compose("config", overrides=chosen)
    except (HydraException, OmegaConfBaseException):
        return
    yield from _keys(config)


def _keys(config: DictConfig, prefix: str = "") -> Iterator[str]:
    for key in map(str, config):
        yield f"{prefix}{key}"
        if not OmegaConf.is_missing(config, key) and not OmegaConf.is_interpolation(config, key):
            value = config[key]
            if isinstance(value, DictConfig):
                yield from _keys(value, f"{prefix}{key}.")
