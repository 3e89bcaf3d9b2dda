"""The parts of the small study, and a model that reads nothing but the first passage."""

import re

from experiments.schema import Document, Query
from generation.context import ContextAssembler
from tests.experiments.rag.rig import Fixed, stored, study
from tests.generation.stub_llm import StubLLM

_FIRST = re.compile(r"\[1\] (.*)")


def first_passage(prompt):
    found = _FIRST.search(prompt)
    return found.group(1) if found else "nothing"


def facts(count=12):
    """Questions whose own passage ranks first among some that share a word with it."""
    documents = [Document(f"d{n}", f"planet number{n} has moon{n}") for n in range(count)]
    queries = [
        Query(f"q{n}", f"which moon has planet number{n}", answer=f"moon{n}") for n in range(count)
    ]
    qrels = {f"q{n}": {f"d{n}": 1} for n in range(count)}
    return Fixed(corpus=documents, queries=queries, qrels=qrels)


def parts(folder, answer=None, dataset=None, context=None):
    """Setting, pipeline, context and model of a study."""
    own = study(folder, dataset=dataset or facts())
    return {
        "setting": own.setting,
        "pipeline": own.pipeline,
        "context": context or ContextAssembler(top_k=4),
        "llm": stored(folder, StubLLM(answer) if answer else None),
    }
