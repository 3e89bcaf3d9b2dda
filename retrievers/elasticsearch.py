"""BM25 on an Elasticsearch server, with the nori analyzer for Korean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np

from retrievers.analyzers import compatible
from retrievers.base import BatchRetriever
from retrievers.elasticsearch_bodies import (
    Decompound,
    Language,
    analysis_of,
    bulks,
    index_settings,
    match,
    search_body,
)
from retrievers.ranking import Rows, Scores
from retrievers.search_server import RefusedError, SearchServer

HITS_AT_ONCE = 20_000
"""Hits that one answer may hold; a batch has as many queries as fit, at most `QUERIES_AT_ONCE`."""

QUERIES_AT_ONCE = 100

_CREATED, _STANDS_ALREADY, _BUSY = 201, 409, 429
_FILE = "elasticsearch.json"


class ElasticsearchServer(SearchServer):
    """An Elasticsearch server (8 or later) with the plugin analysis-nori."""

    kind: ClassVar[str] = "Elasticsearch"
    variable: ClassVar[str] = "ELASTICSEARCH_URL"
    start: ClassVar[str] = (
        "docker run -d -p 127.0.0.1:9200:9200 docker.elastic.co/elasticsearch/elasticsearch:8.19.0 "
        "bash -c 'bin/elasticsearch-plugin install --batch analysis-nori && exec bin/elasticsearch "
        "-E discovery.type=single-node -E xpack.security.enabled=false'"
    )

    def authorization(self, key: str) -> tuple[str, str]:
        return "Authorization", f"ApiKey {key}"


class ElasticsearchRetriever(BatchRetriever):
    """Lucene's BM25 (Robertson & Zaragoza, 2009), computed by a server; a result shares a term.

    server: where, and with whose key.
    analyzer: "nori" takes Korean apart into morphemes (mecab-ko-dic) and drops particles, endings
        and punctuation; "english" is Elasticsearch's own.
    decompound: what nori does with a compound: "mixed" keeps it beside its pieces, "discard" keeps
        the pieces alone, "none" the compound alone. With "mixed" a compound in a query matches
        itself or all of its pieces.
    k1, b: how soon repetition saturates (0 up), how much length counts (0 to 1).
    An index is named by the hash of its texts and settings: a second run finds it and loads
    nothing, and a load that was killed goes on. One shard, so that all passages share one idf and
    equal passages tie; a tie goes to the lower row. Texts are NFKC, without lone surrogates.
    """

    def __init__(
        self,
        server: ElasticsearchServer,
        *,
        analyzer: Language = "nori",
        decompound: Decompound = "mixed",
        k1: float = 1.2,
        b: float = 0.75,
        name: str = "elasticsearch",
    ) -> None:
        super().__init__(name)
        _check("analyzer", analyzer, get_args(Language))
        _check("decompound", decompound, get_args(Decompound))
        if k1 < 0 or not 0 <= b <= 1:
            raise ValueError(
                f"Elasticsearch got k1={k1} and b={b}: k1 is 0 or more, b lies between 0 and 1."
            )
        self.server, self.analyzer, self.decompound = server, analyzer, decompound
        self.k1, self.b = k1, b

    @property
    def lexical(self) -> bool:
        return True

    def index(self, texts: Sequence[str]) -> None:
        texts = [compatible(text) for text in texts]
        similarity = {"type": "BM25", "k1": self.k1, "b": self.b}
        analysis = analysis_of(self.analyzer, self.decompound)
        settings = index_settings(analysis, similarity, passages=len(texts))
        key = json.dumps([settings, texts], sort_keys=True).encode()
        self._index, self._count = f"rankproof-{hashlib.sha256(key).hexdigest()[:32]}", len(texts)
        if not texts or self._held() == len(texts):
            return
        self._create(settings)
        for lines in bulks(texts):
            self._load_bulk(lines)
        self.server.call("POST", f"/{self._index}/_refresh")
        if (held := self._held()) != len(texts):
            raise ValueError(
                f"Elasticsearch holds {held or 0} of {len(texts)} passages after loading them: "
                f"look into its log, then run again; what it has loaded is kept."
            )

    def search(self, texts: Sequence[str], depth: int) -> tuple[Rows, Scores]:
        depth = min(depth, self._count)
        rows = np.full((len(texts), depth), -1, dtype=np.int32)
        scores = np.full((len(texts), depth), np.nan)
        bodies = [search_body(match(text), depth) for text in texts]
        for place, hits in self._answers(bodies, depth):
            for column, hit in enumerate(hits):
                scores[place, column], rows[place, column] = hit["sort"]
        return rows, scores

    def score(self, texts: Sequence[str], candidates: Rows) -> Scores:
        scores = np.where(candidates >= 0, 0.0, np.nan)
        bodies = [
            search_body(match(text, among=sorted({*wanted[wanted >= 0].tolist()})), len(wanted))
            for text, wanted in zip(texts, candidates, strict=True)
        ]
        for place, hits in self._answers(bodies, candidates.shape[1]):
            for score, row in (hit["sort"] for hit in hits):
                scores[place, candidates[place] == row] = score
        return scores

    def save(self, folder: Path) -> None:
        about = {"index": self._index, "passages": self._count}
        (folder / _FILE).write_text(json.dumps(about), encoding="utf-8")

    def load(self, folder: Path) -> None:
        about = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        self._index, self._count = about["index"], about["passages"]
        if self._count and (held := self._held()) != self._count:
            raise ValueError(
                f"Elasticsearch at {self.server.address} holds {held or 0} of the {self._count} "
                f"passages of {self._index}: start the server that has them, or load them again "
                f"with store.dir=another/folder."
            )

    def _held(self) -> int | None:
        """How many passages the server has under this name; None where it has no such index."""
        try:
            return int(self.server.call("GET", f"/{self._index}/_count")["count"])
        except RefusedError as error:
            if error.status == 404:
                return None
            raise

    def _create(self, settings: Mapping[str, Any]) -> None:
        try:
            self.server.call("PUT", f"/{self._index}", settings)
        except RefusedError as error:
            if "nori" in str(error):
                raise ValueError(
                    f"Elasticsearch at {self.server.address} has no nori analyzer: run "
                    f"`bin/elasticsearch-plugin install analysis-nori` on it and start it again."
                ) from error
            if "resource_already_exists" not in str(error):
                raise

    def _load_bulk(self, lines: Sequence[Mapping[str, Any]]) -> None:
        answer = self.server.call("POST", f"/{self._index}/_bulk", lines, busy=_turned_away)
        done = [item["create"] for item in answer["items"]]
        failed = [one for one in done if one["status"] not in (_CREATED, _STANDS_ALREADY)]
        if failed:
            reason = str(failed[0].get("error", {}).get("reason"))[:200]
            raise ValueError(
                f"Elasticsearch did not take {len(failed)} of {len(done)} passages; passage number "
                f"{int(failed[0]['_id']) + 1}: {reason}."
            )

    def _answers(
        self, bodies: Sequence[Mapping[str, Any]], depth: int
    ) -> Iterator[tuple[int, list[Any]]]:
        """Each query's place and its hits."""
        step = max(1, min(QUERIES_AT_ONCE, HITS_AT_ONCE // max(1, depth)))
        for begin in range(0, len(bodies) if depth else 0, step):
            lines = [line for body in bodies[begin : begin + step] for line in ({}, body)]
            answer = self.server.call("POST", f"/{self._index}/_msearch", lines, busy=_overloaded)
            for place, found in enumerate(answer["responses"], start=begin):
                yield place, _hits(found, place)


def _check(option: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ValueError(
            f"Elasticsearch has no {option} {value!r} here: choose from {', '.join(known)}."
        )


def _hits(found: Mapping[str, Any], place: int) -> list[Any]:
    """Raises ValueError for a search that failed or was cut short."""
    shards = found.get("_shards", {})
    if "error" in found or found.get("timed_out") or shards.get("failed"):
        reason = found.get("error", {}).get("root_cause") or "it was cut short"
        raise ValueError(
            f"Elasticsearch could not search for query number {place + 1}: {str(reason)[:200]}."
        )
    return found["hits"]["hits"]  # type: ignore[no-any-return]


def _turned_away(answer: Mapping[str, Any]) -> bool:
    return any(item["create"]["status"] == _BUSY for item in answer["items"])


def _overloaded(answer: Mapping[str, Any]) -> bool:
    return any(found.get("status") in (_BUSY, 503) for found in answer["responses"])
