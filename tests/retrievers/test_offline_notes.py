"""Notes without a model: what they hold, that they differ, and that bad input gives none."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.chunkers import FixedTokens, Sentences
from experiments.chunking import chunk
from experiments.schema import Document
from retrievers.contextual import CONTEXT, Contextual
from retrievers.headings import headings, path_to
from retrievers.named_terms import named_terms
from retrievers.offline_notes import OfflineNotes
from retrievers.tokens import tokens_of

PLANETS = """# Solar System

The Solar System formed early. It holds eight planets.

## Mars

Mars is the fourth planet. It has two moons, Phobos and Deimos. NASA sent Curiosity there.

## Venus

It is the hottest. Its clouds are acid. Venera 7 landed on it first."""
KOREAN = """광합성은 식물이 빛으로 양분을 만드는 과정이다. 엽록체에서 일어난다.

암반응

이산화탄소를 고정한다. 멜빈 캘빈이 발견했다.

명반응

물을 분해한다. 틸라코이드막에서 일어난다."""


def notes(text: str, title: str = "", size: int = 24, **options) -> dict[str, str]:
    """Text of a chunk -> its note."""
    nodes = chunk([Document("d", text, title)], Sentences(chunk_size=size, chunk_overlap=0))
    enriched = Contextual(OfflineNotes(**options)).enrich(nodes)
    return {node.text: node.metadata[CONTEXT] for node in enriched}


def test_a_note_has_title_headings_lead_and_names_that_the_chunk_lacks() -> None:
    found = notes(PLANETS, "Planets")
    (last,) = [note for text, note in found.items() if text.startswith("Venera")]
    assert last.startswith(
        "Planets. Solar System. Venus. The Solar System formed early. Curiosity, NASA, "
    )
    assert "Phobos" in last
    assert "Venera" not in last
    for text, note in found.items():
        assert not any(name in text for name in ("Mars", "Deimos") if f"{name}," in note)


def test_korean_documents_and_decomposed_spelling_give_the_same_notes() -> None:
    found = notes(KOREAN, "광합성")
    (dark,) = [note for text, note in found.items() if "멜빈" in text]
    assert dark.startswith("광합성. 암반응. 광합성은 식물이 빛으로 양분을 만드는 과정이다.")
    whole = notes(unicodedata.normalize("NFD", KOREAN), "광합성", size=10_000)
    assert whole == dict.fromkeys(whole, notes(KOREAN, "광합성", size=10_000)[KOREAN])


def test_names_near_a_chunk_come_before_those_far_away() -> None:
    far = "It begins. The port of Odessa is old. " + "Nothing is said here. " * 200
    found = notes(
        f"{far}The lake of Geneva is deep. It is cold there, and few fish live in it now.",
        size=12,
    )
    assert [*found.values()][-1].index("Geneva") < [*found.values()][-1].index("Odessa")


def test_chunks_that_would_share_a_note_tell_their_place() -> None:
    nodes = chunk([Document("d", "x. " * 60, "T")], FixedTokens(chunk_size=20, chunk_overlap=0))
    enriched = Contextual(OfflineNotes()).enrich(nodes)
    said = [node.metadata[CONTEXT] for node in enriched]
    assert len({*said}) == len(said) > 3
    assert said[-1].endswith(f"{len(said)}/{len(said)}")


@pytest.mark.parametrize("longest", [1, 10, 40, 100])
def test_a_note_is_as_long_as_it_may_be_beside_title_and_headings(longest: int) -> None:
    found = notes(f"The {'very ' * 300}long beginning. Go on. Stop it now please.", longest=longest)
    place = 5  # tokens of "12/60"
    sizes = [len(tokens_of("o200k_base", note)) for note in found.values()]
    assert max(sizes) <= longest + place


ODD = st.text(st.sampled_from("aB한ㅏ글\u1112\u1161😀.!# \n1\ud800\0-"), max_size=60)


@settings(deadline=None, max_examples=60)
@given(ODD, ODD)
def test_any_text_gets_notes_that_differ_and_are_the_same_again(text, title) -> None:
    nodes = chunk([Document("d", text, title)], FixedTokens(chunk_size=5, chunk_overlap=0))
    first, again = (Contextual(OfflineNotes()).enrich(nodes) for _ in range(2))
    said = [node.metadata[CONTEXT] for node in first]
    assert said == [node.metadata[CONTEXT] for node in again]
    assert len({*said}) == len(said)


def test_impossible_options_are_refused() -> None:
    for options in ({"names": -1}, {"longest": 0}):
        with pytest.raises(ValueError, match="names from 0"):
            OfflineNotes(**options)


def test_headings_of_a_level_end_each_other() -> None:
    text = "# A\n\ntext here.\n\n## B #\nx\n\nC\n===\n\nLone line\n\nA sentence.\n\n2024\n\n### D"
    found = headings(text)
    assert [(h.level, h.text) for h in found] == [
        (1, "A"),
        (2, "B"),
        (1, "C"),
        (7, "Lone line"),
        (3, "D"),
    ]
    assert path_to(found, text.index("x\n")) == ["A", "B"]
    assert path_to(found, len(text)) == ["C", "D"]
    assert path_to(found, 0) == ["A"]
    assert path_to([], 5) == []


def test_names_are_capitalised_runs_and_korean_compounds() -> None:
    english, korean = named_terms(
        [
            "Water boils. The James Webb Space Telescope saw it; water is H2O. In Rome, NASA. "
            "Nothing.",
            "세종대왕은 한글을 만들었다. 그는 왕이다.",
        ]
    )
    assert [*english] == ["James Webb Space", "Telescope", "H2O", "Rome", "NASA"]
    assert "세종대왕" in korean
    assert "그" not in korean
    assert [*named_terms(["", "!!!", "123"])] == [{}, {}, {}]
