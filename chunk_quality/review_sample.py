"""Reading a random sample of chunks: a page to label them in a browser."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode

from chunk_quality.reading import text_of

LABELS: Mapping[str, str] = {
    "good": "Right, clear, and about one thing",
    "translated": "Sounds translated",
    "wrong": "Says something false",
    "off_topic": "Does not belong in this corpus",
    "mixed": "Several topics in one chunk",
}
"""What a chunk may be called, and what that means."""

Measures = Mapping[str, Mapping[str, float | int | str | None]]

_PAGE = Path(__file__).parent / "review_page"
_FILES = ("page.html", "page.css", "csv.js", "page.js")
_UNPRINTABLE = re.compile("[\ud800-\udfff\0]")


@dataclass(frozen=True, slots=True)
class ReviewSample:
    """Draws chunks at random and writes the page on which a person labels them.

    size: how many chunks; all of them where there are fewer.
    buttons: label -> what it means. A reader can add more labels on the page.
    title: what stands above the page.

    The draw depends on the seed and the ids alone, not on the order of the corpus. Chunks are
    shown in the order they were drawn: wherever one stops reading, what was read is a random
    sample.
    Raises ValueError: an impossible size, or a label with ";" in it.
    """

    size: int = 100
    _: KW_ONLY
    seed: int = 0
    buttons: Mapping[str, str] = field(default_factory=lambda: dict(LABELS))
    title: str = "Chunk review"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size is {self.size}: draw 1 chunk or more.")
        for label in self.buttons:
            if ";" in label or not label.strip():
                raise ValueError(f'The label "{label}" cannot be one: write words without ";".')

    def draw(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """The chunks to read, in the order to read them.

        Raises ValueError for no chunks and for a repeated id.
        """
        if not nodes:
            raise ValueError("There are no chunks to draw from: give at least one.")
        by_id = {node.node_id: node for node in nodes}
        if len(by_id) < len(nodes):
            twice, count = Counter(node.node_id for node in nodes).most_common(1)[0]
            raise ValueError(f'{count} chunks have the id "{twice}": give each an id of its own.')
        order = np.random.default_rng(self.seed).permutation(len(nodes))
        ids = sorted(by_id)
        return [by_id[ids[place]] for place in order[: self.size]]

    def write(
        self, path: str | Path, nodes: Sequence[BaseNode], measures: Measures | None = None
    ) -> Path:
        """Draw from these chunks and write one HTML file that needs nothing else.

        measures: chunk id -> name -> value, shown below the text.

        The page keeps what is labelled in the browser, under the sample's fingerprint, and saves
        it as a CSV file that `load_labels` reads.
        Raises ValueError: what `draw` raises, or a path that is a folder.
        """
        path = Path(path)
        page = self._page(self.draw(nodes), measures or {}, path)
        if path.is_dir():
            raise ValueError(f"{path} is a folder; give the name of a file to write.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        return path

    def _page(self, drawn: Sequence[BaseNode], measures: Measures, path: Path) -> str:
        chunks = [_chunk(node, measures.get(node.node_id, {})) for node in drawn]
        content = json.dumps([[chunk["id"], chunk["text"]] for chunk in chunks])
        sample = {
            "title": self.title,
            "file": f"{path.stem}.csv",
            "fingerprint": hashlib.sha256(content.encode()).hexdigest()[:16],
            "labels": [[printable(name), said] for name, said in self.buttons.items()],
            "chunks": chunks,
        }
        parts = {name: (_PAGE / name).read_text(encoding="utf-8") for name in _FILES}
        script = parts["csv.js"] + parts["page.js"]
        page = parts["page.html"].replace("/*STYLE*/", parts["page.css"])
        return page.replace("/*SCRIPT*/", script).replace("{{SAMPLE}}", script_json(sample))


def printable(text: str) -> str:
    """The text as a page and a CSV file can hold it: NUL and lone surrogates become U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text)


def script_json(value: Any) -> str:
    """JSON that may stand in a script element: no letter of it can end or open a tag."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _chunk(node: BaseNode, measures: Mapping[str, float | int | str | None]) -> dict[str, Any]:
    title = node.metadata.get("title")
    return {
        "id": printable(node.node_id),
        "title": printable(title) if isinstance(title, str) else "",
        "text": printable(text_of(node)),
        "document": printable(getattr(node, "ref_doc_id", None) or node.node_id),
        "place": _place(node),
        "measures": [[printable(name), _shown(value)] for name, value in measures.items()],
    }


def _place(node: BaseNode) -> str:
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return "" if start is None or end is None else f"characters {start:,} to {end:,}"


def _shown(value: float | int | str | None) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else printable(str(value))
