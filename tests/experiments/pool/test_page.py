"""The labelling page in a browser, without a network: 6,600 judgements, saved and resumed."""

import json
import time

import pytest

from experiments.pool.labels import read_labels
from experiments.pool.page import write_page
from experiments.pool.pooling import Pool
from experiments.schema import Dataset, Document, Query
from tests.browser import MARKS
from tests.experiments.pool.test_pool import large_pool

pytestmark = MARKS
JUDGE_ALL = """
const letters = ['Digit0', 'Digit1', 'Digit2', 'KeyX'];
for (let i = arguments[0]; i < arguments[1]; i += 1) {
  document.body.dispatchEvent(new KeyboardEvent('keydown', {code: letters[i % 4], bubbles: true}));
}
"""


def text(browser, name):
    return browser.find_element("id", name).text


def downloaded(browser, folder):
    browser.find_element("id", "save").click()
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if files := list(folder.glob("*.json")):
            return files[0]
        time.sleep(0.2)
    pytest.fail("nothing was downloaded")


def test_all_judgements_are_kept_saved_and_resumed(tmp_path, browser):
    pool, data = large_pool()
    page = write_page(tmp_path / "label.html", pool, data)
    browser.get(page.as_uri())
    timing = "const t = performance.getEntriesByType('navigation')[0]; return t.domComplete"
    assert browser.execute_script(timing) < 2000
    browser.find_element("id", "who").send_keys("김 연구원\n")
    browser.execute_script(JUDGE_ALL, 0, 3000)
    assert "3000 of 6600" in text(browser, "done")
    browser.refresh()
    assert "3000 of 6600" in text(browser, "done")
    assert "Question 101 of 220" in text(browser, "number")
    browser.execute_script(JUDGE_ALL, 3000, 6600)
    assert "6600 of 6600" in text(browser, "done")
    path = downloaded(browser, tmp_path / "saved")
    labels = read_labels(path, pool)
    assert labels.who == "김 연구원"
    assert len(labels.grades) + len(labels.skipped) == 6600
    wanted = {pair: place % 4 for place, pair in enumerate(pool.pairs) if place % 4 < 3}
    assert labels.grades == wanted
    browser.execute_script("localStorage.clear()")
    browser.refresh()
    assert "0 of 6600" in text(browser, "done")
    browser.find_element("id", "load").send_keys(str(path))
    until = time.monotonic() + 30
    while "6600 of 6600" not in text(browser, "done") and time.monotonic() < until:
        time.sleep(0.2)
    assert "6600 judgements read" in text(browser, "message")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"pool": "x", "judgements": []}))
    browser.find_element("id", "load").send_keys(str(other))
    until = time.monotonic() + 30
    while "another pool" not in text(browser, "message") and time.monotonic() < until:
        time.sleep(0.2)
    assert "another pool" in text(browser, "message")


def test_the_page_speaks_korean_and_stays_so(tmp_path, browser):
    pool, data = large_pool()
    page = write_page(tmp_path / "label.html", pool, data)
    browser.get(page.as_uri())
    browser.find_element("id", "language").click()
    assert "6600개 중 0개 판정" in text(browser, "done")
    assert browser.find_element("id", "grades").text.split("\n") == [
        *("0 답이 없음", "1 일부 답함", "2 답함", "X 건너뛰기")
    ]
    browser.execute_script(JUDGE_ALL, 0, 31)
    browser.refresh()
    assert "질문 2 / 220" in text(browser, "number")
    assert "이 질문의 문단 2 / 30" in text(browser, "document")
    browser.find_element("id", "language").click()
    assert "Passage 2 of 30 for this question" in text(browser, "document")
    assert "31 of 6600 judged" in text(browser, "done")
    assert not [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]


def test_a_long_passage_is_left_and_the_next_begins_at_its_top(tmp_path, browser):
    data = Dataset("long", [Document(n, "물 " * 5000) for n in "ab"], [Query("q", "?")], None, "f")
    pool = Pool((("q", "a"), ("q", "b")), {}, 1, 0, "long", "f", "2026")
    browser.get(write_page(tmp_path / "label.html", pool, data).as_uri())
    browser.execute_script("scrollTo(0, 2000)")
    browser.execute_script(JUDGE_ALL, 0, 1)
    assert browser.execute_script("return scrollY") == 0
    assert "Passage 2 of 2" in text(browser, "document")
