"""A log is told how long it takes; what is done at once says nothing."""

from __future__ import annotations

import io

import pytest

from generation import progress as module
from generation.progress import progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock is ten seconds after the one before."""
    times = iter(range(0, 100_000, 10))
    monkeypatch.setattr(module, "monotonic", lambda: float(next(times)))


@pytest.mark.usefixtures("clock")
def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*progress(range(100), "embedding")] == [*range(100)]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 33
    assert said[0] == "embedding: 2%, about 24 min left"
    assert said[-1] == "embedding: 98%, about 20 s left"


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*progress(range(100), "embedding")] == [*range(100)]
    assert [*progress([1], "embedding")] == [1]
    assert capsys.readouterr().err == ""


def test_work_goes_on_without_a_place_to_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", 0.0)
    monkeypatch.setattr("sys.stderr", None)
    assert [*progress(range(3), "embedding")] == [0, 1, 2]
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    monkeypatch.setattr(closed, "isatty", lambda: False, raising=False)
    assert [*progress(range(3), "embedding")] == [0, 1, 2]
