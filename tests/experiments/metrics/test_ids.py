"""Ids are found the same way, few or many, whatever they are made of."""

from __future__ import annotations

import pytest

from experiments.metrics.ids import places

MANY = 30_000


@pytest.mark.parametrize("odd", ["", "문서 1", "e\u0301", "\x00", "\udc80", "nan", "1"])
def test_many_ids_are_found_as_few_are(odd: str) -> None:
    ids = [*(f"d{row}" for row in range(100)), odd]
    wanted = [*(f"d{row % 150}" for row in range(MANY)), odd]

    many = places(wanted, ids)

    assert many[-1] == 100
    assert many.tolist() == [
        *(row % 150 if row % 150 < 100 else -1 for row in range(MANY)),
        100,
    ]
    assert many[:150].tolist() == places(wanted[:150], ids).tolist()


def test_nothing_is_found_among_no_ids() -> None:
    assert places(["a"] * MANY, []).tolist() == [-1] * MANY
    assert places([], ["a"]).tolist() == []


def test_bytes_are_no_text_however_many_there_are() -> None:
    assert set(places([b"a"] * MANY, ["a"])) == {-1}  # type: ignore[list-item]
