"""`python -m experiments.store`: lists, cleans what is old and unused, finds damage."""

import os
import time

import numpy as np
import pytest
from filelock import FileLock

from experiments import entry
from experiments.store import Store
from experiments.store_command import contents, main


def fill(folder, key="k", values=4):
    def save(value, place):
        np.save(place / "value.npy", value)

    def load(place):
        return np.load(place / "value.npy", mmap_mode="r")

    return Store(folder).remember("stage", key, lambda: np.arange(values), save, load)


def age(folder, days):
    then = time.time() - days * 86_400
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def gc(folder, older="30d"):
    return main(["gc", "--dir", str(folder), "--older-than", older])


def test_ls_shows_stages_and_records(tmp_path, capsys):
    fill(tmp_path)
    fill(tmp_path, "other")
    Store(tmp_path).records("vectors", "model").put({"a": b"1", "b": b"2", "c": b"3"})
    assert main(["ls", "--dir", str(tmp_path)]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["stage", "2"], ["records/vectors", "3"]]


def test_gc_removes_what_was_long_unused_and_nothing_else(tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    fill(tmp_path, "old")
    fill(tmp_path, "used again")
    records = Store(tmp_path).records("vectors", "old model")
    records.put({"a": b"1"})
    with records.claimed("a", lambda: False):
        pass
    age(tmp_path, 40)
    fill(tmp_path, "used again")
    fill(tmp_path, "new")
    assert gc(tmp_path) == 0
    assert len(list(contents(tmp_path))) == 2
    assert (tmp_path / "notes.txt").exists()
    assert not records.locks.exists()
    assert records.get(["a"]) == {}


def test_records_that_were_read_lately_stay(tmp_path):
    records = Store(tmp_path).records("vectors", "model")
    records.put({"a": b"1"})
    age(tmp_path, 40)
    records.get(["a"])
    gc(tmp_path)
    assert records.get(["a"]) == {"a": b"1"}


def test_gc_leaves_an_entry_that_is_being_written(tmp_path):
    fill(tmp_path)
    (kept,) = contents(tmp_path)
    unfinished = kept.path.with_name(f"{kept.path.name}.1{entry.UNFINISHED}")
    unfinished.mkdir()
    age(tmp_path, 40)
    with FileLock(f"{kept.path}.lock"):
        gc(tmp_path)
        assert unfinished.exists()
        assert kept.path.exists()
    gc(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert not unfinished.exists()


def test_verify_finds_damage_and_the_next_use_mends_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(entry, "ALWAYS_READ", 100)
    values = fill(tmp_path, values=1000).tolist()
    Store(tmp_path).records("vectors", "model").put({"a": b"1"})
    assert main(["verify", "--dir", str(tmp_path)]) == 0
    (file,) = tmp_path.rglob("value.npy")
    before = file.stat()
    with file.open("r+b") as stream:  # as a failing disk does: no time changes
        stream.seek(200)
        stream.write(b"\xff")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    capsys.readouterr()
    assert main(["verify", "--dir", str(tmp_path)]) == 1
    assert "value.npy" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="damaged"):
        assert fill(tmp_path, values=1000).tolist() == values
    assert main(["verify", "--dir", str(tmp_path)]) == 0


def test_mistakes_are_one_sentence(tmp_path, capsys):
    assert main(["ls", "--dir", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().out.count("\n") == 1
    with pytest.raises(SystemExit) as stop:
        gc(tmp_path, "soon")
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
