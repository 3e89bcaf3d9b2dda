"""What the stages leave on disk: strings, chunks and terms, as arrays that load without parsing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

from experiments.store import NotStorableError

_PLACES = ("start_char_idx", "end_char_idx")
_COLUMNS = ("id_", "text", "metadata", "relationships", *_PLACES)


def save_strings(values: Sequence[str], folder: Path, name: str) -> None:
    """Write strings as one array of bytes (UTF-8, lone surrogates kept) and one of their ends."""
    encoded = [value.encode("utf-8", "surrogatepass") for value in values]
    np.save(folder / f"{name}.npy", np.frombuffer(b"".join(encoded), dtype=np.uint8))
    np.save(folder / f"{name}_ends.npy", np.cumsum([len(one) for one in encoded], dtype=np.int64))


def load_strings(folder: Path, name: str) -> list[str]:
    """Read what `save_strings` wrote."""
    data = _array(folder, name).data
    begin, values = 0, []
    for end in _array(folder, f"{name}_ends").tolist():
        values.append(str(data[begin:end], "utf-8", "surrogatepass"))
        begin = end
    return values


def save_chunks(nodes: Sequence[BaseNode], folder: Path) -> None:
    """Write chunks so that `load_chunks` gives back equal ones.

    Raises NotStorableError: other nodes than text nodes, or metadata that JSON does not keep.
    """
    strange = {type(node).__name__ for node in nodes if type(node) is not TextNode}
    if strange:
        raise NotStorableError(f"Chunks of class {', '.join(sorted(strange))} cannot be stored.")
    texts = [node for node in nodes if isinstance(node, TextNode)]
    save_strings([node.id_ for node in texts], folder, "ids")
    save_strings([node.text for node in texts], folder, "texts")
    for name in _PLACES:
        places = [getattr(node, name) for node in texts]
        np.save(folder / f"{name}.npy", np.array([-1 if p is None else p for p in places]))
    _save_repeated([_json(node, node.metadata) for node in texts], folder, "metadata")
    _save_repeated([_json(node, _links(node)) for node in texts], folder, "links")
    _save_repeated([_json(node, _form(node)) for node in texts], folder, "forms")
    for node, copy in zip(texts, load_chunks(folder), strict=True):
        if node != copy:
            raise _not_json(node)


def load_chunks(folder: Path) -> list[TextNode]:
    """Read what `save_chunks` wrote; no chunk shares a value that can be changed with another."""
    columns: list[Iterable[Any]] = [load_strings(folder, "ids"), load_strings(folder, "texts")]
    columns += [_array(folder, name).tolist() for name in _PLACES]
    columns += [_load_repeated(folder, name) for name in ("metadata", "links", "forms")]
    return [
        TextNode.model_construct(
            id_=name,
            text=text,
            start_char_idx=None if start < 0 else start,
            end_char_idx=None if end < 0 else end,
            metadata=json.loads(metadata),
            relationships={NodeRelationship(k): _info(v) for k, v in json.loads(links).items()},
            **json.loads(form),
        )
        for name, text, start, end, metadata, links, form in zip(*columns, strict=True)
    ]


def save_terms(terms: Sequence[Sequence[str]], folder: Path) -> None:
    """Write the terms of every text, in order."""
    _save_repeated([term for several in terms for term in several], folder, "terms")
    np.save(folder / "ends.npy", np.cumsum([len(several) for several in terms], dtype=np.int64))


def load_terms(folder: Path) -> list[list[str]]:
    """Read what `save_terms` wrote."""
    flat = _load_repeated(folder, "terms")
    begin, terms = 0, []
    for end in _array(folder, "ends").tolist():
        terms.append(flat[begin:end])
        begin = end
    return terms


def save_array(values: np.ndarray, folder: Path) -> None:
    """Write one array."""
    np.save(folder / "values.npy", values)


def load_array(folder: Path) -> np.ndarray:
    """Read what `save_array` wrote."""
    return _array(folder, "values")


def save_values(values: Mapping[str, Any], folder: Path) -> None:
    """Write a record by name: arrays as arrays, all else as JSON."""
    rest = {name: value for name, value in values.items() if not isinstance(value, np.ndarray)}
    for name in values.keys() - rest.keys():
        np.save(folder / f"{name}.npy", values[name])
    (folder / "values.json").write_text(json.dumps(rest), encoding="utf-8")


def load_values(folder: Path) -> dict[str, Any]:
    """Read what `save_values` wrote; tuples come back as lists."""
    rest: dict[str, Any] = json.loads((folder / "values.json").read_text(encoding="utf-8"))
    return {**rest, **{path.stem: _array(folder, path.stem) for path in folder.glob("*.npy")}}


def _array(folder: Path, name: str) -> np.ndarray:
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))


def _save_repeated(values: Sequence[str], folder: Path, name: str) -> None:
    """Each distinct string once: chunks of one document share most of what is not their text."""
    distinct = {value: row for row, value in enumerate(dict.fromkeys(values))}
    save_strings(list(distinct), folder, name)
    rows = np.array([distinct[value] for value in values], dtype=np.int32)
    np.save(folder / f"{name}_rows.npy", rows)


def _load_repeated(folder: Path, name: str) -> list[str]:
    distinct = load_strings(folder, name)
    return [distinct[row] for row in _array(folder, f"{name}_rows").tolist()]


def _json(node: BaseNode, value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise _not_json(node) from error


def _not_json(node: BaseNode) -> NotStorableError:
    return NotStorableError(f"The chunk {node.id_} holds what JSON cannot keep.")


def _form(node: TextNode) -> dict[str, Any]:
    return {name: value for name, value in node.__dict__.items() if name not in _COLUMNS}


def _links(node: TextNode) -> dict[str, Any]:
    return {
        str(kind.value): [one.__dict__ for one in info] if isinstance(info, list) else info.__dict__
        for kind, info in node.relationships.items()
    }


def _info(value: Any) -> RelatedNodeInfo | list[RelatedNodeInfo]:
    if isinstance(value, list):
        return [RelatedNodeInfo(**one) for one in value]
    return RelatedNodeInfo(**value)
