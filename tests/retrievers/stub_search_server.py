"""Search servers on this machine that answer as Elasticsearch and Qdrant do, and fail when told."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from retrievers.bm25 import BM25Retriever
from retrievers.ranking import Rows, Scores

Answer = tuple[int, Any]
NOT_FOUND: Answer = (404, {"status": {"error": "Not found"}, "error": {"type": "not_found"}})


class StubServer:
    """Answers by `answer`; every request takes the next of `faults` instead, where there is one.

    faults: a status, "close" (no answer), "cut" (half of one); None answers as usual.
    requests: (method, path, body) of all that came; `headers` those of the last.
    """

    def __init__(self) -> None:
        self.faults: list[int | str | None] = []
        self.requests: list[tuple[str, str, Any]] = []
        self.headers: Mapping[str, str] = {}

    def answer(self, method: str, path: str, body: Any) -> Answer:
        raise NotImplementedError

    @contextmanager
    def running(self) -> Iterator[str]:
        handler = type("Handler", (_Handler,), {"owner": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class StubElasticsearch(StubServer):
    """BM25 over our `auto` analyzer, in single precision as Lucene scores.

    plugins: False refuses nori.  refused: passage ids that a bulk request does not take, with the
    status that they get instead, once each.
    """

    def __init__(self) -> None:
        super().__init__()
        self.indexes: dict[str, dict[int, str]] = {}
        self.models: dict[str, BM25Retriever] = {}
        self.plugins = True
        self.refused: dict[str, int] = {}

    def answer(self, method: str, path: str, body: Any) -> Answer:
        _, index, *rest = path.split("/")
        if method == "PUT":
            return self._create(index)
        if index not in self.indexes:
            return NOT_FOUND
        match rest:
            case ["_count"]:
                return 200, {"count": len(self.indexes[index])}
            case ["_bulk"]:
                return 200, self._bulk(index, body)
            case ["_refresh"]:
                self._refresh(index)
                return 200, {"_shards": {"failed": 0}}
            case ["_msearch"]:
                return 200, {"responses": self._search(index, body[1::2])}
        return NOT_FOUND

    def _create(self, index: str) -> Answer:
        if not self.plugins:
            return 400, {"error": {"reason": "Unknown tokenizer type [nori_tokenizer]"}}
        if index in self.indexes:
            return 400, {"error": {"type": "resource_already_exists_exception"}}
        self.indexes[index] = {}
        return 200, {"acknowledged": True}

    def _bulk(self, index: str, lines: list[Any]) -> dict[str, Any]:
        items = []
        for action, passage in zip(lines[::2], lines[1::2], strict=True):
            name = action["create"]["_id"]
            status = self.refused.pop(name, 0) or (409 if int(name) in self.indexes[index] else 201)
            if status == 201:
                self.indexes[index][passage["row"]] = passage["text"]
            error = {} if status == 201 else {"error": {"reason": "not this one"}}
            items.append({"create": {"_id": name, "status": status, **error}})
        return {"errors": any("error" in item["create"] for item in items), "items": items}

    def _refresh(self, index: str) -> None:
        passages = self.indexes[index]
        self.models[index] = BM25Retriever(k1=1.2)
        self.models[index].index([passages[row] for row in sorted(passages)])

    def _search(self, index: str, bodies: list[Any]) -> list[dict[str, Any]]:
        matches = [_match(body["query"]) for body in bodies]
        texts = [match["text"]["query"] for match in matches]
        found, scores = self.models[index].search(texts, len(self.indexes[index]))
        scores = scores.astype(np.float32).astype(np.float64)
        return [_hits(*all_of_one) for all_of_one in zip(bodies, found, scores, strict=True)]


def _match(query: Any) -> Any:
    return (query["bool"]["must"][0] if "bool" in query else query)["match"]


def _hits(body: Any, found: Rows, scores: Scores) -> dict[str, Any]:
    assert body["sort"] == [{"_score": "desc"}, {"row": "asc"}]
    query = body["query"]
    kept = found >= 0
    if "bool" in query:
        kept &= np.isin(found, query["bool"]["filter"][0]["terms"]["row"])
    order = np.lexsort((found[kept], -scores[kept]))[: body["size"]]
    sorts = zip(scores[kept][order].tolist(), found[kept][order].tolist(), strict=True)
    hits = [{"_id": str(row), "_score": None, "sort": [score, row]} for score, row in sorts]
    return {"status": 200, "_shards": {"failed": 0}, "hits": {"hits": hits}}


class StubQdrant(StubServer):
    """Exact cosines, ties in the order of the highest id, which a retriever has to put right."""

    def __init__(self) -> None:
        super().__init__()
        self.collections: dict[str, dict[int, list[float]]] = {}
        self.lost: set[int] = set()

    def answer(self, method: str, path: str, body: Any) -> Answer:
        parts = re.fullmatch(r"/collections/([^/]+)(.*)", path)
        assert parts
        name, action = parts.groups()
        if method == "PUT" and not action:
            if name in self.collections:
                return 409, {"status": {"error": f"Collection `{name}` already exists!"}}
            self.collections[name] = {}
            return 200, {"result": True}
        if name not in self.collections:
            return NOT_FOUND
        return 200, {"result": self._result(self.collections[name], action, body)}

    def _result(self, points: dict[int, list[float]], action: str, body: Any) -> Any:
        match action:
            case "/points/count":
                return {"count": len(points)}
            case "/points?wait=true":
                kept = [one for one in body["points"] if one["id"] not in self.lost]
                points.update({one["id"]: one["vector"] for one in kept})
                return {"status": "completed"}
            case "/points/query/batch":
                return [{"points": _nearest(points, one)} for one in body["searches"]]
        raise AssertionError(f"unknown action {action}")


def _nearest(points: dict[int, list[float]], search: Any) -> list[dict[str, Any]]:
    ids = sorted(points, reverse=True)
    vectors = np.array([points[one] for one in ids], dtype=np.float32)
    cosines = vectors @ np.array(search["query"], dtype=np.float32)
    order = np.argsort(-cosines, kind="stable")[: search["limit"]]
    return [{"id": ids[place], "score": float(cosines[place])} for place in order]


class _Handler(BaseHTTPRequestHandler):
    owner: StubServer

    def do_GET(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        ndjson = self.headers.get("Content-Type") == "application/x-ndjson"
        body: Any = None
        if raw:
            body = [json.loads(one) for one in raw.splitlines()] if ndjson else json.loads(raw)
        self.owner.requests.append((self.command, self.path, body))
        self.owner.headers = dict(self.headers)
        fault = self.owner.faults.pop(0) if self.owner.faults else None
        if fault != "close":
            self._send(fault, body)

    do_POST = do_PUT = do_GET  # noqa: N815

    def _send(self, fault: int | str | None, body: Any) -> None:
        if isinstance(fault, int):
            status, answer = fault, {"error": {"reason": "as told"}}
        else:
            status, answer = self.owner.answer(self.command, self.path, body)
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: tests print no requests."""
