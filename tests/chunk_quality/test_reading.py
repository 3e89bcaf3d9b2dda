"""What the measures read: sentences with their owners, and the terms of the analyzer named."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from chunk_quality.reading import read
from retrievers import korean
from retrievers.analyzers import ANALYZERS, analyzer

SAMPLE = Path("data/science_sample/documents.jsonl")


def nodes(*texts: str) -> list[TextNode]:
    return [TextNode(id_=f"d{i}", text=text) for i, text in enumerate(texts)]


def test_sentences_stand_with_their_chunks_in_order() -> None:
    found = read(nodes("물은 언다. 얼음은 뜬다.\n", "", "Ice floats. ", " \n", "?! --"))
    assert found.chunk_ids == ("d0", "d1", "d2", "d3", "d4")
    assert found.sentences == ("물은 언다.", "얼음은 뜬다.", "Ice floats.")
    assert found.owners.tolist() == [0, 0, 2]
    assert found.terms == (("얼다", "물"), ("뜨다", "얼음"), ("ice", "float"))
    assert found.morphemes.tolist() == [5, 5, 3]
    assert found.analyzer == "auto"


def test_a_chunk_knows_its_document_or_stands_for_it() -> None:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="whole")}
    chunks = [TextNode(id_="whole#0", text="물", relationships=source), *nodes("불")]
    assert read(chunks).documents == ("whole", "d0")


def test_titles_and_metadata_are_not_read() -> None:
    chunk = TextNode(text="물은 언다.", metadata={"title": "얼음의 성질"})
    assert read([chunk]).sentences == ("물은 언다.",)


@pytest.mark.parametrize("terms", sorted(ANALYZERS))
def test_terms_are_those_of_the_analyzer_named(terms: str) -> None:
    found = read(
        nodes("비타민 A는 좋다. Vitamins help. 酸素 3.5%", "그는 물었다. DNA는 길다."), terms
    )
    assert list(map(list, found.terms)) == analyzer(terms).analyze_many(found.sentences)
    assert found.analyzer == terms


def test_on_the_sample_a_sentence_has_the_terms_that_it_has_alone() -> None:
    texts = [json.loads(line)["content"] for line in SAMPLE.read_text("utf-8").splitlines()]
    found = read(nodes(*texts))
    alone = analyzer("auto").analyze_many(found.sentences)
    same = [list(ours) == theirs for ours, theirs in zip(found.terms, alone, strict=True)]
    assert len(same) > 600
    assert sum(same) >= 0.995 * len(same)


def test_korean_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    analyse = korean.analyse
    monkeypatch.setattr(korean, "analyse", lambda texts: seen.extend(texts) or analyse(texts))
    read(nodes("물은 언다. 얼음은 뜬다.", "Ice floats."))
    assert seen == ["물은 언다. 얼음은 뜬다."]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(alphabet='가다물.ab A1?!"()\n -…①\ud800\0\u1100\u1161😀', max_size=40), max_size=4
    )
)
def test_any_chunks_give_sentences_with_words_and_owners_that_ascend(texts: list[str]) -> None:
    found = read(nodes(*texts))
    assert all(s == s.strip() and any(map(str.isalnum, s)) for s in found.sentences)
    assert len(found.sentences) == len(found.terms) == len(found.owners) == len(found.morphemes)
    assert sorted(found.owners) == list(found.owners)
    assert {i for i, t in enumerate(texts) if any(map(str.isalnum, t))} == set(found.owners)
    assert (found.morphemes > 0).all()


def test_no_chunk() -> None:
    found = read([])
    assert (found.chunk_ids, found.sentences, found.owners.tolist()) == ((), (), [])


def test_an_unknown_analyzer_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no analyzer 'kiwwi'"):
        read(nodes("물"), terms="kiwwi")
