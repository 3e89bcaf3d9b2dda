"""Chunks as the pipeline sees them: ids, documents, offsets, titles; any LlamaIndex parser."""

import logging
import time
from pathlib import Path

import pytest
from hydra.utils import instantiate
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    MarkdownNodeParser,
    SentenceSplitter,
    SentenceWindowNodeParser,
    TextSplitter,
    TokenTextSplitter,
)
from llama_index.core.schema import MetadataMode
from omegaconf import OmegaConf

from experiments.chunkers import FixedTokens, Sentences
from experiments.chunking import chunk
from experiments.schema import Document
from tests.experiments.test_chunkers import TEXTS

CONF = Path(__file__).parents[2] / "conf" / "chunker"
LONG = "물은 언다. Ice floats. 😀 물은 언다. Water is 물. " * 30


class Spaced(TextSplitter):
    """A splitter that rewrites blanks, as some of LlamaHub's do."""

    def split_text(self, text: str) -> list[str]:
        words = text.split()
        return [" ".join(words[place : place + 5]) for place in range(0, len(words), 5)]


class Shouting(TextSplitter):
    def split_text(self, text: str) -> list[str]:
        return [text.upper()]


FOREIGN = [
    SentenceSplitter(chunk_size=20, chunk_overlap=5),
    TokenTextSplitter(chunk_size=20, chunk_overlap=5),
    SentenceWindowNodeParser.from_defaults(),
    MarkdownNodeParser(),
    HierarchicalNodeParser.from_defaults(chunk_sizes=[128, 32]),
    Spaced(),
]
PARSERS = [None, FixedTokens(chunk_size=9, chunk_overlap=3), Sentences(chunk_size=12), *FOREIGN]


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: type(parser).__name__)
def test_the_text_at_the_offsets_is_the_chunk(parser) -> None:
    nodes = chunk([Document("a", LONG), Document("b", "Ice.\n\n  Ice.\n Ice. " * 9)], parser)
    texts = {"a": LONG, "b": "Ice.\n\n  Ice.\n Ice. " * 9}
    assert {node.ref_doc_id for node in nodes} == {"a", "b"}
    for node in nodes:
        assert texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx] == node.text


@settings(max_examples=80, deadline=None)
@given(text=TEXTS, parser=st.sampled_from([PARSERS[1], PARSERS[2], *FOREIGN[:2]]))
def test_offsets_hold_for_any_text(text: str, parser) -> None:
    for node in chunk([Document("a", text)], parser):
        assert text[node.start_char_idx : node.end_char_idx] == node.text


def test_repeated_sentences_get_their_own_places() -> None:
    text = "Ice floats on water. " * 40
    nodes = chunk([Document("a", text)], SentenceSplitter(chunk_size=20, chunk_overlap=0))
    starts = [node.start_char_idx for node in nodes]
    assert len(set(starts)) == len(starts) > 5
    assert starts == sorted(starts)
    ends = [node.end_char_idx for node in nodes]
    assert all(
        not text[end:start].strip() and end <= start
        for end, start in zip(ends, starts[1:], strict=False)
    )


def test_ids_are_stable_and_name_document_and_ordinal() -> None:
    documents = [Document("d#1", LONG), Document("e", "Ice.")]
    parser = Sentences(chunk_size=20)
    nodes = chunk(documents, parser)
    assert [node.node_id for node in nodes] == [node.node_id for node in chunk(documents, parser)]
    mine = [node for node in nodes if node.ref_doc_id == "d#1"]
    assert [node.node_id for node in mine] == [f"d#1#{n}" for n in range(len(mine))]
    assert nodes[-1].node_id == "e#0"
    assert [node.node_id for node in chunk(documents)] == ["d#1", "e"]


def test_the_title_is_searched_and_other_metadata_only_kept() -> None:
    (node,) = chunk([Document("a", "It floats {here}.", "Ice {0}", {"src": "book", "n": 2})])
    assert node.get_content(MetadataMode.NONE) == "It floats {here}."
    assert node.get_content(MetadataMode.EMBED) == "Ice {0}\nIt floats {here}."
    assert node.get_content(MetadataMode.LLM) == "Ice {0}\nIt floats {here}."
    assert node.metadata == {"src": "book", "n": 2, "title": "Ice {0}"}
    (bare,) = chunk([Document("a", "It floats.", metadata={"src": "book"})])
    assert bare.get_content(MetadataMode.EMBED) == "It floats."


@pytest.mark.parametrize("parser", PARSERS[1:4], ids=lambda parser: type(parser).__name__)
def test_metadata_never_counts_against_the_chunk_size(parser) -> None:
    plain = chunk([Document("a", LONG)], parser)
    heavy = chunk([Document("a", LONG, "word " * 300, {"note": "word " * 300})], parser)
    assert [node.text for node in heavy] == [node.text for node in plain]


def test_metadata_of_the_parser_is_kept_and_not_searched() -> None:
    nodes = chunk([Document("a", "Ice. Water. Steam.")], SentenceWindowNodeParser.from_defaults())
    assert "window" in nodes[0].metadata
    assert nodes[0].get_content(MetadataMode.EMBED) == nodes[0].text


def test_a_parser_that_changes_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r'^Shouting, document "a": The chunk .* not in its doc'):
        chunk([Document("a", "ice")], Shouting())


def test_blank_documents_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    documents = [Document("a", " \n"), Document("b", "Ice."), Document("c", "")]
    with caplog.at_level(logging.WARNING):
        assert [node.node_id for node in chunk(documents)] == ["b"]
    assert "give no chunk: 2" in caplog.text


def test_whole_documents_are_fast() -> None:
    documents = [Document(str(n), "물은 언다. " * 40, "Ice") for n in range(5000)]
    started = time.perf_counter()
    assert len(chunk(documents)) == 5000
    assert time.perf_counter() - started < 3  # one second on a machine that does nothing else


@pytest.mark.parametrize("path", sorted(CONF.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_option_builds_a_chunker(path: Path) -> None:
    embedding = OmegaConf.load(CONF.parent / "embedding" / "lsa.yaml")
    config = OmegaConf.create({"embedding": embedding, "chunker": OmegaConf.load(path)})
    parser = instantiate(config.chunker)
    nodes = chunk([Document("a", LONG * 5)], parser)
    assert "".join(nodes[0].text.split()) in "".join((LONG * 5).split())
    assert (len(nodes) == 1) == (path.stem == "none")
