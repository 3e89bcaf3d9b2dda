"""What a sweep says it will do, before it does it."""

import pytest
from omegaconf import OmegaConf

from experiments.sweeps.plan import plan


def config(*task, **sweeper):
    return OmegaConf.create({"hydra": {"sweeper": sweeper, "overrides": {"task": list(task)}}})


def test_a_grid_is_the_product_and_the_command_line_counts_over_the_preset():
    made = plan(
        config(
            "+experiment=retrieval",
            "retriever=bm25,hybrid",
            "retriever.b=range(0, 1, step=0.25)",
            params={"retriever": "dense", "query": "last_turn,all_user_turns"},
        )
    )
    assert made.total == 2 * 4 * 2
    assert dict(made.values) == {
        "retriever": "bm25,hybrid",
        "query": "last_turn,all_user_turns",
        "retriever.b": "range(0, 1, step=0.25)",
    }


def test_a_sampler_runs_as_many_as_it_is_told():
    assert plan(config("a=interval(0, 1)", n_trials=7)).total == 7


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["retriever.weights.dense", "retriever.k1"], ["dense", "k1"]),
        (["retriever.parts.bm25.b", "variants.b"], ["bm25.b", "variants.b"]),
        (["b", "retriever.b"], ["b", "retriever.b"]),
    ],
)
def test_names_are_as_short_as_they_can_be_told_apart(keys, names):
    assert list(plan(config(*[f"{key}=1,2" for key in keys])).names.values()) == names


def test_a_part_that_is_swept_is_not_checked_before_the_sweep():
    made = plan(config("dataset.path=a,b", "retriever@variants.x.retriever=bm25,dense"))
    assert made.touches("dataset")
    assert made.touches("retriever")
    assert not made.touches("split")
