"""A board without labels, and lines of files for it."""

import json

from experiments.schema import Dataset, Document, Query

QUERIES = range(220)
BOARD = Dataset(
    "board",
    [Document(f"d{i}", "t") for i in range(50)],
    [Query(str(q), f"질문 {q}") for q in QUERIES],
    None,
    "f",
)


def row(query, ids):
    return json.dumps(
        {"eval_id": query, "standalone_query": "?", "topk": ids, "answer": "", "references": []}
    )
