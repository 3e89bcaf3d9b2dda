"""What tests of every folder share."""

import os
from pathlib import Path

import pytest

from tests.browser import started


@pytest.fixture(scope="session")
def real_data():
    """The folder of real collections: RANKPROOF_DATA, else `shared/data` beside the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RANKPROOF_DATA") or beside).resolve()
    if not folder.is_dir():
        pytest.skip(f"the real collections are not in {folder}")
    return folder


@pytest.fixture
def browser(tmp_path):
    """Headless Chromium; what it saves lies in `tmp_path`/saved. Its tests bear `browser.MARKS`."""
    driver = started(tmp_path)
    yield driver
    driver.quit()
