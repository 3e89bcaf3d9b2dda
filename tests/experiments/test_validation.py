"""validate_submission: one sentence where all is well, every problem by line where it is not."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from experiments.schema import Dataset, Document, Query, Report
from experiments.submissions.kaggle import KaggleSubmission
from experiments.submissions.science_qa import ScienceQASubmission
from experiments.submissions.trec import TrecSubmission
from experiments.validation import ValidateSubmission

CONF = str(Path(__file__).parents[2] / "conf")


class Loader:
    def load(self):
        return Dataset("tiny", [Document("d", "t")], [Query("1", "?")], None, "")


def validate(path):
    return ValidateSubmission(Loader(), submission=KaggleSubmission(str(path))).run()


def test_a_valid_file_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("id,prediction\n1,d\n")
    assert validate(path) == Report()
    told = capsys.readouterr().out
    assert told == f"{path} is valid (1 rows, 0 of them without a document, 1 document ids).\n"


def test_problems_are_printed_by_line_and_raised_as_one_sentence(tmp_path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("id,prediction\n1,d [/x]\n" + "1,d\n" * 60)
    with pytest.raises(ValueError, match="61 problems, first: line 2") as error:
        validate(path)
    assert "\n" not in str(error.value)
    told = capsys.readouterr().out
    assert "'[/x]' is not in the corpus" in told
    assert told.count("id 1 is repeated") == 49
    assert "… and 11 more." in told


def test_without_a_file_or_a_format_it_says_what_to_give(tmp_path):
    with pytest.raises(ValueError, match=r"submission\.path=FILE"):
        ValidateSubmission(Loader(), submission=KaggleSubmission()).run()
    with pytest.raises(ValueError, match="submission=science_qa"):
        ValidateSubmission(Loader(), submission=None).run()
    with pytest.raises(ValueError, match="There is no file"):
        validate(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        ([], ScienceQASubmission),
        (["submission=kaggle"], KaggleSubmission),
        (["submission=trec"], TrecSubmission),
    ],
)
def test_the_preset_takes_the_path_with_a_format_or_without(choice, kind):
    preset = ["+experiment=validate_submission", *choice]
    with initialize_config_dir(CONF, version_base=None):
        config = compose("config", overrides=[*preset, "submission.path=mine.csv"])
    experiment = instantiate(config.experiment, _convert_="all")
    assert type(experiment.submission) is kind
    assert experiment.submission.path == "mine.csv"
    assert experiment.dataset.load().name == "science_sample"


def test_no_submission_is_none():
    with initialize_config_dir(CONF, version_base=None):
        config = compose("config")
    assert config.submission is not None
    assert instantiate(config.submission) is None
