"""Traces in MLflow, rebuilt after the run: one a query, a span a stage."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from experiments.storable_text import storable_text
from generation.evidence import OVER_BUDGET
from retrievers.ranking import EVERY_PART

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from experiments.rag.answered import Answered

_SHOWN = 20  # results of a ranking that a span lists
_RUN = "mlflow.sourceRun"
_EVERY = {EVERY_PART: "every part"}


class _Span(NamedTuple):
    name: str
    kind: str
    seconds: float
    inputs: Any
    outputs: Any
    attributes: Mapping[str, Any]
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceWriter:
    """Writes the traces of one run.

    uri: of the tracking server.  run: the MLflow id of the run they belong to.
    passages: node id -> its document and what a model reads of it.
    seconds: stage -> wall time of all queries. A batch has no time of each query's own, so a span
        of a batched stage has its share of it; that of a call has the call's.
    """

    uri: str
    run: str
    passages: Mapping[str, tuple[str, str]]
    seconds: Mapping[str, float]

    def write(self, stories: Sequence[Answered], *, started: float, queries: int) -> int:
        """One trace a story; returns how many stand there, for MLflow drops some in silence.

        started: of the run, seconds since the epoch.  queries: how many shared the batches.
        """
        with _tracking(self.uri):
            import mlflow

            client = mlflow.MlflowClient(self.uri)
            experiment = client.get_run(self.run).info.experiment_id
            for one in stories:
                self._trace(one, experiment, int(started * 1e9), max(queries, 1))
        return self._count(client, experiment)

    def _count(self, client: MlflowClient, experiment: str) -> int:
        """The traces of the run that MLflow has."""
        count, page = 0, None
        while page != "":
            found = client.search_traces(
                locations=[experiment],
                filter_string=f"metadata.`{_RUN}` = '{self.run}'",
                include_spans=False,
                page_token=page,
            )
            count, page = count + len(found), found.token or ""
        return count

    def _trace(self, one: Answered, experiment: str, begin: int, queries: int) -> None:
        import mlflow

        root = mlflow.start_span_no_context(
            storable_text(one.id),
            span_type="CHAIN",
            inputs={"question": storable_text(one.question)},
            tags={"query": storable_text(one.id)},
            metadata={_RUN: self.run},
            experiment_id=experiment,
            start_time_ns=begin,
        )
        now = begin
        for stage in self._stages(one, queries):
            span = mlflow.start_span_no_context(
                stage.name,
                span_type=stage.kind,
                parent_span=root,
                inputs=_storable(stage.inputs),
                attributes=dict(stage.attributes),
                start_time_ns=now,
            )
            now += max(int(stage.seconds * 1e9), 1)
            span.end(_storable(stage.outputs), status=_status(stage.failure), end_time_ns=now)
        failure = one.answer.reason if one.answer.missing else ""
        root.end(_storable({"answer": one.answer.text}), status=_status(failure), end_time_ns=now)

    def _stages(self, one: Answered, queries: int) -> Iterator[_Span]:
        manifest = one.assembled.manifest
        share = {name: seconds / queries for name, seconds in self.seconds.items()}
        yield _Span(
            "retrieve",
            "RETRIEVER",
            share.get("retrieve", 0.0),
            {_EVERY.get(part, part): list(texts) for part, texts in one.searched.items()},
            self._documents(one.retrieved, one.needed),
            {"candidates": len(one.retrieved)},
        )
        yield _Span(
            "rank",
            "RERANKER",
            share.get("gate", 0.0) + share.get("postprocess", 0.0),
            {"candidates": [name for name, _ in one.retrieved[:_SHOWN]]},
            self._documents(one.ranked, one.needed),
            {"blocked": one.blocked} if one.blocked else {},
        )
        yield _Span(
            "assemble",
            "TASK",
            share.get("assemble", 0.0),
            {"selected": [f"{p.id} (rank {p.rank + 1})" for p in manifest.selected]},
            {
                "prompt": one.assembled.prompt,
                "dropped": [
                    f"{p.id} (rank {p.rank + 1}, {p.tokens} tokens): {p.reason}"
                    for p in manifest.excluded
                    if p.reason == OVER_BUDGET
                ],
            },
            {
                "context_hash": manifest.context_hash,
                "tokens": sum(manifest.tokens),
                "excluded": len(manifest.excluded),
            },
        )
        yield _Span(
            "generate",
            "LLM",
            one.answer.seconds,
            {"prompt": one.assembled.prompt},
            one.answer.text,
            {"tokens_in": one.answer.tokens_in, "tokens_out": one.answer.tokens_out},
            one.answer.reason if one.answer.missing else "",
        )
        yield _Span(
            "score",
            "EVALUATOR",
            share.get("score", 0.0),
            {
                "answer": one.answer.text,
                "reference": one.reference,
                "cited": one.cited,
                "needed": list(one.needed),
            },
            dict(one.scores),
            {},
        )

    def _documents(
        self, found: Sequence[tuple[str, float]], needed: Collection[str]
    ) -> list[dict[str, Any]]:
        """The shape that MLflow shows as documents; those that the query needs are marked."""
        return [
            {
                "id": name,
                "page_content": self.passages[name][1],
                "metadata": {
                    "rank": rank,
                    **({"needed": True} if self.passages[name][0] in needed else {}),
                    "chunk_id": name,
                    **({} if math.isnan(score) else {"score": score}),
                },
            }
            for rank, (name, score) in enumerate(found[:_SHOWN], start=1)
        ]


@contextmanager
def _tracking(uri: str) -> Iterator[None]:
    """MLflow's tracing goes to one global address: it is put back afterwards."""
    os.environ.setdefault("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
    import mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    try:
        yield
        mlflow.flush_trace_async_logging()
    finally:
        mlflow.set_tracking_uri(before)


def _storable(value: Any) -> Any:
    """The same JSON value, its texts without what no tracker can hold."""
    return json.loads(storable_text(json.dumps(value, ensure_ascii=False)))


def _status(failure: str) -> Any:
    from mlflow.entities import SpanStatus, SpanStatusCode

    code = SpanStatusCode.ERROR if failure else SpanStatusCode.OK
    return SpanStatus(code, failure)
