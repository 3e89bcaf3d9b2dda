"""Finding chunks in their text again when the text repeats itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.offsets import locate


@given(
    unit=st.sampled_from(["a", "물 ", "ab", "😀"]),
    width=st.integers(1, 5),
    count=st.integers(1, 12),
    rest=st.integers(0, 4),
)
def test_tiles_of_a_text_that_only_repeats_itself(unit, width, count, rest) -> None:
    text = unit * (width * count + rest)
    step = len(unit) * width
    pieces = [text[start : start + step] for start in range(0, len(text), step)]
    starts = [start for start, _ in locate(text, pieces)]
    assert starts == list(range(0, len(text), step))


@given(width=st.integers(2, 6), count=st.integers(1, 12), letters=st.text("ab", min_size=80))
def test_windows_with_overlap_cover_the_text_in_order(width, count, letters) -> None:
    text = letters[: width + count]
    pieces = [text[start : start + width] for start in range(count + 1)]
    assert locate(text, pieces) == [(start, start + width) for start in range(count + 1)]


def test_a_gap_in_the_pieces_is_allowed() -> None:
    assert locate("one two three two", ["one", "three", "two"]) == [(0, 3), (8, 13), (14, 17)]


def test_changed_blanks_are_found_as_the_text_has_them() -> None:
    text = "Ice  floats\non\u00a0water. It melts."
    (first, second) = locate(text, ["Ice floats on water.", "It melts."])
    assert text[slice(*first)] == "Ice  floats\non\u00a0water."
    assert text[slice(*second)] == "It melts."


def test_pieces_out_of_order_get_their_first_place() -> None:
    assert locate("one two", ["one two", "one", "two"]) == [(0, 7), (0, 3), (4, 7)]


def test_a_piece_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="'Ice sinks' is not in its document"):
        locate("Ice floats.", ["Ice sinks"])
