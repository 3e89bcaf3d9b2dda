"""What identifies a part: its arguments, its source and the libraries it stands on."""

import ast
import json

import pytest

from experiments import identity
from experiments.identity import describe, fingerprint


class Part:
    labels = frozenset({"name"})

    def __init__(self, name, *, depth=1, inner=None):
        self.name = name
        self.depth = depth
        self.inner = inner


class Forgetful:
    def __init__(self, depth):
        self.other = depth


def test_a_description_holds_arguments_and_not_labels():
    assert describe(Part("a", depth=2)) == describe(Part("b", depth=2))
    assert describe(Part("a", depth=2)) != describe(Part("a", depth=3))
    assert describe(Part("a", inner=Part("x"))) != describe(Part("a"))
    json.dumps(describe(Part("a", inner={"parts": [Part("x"), None]})))


def test_a_part_that_hides_an_argument_cannot_be_described():
    with pytest.raises(ValueError, match=r"self\.depth"):
        describe(Forgetful(1))


def test_editing_a_source_file_changes_the_description(tmp_path, monkeypatch):
    room = tmp_path / "retrievers"
    room.mkdir()
    (room / "leaf.py").write_text("DEPTH = 1\n", encoding="utf-8")
    (room / "part.py").write_text("from retrievers.leaf import DEPTH\n", encoding="utf-8")
    monkeypatch.setattr(identity, "ROOT", tmp_path)
    before = identity.module_source.__wrapped__("retrievers.part")
    (room / "leaf.py").write_text("DEPTH = 2\n", encoding="utf-8")
    after = identity.module_source.__wrapped__("retrievers.part")
    assert before != after


def test_a_fingerprint_does_not_depend_on_the_order_of_keys():
    assert fingerprint({"a": 1, "b": "물"}) == fingerprint({"b": "물", "a": 1})


def test_imports_for_types_alone_do_not_count():
    tree = ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\nimport c\n")
    assert sorted(identity._imports(tree)) == ["b", "c"]


def test_versions_are_those_of_the_distribution_that_brought_the_module():
    assert identity._version("llama_index.core.schema.TextNode")[0] == "llama-index-core"
    assert identity._version("sklearn.svm")[0] == "scikit-learn"
    assert identity._version("no_such_module.x") == ("no_such_module.x", "unknown")


def test_libraries_are_those_that_a_part_and_the_modules_of_ours_import():
    own = {"a": [{"class": "retrievers.bm25.BM25Retriever", "arguments": {"k1": 1.2}}]}
    found = identity.libraries(own)
    assert found.keys() >= {"python", "pyarrow", "numpy", "scipy"}
    assert "kiwipiepy" in identity.libraries({}, "retrievers.analyzers")
    theirs = {"class": "llama_index.core.node_parser.text.sentence.SentenceSplitter"}
    assert identity.libraries(theirs).keys() == {"python", "llama-index-core"}
    assert identity.libraries({"class": "__main__.Mine"}).keys() == {"python"}
