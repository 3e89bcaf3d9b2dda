"""Every option is looked at before anything is built, and is named as a user writes it."""

from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from experiments.building import check_options
from experiments.unread_options import check_replaced

CONF = Path(__file__).resolve().parents[2] / "conf"


@cache
def composed(experiment):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", overrides=[f"+experiment={experiment}"])


def config_of(word, experiment="retrieval"):
    """The experiment with one option set; composing anew would take 0.2 s each time."""
    config = deepcopy(composed(experiment))
    override = OverridesParser.create().parse_override(word)
    OmegaConf.update(config, override.key_or_group, override.value(), force_add=True)
    return config


def refusal(word, experiment="retrieval"):
    return refused(config_of(word, experiment))


def refused(config):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        check_options(config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("depth=abc", "depth is 'abc': give a whole number."),
        ("depth=2.5", "depth is 2.5: give a whole number."),
        ("depth=null", "depth is null: give a whole number."),
        ("depth=true", "depth is true: give a whole number."),
        ("depth=[1,2]", "depth is [1, 2]: give a whole number."),
        ("depth=0", "depth is 0: give a whole number, 1 or more."),
        ("split.fraction=abc", "split.fraction is 'abc': give a number."),
        ("split.seed=abc", "split.seed is 'abc'"),
        ("split.sealed=maybe", "split.sealed is 'maybe': give true or false."),
        ("force=maybe", "force is 'maybe': give true or false."),
        ("fail_fast=maybe", "fail_fast is 'maybe'"),
        ("metrics.rel_level=abc", "metrics.rel_level is 'abc'"),
        ("metrics.names=3", "metrics.names is 3: give a word, and if this"),
        ("gate.alpha=abc", "gate.alpha is 'abc'"),
        ("gate.draws=2.5", "gate.draws is 2.5"),
        ("gate.seed=-1", "gate.seed is -1: give a whole number, 0 or more."),
        ("retriever.candidates=0", "retriever.candidates is 0"),
        ("retriever.weights.bm25=abc", "retriever.weights.bm25 is 'abc': give a number."),
        ("retriever.weights.bm25=inf", "retriever.weights.bm25 is inf: give a number."),
        ("retriever.parts.bm25.b=null", "retriever.parts.bm25.b is null: give a number."),
        ("retriever.normalise=foo", "retriever.normalise is 'foo': give zscore, minmax"),
        ("retriever.missing=foo", "retriever.missing is 'foo'"),
        ("name=7", "name is 7: give a word, and if this is meant as one, write name=\"'7'\"."),
    ],
)
def test_a_value_of_the_wrong_type_is_named(word, said):
    assert said in refusal(word)


def test_the_options_of_a_submission_and_of_variants_are_named_too():
    assert "submission.k is 'abc'" in refusal("submission.k=abc", experiment="quickstart")
    assert "variants is null" in refusal("variants=null", experiment="compare")
    assert "variants.g is 3" in refusal("+variants.g=3", experiment="compare")
    assert "variants.bm25.retriever.k1 is 'x'" in refusal(
        "variants.bm25.retriever.k1=x", experiment="compare"
    )


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("retriever._target_=retrievers.fusion.Hybri", "Did you mean retrievers.fusion.Hybrid?"),
        ("retriever._target_=retrievers.fusoin.Hybrid", "Did you mean retrievers.fusion?"),
        ("retriever._target_=foo.Bar", "retriever._target_ is foo.Bar, which does not exist."),
        ("+retriever.wieghts=3", "no option 'retriever.wieghts'. Did you mean weights?"),
        ("+foo=1", "Nothing reads the option 'foo'"),
        ("+variants.mine.retriever.k1=2", "write +experiment=compare"),
    ],
)
def test_what_is_not_there_or_not_read_is_refused(word, said):
    assert said in refusal(word)


def test_a_target_whose_package_is_an_extra_says_which():
    target = "llama_index.embeddings.no_such_provider.Model"
    with pytest.raises(ModuleNotFoundError) as caught:
        check_options(config_of(f"embedding._target_={target}"))
    assert caught.value.name == "llama_index.embeddings.no_such_provider"


def test_a_deleted_option_that_is_read_is_named():
    config = deepcopy(composed("retrieval"))
    OmegaConf.set_struct(config, False)
    del config["depth"]
    assert refused(config) == "pipeline reads depth, which is not there: keep depth."


@pytest.mark.parametrize("word", ["retriever=bm25", "retriever.weights.bm25=2"])
def test_a_part_that_every_variant_replaces_cannot_be_set(word):
    config = composed("compare")
    with pytest.raises(ValueError, match="changes nothing: every variant has a retriever"):
        check_replaced(config, ["+experiment=compare", word])
    check_replaced(config, ["depth=3", "+retriever@variants.mine.retriever=bm25"])
