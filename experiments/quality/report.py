"""The report on chunk quality: one page that opens without a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chunk_quality.review_sample import printable
from experiments import pages
from experiments.misses.figure import miss_figure
from experiments.quality import words
from experiments.quality.consequences import labels, left_out
from experiments.quality.figures import histogram, scatter
from experiments.quality.measured import HIGH_IS_COHERENT

if TYPE_CHECKING:
    import pandas as pd
    from llama_index.core.schema import TextNode

    from experiments.misses.estimates import Estimate
    from experiments.quality.found import Found
    from experiments.quality.measured import Measured
    from experiments.quality.reviewed import Reviewed

_TEMPLATE = Path(__file__).with_name("report.html")
_WORST, _GROUPS, _LISTED = 6, 20, 50
_ROWS = 20_000
_TABLE_TEXT = 160
_SHOWN = 300
_COLUMNS = {
    "chunk": "chunk",
    "tokens": "tokens",
    "sentences": "sentences",
    "sentence_similarity": "similarity",
    "topic_entropy": "entropy",
    "copies": "copies",
    "wanted": "wanted",
    "missed": "missed",
    "text": "text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What the report is about: the dataset, how it was cut, read and searched, and the page to
    review chunks on."""

    dataset: str
    chunker: str
    embedding: str
    retriever: str
    review: str


def write_report(
    path: Path,
    heading: Heading,
    nodes: Sequence[TextNode],
    table: pd.DataFrame,
    found: Found,
) -> Path:
    """Write the page: what was found in a few sentences, then each measure, then all chunks.

    table: of the chunks (see `chunk_table`).
    """
    measured, misses = found.measured, found.misses
    columns = {name: title for name, title in _COLUMNS.items() if name in table}
    return pages.write_page(
        path,
        _TEMPLATE,
        heading=heading,
        summary=words.summary(found),
        limits=words.limits(found),
        lengths=words.lengths(measured),
        statistics=measured.tokens.statistics(),
        over_limit=measured.tokens.over_limit[:_LISTED],
        over_limit_count=len(measured.tokens.over_limit),
        length_figure=pages.inserted(histogram(measured, "tokens"), "tokens"),
        measures=[_measure(name, table, measured) for name in HIGH_IS_COHERENT],
        scatter=pages.inserted(scatter(nodes, measured), "scatter"),
        topics=_topics(measured),
        repetition=_repetition(nodes, measured),
        k=misses.k,
        score=misses.score,
        left_out=left_out(misses),
        costs=_costs(found),
        misses=[
            {
                "sentences": said,
                "figure": pages.inserted(miss_figure(relation), f"misses-{relation.measure}"),
            }
            for relation, said in misses.told()
        ],
        labels=_labels(found.labels),
        rows=_rows(table, columns),
        columns=columns,
        shown=_SHOWN,
        more=max(0, len(table) - _ROWS),
    )


def _measure(name: str, table: pd.DataFrame, measured: Measured) -> dict[str, Any]:
    """One measure with a control: its sentences, its figure, and the texts it likes least."""
    ordered = table.sort_values(name, ascending=HIGH_IS_COHERENT[name], kind="stable")
    worst = ordered.dropna(subset=[name]).drop_duplicates("text")
    return {
        "title": words.TITLES[name],
        "sentences": words.measure(name, measured),
        "figure": pages.inserted(histogram(measured, name), name),
        "worst": [
            {"chunk": row.chunk, "value": f"{getattr(row, name):.3f}", "text": row.text}
            for row in worst.head(_WORST).itertuples()
        ],
        "end": "lowest" if HIGH_IS_COHERENT[name] else "highest",
    }


def _topics(measured: Measured) -> list[dict[str, Any]]:
    """The topics with the share of the chunks that each leads, the largest first."""
    known = measured.topics[np.isfinite(measured.entropy)]
    if not len(known):
        return []
    shares = np.bincount(known.argmax(axis=1), minlength=known.shape[1]) / len(known)
    return [
        {"share": f"{100 * shares[topic]:.1f} %", "terms": ", ".join(measured.top_terms[topic])}
        for topic in np.argsort(-shares, kind="stable").tolist()
    ]


def _repetition(nodes: Sequence[TextNode], measured: Measured) -> dict[str, Any]:
    texts = {node.node_id: printable(node.text) for node in nodes}
    found = measured.repetition
    return {
        "sentences": words.repetition(measured),
        "groups": [
            {"ids": [printable(name) for name in group], "text": texts[group[0]]}
            for group in found.near[:_GROUPS]
        ],
        "more": max(0, len(found.near) - _GROUPS),
        "boilerplate": found.boilerplate[:_GROUPS],
    }


def _costs(found: Found) -> list[list[str]]:
    """One row a measure that could be held against misses."""
    rows = []
    for relation in found.misses.relations.values():
        if relation.auc is None:
            continue
        tenth = f"{relation.end}: {_interval(relation.share, 100, '.0f')}" if relation.share else ""
        rows.append(
            [
                relation.name,
                f"{relation.missed} of {relation.missed + relation.found}",
                _interval(relation.auc, 100, ".0f"),
                _p(relation.auc),
                tenth,
                _interval(relation.per_query, 1, "+.2f"),
                _p(relation.per_query),
            ]
        )
    return rows


def _interval(told: Estimate | None, scale: int, form: str) -> str:
    if told is None:
        return ""
    ends = [told.low, told.high]
    known = [f"{scale * end:{form}}" for end in ends if end is not None]
    return f"{scale * told.value:{form}}" + (f" [{', '.join(known)}]" if known else "")


def _p(told: Estimate | None) -> str:
    if told is None:
        return ""
    return f"{told.corrected:.3f}" if told.corrected >= 0.001 else "< 0.001"


def _labels(said: Reviewed | None) -> dict[str, Any] | None:
    """The sentences and one row a label: its share, and the median of each measure."""
    if said is None:
        return None
    return {
        "sentences": labels(said),
        "measures": [name.replace("_", " ") for name in next(iter(said.labels)).medians],
        "rows": [
            [
                one.label,
                str(one.chunks),
                f"{100 * one.share:.0f} [{100 * one.low:.0f}, {100 * one.high:.0f}]",
                *("" if value is None else f"{value:.3g}" for value in one.medians.values()),
            ]
            for one in said.labels
        ],
    }


def _rows(table: pd.DataFrame, columns: Iterable[str]) -> list[list[str]]:
    shown = table[[*columns]].head(_ROWS).copy()
    cut = shown["text"].str.slice(0, _TABLE_TEXT)
    shown["text"] = cut.where(shown["text"].str.len() <= _TABLE_TEXT, cut + "…")
    for name in HIGH_IS_COHERENT:
        shown[name] = [f"{value:.3f}" if np.isfinite(value) else "" for value in shown[name]]
    return shown.astype(str).to_numpy().tolist()  # type: ignore[no-any-return]
