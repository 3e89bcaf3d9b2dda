"""ragas in a run of answers: what the tracker gets, what a seal hides, what does not move."""

import json
import math
from dataclasses import replace
from importlib import metadata

import pytest

from experiments.ragas_metrics.judged import JudgedScores
from experiments.ragas_metrics.plain import PlainScores
from experiments.splits import RandomSplit
from experiments.store import NoStore
from tests.experiments.rag.rig import study
from tests.experiments.ragas_metrics import judge
from tests.generation.stub_llm import StubLLM

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Kept:
    """A tracker that keeps what it is given."""

    def __init__(self):
        self.records = []

    def log(self, record):
        self.records.append(record)


def judged(answer=judge.answer):
    llm = judge.layer(StubLLM(answer, max_tokens=64), NoStore())
    return JudgedScores(llm=llm, names=["context_precision", "factual_correctness"])


def run(folder, metrics, **changes):
    return replace(study(folder, **changes), answer_metrics=metrics).run()


def test_the_tracker_gets_finite_numbers_and_the_coverage(tmp_path):
    tracker, metrics = Kept(), {"plain": PlainScores(), "judge": judged(lambda _: "nonsense")}
    report = run(tmp_path, metrics, tracker=tracker)
    (record,) = tracker.records
    assert record.measures
    assert all(map(math.isfinite, record.measures.values()))
    for side in record.scores.values():
        lost = side["ragas_factual_correctness"]
        assert (lost.mean, lost.n_scored) == (None, 0)
        assert all(one.mean is None or math.isfinite(one.mean) for one in side.values())
    assert record.measures["model/judge/factual_correctness/failed/rejected"] > 0
    json.dumps(json.loads((report.folder / "summary.json").read_text()), allow_nan=False)
    assert record.params["answer_metrics.judge.repeats"] == "1"


def test_other_metrics_and_the_score_that_counts_do_not_move(tmp_path):
    plain = run(tmp_path, {"none": None})
    more = run(tmp_path, {"plain": PlainScores(), "judge": judged()})
    assert more.metric == plain.metric
    assert more.primary == plain.primary
    before = plain.per_query["rag"]
    assert more.per_query["rag"][before.columns].equals(before)
    assert more.per_query["rag"]["ragas_factual_correctness"].notna().sum() == 3


def test_a_run_keeps_the_version_of_ragas(tmp_path):
    for metrics in ({"plain": PlainScores()}, {"judge": judged()}):
        folder = run(tmp_path, metrics).folder
        kept = json.loads((folder / "versions.json").read_text(encoding="utf-8"))
        assert kept["ragas"] == metadata.version("ragas")
    assert "ragas" not in json.loads(
        (run(tmp_path, {"none": None}).folder / "versions.json").read_text(encoding="utf-8")
    )


def test_a_sealed_split_asks_nobody_about_its_private_queries(tmp_path):
    asked = []

    def answer(prompt):
        asked.append(prompt)
        return judge.answer(prompt)

    report = run(tmp_path, {"judge": judged(answer)}, split=RandomSplit(sealed=True))
    shown = set(report.per_query["rag"].index)
    hidden = {"대한민국의 수도는?": "capital", "물은 몇 도에서 끓는가?": "boil"}
    for text, query in hidden.items():
        told = any(json.dumps(text, ensure_ascii=False) in prompt for prompt in asked)
        assert told == (query in shown)
