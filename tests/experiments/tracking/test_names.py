"""No name and no number can cost a run its place in MLflow, and none is stored as another."""

import json
import math

import pytest

from experiments.tracking.names import finite, renamed, stored_name, stored_names
from tests.experiments.tracking.test_mlflow import record, tracker


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("public/map_at_3", "public/map_at_3"),
        ("map@10", "map_at_10"),
        ("map(private)", "map_private_"),
        ("정확도 100%", "정확도 100_"),
        ("retriever@variants.mine.retriever", "retriever_at_variants.mine.retriever"),
        ("a//b/../c", "a/_/b/_/c"),
        ("/a\n", "_/a_"),
        ("", "_"),
    ],
)
def test_a_name_keeps_all_that_mlflow_takes(name, stored):
    assert stored_name(name) == stored


def test_names_too_long_stay_apart():
    one, other = (stored_name("가" * 300 + end) for end in "ab")
    assert len(one) == len(other) == 250
    assert one != other


def test_two_names_that_would_be_one_are_refused():
    with pytest.raises(ValueError, match=r"a\(b and a\)b would both be logged to MLflow as a_b"):
        stored_names(["a(b", "a)b"])


def test_a_name_that_was_changed_is_told():
    assert renamed(stored_names(["map@3", "k1", "map(x)"])) == {"map_x_": "map(x)"}


def test_what_is_no_number_is_left_out_and_told():
    numbers = {"a": 1.0, "b": math.nan, "c": math.inf, "d": -math.inf}
    assert finite(numbers) == ({"a": 1.0}, {"b": "nan", "c": "inf", "d": "-inf"})


@pytest.mark.slow
@pytest.mark.ci
def test_one_bad_name_or_number_loses_nothing_else(tmp_path):
    ours = tracker(tmp_path)
    params = {"retriever@variants.mine.retriever": "bm25", "k" * 300: "1", "k1": "0.9"}
    measures = {"good": 1.0, "bad@1": 2.0, "seconds/mine (new)": 3.0, "lost": math.nan}
    run = ours.client.get_run(ours.log(record("n" * 300, params=params, measures=measures)))
    assert run.info.run_name == "n" * 250
    found = run.data.metrics
    assert found["public/map_at_3"] == 0.75
    assert (found["good"], found["bad_at_1"], found["seconds/mine _new_"]) == (1.0, 2.0, 3.0)
    assert "lost" not in found
    assert run.data.params["retriever_at_variants.mine.retriever"] == "bm25"
    assert run.data.params["k1"] == "0.9"
    told = json.loads(run.data.tags["renamed"])
    assert told["seconds/mine _new_"] == "seconds/mine (new)"
    assert "k" * 300 in told.values()
    assert json.loads(run.data.tags["not finite"]) == {"lost": "nan"}
    assert run.info.status == "FINISHED"
