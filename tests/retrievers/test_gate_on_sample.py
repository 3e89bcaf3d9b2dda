"""The gate, as configured, on the bundled sample with every retriever that can be chosen."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from experiments.chunking import chunk
from experiments.datasets.science_qa import ScienceQA
from experiments.schema import Dataset
from retrievers.gate import ScoreGate
from retrievers.queries import AllUserTurns

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "conf" / "retriever").glob("*.yaml"))
LOST_QUESTIONS = 0.1


@cache
def sample() -> Dataset:
    return ScienceQA(path=str(ROOT / "data" / "science_sample")).load()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_hardly_a_question_is_blocked_and_chat_where_words_can_judge(name: str) -> None:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        config = compose("config", overrides=[f"retriever={name}", "embedding=lsa"])
    retriever = instantiate(config.retriever, _convert_="all")
    gate = instantiate(config.gate)
    assert isinstance(gate, ScoreGate)
    data = sample()
    retriever.build(chunk(data.corpus))
    plans = AllUserTurns().plan(data.queries)
    blocked = gate.decide(plans, retriever.retrieve_many(plans, 10), retriever).blocked
    answered = np.array([plan.id in data.qrels for plan in plans])
    assert blocked[answered].mean() <= LOST_QUESTIONS
    judged = any(leaf.lexical for leaf in retriever.leaves().values())
    assert (blocked[~answered].mean() >= 0.5) == judged
