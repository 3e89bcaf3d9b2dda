"""Headless Chromium for the tests that look at a page as a user does."""

import shutil
from importlib.util import find_spec

import pytest

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--window-size=1280,900"
)
MARKS = [
    pytest.mark.slow,
    pytest.mark.server,
    pytest.mark.skipif(
        not (BROWSER and DRIVER and find_spec("selenium")),
        reason="no chromium, chromedriver and selenium here",
    ),
]


def started(folder):
    """A browser with a profile of its own, which saves into `folder`/saved."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS.split(), f"--user-data-dir={folder}/profile"]:
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder / "saved")})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
