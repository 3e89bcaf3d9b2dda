"""The MLflow page of a finished sweep, as a user of a browser finds it.

With RANKPROOF_SCREENSHOT=FILE it keeps a picture of the comparison.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.browser import MARKS
from tests.experiments.sweeps.processes import ROOT, finish, mlflow

TRIALS = ["analyzer=auto k1=0.9", "analyzer=auto k1=1.5"]
TRIALS += ["analyzer=char_ngram k1=0.9", "analyzer=char_ngram k1=1.5"]
PATIENCE = 120

pytestmark = MARKS


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """A sweep of the sample that is over, in a tracking store of its own."""
    folder = tmp_path_factory.mktemp("sweep")
    code, _, complaint = finish(
        [
            "+experiment=sweep_bm25",
            "retriever.analyzer=auto,char_ngram",
            "retriever.b=0.75",
            "metrics.names=[map@3,mrr@3,ndcg@10]",
            f"setting.folder={folder}",
            f"ledger.path={folder}/ledger.db",
            f"store.dir={folder}/store",
            f"hydra.sweep.dir={folder}/sweeps/one",
            *mlflow(folder),
        ]
    )
    assert code == 0, complaint
    return folder


@pytest.fixture(scope="module")
def address(sweep):
    """Where an MLflow server on a free port shows that store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{sweep}/mlflow.db"]
    quiet = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (sweep / "server.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=ROOT, env=quiet, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield _answering(f"http://127.0.0.1:{port}")
        finally:
            os.killpg(server.pid, 15)
            server.wait(timeout=30)


def _answering(address):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return address
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    pytest.fail("the MLflow server did not start")


def wait(browser, find):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, PATIENCE).until(find)


def row_of(browser, name):
    """The id of the row that shows this name in the table of runs."""
    shown = f"//a[normalize-space()='{name}']/ancestor::*[@role='row'][1]"
    return wait(browser, lambda page: page.find_element("xpath", shown)).get_attribute("row-id")


def click(browser, element):
    browser.execute_script("arguments[0].click()", element)


def open_comparison(browser, address):
    """As a user does: unfold the sweep, tick its trials, press Compare."""
    from mlflow import MlflowClient

    (experiment,) = MlflowClient(address).search_experiments(
        filter_string="name = 'science_sample'"
    )
    browser.set_window_size(1400, 1080)
    browser.get(f"{address}/#/experiments/{experiment.experiment_id}/runs")
    parent = row_of(browser, "retrieval over analyzer, k1")
    click(browser, browser.find_element("css selector", f"[row-id='{parent}'] button"))
    for name in TRIALS:
        box = f"[row-id='{row_of(browser, name)}'] input.ag-checkbox-input"
        click(browser, browser.find_element("css selector", box))
    button = "[data-testid='runs-compare-button']"
    click(browser, wait(browser, lambda page: page.find_element("css selector", button)))
    wait(browser, lambda page: "Comparing 4 Runs" in page.find_element("tag name", "body").text)


def test_the_comparison_names_what_was_swept_and_shows_both_halves(browser, address):
    open_comparison(browser, address)
    show_differences_alone(browser)
    if picture := os.environ.get("RANKPROOF_SCREENSHOT"):
        browser.save_screenshot(picture)
    text = browser.find_element("tag name", "body").text
    for name in [*TRIALS, "retriever.analyzer", "retriever.k1"]:
        assert name in text
    for metric in ("map_at_3", "mrr_at_3", "ndcg_at_10"):
        assert f"public/{metric}" in text
        assert f"private/{metric}" in text


def show_differences_alone(browser):
    """Leave out what is the same for all trials, and the plots above."""
    for assistant in browser.find_elements("css selector", "button[aria-label='Close']"):
        click(browser, assistant)
    for switch in browser.find_elements("css selector", "button[role='switch']"):
        click(browser, switch)
    headings = browser.find_elements("xpath", "//*[normalize-space()='Run details']")
    browser.execute_script("arguments[0].scrollIntoView()", headings[-1])
    time.sleep(2)
