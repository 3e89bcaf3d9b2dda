"""The page of a report: any name is harmless, and no number is missing."""

import re

import pytest

from experiments.overfit.rules import Rules
from experiments.overfit_report import words
from experiments.overfit_report.findings import findings
from experiments.overfit_report.gather import gather
from experiments.overfit_report.measures import measures
from experiments.overfit_report.page import halves, ladder_table, rungs, write_page
from tests.experiments.overfit_report.folders import scores, table, write_sweep

RULES = Rules(draws=200)
HOSTILE = "<script>alert(1)</script>"
NAMES = ["기준", f"분석기=한국어 {HOSTILE}", "</script><b>", "[bold]\ud83d 🐳"]


def found_in(folder, **options):
    tables = [table(scores(gain=0.1 * n, seed=n), **options) for n in range(4)]
    return findings(gather(write_sweep(folder / "s", tables, names=[*NAMES[:3], "a"])), rules=RULES)


@pytest.fixture
def found(tmp_path):
    return found_in(tmp_path)


def test_korean_is_readable_and_markup_in_names_is_text(tmp_path, found):
    page = write_page(tmp_path / "page.html", found).read_text(encoding="utf-8")
    assert "분석기=한국어" in page
    assert HOSTILE not in page
    assert "</script><b>" not in page
    assert page.count("<script") == page.count("</script>")


def test_a_name_that_utf8_cannot_hold_does_not_stop_the_page(tmp_path, found):
    from dataclasses import replace

    card = replace(found.card, trial=NAMES[3])
    page = write_page(tmp_path / "page.html", replace(found, card=card))
    assert "🐳" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("sides", [("public", "private"), ("public",)])
def test_no_number_is_missing(tmp_path, sides):
    found = found_in(tmp_path, sides=sides)
    told = [*map(" ".join, words.about(found)), found.card.verdict.sentence]
    cells = [*map(" ".join, halves(found)), *map(" ".join, rungs(found))]
    assert not re.search(r"\b(nan|inf|None)\b", "\n".join(told + cells), re.IGNORECASE)
    assert all(number == number for number in measures(found).values())
    assert len(halves(found)) == len(sides)


def test_a_sealed_page_has_no_private_figure(tmp_path):
    found = found_in(tmp_path, sides=("public",))
    page = write_page(tmp_path / "page.html", found).read_text(encoding="utf-8")
    assert "plotly" not in page
    assert "<td>private</td>" not in page


def test_trials_that_never_differ_have_a_page(tmp_path):
    same = table(scores(seed=1))
    found = findings(gather(write_sweep(tmp_path / "s", [same, same, same])), rules=RULES)
    page = write_page(tmp_path / "page.html", found).read_text(encoding="utf-8")
    assert found.card.verdict.word == "UNRESOLVED"
    assert "scores as the baseline does" in page
    assert "-0.0000" not in "".join(map("".join, rungs(found)))


def test_the_ladder_shows_the_best_first(found):
    gains = [float(row[1]) for row in rungs(found)]
    assert gains == sorted(gains, reverse=True)
    assert ladder_table(found).row_count == 3
