"""The recipe's four steps run offline on the bundled sample, each as what it says it is."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig

from experiments.building import build
from experiments.catalogue import presets

CONF = Path(__file__).resolve().parents[2] / "conf"
OFF = ["embedding=lsa", "tracker=none", "ledger=null", "store=off"]
CHEAP = ["chunker=none", "pair_scorer.retriever.parts.bm25.analyzer=unicode"]


def experiment(name, *words):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        overrides = [f"+experiment=science_qa/{name}", *OFF, *words]
        config = compose("config", overrides=overrides, return_hydra_config=True)
    HydraConfig.instance().set_config(config)
    return build(config)


def test_the_catalogue_lists_the_steps_in_their_folder():
    assert {name for name in presets() if name.startswith("science_qa/")} == {
        f"science_qa/{step}" for step in ("base", "fusion", "llm_rerank", "raw_query", "ladder")
    }


def described(pipeline):
    """What tells one step from another."""
    return (
        type(pipeline.query).__name__,
        pipeline.retriever.name,
        [*pipeline.postprocessors],
        pipeline.depth,
        pipeline.pool,
    )


def test_the_ladder_has_the_steps_that_run_alone():
    steps = ("base", "fusion", "llm_rerank", "raw_query")
    alone = {step: experiment(step) for step in steps}
    ladder = experiment("ladder")._pipelines()
    assert [*ladder] == [*steps]
    for step in steps:
        (pipeline,) = alone[step]._pipelines().values()
        assert described(pipeline) == described(ladder[step])
    assert described(ladder["raw_query"]) == (
        "AllUserTurns",
        "hybrid",
        ["cross_encoder", "fuse", "llm_rerank"],
        200,
        400,
    )


@pytest.mark.slow
@pytest.mark.ci
def test_the_ladder_shows_each_step_against_the_first_and_the_one_before(tmp_path, capsys):
    ladder = experiment("ladder", f"setting.folder={tmp_path}", "submission=none", *CHEAP)
    report = ladder.run()
    said = capsys.readouterr().out
    assert [*report.means] == ["base", "fusion", "llm_rerank", "raw_query"]
    weights = "effective weights dense 0.3675, bm25 0.1575, rerank 0.475"
    assert f"fusion, llm_rerank, raw_query: {weights}" in said
    assert "map_comp@3 minus base, query by query" in said
    assert "map_comp@3 minus the step before, query by query" in said
    assert "raw_query: llm_rerank asked for" in said
