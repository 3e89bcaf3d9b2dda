"""What a model reads: chosen by rank, ordered afterwards, and made again from its manifest."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.context import VERSION, ContextAssembler, Manifest, context_hash, reassemble
from generation.evidence import BELOW_TOP_K, OVER_BUDGET, Evidence, assembly_recall, select
from generation.slots import ORDER, Layout
from retrievers.tokens import tokens_of

TEXTS = [
    "물은 100도에서 끓는다.",
    "Ice floats & <melts>.",
    "서울은 수도이다.",
    "광합성은 빛으로 한다.",
]


def evidence(*texts):
    return [Evidence(f"d{n}#0", f"d{n}", text, n, 0, len(text)) for n, text in enumerate(texts)]


def cost(text):
    return len(tokens_of("o200k_base", text))


def assembled(order=None, **options):
    assembler = ContextAssembler(**options)
    return assembler.assemble("q1", "물은?", assembler.choose(evidence(*TEXTS)), order=order)


def test_passages_are_taken_by_rank_whole_or_not_at_all():
    ranked = evidence("a " * 50, "b " * 500, "c " * 50)
    found = select(ranked[::-1], budget=cost("a " * 50) + cost("c " * 50), top_k=5)
    assert [one.rank for one in found.chosen] == [0, 2]
    assert [(one.rank, one.reason) for one in found.excluded] == [(1, OVER_BUDGET)]
    assert found.excluded[0].tokens == cost("b " * 500)


def test_top_k_leaves_out_what_would_have_fitted():
    found = select(evidence(*TEXTS), budget=10_000, top_k=2)
    assert [one.reason for one in found.excluded] == [BELOW_TOP_K] * 2


def test_what_no_budget_could_bring_in_is_below_top_k():
    found = select(evidence(*TEXTS), budget=0, top_k=2)
    assert [one.reason for one in found.excluded] == [OVER_BUDGET] * 2 + [BELOW_TOP_K] * 2


def test_recall_of_the_assembly_needs_no_model():
    found = select(evidence(*TEXTS), budget=10_000, top_k=2)
    assert assembly_recall(found.chosen, ["d0", "d3"]) == 0.5
    assert assembly_recall(found.chosen, []) is None


@given(st.permutations(range(4)))
def test_the_order_changes_neither_what_is_read_nor_what_a_citation_means(order):
    told = assembled(order)
    assert {one.id for one in told.manifest.selected} == {f"d{n}#0" for n in range(4)}
    for number, document in told.manifest.citations().items():
        text = TEXTS[int(document[1:])]
        assert f"[{number}] {text}" in told.prompt


@pytest.mark.parametrize("tags", ["plain", "xml"])
def test_a_manifest_makes_the_same_bytes_again(tags):
    told = assembled([2, 0, 1, 3], layout=Layout(tags=tags, key=2, question="both"))
    passages = {f"d{n}#0": text for n, text in enumerate(TEXTS)}
    again = Manifest.from_json(told.manifest.to_json(), passages)
    assert reassemble(again) == told.prompt
    assert again.context_hash == context_hash(told.prompt)
    assert "물은 100도에서" not in told.manifest.to_json()
    changed = {**passages, "d2#0": "서울은 수도이다!"}
    with pytest.raises(ValueError, match="has changed since"):
        reassemble(Manifest.from_json(told.manifest.to_json(), changed))
    with pytest.raises(ValueError, match="not in the corpus"):
        Manifest.from_json(told.manifest.to_json(), {})


def test_slots_stand_in_the_configured_order_and_empty_ones_are_left_out():
    texts = {"rules": "Be brief.", "output": "one word"}
    order = ("output", "supporting_evidence", "question", "rules")
    prompt = assembled(texts=texts, layout=Layout(order=order)).prompt
    places = [prompt.index(word) for word in ("one word", "[1]", "물은?", "Be brief.")]
    assert places == sorted(places)
    assert "Examples" not in prompt


@pytest.mark.parametrize(("where", "times"), [("before", 1), ("after", 1), ("both", 2)])
def test_the_question_stands_where_it_is_asked_to(where, times):
    prompt = assembled(layout=Layout(question=where)).prompt
    assert prompt.count("물은?") == times
    assert (prompt.index("물은?") < prompt.index("[1]")) == (where != "after")


def test_xml_is_well_formed_whatever_stands_in_the_texts():
    prompt = assembled(layout=Layout(tags="xml", key=1), texts={"rules": "a < b & c"}).prompt
    root = ElementTree.fromstring(f"<prompt>{prompt}</prompt>")
    assert [one.tag for one in root] == [
        name for name in ORDER if name in {one.tag for one in root}
    ]
    passages = {one.attrib["document"]: one.text for one in root.iter("passage")}
    assert passages == {f"d{n}": text for n, text in enumerate(TEXTS)}
    assert root.find("rules").text.strip() == "a < b & c"


@pytest.mark.parametrize(
    "text", ["\x00\x08\x0b\x1b", "\ud800", "\ufffe\uffff", "]]>", "{question}"]
)
def test_xml_is_well_formed_whatever_signs_a_text_has(text):
    assembler = ContextAssembler(layout=Layout(tags="xml"), texts={"rules": text})
    found = Evidence("d#0", f"d \"<&'\n{text}", text, 0)
    prompt = assembler.assemble("q", f"q {text}", assembler.choose([found])).prompt
    root = ElementTree.fromstring(f"<prompt>{prompt}</prompt>")
    assert [one.tag for one in root] == ["rules", "supporting_evidence", "question"]
    assert len(root.find("supporting_evidence/passage").text) == len(text)


def test_no_passage_is_left_without_a_slot_in_silence():
    with pytest.raises(ValueError, match="4 passages without a slot"):
        assembled(layout=Layout(order=["rules", "question"]))
    with pytest.raises(ValueError, match="2 passages without a slot"):
        assembled(layout=Layout(order=["key_evidence", "question"], key=2))
    assert "[4]" in assembled(layout=Layout(order=["key_evidence", "question"], key=4)).prompt
    assert "물은" in assembled(top_k=0, layout=Layout(order=["question"])).prompt


def test_a_heading_of_ones_own_leaves_the_others():
    prompt = assembled(layout=Layout(titles={"question": "질문"}), texts={"rules": "r"}).prompt
    assert prompt.startswith("Rules:\n")
    assert "질문:\n물은?" in prompt


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": ["rules", "supporting_evidence"]}, '"question" is required and has no place'),
        ({"order": ["rules", "rules"]}, "stands twice"),
        ({"order": ["answers"]}, 'no slot "answers"'),
    ],
)
def test_an_impossible_layout_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Layout(**options)


def test_a_required_slot_must_have_a_text():
    with pytest.raises(ValueError, match='"rules" is required and empty'):
        assembled(layout=Layout(required=("rules",)))


def test_an_order_must_be_a_permutation():
    with pytest.raises(ValueError, match="no permutation"):
        assembled([0, 0, 1, 2])


def test_the_manifest_names_what_was_left_out_and_what_it_would_have_cost():
    told = json.loads(assembled(top_k=1).manifest.to_json())
    assert [one["tokens"] for one in told["excluded"]] == [cost(text) for text in TEXTS[1:]]
    assert told["assembler_version"] == VERSION
