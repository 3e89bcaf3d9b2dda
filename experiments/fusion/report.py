"""What a search over weights tells people: a table, a few sentences, and YAML to paste."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.metrics.measures import JUDGED

if TYPE_CHECKING:
    from experiments.fusion.points import Points
    from experiments.fusion.verdict import Verdict
    from experiments.result import Result

_CHANGED = 1e-9


def yaml(points: Points, verdict: Verdict) -> str:
    """The chosen fusion as options of `retriever`, ready to paste."""
    from omegaconf import OmegaConf

    fusion: Any = points.surface.pipeline.retriever
    options = fusion.weighing(verdict.weights, **verdict.rule.options())
    head = (
        "# Chosen by fusion_search. Paste it under `retriever:` in an experiment, or save it as\n"
        "# conf/retriever/NAME.yaml below the retriever it was found with (defaults: [hybrid, "
        "_self_]).\n"
    )
    return head + OmegaConf.to_yaml(OmegaConf.create(options))


def weights_in_words(weights: Mapping[str, float]) -> str:
    """bm25=0.3 dense=0.7"""
    return " ".join(f"{part}={weight:g}" for part, weight in weights.items())


def measures(points: Points, verdict: Verdict) -> dict[str, float]:
    """The numbers of the search for the tracker."""
    return {
        "search/points": float(len(points.rule)),
        "search/cross_validated": verdict.cross_validated,
        "search/chosen_on_public": verdict.mean,
        "search/share_within_one_standard_error": verdict.flatness.share,
    }


def show(points: Points, verdict: Verdict, results: Mapping[str, Result], folder: Path) -> None:
    """The table and the sentences of a finished search."""
    from rich.console import Console

    out = Console()
    out.print(_table(points, verdict, results))
    for sentence in _sentences(points, verdict, results, folder):
        out.print(sentence, markup=False, highlight=False, soft_wrap=True)
    out.print(yaml(points, verdict), markup=False, highlight=False, soft_wrap=True)


def _table(points: Points, verdict: Verdict, results: Mapping[str, Result]) -> Any:
    from rich.table import Table
    from rich.text import Text

    metric = points.surface.measures[0].name
    sides = [side for side in results["best"].means if side != "all"]
    table = Table(title=f"{metric}, {len(points.rule):,} weightings", title_justify="left")
    for heading in ("", "public, other folds' choice", *sides):
        table.add_column(heading, justify="right" if heading else "left")
    for name, result in results.items():
        held_out = f"{verdict.cross_validated:.4f}" if name == "best" else "–"
        means = [result.means[side][metric].mean for side in sides]
        cells = ["–" if mean is None else f"{mean:.4f}" for mean in means]
        table.add_row(Text(name), held_out, *cells)
    return table


def _judged(results: Mapping[str, Result]) -> str:
    """On pooled labels, how much of what is scored anyone judged."""
    best = results["best"].scores
    name = next((m for m in best.metrics if m.startswith(JUDGED)), None) if best else None
    if name is None:
        return ""
    means = {side: result.means["public"][name].mean for side, result in results.items()}
    shares = ", ".join(f"{side} {mean:.2f}" for side, mean in means.items() if mean is not None)
    return f"{name} in public: {shares}; results that nobody judged count as not relevant."


def _sentences(
    points: Points, verdict: Verdict, results: Mapping[str, Result], folder: Path
) -> list[str]:
    gain, rule = verdict.gain, verdict.rule
    ends = ", ".join(f"{p} {a:.2f} … {b:.2f}" for p, (a, b) in verdict.interval.items())
    said = [
        f"Best: {weights_in_words(verdict.weights)} with normalise={rule.normalise}, "
        f"missing={rule.missing}, candidates={rule.candidates}. "
        f"95 % of resamples of the queries choose {ends}.",
        f"Its public {verdict.mean:.4f} was chosen on these queries, so it is too good; chosen on "
        f"the other folds it is {verdict.cross_validated:.4f}, against the configured weights "
        f"{gain.mean:+.4f} (p = {gain.p:.3f}, {gain.wins} won, {gain.losses} lost, "
        f"{gain.ties} same).",
        f"{verdict.flatness.words}",
    ]
    said += filter(None, [_disagreement(points, verdict, results["best"]), _judged(results)])
    said.append(f"Written to {folder} (and {folder.parent.parent / 'latest'}).")
    return said


def _disagreement(points: Points, verdict: Verdict, best: Result) -> str | None:
    """Where the chosen pipeline, run by itself, does not score what the search said."""
    mean = best.means["public"][points.surface.measures[0].name].mean
    if mean is not None and np.isclose(mean, verdict.mean, atol=_CHANGED):
        return None
    return (
        f"Note: run by itself the best scores {mean} on public, not {verdict.mean:.4f}. "
        "With chunks a run reads deeper lists until depth documents are found: a lower depth "
        "closes the gap."
    )
