"""The examples of the guides run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_the_python_guide_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in blocks("docs/python.md", "python"):
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["scores"].mean()["map@3"].n_scored == 2
    assert names["after"].difference(names["before"], "map@3").n > 100
    assert "Mean(" in capsys.readouterr().out


def test_the_guide_to_an_own_retriever_runs_and_keeps_its_promise(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(ROOT)
    names = {"__name__": "own_retriever"}
    page = blocks("docs/own_retriever.md", "python")
    for block in page:
        exec(compile(block, "docs/own_retriever.md", "exec"), names)
    assert sum(bool(line.strip()) for line in page[0].splitlines()) <= 25
    assert len(capsys.readouterr().out.splitlines()) == 3
    own = names["both"].leaves()["overlap"]
    own.save(tmp_path)
    again = names["Overlap"]()
    again.attach(own.nodes)
    again.load(tmp_path)
    plans = names["plans"][:20]
    assert again.retrieve_many(plans, 5).by_query() == own.retrieve_many(plans, 5).by_query()


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(p.name for p in (ROOT / "docs").glob("*.md"))]
)
def test_every_experiment_and_option_a_guide_names_exists(page):
    path = page if page == "README.md" else f"docs/{page}"
    text = (ROOT / path).read_text(encoding="utf-8")
    for name in re.findall(r"\+experiment=([\w/]+)", text):
        assert name == "NAME" or (ROOT / "conf" / "experiment" / f"{name}.yaml").exists(), name
    groups = [folder.name for folder in (ROOT / "conf").iterdir() if folder.is_dir()]
    for group, choice in re.findall(r"(?<![\w.+])(\w+)=(\w+)", text):
        if group in groups and group != "experiment":
            assert (ROOT / "conf" / group / f"{choice}.yaml").exists(), f"{group}={choice}"


def test_the_guide_to_contextual_retrieval_says_what_is_shown_and_searched():
    names = {}
    for block in blocks("docs/contextual_retrieval.md", "python"):
        exec(compile(block, "docs/contextual_retrieval.md", "exec"), names)
    (node,) = names["enriched"]
    assert (node.get_content(), node.metadata["chunk_context"]) == (
        "It rose by 3 %.",
        "ACME, 2023.",
    )
