"""Every query can be opened in MLflow, from the question to the scores."""

import pytest

from experiments.rag.traces import TraceWriter
from experiments.tracking.outbox import OutboxTracker
from tests.experiments.rag.rig import study
from tests.generation.stub_llm import StubLLM

pytestmark = pytest.mark.slow


def test_a_trace_holds_the_whole_way_of_a_query(tmp_path):
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = OutboxTracker(uri, artifacts=str(tmp_path / "artifacts"), folder=tmp_path / "outbox")
    study(tmp_path, tracker=tracker, traces=2).run()
    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name("set").experiment_id
    (run,) = client.search_runs([experiment])
    traces = client.search_traces(locations=[experiment])
    assert {one.info.tags["query"] for one in traces} == {"capital", "boil"}
    trace = next(one for one in traces if one.info.tags["query"] == "capital")
    assert trace.info.trace_metadata["mlflow.sourceRun"] == run.info.run_id
    root, *spans = sorted(
        trace.data.spans, key=lambda span: (span.parent_id or "", span.start_time_ns)
    )
    assert root.inputs == {"question": "대한민국의 수도는?"}
    assert [span.name for span in spans] == ["retrieve", "rank", "assemble", "generate", "score"]
    assert all(span.parent_id == root.span_id for span in spans)
    retrieve, _, assemble, generate, score = spans
    assert retrieve.outputs[0]["page_content"] == "서울은 대한민국의 수도이다."
    assert assemble.outputs["prompt"] == generate.inputs["prompt"]
    assert generate.outputs == root.outputs["answer"]
    assert score.outputs["best_subspan"] == 1
    assert (score.inputs["reference"], score.inputs["needed"]) == ("서울", ["d1"])
    marked = [one["metadata"].get("needed", False) for one in retrieve.outputs]
    assert marked == [one["id"] == "d1" for one in retrieve.outputs]
    assert run.data.metrics["answers/queries"] == 6
    assert run.data.metrics.keys() >= {"public/assembly_recall", "public/best_subspan"}


def test_any_text_can_be_traced_and_a_failed_call_is_seen(tmp_path, capsys, monkeypatch):
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = OutboxTracker(uri, artifacts=str(tmp_path / "artifacts"), folder=tmp_path / "outbox")
    model = StubLLM(lambda _: "lone \ud800 \x00 sign", failures=[ValueError("broken prompt")])
    study(tmp_path, tracker=tracker, traces=6, model=model).run()
    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name("set").experiment_id
    states = {
        one.info.tags["query"]: str(one.info.state) for one in client.search_traces([experiment])
    }
    assert len(states) == 6
    assert [query for query, state in states.items() if "ERROR" in state] == ["capital"]
    assert "Traces of 6 queries" in capsys.readouterr().out
    monkeypatch.setattr(TraceWriter, "_trace", lambda *_: None)
    study(tmp_path, tracker=tracker, traces=6).run()
    assert "MLflow has kept 0 of 6 traces" in " ".join(capsys.readouterr().out.split())


def test_a_server_that_goes_away_costs_the_traces_alone(tmp_path, monkeypatch, capsys):
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = OutboxTracker(uri, artifacts=str(tmp_path / "artifacts"), folder=tmp_path / "outbox")

    def away(self, run):
        raise ConnectionError("connection refused")

    monkeypatch.setattr(MlflowClient, "get_run", away)
    report = study(tmp_path, tracker=tracker, traces=2).run()
    assert "does not take traces (no connection)" in capsys.readouterr().out.replace("\n", " ")
    assert (report.folder / "answers.jsonl").exists()
