"""What trials were warned of stands in the report, once, with how many of them it is about."""

import json

from experiments.overfit_report.gather import gather
from tests.experiments.overfit_report.folders import scores, table, write_sweep


def test_cautions_are_counted(tmp_path):
    folder = write_sweep(tmp_path / "s", [table(scores(seed=n)) for n in range(3)])
    for number in (0, 2):
        path = folder / f"{number:04}" / "summary.json"
        page = json.loads(path.read_text())
        page["pipelines"]["bm25"]["cautions"] = ["It leaks."]
        path.write_text(json.dumps(page))
    assert gather(folder).notes == ("Caution (2 of 3 trials): It leaks.",)


def test_a_best_value_at_the_edge_is_said(tmp_path):
    folder = write_sweep(tmp_path / "s", [table(scores(seed=n)) for n in range(3)])
    for number in range(3):
        path = folder / f"{number:04}" / "trial.json"
        page = json.loads(path.read_text())
        page |= {"metric": "map@3", "scores": {"public": {"map@3": 0.5 + number / 10}}}
        path.write_text(json.dumps(page))
    (note,) = gather(folder).notes
    assert note.startswith("Caution: The best trial has the largest k that was tried (2)")
