"""What can change a result: the key material of the store.

A part is described by its class, the values of its constructor arguments, the source of its
module with all modules of ours that it imports, and the versions of the libraries they import.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.secrets import is_secret

if TYPE_CHECKING:
    from retrievers.ranking import QueryPlan

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("chunk_quality", "retrievers", "postprocessors", "generation", "experiments")
_UNKNOWN = "unknown"
_LONGEST_NAME = 4  # words of llama-index-embeddings-openai-like, as modules have them
_RUNTIME_ONLY = {"callback_manager", "device", "embed_batch_size", "num_threads", "num_workers"}


def describe(part: Any) -> Any:
    """A JSON value that is equal for two parts exactly when they compute the same.

    Raises: ValueError when a constructor argument cannot be read back from the part.
    """
    if part is None or isinstance(part, bool | int | float | str):
        return part
    if isinstance(part, Path):
        return str(part)
    if isinstance(part, Mapping):
        return {str(key): describe(value) for key, value in part.items()}
    if isinstance(part, Sequence | set | frozenset):
        values = sorted(part) if isinstance(part, set | frozenset) else part
        return [describe(value) for value in values]
    if callable(delegate := getattr(part, "identity", None)):
        return delegate()
    return {
        "class": f"{type(part).__module__}.{type(part).__qualname__}",
        "source": source_of(type(part)),
        "arguments": {name: describe(value) for name, value in _arguments(part)},
    }


def fingerprint(value: Any) -> str:
    """sha256 (hex) of the canonical JSON of a described value."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def asked_plans(plans: Sequence[QueryPlan]) -> str:
    """What is searched for, as part of a key."""
    return fingerprint([[plan.id, dict(plan.texts)] for plan in plans])


def source_of(cls: type) -> str:
    """Hash of the source of a class of ours and of what it imports; "name version" of others.

    A class that no distribution brought is the user's: the hash of its file.
    """
    if cls.__module__.split(".")[0] in ROOMS:
        return module_source(cls.__module__)
    name, version = _version(cls.__module__)
    return f"{name} {version}" if version != _UNKNOWN else _own_file(cls)


@cache
def module_source(module: str) -> str:
    """Hash of a module of ours, of all of ours that it imports, and of their libraries' versions.

    Read once a process. What a module imports for type checking alone changes no result.
    """
    sources, outside = _behind(module)
    return fingerprint([sorted(sources.items()), sorted(outside)])


def libraries(described: Any, *modules: str) -> dict[str, str]:
    """Library -> its version now, of all that can change a result: Python, and what is imported.

    described: a value of `describe`: the classes in it, and all of ours that they import.
    modules: of ours, counted as well.
    """
    found = {"python": platform.python_version()}
    for name in {*modules, *_classes(described)}:
        found |= _brought(name)
    return {name: found[name] for name in sorted(found) if found[name] != _UNKNOWN}


@cache
def _brought(name: str) -> dict[str, str]:
    """The libraries behind a module or class of ours, and the one that brought any other."""
    module = name
    while module and _file_of(module) is None:
        module = module.rpartition(".")[0]
    ours = module.split(".")[0] in ROOMS
    return dict(_behind(module)[1] if ours else [_version(name)])


def _classes(described: Any) -> Iterator[str]:
    if isinstance(described, Mapping):
        if isinstance(described.get("class"), str):
            yield described["class"]
        described = list(described.values())
    if isinstance(described, list | tuple):
        for value in described:
            yield from _classes(value)


def _behind(module: str) -> tuple[dict[str, str], frozenset[tuple[str, str]]]:
    """The source of a module and of all of ours that it imports; their libraries and versions."""
    sources, outside = {}, set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in sources or (path := _file_of(name)) is None:
            continue
        sources[name], imports = _read(path, path.stat().st_mtime_ns)
        for imported in imports:
            room = imported.split(".")[0]
            if room in ROOMS:
                waiting.append(imported)
            elif room not in sys.stdlib_module_names:
                outside.add(_version(imported))
    return sources, frozenset(outside)


def _arguments(part: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(type(part), "model_fields"):  # a pydantic part of LlamaIndex
        for name in sorted(set(type(part).model_fields) - _RUNTIME_ONLY):
            if not is_secret(name):
                yield name, _plain(getattr(part, name))
        return
    labels = getattr(type(part), "labels", ())
    for name in inspect.signature(type(part)).parameters:
        if name not in labels and not is_secret(name):
            if not hasattr(part, name):
                raise ValueError(
                    f"{type(part).__name__} does not keep its argument '{name}' as an attribute, "
                    f"so its results cannot be stored: set self.{name} in its constructor."
                )
            yield name, getattr(part, name)


def _own_file(cls: type) -> str:
    try:
        return fingerprint(Path(inspect.getfile(cls)).read_text(encoding="utf-8"))
    except (TypeError, OSError):  # typed into a session: there is no file
        return _UNKNOWN


def _plain(value: Any) -> Any:
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return value


@cache
def _read(path: Path, changed: int) -> tuple[str, tuple[str, ...]]:
    """Text and imports of a file as it was at that time."""
    source = path.read_text(encoding="utf-8")
    return source, tuple(_imports(ast.parse(source)))


def _imports(tree: ast.AST) -> Iterator[str]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and _for_types(node.test):
            waiting += node.orelse
        elif not isinstance(node, ast.expr):
            waiting += ast.iter_child_nodes(node)


def _for_types(test: ast.expr) -> bool:
    name = getattr(test, "attr", getattr(test, "id", None))
    return name == "TYPE_CHECKING"


def _file_of(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    found = [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()]
    return found[0] if found else None


@cache
def _version(module: str) -> tuple[str, str]:
    """Name and version of the distribution of a module: `llama_index.core.x` is llama-index-core's.

    The names are tried first: looking into every distribution's list of files takes a second.
    """
    words = module.split(".")
    for length in range(min(len(words), _LONGEST_NAME), 0, -1):
        name = "-".join(words[:length]).replace("_", "-").lower()
        if version := _installed(name):
            return name, version
    return _owner(words[0]) or (module, _UNKNOWN)


@cache
def _installed(name: str) -> str | None:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None


@cache
def _owner(module: str) -> tuple[str, str] | None:
    """The distribution that brought a top-level module of another name (sklearn: scikit-learn)."""
    for distribution, files in _files():
        if f"\n{module}/__init__.py," in files or f"\n{module}." in files:
            return distribution.name, distribution.version
    return None


@cache
def _files() -> list[tuple[metadata.Distribution, str]]:
    return [(one, f"\n{one.read_text('RECORD') or ''}") for one in metadata.distributions()]
