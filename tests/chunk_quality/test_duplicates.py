"""Repeated chunks and shared sentences, found where they were planted and nowhere else."""

import json
import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from chunk_quality.duplicates import Duplicates
from chunk_quality.reading import read

WORDS = "heat light water sound magnet electron atom cell energy mass wave force field".split()
FOOTER = "All rights reserved by the publisher of this journal."


def node(name, text, document=None, start=None):
    source = {}
    if document is not None:
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
    end = None if start is None else start + len(text)
    return TextNode(
        id_=name, text=text, relationships=source, start_char_idx=start, end_char_idx=end
    )


def prose(seed, words=60):
    draw = random.Random(seed)
    return " ".join(f"{draw.choice(WORDS)}{draw.randrange(90)}" for _ in range(words)) + "."


def test_random_texts_have_no_copies():
    found = Duplicates().find([node(str(seed), prose(seed)) for seed in range(80)])
    assert found.exact == found.near == ()
    assert found.copies.sum() == found.redundant == 0


def test_planted_copies_are_found_and_the_first_leads():
    nodes = [node(f"n{seed}", prose(seed)) for seed in range(50)]
    nodes += [node("equal", "  " + prose(7).upper().replace(" ", "\n ")), node("twin", prose(7))]
    nodes += [node("near", prose(9).replace("heat", "cold", 1) + " Thus.")]
    found = Duplicates().find(nodes)
    assert found.exact == (("n7", "equal", "twin"),)
    assert found.near == (("n7", "equal", "twin"), ("n9", "near"))
    assert found.redundant == 3
    assert {nodes[row].node_id: found.copies[row] for row in found.copies.nonzero()[0]} == {
        "n7": 2,
        "equal": 2,
        "twin": 2,
        "n9": 1,
        "near": 1,
    }


def test_decomposed_korean_equals_its_plain_form():
    text = "광합성은 빛을 화학 에너지로 바꾼다."
    found = Duplicates().find([node("a", text), node("b", unicodedata.normalize("NFD", text))])
    assert found.exact == (("a", "b"),)


def test_a_chain_is_one_group_although_its_ends_differ():
    text = prose(1)
    third = len(text) // 9
    nodes = [node("a", text), node("b", text[third:]), node("c", text[2 * third :])]
    assert Duplicates(0.85).find([nodes[0], nodes[2]]).near == ()
    assert Duplicates(0.85).find(nodes).near == (("a", "b", "c"),)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_corpus_changes_only_who_leads(draw):
    nodes = [node(f"n{seed}", prose(seed, 20)) for seed in range(6)]
    nodes += [node(f"copy{seed}", prose(seed, 20) + " again") for seed in range(4)]
    turned = draw.sample(nodes, len(nodes))
    one, other = Duplicates().find(nodes), Duplicates().find(turned)
    assert {frozenset(group) for group in one.near} == {frozenset(group) for group in other.near}
    for group in other.near:
        assert list(group) == [n.node_id for n in turned if n.node_id in group]


def windows(text, step, size, document="d"):
    starts = range(0, len(text) - size + 1, step)
    return [node(f"{document}#{i}", text[i : i + size], document, i) for i in starts]


def test_overlapping_neighbours_of_a_document_are_no_duplicates():
    neighbours = windows(prose(3), step=10, size=200)
    assert len(neighbours) > 5
    assert Duplicates().find(neighbours).near == ()
    apart = [node(n.node_id, n.text, n.node_id, 0) for n in neighbours]
    assert len(Duplicates().find(apart).near) == 1


def test_a_paragraph_repeated_within_a_document_is_a_duplicate():
    nodes = [node("d#0", prose(3), "d", 0), node("d#1", prose(3) + " So.", "d", 900)]
    assert Duplicates().find(nodes).near == (("d#0", "d#1"),)


def test_equal_chunks_of_one_document_are_duplicates_wherever_they_stand():
    nodes = [node("d#0", prose(3), "d", 0), node("d#1", prose(3), "d", 0)]
    assert Duplicates().find(nodes).exact == (("d#0", "d#1"),)


def test_a_sentence_of_many_documents_is_boilerplate_with_its_characters():
    nodes = [node(f"n{seed}", f"{prose(seed)} {FOOTER}", f"d{seed}") for seed in range(4)]
    nodes += [node("other", prose(9), "d9")]
    found = Duplicates(boilerplate_documents=4).find(nodes)
    (shared,) = found.boilerplate
    assert (shared.text, shared.documents, shared.chunks) == (FOOTER, 4, 4)
    assert shared.characters == 4 * len(FOOTER) == found.boilerplate_characters.sum()
    assert found.boilerplate_characters.tolist() == [len(FOOTER)] * 4 + [0]
    assert found.characters == sum(len(n.text) for n in nodes)
    assert Duplicates(boilerplate_documents=5).find(nodes).boilerplate == ()


def test_chunks_of_one_document_and_copies_of_one_chunk_share_nothing():
    one = [node(f"d#{seed}", f"{prose(seed)} {FOOTER}", "d") for seed in range(6)]
    copies = [node(f"c{name}", f"{prose(1)} {FOOTER}", f"c{name}") for name in range(6)]
    for nodes in (one, copies):
        assert Duplicates(boilerplate_documents=3).find(nodes).boilerplate == ()


def test_marks_and_headings_of_one_term_are_no_boilerplate():
    nodes = [node(f"n{seed}", f"Methods. {prose(seed)}") for seed in range(9)]
    assert Duplicates(boilerplate_documents=2).find(nodes).boilerplate == ()


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["", " \n", "\u3000"],
        ["!", "?!", "…"],
        ["1 2 3", "1 2 3", "3.14"],
        ["\ud800", "\udfff a", "🙂🙂"],
        ["가" * 5000, "나" * 5000],
        ["가 a あ 中", "가 a あ 中"],
    ],
)
def test_odd_texts_have_defined_values(texts):
    found = Duplicates().find([node(f"n{i}", text) for i, text in enumerate(texts)])
    assert found.copies.shape == found.boilerplate_characters.shape == (len(texts),)
    assert found.blank == sum(not text.strip() for text in texts if text != "\ud800") + (
        "\ud800" in texts
    )
    assert len(found.exact) == (len(set(texts)) < len(texts))


def test_chunks_without_text_are_counted_and_never_copies():
    found = Duplicates().find([node("a", ""), node("b", " "), node("c", "text here")])
    assert (found.blank, found.near, found.copies.tolist()) == (2, (), [0, 0, 0])


def test_a_reading_at_hand_gives_the_same_and_one_of_others_is_refused():
    nodes = [node(f"n{seed}", f"{prose(seed)} {FOOTER}") for seed in range(5)]
    given_reading = Duplicates().find(nodes, read(nodes))
    assert given_reading.boilerplate == Duplicates().find(nodes).boilerplate
    with pytest.raises(ValueError, match="other chunks"):
        Duplicates().find(nodes, read(nodes[1:]))


def test_a_count_that_every_sentence_reaches_is_refused():
    with pytest.raises(ValueError, match="boilerplate_documents is 1"):
        Duplicates(boilerplate_documents=1)
    with pytest.raises(ValueError, match="threshold is 2"):
        Duplicates(threshold=2)
    with pytest.raises(ValueError, match="shingle is 0"):
        Duplicates(shingle=0)


@pytest.mark.slow
def test_the_six_equal_pairs_of_the_competition_are_found(real_data):
    lines = (real_data / "science_qa_ko" / "documents.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.split("\n") if line]
    found = Duplicates().find([node(row["docid"], row["content"]) for row in rows])
    assert [len(group) for group in found.exact] == [2] * 6
    assert len(found.near) == 7
