"""Options that would change nothing: each is refused, with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

CONF = Path(__file__).resolve().parent.parent / "conf"
_READ = re.compile(r"\$\{(\w+)[.}]")


def check_read(config: DictConfig) -> None:
    """Raises ValueError for an option at the top that nothing of this experiment reads."""
    plain: Any = OmegaConf.to_container(config, resolve=False)
    known = _own() | {"experiment", "hydra"}
    read = {*known}
    while more := {name for key in read for name in _READ.findall(str(plain.get(key)))} - read:
        read |= more
    for key in map(str, plain):
        if key in read:
            continue
        if key == "variants":
            raise ValueError("Nothing reads 'variants' here: write +experiment=compare for them.")
        near = get_close_matches(key, sorted(read), n=1)
        hint = f"did you mean {near[0]}?" if near else "leave it out."
        raise ValueError(f"Nothing reads the option '{key}' here: {hint}")


def check_chosen(config: DictConfig, words: Sequence[str]) -> None:
    """Raises ValueError for a preset that names no experiment, so that all it sets is passed over.

    words: of the command line.
    """
    chosen = [word for word in words if word.lstrip("+").startswith("experiment=")]
    if chosen and str(config.experiment.get("_target_")).endswith(".Catalogue"):
        raise ValueError(
            f"{chosen[-1]} names nothing to run: let its file build on an experiment, as in "
            '"defaults: [retrieval]" below its first line.'
        )


def check_replaced(config: DictConfig, words: Sequence[str]) -> None:
    """Raises ValueError for a word about a part that every variant replaces by its own.

    words: of the command line, such as `retriever.k1=1.2`.
    """
    variants = OmegaConf.select(config, "experiment.variants", default=None)
    if not isinstance(variants, DictConfig) or not variants:
        return
    for word in words:
        part = re.split(r"[.=@]", word.lstrip("+~"), maxsplit=1)[0]
        named = "@" in word.split("=")[0]
        if named or not all(_replaces(change, part) for change in variants.values()):
            continue
        raise ValueError(
            f"{word} changes nothing: every variant has a {part} of its own "
            f"({', '.join(map(str, variants))}). Change that one, as in "
            f"variants.{next(iter(variants))!s}.{part}.OPTION=…, or name a variant of your own: "
            f"+{part}@variants.mine.{part}=CHOICE."
        )


def _replaces(change: Any, part: str) -> bool:
    return isinstance(change, Mapping | DictConfig) and part in change


def _own() -> set[str]:
    """The names that the configuration has before any experiment is chosen."""
    base: Any = OmegaConf.to_container(OmegaConf.load(CONF / "config.yaml"))
    groups = {str(name) for entry in base["defaults"] if isinstance(entry, dict) for name in entry}
    return {*base, *groups}
