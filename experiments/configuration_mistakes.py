"""What Hydra says about words that it cannot compose, as one sentence about what to write."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from experiments.extras import install

CONF = Path(__file__).resolve().parent.parent / "conf"
_PLUGINS = ("optuna", "joblib")


def unknown_choice(error: MissingConfigException) -> str:
    """A group of options has no file of this name."""
    group, _, choice = str(error.missing_cfg_file).rpartition("/")
    if group in ("hydra/sweeper", "hydra/launcher") and choice in _PLUGINS:
        return install(f"hydra-{choice}-{group.removeprefix('hydra/')}", "sweep")
    options = sorted(error.options or (path.stem for path in (CONF / group).glob("*.yaml")))
    near = difflib.get_close_matches(choice, options, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"There is no {group} '{choice}'.{hint} There are: {', '.join(options)}."


def unset(error: MissingMandatoryValue) -> str:
    """An option has no value, and there is none to guess."""
    key = re.search(r"full_key: (\S+)", str(error))
    full = key.group(1) if key else "an option"
    name = re.sub(r"^experiment\.(setting|pipeline|base)\.", "", full)
    return f"{name} has no value: add {name}=… to the command."


def configuration(error: BaseException, arguments: Sequence[str]) -> str:
    """Hydra cannot compose the words.  arguments: of the command line."""
    first = str(error).strip().split("\n", 1)[0]
    if "--hydra-help" in arguments and len(arguments) > 1:
        return "--hydra-help stands alone: leave the other words out."
    if listed := re.search(r"(?:Ambiguous value for argument|Sweep parameters) '(.+)'", first):
        return _list(listed.group(1), arguments)
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
        chosen = [word for word in arguments if word.startswith("experiment=")]
        return f"Write +{(*chosen, 'experiment=NAME')[0]}, with the plus: it adds to a run."
    config = _composed(arguments)
    for option in (name, name.rpartition(".")[0]):
        if entries := _entries(config, option):
            return entries
    known = sorted({*_groups(), *_keys(config)} - {name})
    inner = [one for one in known if one.endswith(f".{name}") and not one.startswith("experiment.")]
    near = inner[:2] or difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`python run.py --help` lists them."
    return f"There is no option '{name}'. {hint}"


def _list(word: str, arguments: Sequence[str]) -> str:
    key, _, value = word.partition("=")
    quoted = f"; as one text it is written {key}=\"'{value}'\"" if "/" in value else ""
    return (
        f"{word} is a list, and a single run takes one value: "
        f"add -m to run a trial for each, as in python run.py -m {' '.join(arguments)}{quoted}."
    )


def _groups() -> list[str]:
    return [str(path.relative_to(CONF)) for path in CONF.rglob("*") if path.is_dir()]


def _composed(arguments: Sequence[str]) -> DictConfig:
    """What the groups on the command line give; empty where they do not compose."""
    known = (*_groups(), "experiment")
    chosen = [word for word in arguments if word.lstrip("+").split("=")[0] in known]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            return compose("config", overrides=chosen)
    except (HydraException, OmegaConfBaseException):
        return OmegaConf.create()


def _entries(config: DictConfig, option: str) -> str:
    """What to write for an option whose entries have names of the user's; "" for any other."""
    try:
        value = OmegaConf.select(config, option) if option else None
    except OmegaConfBaseException:
        return ""
    if (
        not isinstance(value, DictConfig)
        or "_target_" in value
        or any(map(_is_part, value.values()))
    ):
        return ""
    held = ", ".join(map(str, value)) or "no entries"
    return (
        f"{option} has {held}: '+{option}={{name: value}}' adds one, and '~{option}.name' takes "
        "one away."
    )


def _is_part(value: object) -> bool:
    return isinstance(value, DictConfig) and "_target_" in value


def _keys(config: DictConfig, prefix: str = "") -> Iterator[str]:
    for key in map(str, config):
        yield f"{prefix}{key}"
        if not OmegaConf.is_missing(config, key) and not OmegaConf.is_interpolation(config, key):
            value = config[key]
            if isinstance(value, DictConfig):
                yield from _keys(value, f"{prefix}{key}.")
