"""Findings apart for each kind of question, by a tag."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from experiments.position_lab.paper_lines import PaperTasks
from generation.prompt_reading import read_prompt
from tests.experiments.position_lab.small_lab import lab, summary
from tests.generation.stub_llm import StubLLM


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
