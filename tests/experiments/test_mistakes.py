"""A mistake on the command line gets one sentence that helps, and exit code 2."""

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.mistakes import FAULT, USER_MISTAKE, explain

ROOT = Path(__file__).resolve().parents[2]


def run(*words, **options):
    return subprocess.run(
        [sys.executable, "run.py", *words],
        cwd=ROOT,
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
        (["+experiment=retreival"], "no experiment 'retreival'. Did you mean retrieval"),
        (["+experiment=retrieval", "retreiver=bm25"], "'retreiver'. Did you mean retriever"),
        (
            ["+experiment=retrieval", "retriever=bm25", "retriever.analyser=english"],
            "'retriever.analyser'. Did you mean retriever.analyzer",
        ),
        (["+experiment=retrieval", "dataset=jsonl"], "add dataset.path=…"),
        (
            ["+experiment=retrieval", "dataset=jsonl", "dataset.path=no/such/folder"],
            "no/such/folder",
        ),
        (["+experiment=retrieval", "+retriever.depths=3"], "depths"),
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


def test_a_fault_of_ours_keeps_its_traceback(capsys):
    assert explain(KeyError("missing"), []) == FAULT
    assert "KeyError" in capsys.readouterr().err


def test_a_missing_extra_names_the_command_that_installs_it(capsys):
    assert explain(ModuleNotFoundError("no", name="ranx"), []) == USER_MISTAKE
    assert "'.[ranx]'" in capsys.readouterr().err


def test_no_words_print_the_catalogue():
    done = run()
    assert done.returncode == 0
    assert "quickstart" in done.stdout
    assert "+experiment=quickstart" in done.stdout
