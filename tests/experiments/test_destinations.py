"""No run writes outside its folder, nor makes folders that nobody asked for."""

from types import SimpleNamespace

import pytest

from experiments.destinations import check_destination, check_name
from experiments.pipeline import Pipeline


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../esc", "a/b", "a\\b", "a..b", "a\nb", "a\0", "x" * 101, "한" * 90],
)
def test_a_name_that_is_no_folder_is_refused(name):
    with pytest.raises(ValueError, match=r"^The pipeline name "):
        check_name(name)


@pytest.mark.parametrize("name", ["bm25", "한글 이름", "k1=1.5,b=0.4", ".hidden", "x" * 100])
def test_other_names_are_free(name):
    check_name(name)


def test_a_submission_goes_to_a_file_in_a_folder_that_exists(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        check_destination(SimpleNamespace(path=str(tmp_path)))
    with pytest.raises(ValueError, match="does not exist"):
        check_destination(SimpleNamespace(path=str(tmp_path / "no" / "file.csv")))
    for path in (str(tmp_path / "file.csv"), "file.csv", None):
        check_destination(SimpleNamespace(path=path))
    check_destination(None)


def test_a_depth_of_nothing_is_refused_in_python_too():
    parts = dict.fromkeys(("chunker", "enrich", "query", "retriever", "gate"))
    with pytest.raises(ValueError, match="depth is 0"):
        Pipeline(**parts, depth=0)
