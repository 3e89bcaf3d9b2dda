"""A stored stage is computed once, survives damage, and is keyed by all that can change it."""

import ast
import errno
import json
import multiprocessing
import os
import signal
import time
import warnings

import numpy as np
import pytest

from experiments import entry, identity
from experiments.entry import MANIFEST
from experiments.identity import describe, fingerprint
from experiments.records import MemoryRecords, SqliteRecords
from experiments.store import NoStore, Store


def save(value, folder):
    np.save(folder / "value.npy", value)


def load(folder):
    return np.load(folder / "value.npy")


def remember(store, key, value, calls):
    def build():
        calls.append(key)
        return np.array(value)

    return store.remember("stage", key, build, save, load)


def test_the_second_ask_does_not_build(tmp_path):
    calls = []
    first = remember(Store(tmp_path), {"k": 1}, [1, 2], calls)
    again = remember(Store(tmp_path), {"k": 1}, [9, 9], calls)
    assert first.tolist() == again.tolist() == [1, 2]
    assert calls == [{"k": 1}]


def test_another_key_is_another_entry(tmp_path):
    calls = []
    remember(Store(tmp_path), {"k": 1}, [1], calls)
    assert remember(Store(tmp_path), {"k": 2}, [2], calls).tolist() == [2]
    assert len(calls) == 2


@pytest.mark.parametrize("damage", ["truncate", "delete", "flip", "manifest", "no manifest"])
def test_a_damaged_entry_is_built_again_with_a_warning(tmp_path, damage):
    calls = []
    remember(Store(tmp_path), "k", [1, 2, 3], calls)
    (file,) = tmp_path.rglob("value.npy")
    if damage == "truncate":
        file.write_bytes(file.read_bytes()[:-3])
    elif damage == "delete":
        file.unlink()
    elif damage == "flip":
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)
    elif damage == "manifest":
        (file.parent / MANIFEST).write_text("{", encoding="utf-8")
    else:
        (file.parent / MANIFEST).unlink()
    with pytest.warns(UserWarning, match="damaged"):
        assert remember(Store(tmp_path), "k", [1, 2, 3], calls).tolist() == [1, 2, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        remember(Store(tmp_path), "k", [1, 2, 3], calls)
    assert len(calls) == 2


def test_a_build_that_raises_leaves_no_entry(tmp_path):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        Store(tmp_path).remember("stage", "k", fail, save, load)
    assert remember(Store(tmp_path), "k", [1], []).tolist() == [1]


def slow_build(folder, log):
    def build():
        with open(log, "a", encoding="utf-8") as file:
            file.write("built\n")
        time.sleep(0.3)
        return np.array([1])

    Store(folder).remember("stage", "k", build, save, load)


def test_two_processes_build_one_entry_once(tmp_path):
    log = tmp_path / "log"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=slow_build, args=(tmp_path, log)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert log.read_text(encoding="utf-8") == "built\n"


def test_no_store_builds_every_time():
    calls = []
    remember(NoStore(), "k", [1], calls)
    remember(NoStore(), "k", [1], calls)
    assert len(calls) == 2


@pytest.fixture(params=["memory", "sqlite"])
def records(request, tmp_path):
    return MemoryRecords() if request.param == "memory" else SqliteRecords(tmp_path / "r.sqlite")


def test_records_are_kept_by_exact_text(records):
    records.put({"물": b"1", "water": b"2", "\ud800": b"3"})
    assert records.get(["물", "water ", "\ud800", "물"]) == {"물": b"1", "\ud800": b"3"}


def test_more_records_than_sqlite_takes_in_one_query(records):
    values = {str(number): str(number).encode() for number in range(1200)}
    records.put(values)
    assert records.get(list(values)) == values


def test_the_first_value_of_a_record_stays(records):
    records.put({"a": b"1"})
    records.put({"a": b"2", "b": b"3"})
    assert records.get(["a", "b"]) == {"a": b"1", "b": b"3"}


def test_a_damaged_record_is_unknown_and_can_be_replaced(tmp_path):
    import sqlite3

    records = SqliteRecords(tmp_path / "r.sqlite")
    records.put({"a": b"right"})
    with sqlite3.connect(records.path) as database:
        database.execute("UPDATE records SET value = ?", (b"wrong",))
    assert records.get(["a"]) == {}
    records.put({"a": b"right"})
    assert records.get(["a"]) == {"a": b"right"}


def test_a_file_that_is_no_database_is_set_aside(tmp_path):
    path = tmp_path / "r.sqlite"
    path.write_bytes(b"not a database" * 100)
    records = SqliteRecords(path)
    with pytest.warns(UserWarning, match="set aside"):
        records.put({"a": b"1"})
    assert records.get(["a"]) == {"a": b"1"}
    assert path.with_suffix(".damaged").exists()


class Part:
    labels = frozenset({"name"})

    def __init__(self, name, *, depth=1, inner=None):
        self.name = name
        self.depth = depth
        self.inner = inner


class Forgetful:
    def __init__(self, depth):
        self.other = depth


def test_a_description_holds_arguments_and_not_labels():
    assert describe(Part("a", depth=2)) == describe(Part("b", depth=2))
    assert describe(Part("a", depth=2)) != describe(Part("a", depth=3))
    assert describe(Part("a", inner=Part("x"))) != describe(Part("a"))
    json.dumps(describe(Part("a", inner={"parts": [Part("x"), None]})))


def test_a_part_that_hides_an_argument_cannot_be_described():
    with pytest.raises(ValueError, match=r"self\.depth"):
        describe(Forgetful(1))


def test_editing_a_source_file_changes_the_description(tmp_path, monkeypatch):
    room = tmp_path / "retrievers"
    room.mkdir()
    (room / "leaf.py").write_text("DEPTH = 1\n", encoding="utf-8")
    (room / "part.py").write_text("from retrievers.leaf import DEPTH\n", encoding="utf-8")
    monkeypatch.setattr(identity, "ROOT", tmp_path)
    before = identity.module_source.__wrapped__("retrievers.part")
    (room / "leaf.py").write_text("DEPTH = 2\n", encoding="utf-8")
    after = identity.module_source.__wrapped__("retrievers.part")
    assert before != after


def test_a_fingerprint_does_not_depend_on_the_order_of_keys():
    assert fingerprint({"a": 1, "b": "물"}) == fingerprint({"b": "물", "a": 1})


def test_a_large_entry_is_read_in_full_only_where_it_was_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(entry, "ALWAYS_READ", 100)
    read = []
    checksum = entry.checksum
    monkeypatch.setattr(entry, "checksum", lambda path: read.append(path.name) or checksum(path))
    remember(Store(tmp_path), "k", [0] * 100, [])
    read.clear()
    remember(Store(tmp_path), "k", [0] * 100, [])
    assert read == []
    (file,) = tmp_path.rglob("value.npy")
    file.touch()  # as a copy to another machine has it: whole, with other times
    calls = []
    for _ in range(2):
        remember(Store(tmp_path), "k", [0] * 100, calls)
    assert (read, calls) == (["value.npy"], [])
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.warns(UserWarning, match="damaged"):
        remember(Store(tmp_path), "k", [0] * 100, calls)
    assert calls == ["k"]


def test_an_entry_that_is_replaced_while_it_is_mapped_stays_readable(tmp_path):
    store = Store(tmp_path)

    def mapped(folder):
        return np.load(folder / "value.npy", mmap_mode="r")

    store.remember("stage", "k", lambda: np.full(1000, 1), save, mapped)
    first = store.remember("stage", "k", lambda: None, save, mapped)
    store.remember("stage", "k", lambda: np.full(1000, 2), save, mapped, again=True)
    assert set(first.tolist()) == {1}


def killed_build(folder):
    def save_half(value, unfinished):
        np.save(unfinished / "value.npy", value)
        os.kill(os.getpid(), signal.SIGKILL)

    Store(folder).remember("stage", "k", lambda: np.array([0]), save_half, load)


def test_a_process_killed_while_it_writes_leaves_nothing_that_is_read(tmp_path):
    worker = multiprocessing.get_context("spawn").Process(target=killed_build, args=(tmp_path,))
    worker.start()
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    assert list(tmp_path.rglob("*.tmp"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert remember(Store(tmp_path), "k", [1], []).tolist() == [1]
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    def full(value, folder):
        (folder / "half.npy").write_bytes(b"x")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ValueError, match=r"No space left.*store=off\.$"):
        Store(tmp_path).remember("stage", "k", lambda: 1, full, load)
    assert not [path for path in tmp_path.rglob("*") if path.suffix != ".lock" and path.is_file()]


def test_a_place_that_cannot_hold_a_store_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"store\.dir="):
        remember(Store(tmp_path / "file"), "k", [1], [])
    with pytest.raises(ValueError, match=r"store\.dir="):
        Store(tmp_path / "file").records("vectors", "k")


def test_imports_for_types_alone_do_not_count():
    tree = ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\nimport c\n")
    assert sorted(identity._imports(tree)) == ["b", "c"]


def test_versions_are_those_of_the_distribution_that_brought_the_module():
    assert identity._version("llama_index.core.schema.TextNode")[0] == "llama-index-core"
    assert identity._version("sklearn.svm")[0] == "scikit-learn"
    assert identity._version("no_such_module.x") == ("no_such_module.x", "unknown")


def test_libraries_are_those_that_a_part_and_the_modules_of_ours_import():
    own = {"a": [{"class": "retrievers.bm25.BM25Retriever", "arguments": {"k1": 1.2}}]}
    found = identity.libraries(own)
    assert found.keys() >= {"python", "bm25s", "numpy"}
    assert "kiwipiepy" in identity.libraries({}, "retrievers.analyzers")
    theirs = {"class": "llama_index.core.node_parser.text.sentence.SentenceSplitter"}
    assert identity.libraries(theirs).keys() == {"python", "llama-index-core"}
    assert identity.libraries({"class": "__main__.Mine"}).keys() == {"python"}
