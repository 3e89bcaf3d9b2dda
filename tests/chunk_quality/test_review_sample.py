"""Drawing chunks to read, and the page they are written into."""

import json
import random
import re
from collections import Counter

import pytest
from llama_index.core.schema import TextNode

from chunk_quality.duplicates import Duplicates
from chunk_quality.review_sample import LABELS, ReviewSample
from experiments.identity import describe


def nodes(count):
    return [TextNode(id_=f"n{i}", text=f"글 {i}") for i in range(count)]


def ids(drawn):
    return [node.node_id for node in drawn]


def embedded(path):
    """What the page's script reads."""
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="sample">(.*?)</script>', page, re.S)[1])


def test_a_hundred_are_drawn_and_all_where_there_are_fewer():
    assert len(set(ids(ReviewSample().draw(nodes(300))))) == 100
    assert sorted(ids(ReviewSample().draw(nodes(7)))) == sorted(ids(nodes(7)))


def test_the_seed_decides_and_the_order_of_the_corpus_does_not():
    turned = random.Random(1).sample(nodes(300), 300)
    assert ids(ReviewSample().draw(nodes(300))) == ids(ReviewSample().draw(turned))
    assert ids(ReviewSample().draw(nodes(300))) != ids(ReviewSample(seed=1).draw(nodes(300)))


def test_every_chunk_is_drawn_first_about_as_often():
    firsts = Counter(ReviewSample(1, seed=seed).draw(nodes(5))[0].node_id for seed in range(500))
    assert set(firsts) == set(ids(nodes(5)))
    assert max(firsts.values()) < 140  # 100 each; 4.5 standard deviations


def test_a_smaller_sample_is_the_beginning_of_a_larger_one():
    assert ids(ReviewSample(10).draw(nodes(300))) == ids(ReviewSample(50).draw(nodes(300)))[:10]


def test_no_letter_of_a_chunk_can_end_the_script(tmp_path):
    text = "</script><!--<script>\u2028&lt; \0 \udc00 끝"
    node = TextNode(id_="a<b", text=text, metadata={"title": "</SCRIPT>"})
    path = ReviewSample().write(tmp_path / "page.html", [node], {"a<b": {"<i>": 1.23456}})
    page = path.read_text(encoding="utf-8")
    assert page.lower().count("</script>") == 2
    (chunk,) = embedded(path)["chunks"]
    assert chunk["text"] == text.replace("\0", "\ufffd").replace("\udc00", "\ufffd")
    assert chunk["measures"] == [["<i>", "1.23"]]


def test_a_chunk_that_speaks_the_template_s_language_is_left_alone(tmp_path):
    node = TextNode(id_="a", text="{{SAMPLE}} /*STYLE*/ /*SCRIPT*/")
    path = ReviewSample().write(tmp_path / "page.html", [node])
    assert embedded(path)["chunks"][0]["text"] == node.text


def test_the_page_asks_for_nothing_from_outside(tmp_path):
    page = ReviewSample().write(tmp_path / "page.html", nodes(3)).read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)\s*=\s*[\"']|@import|url\(|fetch\(", page)


def test_the_fingerprint_follows_the_chunks(tmp_path):
    def fingerprint(drawn, **options):
        path = ReviewSample(**options).write(tmp_path / "page.html", drawn)
        return embedded(path)["fingerprint"]

    one = fingerprint(nodes(5))
    assert one == fingerprint(nodes(5), title="another", buttons={"한국어": ""})
    changed = [*nodes(4), TextNode(id_="n4", text="other")]
    assert len({one, fingerprint(changed), fingerprint(nodes(5), seed=9)}) == 3


def test_labels_are_those_given_in_their_order(tmp_path):
    path = ReviewSample(buttons={"2": "two", "1": "one"}).write(tmp_path / "p.html", nodes(1))
    assert embedded(path)["labels"] == [["2", "two"], ["1", "one"]]
    path = ReviewSample().write(tmp_path / "p.html", nodes(1))
    assert [name for name, _ in embedded(path)["labels"]] == [*LABELS]


def test_a_measure_without_a_value_is_a_dash(tmp_path):
    measures = {"n0": {"none": None, "nan": float("nan"), "count": 12345, "word": "yes"}}
    path = ReviewSample().write(tmp_path / "deep" / "page.html", nodes(1), measures)
    shown = dict(embedded(path)["chunks"][0]["measures"])
    assert shown == {"none": "–", "nan": "–", "count": "12345", "word": "yes"}


@pytest.mark.parametrize(
    ("options", "drawn", "said"),
    [
        ({"size": 0}, nodes(1), "size is 0"),
        ({}, [], "no chunks"),
        ({}, nodes(2) + nodes(1), 'the id "n0"'),
        ({"buttons": {"a;b": ""}}, nodes(1), '"a;b"'),
        ({"buttons": {" ": ""}}, nodes(1), "cannot be one"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_is_written(tmp_path, options, drawn, said):
    with pytest.raises(ValueError, match=said):
        ReviewSample(**options).write(tmp_path / "page.html", drawn)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_place_for_the_page(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        ReviewSample().write(tmp_path, nodes(1))


@pytest.mark.parametrize("part", [ReviewSample(buttons={"a": "b"}), Duplicates(0.7)])
def test_the_store_can_read_every_option_of_a_part(part):
    told = describe(part)["arguments"]
    assert told == {name: getattr(part, name) for name in type(part).__slots__}
