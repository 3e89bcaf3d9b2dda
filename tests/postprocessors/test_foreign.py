"""Postprocessors of LlamaIndex run query by query, and no id is lost or invented."""

import pytest
from llama_index.core.postprocessor import (
    MetadataReplacementPostProcessor,
    SimilarityPostprocessor,
)
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode

from postprocessors.foreign import ForeignPostprocessor
from tests.postprocessors.rankings import PARTS, nodes_of, plans_of, ranking_of

TEXTS = ["sun", "moon", "sea", "star", "sand"]


class Odd(BaseNodePostprocessor):
    """Turns the list around, repeats a node, brings in one of the corpus and one of nowhere."""

    def _postprocess_nodes(self, nodes, query_bundle=None):
        more = [TextNode(id_="d4", text=query_bundle.query_str), TextNode(id_="nowhere", text="")]
        return [*nodes[::-1], nodes[0], *(NodeWithScore(node=node) for node in more)]


def after(part, rows=((2, 0, 1), (3,), ()), nodes=None):
    wrapped = ForeignPostprocessor(part=part)
    ranking = ranking_of([[*row] for row in rows], texts=5)
    nodes = nodes_of(TEXTS) if nodes is None else nodes
    return wrapped.postprocess_many(ranking, plans_of(["q"] * len(rows)), nodes), wrapped


def test_what_it_keeps_and_moves_is_matched_by_id():
    ranking, part = after(Odd())
    assert ranking.by_query() == {"0": ["d1", "d0", "d2", "d4"], "1": ["d3", "d4"], "2": []}
    assert "returned 2 nodes that the corpus does not have and 2 repeated ones" in part.notes[0]
    assert ranking.parts["dense"][0].tolist()[:3] == [1.5, 1.75, 2.0]
    assert set(ranking.parts) == set(PARTS)


def test_parts_of_llama_index_cut_by_score():
    ranking, _ = after(SimilarityPostprocessor(similarity_cutoff=1.9), [(2, 0, 1)])
    assert ranking.ids(0) == ["d2"]


def test_what_it_does_to_a_text_stays_with_it():
    nodes = nodes_of(TEXTS)
    for node in nodes:
        node.metadata["window"] = "other"
    after(MetadataReplacementPostProcessor(target_metadata_key="window"), nodes=nodes)
    assert [node.text for node in nodes] == TEXTS


@pytest.mark.parametrize(
    ("returned", "said"), [(None, "NoneType"), (["d1"], "str"), ([TextNode(text="")], "TextNode")]
)
def test_what_is_no_list_of_nodes_is_one_sentence(returned, said):
    class Broken(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            return returned

    with pytest.raises(ValueError, match=f"Broken returned {said}: postprocess_nodes has to give"):
        after(Broken())
