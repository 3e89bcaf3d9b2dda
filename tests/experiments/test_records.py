"""A record is kept by its exact text, and a damaged one is as good as none."""

import pytest

from experiments.records import MemoryRecords, SqliteRecords


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
