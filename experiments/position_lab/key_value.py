"""Key-value retrieval: pairs of random strings, one of which is asked for."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from experiments.datasets.paths import existing_file
from experiments.datasets.records import Record, read_records
from experiments.position_lab.tasks import Passage, Task, TaskSet, check_count

if TYPE_CHECKING:
    from experiments.setting import Setting

_SHORT = 8


@dataclass(frozen=True, kw_only=True)
class KeyValueTasks:
    """Liu et al. (TACL 2024), section 3: a value is to be copied from among others.

    path: a file of the paper's lines ("ordered_kv_records", "key", "value"); None makes pairs.
    count: how many tasks, from the first of the file.
    strings: `uuid`, or `short` ones of 8 hexadecimal digits, for small models.
    seed: of the pairs that are made, and of the order of the others.
    """

    path: str | Path | None = None
    count: int = 100
    strings: Literal["uuid", "short"] = "uuid"
    seed: int = 0

    def load(self, setting: Setting, *, documents: int, evidence: int) -> TaskSet:
        """One task a line; where several pairs are needed, all their values are asked for.

        Raises ValueError for a file that is none, for lines with fewer pairs than documents, and
        for a count below 1.
        """
        check_count(self.count)
        if self.path is None:
            tasks = [self._made(number, documents, evidence) for number in range(self.count)]
            return TaskSet(f"key_value_{self.strings}", tuple(tasks), self.seed)
        notes: list[str] = []
        records = read_records(existing_file(Path(self.path)), notes)[: self.count]
        tasks = [_read(record, n, documents, evidence) for n, record in enumerate(records)]
        return TaskSet(Path(self.path).stem, tuple(tasks), self.seed, tuple(notes))

    def _made(self, number: int, documents: int, evidence: int) -> Task:
        draw = random.Random(f"{self.seed}/{number}")
        strings: dict[str, None] = {}
        while len(strings) < 2 * documents:
            strings[self._string(draw)] = None
        flat = [*strings]
        return _task(f"kv{number}", list(zip(flat[::2], flat[1::2], strict=True)), evidence)

    def _string(self, draw: random.Random) -> str:
        text = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        return text if self.strings == "uuid" else text.replace("-", "")[:_SHORT]


def _read(record: Record, number: int, documents: int, evidence: int) -> Task:
    pairs = record.fields[record.first("ordered_kv_records")]
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        raise record.wrong_type("ordered_kv_records", "a list of pairs of texts")
    asked = (record.text("key"), record.text("value"))
    others = [(key, value) for key, value in pairs if key != asked[0]]
    if len({key for key, _ in others}) < len(others):
        raise record.line.error("a key stands twice in it: give each pair a key of its own.")
    if len(others) + 1 < documents:
        raise record.line.error(
            f"it has {len(others) + 1} pairs and {documents} are to be shown: give lab.documents "
            "up to that number."
        )
    return _task(f"kv{number}", [asked, *others], evidence)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(x, str) for x in value)


def _task(name: str, pairs: list[tuple[str, str]], evidence: int) -> Task:
    """The first pairs are asked for."""
    passages = [Passage(f"{name}/{key}", key, f'"{key}": "{value}"') for key, value in pairs]
    keys = " and ".join(f'"{key}"' for key, _ in pairs[:evidence])
    asked = f"What is the value of the key {keys}?"
    if evidence > 1:
        asked = f"What are the values of the keys {keys}?"
    values = tuple((value,) for _, value in pairs[:evidence])
    return Task(name, asked, values, tuple(passages[:evidence]), tuple(passages[evidence:]), True)
