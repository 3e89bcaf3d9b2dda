"""Where questions come from: made, from the paper's lines, from a dataset; and what is right."""

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments.position_lab.dataset_tasks import DatasetTasks
from experiments.position_lab.key_value import KeyValueTasks
from experiments.position_lab.paper_lines import PaperTasks
from experiments.position_lab.tasks import NOT_FOUND, Passage, Task, filled, score
from postprocessors.base import BatchPostprocessor
from postprocessors.selection import picked
from postprocessors.top_k import TopK
from tests.experiments.rag.rig import Fixed, study


class Upside(BatchPostprocessor):
    """Ranks the other way round."""

    def postprocess_many(self, ranking, plans, nodes):
        columns = np.tile(np.arange(ranking.depth), (len(ranking.query_ids), 1))
        for row, length in enumerate(ranking.lengths()):
            columns[row, :length] = np.arange(length)[::-1]
        return picked(ranking, columns)


QA = {
    "question": "수도는?",
    "answers": ["서울", "Seoul"],
    "ctxs": [
        {"title": "t", "text": "서울은 수도이다.", "isgold": True},
        {"title": "", "text": "부산은 항구이다.", "isgold": False},
    ],
}


def file(folder, *lines):
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_made_pairs_are_unique_and_the_same_again():
    first, again = (KeyValueTasks(count=5).load(None, documents=40, evidence=2) for _ in "ab")
    assert first.fingerprint == again.fingerprint
    assert (
        first.fingerprint
        != KeyValueTasks(count=5, seed=1).load(None, documents=40, evidence=2).fingerprint
    )
    for task in first.tasks:
        texts = [one.text for one in (*task.evidence, *task.distractors)]
        assert len({*texts}) == 40
        for passage, (value,) in zip(task.evidence, task.answers, strict=True):
            assert value in passage.text
            assert sum(value in text for text in texts) == 1
            assert json.loads(f"{{{passage.text}}}")


def test_the_papers_pairs_are_read(tmp_path):
    pairs = [["k1", "v1"], ["k2", "v2"], ["k3", "v3"]]
    path = file(tmp_path, {"ordered_kv_records": pairs, "key": "k2", "value": "v2"})
    (task,) = KeyValueTasks(path=path).load(None, documents=3, evidence=1).tasks
    assert task.evidence[0].text == '"k2": "v2"'
    assert [one.document for one in task.distractors] == ["k1", "k3"]
    with pytest.raises(ValueError, match="give lab"):
        KeyValueTasks(path=path).load(None, documents=4, evidence=1)


def test_the_papers_questions_are_read_and_filled_up(tmp_path):
    other = {**QA, "question": "항구는?", "answers": ["부산"], "ctxs": QA["ctxs"][::-1]}
    other["ctxs"] = [{"title": "", "text": "인천도 항구이다.", "isgold": True}]
    found = PaperTasks(path=file(tmp_path, QA, other)).load(None, documents=3, evidence=1)
    first, second = found.tasks
    assert first.evidence[0].text == "t\n서울은 수도이다."
    assert [one.text for one in first.distractors] == ["부산은 항구이다.", "인천도 항구이다."]
    assert "부산은 항구이다." not in [one.text for one in second.distractors]
    assert "2 of 2" in found.notes[0] or "fill" in found.notes[0]


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"question": "q", "answers": "서울", "ctxs": []},
        {"question": "q", "answers": ["a"], "ctxs": []},
        {"question": 1, "answers": ["a"], "ctxs": [{"text": "a", "isgold": True}]},
    ],
)
def test_lines_that_are_none_are_refused(tmp_path, line):
    with pytest.raises(ValueError, match="tasks"):
        PaperTasks(path=file(tmp_path, line)).load(None, documents=2, evidence=1)


def test_a_dataset_gives_evidence_and_what_is_found_wrongly(tmp_path):
    rig = study(tmp_path)
    found = DatasetTasks(pipeline=rig.pipeline).load(rig.setting, documents=4, evidence=1)
    assert [task.id for task in found.tasks] == ["capital", "boil", "turns"]
    capital = found.tasks[0]
    assert capital.evidence[0].document == "d1"
    assert capital.answers == (("서울",),)
    assert {one.document for one in capital.distractors[:2]} <= {"d2", "d5"}
    assert all(len(task.distractors) >= 3 for task in found.tasks)


def test_the_passages_are_ranked_as_the_whole_pipeline_ranks_them(tmp_path):
    rig = study(tmp_path)

    def tasks(**changes):
        source = DatasetTasks(pipeline=replace(rig.pipeline, **changes))
        return {task.id: task for task in source.load(rig.setting, documents=3, evidence=1).tasks}

    plain = tasks()["turns"]
    turned = tasks(postprocessors={"turn": Upside()})["turns"]
    assert plain.above != turned.above
    cut = tasks(postprocessors={"turn": Upside(), "cut": TopK(top_k=1)})["turns"]
    assert cut.above == NOT_FOUND  # the evidence is cut, and still there to be placed
    assert cut.evidence == plain.evidence
    assert {*cut.distractors} == {*plain.distractors}


@pytest.mark.parametrize("count", [0, -1])
def test_no_task_is_no_lab(tmp_path, count):
    rig = study(tmp_path)
    sources = [
        DatasetTasks(pipeline=rig.pipeline, count=count),
        KeyValueTasks(count=count),
        PaperTasks(path=None, count=count),
    ]
    for source in sources:
        with pytest.raises(ValueError, match=rf"lab_task\.count is {count}"):
            source.load(rig.setting, documents=3, evidence=1)
    with pytest.raises(ValueError, match=r"add lab_task\.path=FILE"):
        PaperTasks(path=None).load(rig.setting, documents=3, evidence=1)


def test_a_dataset_without_answers_says_so(tmp_path):
    rig = study(tmp_path, dataset=Fixed(qrels=None))
    with pytest.raises(ValueError, match="reference answer"):
        DatasetTasks(pipeline=rig.pipeline).load(rig.setting, documents=3, evidence=1)


def test_right_means_one_spelling_of_every_group():
    passage = Passage("p", "p", "x")
    qa = Task("a", "?", (("서울", "Seoul"),), (passage,), ())
    both = Task("b", "?", (("f00d",), ("beef",)), (passage,), (), literal=True)
    number = Task("c", "?", (("14",),), (passage,), ())
    said = ["seoul!", "부산", None, "It is F00D and beef", "f00d", "Jeeps. [14]"]
    values = score([qa, qa, qa, both, both, number], said)
    np.testing.assert_array_equal(values, [1, 0, np.nan, 1, 0, 0])


def test_filling_up_takes_no_passage_twice_and_none_with_the_answer():
    def one(name, *texts):
        return Task(
            name,
            "?",
            (("gold",),),
            (Passage(name, name, f"{name} gold"),),
            tuple(Passage(t, t, t) for t in texts),
        )

    tasks, count = filled([one("a", "x"), one("b", "x", "y", "Gold z")], 5)
    assert count == 2
    assert [p.text for p in tasks[0].distractors] == ["x", "y"]
