"""Time to assemble contexts: choose within a budget, order, write the prompt and its manifest.

    python -m benchmarks.context_assembly [--contexts 10000] [--nodes 20]

Generated passages of 60 words from a corpus of 2,000, so that a passage is seen by many queries, as
it is in a real run: its tokens are counted once. `langchain` order, plain and XML.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from generation.context import ContextAssembler
from generation.evidence import Evidence
from generation.slots import Layout
from postprocessors.long_context_reorder import prompt_order

CORPUS, WORDS = 2000, 60


def rankings(contexts: int, nodes: int, seed: int = 0) -> list[list[Evidence]]:
    """Each context's passages by rank."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(f"w{word}" for word in row) for row in rng.integers(0, 5000, (CORPUS, WORDS))]
    drawn = rng.random((contexts, CORPUS)).argpartition(nodes, axis=1)[:, :nodes]
    return [
        [Evidence(f"d{row}#0", f"d{row}", texts[row], rank) for rank, row in enumerate(rows)]
        for rows in drawn.tolist()
    ]


def seconds(ranked: list[list[Evidence]], layout: Layout) -> float:
    """Wall time of all contexts, from ranking to prompt with manifest."""
    assembler = ContextAssembler(budget=100_000, top_k=len(ranked[0]), layout=layout)
    order = prompt_order(len(ranked[0]), "langchain").tolist()
    begin = perf_counter()
    for number, passages in enumerate(ranked):
        selection = assembler.choose(passages)
        assembler.assemble(f"q{number}", "which?", selection, order=order)
    return perf_counter() - begin


def main() -> None:
    """Print the time of both layouts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--contexts", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=20)
    options = parser.parse_args()
    ranked = rankings(options.contexts, options.nodes)
    for layout in (Layout(tags="plain"), Layout(tags="xml")):
        spent = seconds(ranked, layout)
        print(f"{layout.tags}: {options.contexts} contexts of {options.nodes} in {spent:.1f} s")


if __name__ == "__main__":
    main()
