"""The lab as a whole: it finds an effect that is built in, and asks nothing twice."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from experiments.position_lab.cells import Axes
from experiments.position_lab.dataset_tasks import DatasetTasks
from experiments.position_lab.key_value import KeyValueTasks
from experiments.position_lab.paper_lines import PaperTasks
from experiments.position_lab.study import PositionLab
from generation.context import ContextAssembler
from generation.prompt_reading import read_prompt
from tests.experiments.position_lab.stub_models import flat, key_value_model, u_curve
from tests.experiments.rag.rig import stored, study
from tests.generation.stub_llm import StubLLM


def lab(folder, model, *, count=60, context=None, dry_run=False, seed=0, **axes):
    values = {"documents": [5], "repeats": 1, **axes}
    return PositionLab(
        setting=study(folder).setting,
        tasks=KeyValueTasks(count=count, strings="short", seed=seed),
        axes=Axes(**values),
        context=context or ContextAssembler(budget=10**6, top_k=1000),
        llm=stored(folder, model),
        dry_run=dry_run,
    )


def summary(report):
    return json.loads((report.folder / "summary.json").read_text(encoding="utf-8"))


def gap(report, row=0):
    return summary(report)["findings"]["conditions"][row]["gap"]


@pytest.mark.slow
def test_a_built_in_u_curve_is_found(tmp_path):
    report = lab(tmp_path, key_value_model(u_curve), count=100).run()
    assert gap(report)["p"] < 0.01
    assert "position matters" in summary(report)["sentences"][0]
    for name in ("position_curve.html", "documents_by_position.html", "answers.parquet"):
        assert (report.folder / name).stat().st_size > 0


@pytest.mark.slow
def test_a_model_without_an_effect_raises_few_alarms(tmp_path):
    alarms = [
        gap(lab(tmp_path, key_value_model(flat), count=40, seed=seed).run())["p"] <= 0.05
        for seed in range(5)
    ]
    assert sum(alarms) <= 2


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(tmp_path, capsys):
    model = key_value_model(flat)
    report = lab(tmp_path, model, count=10, dry_run=True).run()
    said = capsys.readouterr().out.replace("\n", " ")
    assert "50 prompts" in said
    assert "50 calls to make" in said
    assert model.asked == []
    assert report.folder is None


def test_a_killed_lab_makes_only_the_calls_that_are_missing(tmp_path):
    class Killed(BaseException):
        pass

    def dies(way):
        dies.left -= 1
        if dies.left < 0:
            raise Killed
        return flat(way)

    dies.left = 20
    with pytest.raises(Killed):
        lab(tmp_path, key_value_model(dies), count=10).run()
    model = key_value_model(flat)
    lab(tmp_path, model, count=10).run()
    assert len(model.asked) == 50 - 20
    again = key_value_model(flat)
    lab(tmp_path, again, count=10).run()
    assert again.asked == []


def test_a_failed_call_is_counted_and_in_no_mean(tmp_path):
    model = key_value_model(flat, failures=[ValueError("broken prompt")] * 3)
    report = lab(tmp_path, model, count=10).run()
    assert summary(report)["findings"]["missing"] == 3
    assert gap(report)["n"] < 10
    assert pd.read_parquet(report.folder / "answers.parquet")["correct"].isna().sum() == 3


def test_axes_give_drops_and_gains(tmp_path):
    report = lab(
        tmp_path,
        key_value_model(lambda way: 0.9 if way in (0, 1) else 0.3),
        count=40,
        documents=[5, 10],
        order=["none", "best_first"],
        positions=[0, 25],
    ).run()
    found = summary(report)["findings"]
    assert len(found["conditions"]) == 4
    assert {one["condition"]["documents"] for one in found["length_drop"]} == {5}
    (gain,) = [one for one in found["order_gain"] if one["condition"]["documents"] == 5]
    assert gain["mean"] > 0.1
    assert (report.folder / "order_gain.html").exists()


def test_several_passages_are_all_needed(tmp_path):
    report = lab(
        tmp_path,
        key_value_model(lambda way: float(way < 0.6)),
        count=10,
        documents=[10],
        evidence=["2 half", "2 ends"],
    ).run()
    half, ends = summary(report)["findings"]["conditions"]
    assert half["accuracy"][0]["mean"] == 1
    assert half["accuracy"][-1]["mean"] == 0
    assert [share["mean"] for share in ends["accuracy"]] == [0]
    assert ends["gap"]["p"] is None


def test_evidence_that_does_not_fit_is_told(tmp_path):
    context = ContextAssembler(budget=10**6, top_k=3)
    offline = lab(tmp_path, None, count=5, context=context).run()
    condition = summary(offline)["findings"]["conditions"][0]
    assert condition["recall"] == pytest.approx(3 / 5)
    assert any("in no prompt" in one for one in summary(offline)["sentences"])


def test_without_a_model_it_says_which_to_choose(tmp_path):
    with pytest.raises(ValueError, match="llm=local"):
        replace(lab(tmp_path, None), llm=None).run()


def test_the_pipelines_own_order_is_what_it_ranks(tmp_path):
    rig = study(tmp_path)
    own = replace(
        lab(tmp_path, None, documents=[2, 3], evidence=[1, "own"], positions=[0, 100]),
        tasks=DatasetTasks(pipeline=rig.pipeline),
    )
    report = own.run()
    ranked = [
        one
        for one in summary(report)["findings"]["conditions"]
        if one["condition"]["spread"] == "own"
    ]
    assert [one["positions"] for one in ranked] == [[None], [None]]
    with pytest.raises(ValueError, match="lab_task=dataset"):
        lab(tmp_path, None, evidence=["own"]).run()


def test_one_passage_and_two_are_asked_in_one_lab(tmp_path):
    report = lab(tmp_path, None, count=6, documents=[5], evidence=[1, "2 half"]).run()
    one, two = summary(report)["findings"]["conditions"]
    assert [share["mean"] for share in one["accuracy"]] == [1.0] * 5
    assert two["condition"]["evidence"] == 2
    assert (one["recall"], two["recall"]) == (1, 1)
    table = report.per_query["lost_in_the_middle"]
    counts = table["answer"].str.count(r"\[").groupby(table["evidence"]).max()
    assert counts.to_dict() == {1: 1, 2: 2}


def paper(folder, *wordings):
    """Questions that a model answers from the first passage alone, of the kinds given."""
    lines = [
        {
            "question": f"What is number{n}?",
            "answers": [f"value{n}"],
            "ctxs": [
                {"text": f"number{n} is {'value' if gold else d}{n}", "isgold": gold}
                for d, gold in enumerate([True, False, False])
            ],
            "tags": {"wording": wording},
        }
        for n, wording in enumerate(wordings)
    ]
    path = folder / "paper.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return PaperTasks(path=path)


def test_questions_are_told_apart_by_their_wording(tmp_path, capsys):
    """A model that finds exact questions everywhere, and the others in the first passage alone."""

    def answer(prompt):
        read = read_prompt(prompt)
        number = int(re.search(r"number(\d+)", read.question)[1])
        return prompt if number % 2 else read.passages[1]

    study = replace(
        lab(tmp_path, StubLLM(answer), documents=[3], positions=[0, 50, 100]),
        tasks=paper(tmp_path, *["paraphrased", "exact"] * 12),
    )
    report = study.run()
    (every,) = summary(report)["findings"]["conditions"]
    exact, other = summary(report)["findings"]["kinds"]
    assert (exact["kind"], other["kind"]) == ("exact", "paraphrased")
    assert (every["gap"]["n"], exact["gap"]["n"], other["gap"]["n"]) == (24, 12, 12)
    assert [one["mean"] for one in exact["accuracy"]] == [1, 1, 1]
    assert [one["mean"] for one in other["accuracy"]] == [1, 0, 0]
    assert exact["gap"]["p"] == exact["p_holm"] == 1
    assert other["p_holm"] == pytest.approx(2 * other["gap"]["p"])
    assert "3 documents, paraphrased: position matters" in " ".join(capsys.readouterr().out.split())
    assert (report.folder / "position_curve_by_kind.html").exists()


def test_a_tag_that_tells_no_kinds_is_refused(tmp_path):
    study = replace(lab(tmp_path, None, documents=[3]), tasks=paper(tmp_path, *"abc"))
    with pytest.raises(ValueError, match=r"lab\.by is kind, a tag that no question has.*wording"):
        replace(study, by="kind").run()
    many = replace(study, tasks=paper(tmp_path, *map(str, range(21))))
    with pytest.raises(ValueError, match="The tag wording has 21 values"):
        many.run()
    assert summary(lab(tmp_path, None, count=3).run())["findings"]["kinds"] == []


def test_any_text_that_a_model_says_can_be_kept(tmp_path):
    report = lab(tmp_path, StubLLM(lambda _: "lone \ud800 \x00 sign"), count=2).run()
    assert {*pd.read_parquet(report.folder / "answers.parquet")["answer"]} == {"lone ? \x00 sign"}


def test_what_a_repeated_lab_is_held_against_is_kept(tmp_path):
    report = lab(tmp_path, None, count=2).run()
    table = pd.read_parquet(report.folder / "answers.parquet")
    assert table["context_hash"].nunique() == len(table)
    assert summary(report)["fingerprints"].keys() == {"tasks", "prompts"}
    assert {"pipeline.json", "versions.json"} <= {path.name for path in report.folder.iterdir()}


def test_many_cases_without_an_effect_are_told_in_one_sentence(tmp_path):
    orders = ["none", "best_first", "best_last", "langchain"]
    report = lab(tmp_path, None, count=4, documents=[3, 5], order=orders).run()
    said = summary(report)["sentences"]
    assert "In all 8 cases no effect of position shows (corrected p at least 1.0000)." in said
    assert "In all 6 cases no gain of an order shows (corrected p at least 1.0000)." in said
    assert len([one for one in said if one.startswith("Shorter prompts gain")]) == 4


def test_contrasts_are_corrected_for_their_number(tmp_path):
    found = summary(
        lab(
            tmp_path,
            key_value_model(lambda way: 0.9 if way in (0, 1) else 0.3),
            count=30,
            order=["none", "best_first", "best_last", "langchain"],
        ).run()
    )
    gains = found["findings"]["order_gain"]
    assert len(gains) == 3
    assert all(one["p_holm"] >= one["p"] for one in gains)
    assert max(gains, key=lambda one: one["p_holm"])["p_holm"] > min(one["p"] for one in gains)
