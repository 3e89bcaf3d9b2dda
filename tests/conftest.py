"""What tests of every folder share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data():
    """The folder of real collections: RANKPROOF_DATA, else `shared/data` beside the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RANKPROOF_DATA") or beside).resolve()
    if not folder.is_dir():
        pytest.skip(f"the real collections are not in {folder}")
    return folder
