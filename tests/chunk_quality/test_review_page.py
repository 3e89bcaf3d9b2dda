"""The review page as a reader finds it in a browser, without a network.

With RANKPROOF_SCREENSHOT=FOLDER it keeps pictures of the page, light and dark.
"""

import os
import time
from pathlib import Path

import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

from chunk_quality.review_labels import load_labels
from chunk_quality.review_sample import ReviewSample
from tests.browser import MARKS

LONGEST_WAIT = 30

pytestmark = MARKS

NASTY = (
    "</script><img src=x onerror='window.broken=1'><script>window.broken=1</script> &lt; \0 \ud800"
)
TEXTS = [
    "광합성은 빛 에너지를 화학 에너지로 바꾸는 과정이다. 식물의 엽록체에서 일어나며, "
    "물과 이산화 탄소로 포도당을 만들고 산소를 내보낸다.",
    NASTY,
    "Waves carry energy, not matter.",
    "",
    "끝\u2028줄",
]


@pytest.fixture
def page(tmp_path, browser):
    """The page of five chunks, open; its chunks in the order shown."""
    nodes = [
        TextNode(
            id_=f"d{i},#{i}",
            text=text,
            metadata={"title": f"<b>제목 {i}</b>"},
            start_char_idx=0,
            end_char_idx=len(text),
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"d{i}")},
        )
        for i, text in enumerate(TEXTS)
    ]
    measures = {nodes[0].node_id: {"tokens": 41, "<i>entropy": float("nan")}}
    sample = ReviewSample(title="다섯 문단 <i>")
    path = sample.write(tmp_path / "review.html", nodes, measures)
    browser.get(path.as_uri())
    return sample.draw(nodes)


def press(browser, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def text(browser, element):
    return browser.find_element("id", element).text


def pressed(browser):
    buttons = browser.find_elements("css selector", "#labels [aria-pressed='true'] strong")
    return [button.text for button in buttons]


def saved(browser, folder):
    """The CSV that the key S downloads."""
    press(browser, "s")
    until = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < until:
        if files := list(folder.glob("*.csv")):
            return files[0]
        time.sleep(0.1)
    pytest.fail("nothing was downloaded")


def picture(browser, name):
    if folder := os.environ.get("RANKPROOF_SCREENSHOT"):
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))


def test_labels_given_by_keys_outlive_a_reload_and_read_back(page, browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    press(browser, "1", Keys.ARROW_RIGHT, "2", "5", Keys.ARROW_RIGHT, "3")
    press(browser, "n", '그림이, "없다"', Keys.ENTER, "둘째 줄", Keys.ESCAPE)
    press(browser, "a", "too long; 어려움", Keys.ENTER, Keys.ESCAPE)
    press(browser, Keys.ARROW_LEFT)
    picture(browser, "labelled")
    browser.refresh()
    assert pressed(browser) == ["translated", "mixed"]
    assert "3 of 5" in text(browser, "done")
    press(browser, Keys.ARROW_RIGHT)
    assert pressed(browser) == ["wrong", "too long", "어려움"]
    ids = [node.node_id for node in page]
    labels = load_labels(saved(browser, tmp_path / "saved"), ids)
    assert labels == {
        ids[0]: ("good",),
        ids[1]: ("translated", "mixed"),
        ids[2]: ("wrong", "too long", "어려움"),
    }


def test_a_saved_file_is_loaded_into_a_browser_that_knows_nothing(page, browser, tmp_path):
    ids = [node.node_id for node in page]
    table = (
        f'\ufeffchunk_id,labels,note\r\n"{ids[1]}",wrong; 새말,"a ""b"", c\nd"\r\nother,good,\r\n'
    )
    file = tmp_path / "old.csv"
    file.write_text(table, encoding="utf-8", newline="")
    browser.find_element("id", "load").send_keys(str(file))
    press_until(browser, lambda: "1 chunks read" in text(browser, "message"))
    assert "1 are not in this sample" in text(browser, "message")
    go_to(browser, 2)
    assert pressed(browser) == ["wrong", "새말"]
    assert browser.find_element("id", "note").get_property("value") == 'a "b", c\nd'
    file.write_text(f'chunk_id;labels;note\n{ids[2]};"good;mixed";a, b\n', encoding="utf-8")
    browser.find_element("id", "load").send_keys(str(file))
    press_until(browser, lambda: "1 chunks read from old.csv." in text(browser, "message"))
    go_to(browser, 3)
    assert pressed(browser) == ["good", "mixed"]
    file.write_text("id,labels\n1,good\n", encoding="utf-8")
    browser.find_element("id", "load").send_keys(str(file))
    press_until(browser, lambda: "no column chunk_id" in text(browser, "message"))


def press_until(browser, happened):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, LONGEST_WAIT).until(lambda _: happened())


def go_to(browser, number):
    from selenium.webdriver.common.keys import Keys

    press(browser, "g", str(number), Keys.ENTER)
    assert text(browser, "number") == f"Chunk {number}"


def test_what_a_chunk_holds_is_shown_as_text_and_does_nothing(page, browser):
    for number, node in enumerate(page, start=1):
        go_to(browser, number)
        shown = browser.find_element("id", "text").get_property("textContent")
        wanted = node.text.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
        assert shown == (wanted or "This chunk has no text.")
        assert text(browser, "heading") == node.metadata["title"]
    assert browser.execute_script("return window.broken") is None
    assert not browser.find_elements("css selector", "img")
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_every_field_and_button_has_a_name(page, browser):
    controls = browser.find_elements("css selector", "button, input, textarea, progress")
    assert len(controls) > 15
    assert [one.get_attribute("outerHTML") for one in controls if not one.accessible_name] == []


def test_the_next_without_a_label_is_found(page, browser):
    press(browser, "1", "u", "1", "u", "1")
    go_to(browser, 1)
    press(browser, "u")
    assert text(browser, "number") == "Chunk 4"
    press(browser, "1", "u", "1", "u")
    assert "Every chunk has a label" in text(browser, "message")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_in_either_scheme(page, browser, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    ids = [node.text for node in page]
    go_to(browser, ids.index(TEXTS[0]) + 1)
    press(browser, "1")
    picture(browser, scheme)
    for element in ("#text", "#labels [aria-pressed='true'] small", ".keys", "#measures dt"):
        assert contrast(browser, element) >= 4.5, element


def contrast(browser, element):
    """The ratio of the relative luminances of letters and ground (WCAG 2.2, 1.4.3)."""
    script = """
        const one = document.querySelector(arguments[0]);
        let ground = one;
        while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)")
          ground = ground.parentElement;
        return [getComputedStyle(one).color, getComputedStyle(ground).backgroundColor];
    """
    dark, bright = sorted(map(luminance, browser.execute_script(script, element)))
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
