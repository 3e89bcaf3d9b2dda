"""A mistake on the command line gets one sentence that helps, and exit code 2."""

import errno
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel

from experiments.mistakes import FAULT, USER_MISTAKE, explain

ROOT = Path(__file__).resolve().parents[2]


def run(*words, script="run.py", cwd=ROOT, **options):
    return subprocess.run(
        [sys.executable, script, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["+experiment=retrieval", "retriever=bm26"], "no retriever 'bm26'. Did you mean bm25"),
        (
            ["+experiment=retrieval", "retriever=bm25", "retriever.analyser=english"],
            "'retriever.analyser'. Did you mean retriever.analyzer",
        ),
        (["+experiment=retrieval", "dataset=jsonl"], "add dataset.path=…"),
        (
            ["+experiment=retrieval", "dataset=jsonl", "dataset.path=no/such/folder"],
            "no/such/folder",
        ),
        (["+experiment=compare", "baseline=bm52"], "none of the variants"),
    ],
)
def test_one_sentence_and_exit_code_2(words, said):
    done = run(*words)
    assert done.returncode == USER_MISTAKE
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().split("\n")) == 1


def test_a_warning_is_one_line_without_the_code_that_gave_it():
    program = """
import warnings
from experiments.mistakes import explained
with explained():
    warnings.warn("An entry is damaged\\nand built again.")
"""
    done = run("-c", program, script="-Wdefault")
    assert done.stderr == "warning: An entry is damaged and built again.\n"


def test_a_fault_of_ours_keeps_its_traceback(capsys):
    assert explain(KeyError("missing"), []) == FAULT
    assert "KeyError" in capsys.readouterr().err


def test_a_missing_extra_names_the_command_that_installs_it(capsys):
    assert explain(ModuleNotFoundError("no", name="ranx"), []) == USER_MISTAKE
    assert "'.[ranx]'" in capsys.readouterr().err


def test_the_sample_is_found_from_anywhere_and_nothing_is_left_there(tmp_path):
    words = ["+experiment=retrieval", "retriever=bm25", "tracker=none", "depth=abc"]
    done = run(*words, "name=한글 (1)", script=ROOT / "run.py", cwd=tmp_path)
    assert done.stderr == "error: depth is 'abc': give a whole number.\n"
    assert list(tmp_path.iterdir()) == []


def test_no_words_print_the_catalogue():
    done = run()
    assert done.returncode == 0
    assert "quickstart" in done.stdout
    assert "+experiment=quickstart" in done.stdout


def test_an_error_of_a_library_is_a_fault_and_ours_is_a_mistake(capsys):
    def library():
        np.ones(3) + np.ones(2)

    def parse():
        int("x")

    def ours():
        raise ValueError("depth is 0: give 1 or more.")

    for call, code in ((library, FAULT), (parse, FAULT), (ours, USER_MISTAKE)):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call()
        assert explain(caught.value, []) == code
    assert capsys.readouterr().err.endswith("error: depth is 0: give 1 or more.\n")


def test_a_report_of_pydantic_is_one_sentence(capsys):
    class Model(BaseModel):
        chunk_size: int

    with pytest.raises(ValueError, match="chunk_size") as caught:
        Model(chunk_size="abc")
    assert explain(caught.value, []) == USER_MISTAKE
    said = capsys.readouterr().err
    assert said.startswith("error: chunk_size: Input should be a valid integer")
    assert "http" not in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["+experiment=retreival"], "no experiment 'retreival'. Did you mean retrieval"),
        (["retreiver=bm25"], "'retreiver'. Did you mean retriever"),
        (["+experiment=diff", "a=bm25"], "no option 'a'. Did you mean diff.a?"),
        (["experiment=retrieval"], "Write +experiment=retrieval, with the plus"),
        (["--hydra-help", "tracker=none"], "--hydra-help stands alone"),
        (["chunkr=none"], "There is no option 'chunkr'. Did you mean chunker or pipeline.chunker?"),
        (["postprocessor=[foo]"], "no postprocessor 'foo'. There are: cross_encoder, fuse,"),
        (
            ["postprocessor=[fuse]", "postprocessor.fuse.weights={bm25: 1.0}"],
            "postprocessor.fuse.weights has found, rerank: '+postprocessor.fuse.weights={name:",
        ),
        (
            ["postprocessor=[metadata_filter]", "postprocessor.metadata_filter.keep.year=1"],
            "postprocessor.metadata_filter.keep has no entries: '+postprocessor.metadata_filter",
        ),
        (
            ["retriever=hybrid", "retriever.parts.bm25.k2=1"],
            "'retriever.parts.bm25.k2'. Did you mean retriever.parts.bm25.k1",
        ),
        (["dataset.path=/a,b"], "as one text it is written dataset.path=\"'/a,b'\""),
    ],
)
def test_what_hydra_cannot_compose_gets_a_hint(words, said, capsys):
    assert explain(uncomposed(words), words) == USER_MISTAKE
    assert said in capsys.readouterr().err


def uncomposed(words):
    """What Hydra raises for these words."""
    options = [word for word in words if not word.startswith("--")]
    try:
        with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
            compose("config", overrides=options)
    except (HydraException, OmegaConfBaseException) as error:
        return error
    return HydraException("Could not override 'tracker'.")


def test_a_full_disk_is_named_with_its_place(capsys):
    assert explain(OSError(errno.ENOSPC, "No space", "runs/store"), []) == USER_MISTAKE
    assert "The disk is full (runs/store): free some space" in capsys.readouterr().err
