"""`+experiment=ablation`: the configured pipeline without each of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from experiments.ablation.variants import without_each
from experiments.ablation.worth import worth_table, worths, write_worths
from experiments.comparison import Comparison
from experiments.console import say, terminal
from experiments.overfit_report.gather import gather
from experiments.schema import Report

if TYPE_CHECKING:
    from experiments.pipeline import Pipeline
    from experiments.setting import Setting

WHOLE = "whole"


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """Switches each part off or back to its default, one at a time, and says what it is worth.

    instead: part of the pipeline -> what stands there when it is switched off.
    """

    setting: Setting
    pipeline: Pipeline
    instead: Mapping[str, Any] = field(default_factory=dict)
    title: str = "ablation"

    def run(self) -> Report:
        """Run the whole and every variant, as a comparison does; stored stages are read.

        Writes ablation.tsv beside the files of the comparison.
        Raises ValueError where the pipeline has no part to switch off.
        """
        variants = without_each(self.pipeline, self.instead)
        if not variants:
            raise ValueError(
                "This pipeline has no part to switch off: choose a retriever with several parts, a "
                "postprocessor, an enrichment, a query or a gate."
            )
        report = Comparison(
            title=self.title,
            setting=self.setting,
            base=self.pipeline,
            variants={WHOLE: {}, **variants},
            baseline=WHOLE,
            differences_shown=False,  # the table below has them, turned round
        ).run()
        if report.folder is None or not report.per_query:
            return report
        gathered = gather(report.folder)
        found = worths(gathered, WHOLE)
        path = write_worths(report.folder, found)
        out = terminal()
        out.print(worth_table(found, gathered.metric))
        say(
            out,
            "A part whose interval holds 0 may be worth nothing; parts that do the same work look "
            f"worthless one at a time. Written to {path}.",
        )
        return report
