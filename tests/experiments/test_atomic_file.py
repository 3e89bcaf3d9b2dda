import pytest

from experiments.atomic_file import atomic_file


def test_the_file_stands_whole_and_alone(tmp_path):
    path = tmp_path / "new" / "run.trec"
    with atomic_file(path) as part:
        part.write_text("half")
        assert not path.exists()
        part.write_text("whole")
    assert path.read_text() == "whole"
    assert list(path.parent.iterdir()) == [path]


def _write_half(path):
    with atomic_file(path) as part:
        part.write_text("half")
        raise RuntimeError


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("old")
    with pytest.raises(RuntimeError):
        _write_half(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is a folder"), atomic_file(tmp_path):
        pass
