"""Retrieve, assemble, ask, score: the whole way of every query, kept and traced."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.console import say, show_notes, terminal
from experiments.destinations import check_destination
from experiments.gold_path import gold_paths
from experiments.identity import describe, fingerprint
from experiments.judging import asked_texts
from experiments.metrics.answers import METRICS as ANSWER_SCORES
from experiments.model_usage import UsageMeter
from experiments.parameters import parameters
from experiments.postprocessing import by_role
from experiments.rag.answered import write_answers
from experiments.rag.contexts import assemble_all, assembly_notes, passage_text
from experiments.rag.finished import Finished
from experiments.rag.scoring import known_before, recall_sentence, score_run, unscored
from experiments.rag.stories import stories
from experiments.rag.terminal import show
from experiments.rag.traces import TraceWriter
from experiments.result import record_trials
from experiments.schema import Report, RunRecord
from experiments.stopwatch import Stopwatch
from experiments.summary import write_parts, write_ranked, write_summary
from experiments.tracking.outbox import is_away, logged_id, reason

if TYPE_CHECKING:
    from experiments.pipeline import Outcome, Pipeline
    from experiments.rag.answer_rows import AnswerMetric
    from experiments.schema import Dataset
    from experiments.setting import Setting
    from generation.context import ContextAssembler
    from generation.llm import StoredLLM

STAGE = "answer"


@dataclass(frozen=True, kw_only=True)
class Rag:
    """What does a model answer from what a pipeline finds?

    pipeline: its postprocessors that reorder say in which order the model reads; its ranking is
        never touched by them.
    context: chooses and writes the prompt.
    traces: how many queries are traced in MLflow, from the first.
    answer_metrics: name -> what else scores the answers, such as ragas; None is left out.
    name: what the run is called in MLflow; None for the title.
    """

    title: str
    setting: Setting
    pipeline: Pipeline
    context: ContextAssembler
    llm: StoredLLM | None
    traces: int = 100
    answer_metrics: Mapping[str, AnswerMetric | None] = field(default_factory=dict)
    name: str | None = None

    def run(self) -> Report:
        """Answer every query, score what can be scored, write the run's folder and track it.

        Raises ValueError for a mistake in the options or the dataset, and without a model.
        """
        llm, parts = self._model(), describe(self._parts())
        dataset = self.setting.dataset.load()
        split = self.setting.split.divide(dataset)
        check_destination(self.setting.submission)
        if self.setting.submission is not None:
            self.setting.submission.accepts(dataset)
        started, clock = time.time(), Stopwatch()
        meter = UsageMeter({"llm": llm, "answer_metrics": self.answer_metrics})
        outcome = self.pipeline.run(dataset, self.setting.store)
        reorders = by_role(self.pipeline.postprocessors)[1]
        deep = {note for part in reorders for note in part.notes}  # of all that was ranked
        with clock("assemble"):
            assembled = assemble_all(
                dataset, outcome, self.context, reorders, self._provenance(dataset)
            )
            recalls = known_before(
                dataset,
                outcome,
                assembled,
                top_k=self.context.top_k,
                rel_level=self.setting.metrics.rel_level,
            )
        if recalls is not None:
            say(terminal(), recall_sentence(recalls, self.context.top_k, split.visible))
        with clock("generate"):
            answers = llm.complete_many([one.prompt for one in assembled], stage=STAGE)
        with clock("score"):
            scores = score_run(
                dataset,
                assembled,
                answers,
                recalls,
                metrics=[one for one in self.answer_metrics.values() if one is not None],
                rel_level=self.setting.metrics.rel_level,
                shown=split.visible,
            )
        run = Finished(
            dataset=dataset,
            split=split,
            scores=scores,
            stories=stories(
                dataset,
                outcome,
                assembled,
                answers,
                scores,
                split.visible,
                self.setting.metrics.rel_level,
            ),
            seconds={**outcome.seconds, **clock.seconds},
            usage={stage: spent.numbers() for stage, spent in meter.read().items()},
            state=self._state(),
            parts=parts,
            started=started,
        )
        notes = [*dataset.notes, *split.notes, *(one for one in outcome.notes if one not in deep)]
        notes += assembly_notes(assembled, self.context.budget, reorders)
        show_notes(list(dict.fromkeys([*notes, *scores.notes, *unscored(dataset)])))
        return self._kept(run, outcome)

    def _model(self) -> StoredLLM:
        if self.llm is None:
            raise ValueError(
                f"{self.title} asks a model and llm is none: add llm=offline, which quotes the "
                "passages, or llm=local, llm=openai or llm=openai_like."
            )
        if self.traces < 0:
            raise ValueError(f"traces is {self.traces}: give how many queries to trace, 0 or more.")
        return self.llm

    def _parts(self) -> dict[str, Any]:
        return {**self._asking(), "answer_metrics": self.answer_metrics}

    def _asking(self) -> dict[str, Any]:
        """What can change a prompt or an answer."""
        return {"pipeline": self.pipeline, "context": self.context, "llm": self.llm}

    def _state(self) -> str:
        return fingerprint(describe(self._asking()))

    def _provenance(self, dataset: Dataset) -> dict[str, str]:
        corpus = dataset.corpus_fingerprint or dataset.fingerprint
        pipeline = self.pipeline
        index = [pipeline.chunker, pipeline.enrich, pipeline.retriever]
        return {
            "state_version": self._state(),
            "dataset": dataset.fingerprint,
            "index": fingerprint([corpus, describe(index)]),
            "validation_profile": ", ".join([*ANSWER_SCORES, *self._asked_besides()]),
        }

    def _asked_besides(self) -> list[str]:
        """What scores the answers beside the plain scores, by the names of its options."""
        return [name for name, metric in self.answer_metrics.items() if metric is not None]

    def _kept(self, run: Finished, outcome: Outcome) -> Report:
        """The folder of the run, the tracker's copy, the traces, the tables in the terminal."""
        folder = self.setting.open_folder(self.title)
        files = [*write_answers(folder, run.stories), run.write_table(folder)]
        files += write_ranked(
            folder,
            self.title,
            ranking=outcome.ranking,
            blocked=dict(
                zip(outcome.ranking.query_ids, outcome.gate.blocked.tolist(), strict=True)
            ),
            reasons=outcome.gate.reasons,
            gold=gold_paths(outcome, run.dataset, [one.id for one in run.visible]),
        )
        files += write_parts(folder, run.parts, __name__)
        submission = self._submit(folder, run, outcome)
        files += [submission] if submission else []
        value = run.summary(self.title, self.setting.overrides, submission)
        files.append(write_summary(folder, value))
        self.setting.point_latest(folder)
        self._count(run)
        logged = logged_id(self.setting.track(self._record(run, files)))
        write_summary(folder, {**value, "mlflow_run_id": logged})
        traced = self._trace(run, outcome, logged)
        show(run.means, run.counts, folder, traced)
        return run.report(self.title, folder)

    def _submit(self, folder: Path, run: Finished, outcome: Outcome) -> Path | None:
        """The submission, with the answers where its format has a place for them."""
        writer = self.setting.submission
        if writer is None:
            return None
        answers = {one.id: one.answer.text or "" for one in run.stories}
        asked = asked_texts(outcome.plans)
        return Path(
            writer.write(folder, run.dataset, outcome.ranking, asked=asked, answers=answers)
        )

    def _count(self, run: Finished) -> None:
        trial = run.state, run.scores
        record_trials(self.setting.ledger, run.dataset, run.split, self.title, [trial])

    def _record(self, run: Finished, files: Sequence[Path]) -> RunRecord:
        return RunRecord(
            name=self.name or self.title,
            experiment=self.title,
            dataset=run.dataset,
            started=run.started,
            ended=time.time(),
            params=parameters(self._parts()),
            scores=run.means,
            measures=run.measures(),
            files=files,
        )

    def _trace(self, run: Finished, outcome: Outcome, logged: str | None) -> int:
        """How many traces were written; none where MLflow is away or switched off."""
        traced = run.visible[: self.traces]
        if logged is None or not traced:
            return 0
        writer = TraceWriter(
            uri=self.setting.tracker.uri,  # type: ignore[attr-defined]  # a tracker with ids
            run=logged,
            passages={
                node.node_id: (node.ref_doc_id or node.node_id, passage_text(node))
                for node in outcome.nodes
            },
            seconds=run.seconds,
        )
        try:
            kept = writer.write(traced, started=run.started, queries=len(run.stories))
        except Exception as error:
            if not is_away(error):
                raise
            show_notes([f"MLflow does not take traces ({reason(error)}); the run is whole."])
            return 0
        if kept < len(traced):
            show_notes([f"MLflow has kept {kept} of {len(traced)} traces; the run is whole."])
        return kept
