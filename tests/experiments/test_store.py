"""A stored stage is computed once and survives damage."""

import errno
import multiprocessing
import os
import signal
import time
import warnings

import numpy as np
import pytest

from experiments import entry
from experiments.entry import MANIFEST
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
