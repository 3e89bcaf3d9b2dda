"""From the configuration to the experiment: every option is looked at before anything is built."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from hydra._internal.utils import _locate
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from experiments.extras import missing_extra
from experiments.option_types import argument_types, check_value
from experiments.schema import Experiment
from experiments.unread_options import check_chosen, check_read, check_replaced

_HEADER = ' A preset of your own has to begin with the line "# @package _global_".'
_REFERENCE = re.compile(r"\$\{([\w.]+)\}")


def build(config: DictConfig) -> Experiment:
    """The experiment. Raises ValueError for an option that is wrong or that nothing reads."""
    words = HydraConfig.get().overrides.task
    check_options(config)
    check_chosen(config, words)
    check_replaced(config, words)
    experiment: Experiment = instantiate(config.experiment, _convert_="all")
    return experiment


def check_options(config: DictConfig) -> None:
    """Hold each plain value that the experiment reads against the constructor that gets it.

    Raises ValueError naming the option as it is written on the command line.
    """
    check_read(config)
    plain = OmegaConf.to_container(config, resolve=False)
    if isinstance(plain, dict):
        check_value("fail_fast", plain.get("fail_fast", False), bool)
        _check(plain, "experiment", plain["experiment"])


def _check(config: Mapping[Any, Any], option: str, node: Any) -> None:
    """All values under a node; `${name}` is looked at under that name."""
    if isinstance(node, list):
        for item in node:
            _check(config, option, item)
    if not isinstance(node, dict):
        return
    parameters, kinds = _signature(option, node["_target_"]) if "_target_" in node else (None, {})
    for key, given in node.items():
        name, value = _followed(config, f"{option}.{key}", given)
        if str(key).startswith("_") or _is_open(value):
            continue
        if parameters is not None and key not in parameters:
            hint = _hint(str(key), list(parameters)) + (_HEADER if option == "experiment" else "")
            raise ValueError(f"There is no option '{name}'.{hint}")
        if key in kinds:
            check_value(name, _resolved(config, name, value), kinds[key])
        _check(config, name, value)


def _followed(config: Mapping[Any, Any], option: str, value: Any) -> tuple[str, Any]:
    """The option that is written to set this value, and the value."""
    while isinstance(value, str) and (reference := _REFERENCE.fullmatch(value)):
        reader, option, value = option, reference.group(1), config
        for step in option.split("."):
            if not isinstance(value, Mapping) or step not in value:
                raise ValueError(f"{reader} reads {option}, which is not there: keep {option}.")
            value = value[step]
    return option, value


def _resolved(config: Mapping[Any, Any], option: str, value: Any) -> Any:
    """A group of plain values with the references in it followed."""
    if isinstance(value, dict):
        found = {key: _followed(config, option, item)[1] for key, item in value.items()}
        return {key: item for key, item in found.items() if not _is_open(item)}
    return value


def _is_open(value: Any) -> bool:
    """Whether it has no value yet, or one that a resolver gives."""
    return isinstance(value, str) and (value == "???" or "${" in value)


def _signature(option: str, target: str) -> tuple[Mapping[str, Any] | None, dict[str, Any]]:
    """The arguments it takes, None where it takes any, and their types."""
    call = _target(option, target)
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return None, {}
    kinds = {parameter.kind for parameter in parameters.values()}
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds
    return None if takes_any else parameters, argument_types(call)


def _target(option: str, target: str) -> Any:
    """What `_target_` names. Raises ValueError where it is not there, with the nearest name."""
    try:
        return _locate(target)
    except ImportError as error:
        missing = _missing_module(error)
        module = target.rpartition(".")[0]
        if missing is not None and not f"{target}.".startswith(f"{missing.name}."):
            raise missing from None  # it is there, and imports a package that is not
        if missing_extra(module):
            raise ModuleNotFoundError(f"No module named '{module}'", name=module) from None
        near = get_close_matches(target, list(_places(target)), n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"{option}._target_ is {target}, which does not exist.{hint}") from None


def _missing_module(error: BaseException) -> ModuleNotFoundError | None:
    while not isinstance(error, ModuleNotFoundError):
        if error.__cause__ is None:
            return None
        error = error.__cause__
    return error


def _places(target: str) -> Iterator[str]:
    """The full names that stand where the target was looked for."""
    parent = target
    while parent := parent.rpartition(".")[0]:
        try:
            module = importlib.import_module(parent)
        except ImportError:
            continue
        modules = [one.name for one in pkgutil.iter_modules(getattr(module, "__path__", []))]
        own = [name for name, one in vars(module).items() if _home(one) == parent]
        yield from (f"{parent}.{name}" for name in [*modules, *own])
        return


def _home(one: Any) -> str | None:
    return getattr(one, "__module__", None)


def _hint(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f" Did you mean {near[0]}?"
    return f" There are: {', '.join(known)}." if known else " It takes none."
