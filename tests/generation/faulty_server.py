"""An OpenAI-compatible server on this machine that fails as often as it is told to."""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAULTS = ("429", "500", "slow", "cut", "language", "close")


def echo(prompt: str) -> str:
    """An answer in the language of the prompt, different for each prompt."""
    said = "답" if re.search("[가-힣]", prompt) else "answer"
    return f"{said}: {prompt}"


def other_language(prompt: str) -> str:
    return "I am sorry." if re.search("[가-힣]", prompt) else "죄송합니다."


class FaultyServer:
    """Answers by `answer(prompt)`, and with `rate` commits one of `faults` instead.

    Which request fails is drawn from the seed, the prompt and how often it was seen before, so it
    is the same whatever the order. `seen` counts the faults committed, and "right" answers.
    """

    def __init__(
        self,
        answer: Callable[[str], str] = echo,
        *,
        rate: float = 0.0,
        faults: Sequence[str] = FAULTS,
        seed: int = 0,
        slow: float = 1.0,
        retry_after: str = "0.01",
    ) -> None:
        self.answer, self.rate, self.faults, self.seed = answer, rate, tuple(faults), seed
        self.slow, self.retry_after = slow, retry_after
        self.usage = True
        self.seen: Counter[str] = Counter()
        self.prompts: Counter[str] = Counter()
        self.under_way = self.most_at_once = 0
        self.times: list[float] = []
        self.keys: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[str]:
        """The address that a client calls, such as http://127.0.0.1:40123/v1."""
        handler = type("Handler", (_Handler,), {"owner": self})
        server = _Server(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            server.server_close()

    def outcome(self, prompt: str) -> str:
        """The fault of this request, or "right"; counted."""
        with self._lock:
            attempt = self.prompts[prompt]
            self.prompts[prompt] += 1
            self.times.append(time.monotonic())
            kind = self.drawn(prompt, attempt)
            self.seen[kind] += 1
            return kind

    def drawn(self, prompt: str, attempt: int) -> str:
        """What request number `attempt` (from 0) for a prompt comes to."""
        name = hashlib.sha256(f"{self.seed}\n{attempt}\n{prompt}".encode("utf-8", "replace"))
        draw = random.Random(name.digest())
        return draw.choice(self.faults) if draw.random() < self.rate else "right"

    @property
    def requests(self) -> int:
        """How many it saw."""
        return self.seen.total()

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            yield
        finally:
            with self._lock:
                self.under_way -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not wait for a slow answer is what the tests want."""


class _Handler(BaseHTTPRequestHandler):
    owner: FaultyServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.owner.keys.add(self.headers.get("Authorization", ""))
        with self.owner.counted():
            prompt = _prompt(asked)
            return self._act(self.owner.outcome(prompt), prompt, asked)

    def _act(self, kind: str, prompt: str, asked: dict[str, Any]) -> None:
        if kind in ("429", "500", "401", "400"):
            headers = {"Retry-After": self.owner.retry_after} if kind == "429" else {}
            error = {"error": {"message": f"{kind}: {self.headers.get('Authorization')}"}}
            return self._send(int(kind), error, headers)
        if kind == "close":
            self.close_connection = True
            return self.connection.close()
        if kind == "slow":
            time.sleep(self.owner.slow)
        if self.path.endswith("/embeddings"):
            return self._send(200, _embeddings(asked), cut=kind == "cut")
        text = other_language(prompt) if kind == "language" else self.owner.answer(prompt)
        body = _answer(self.path, prompt, text, usage=self.owner.usage)
        return self._send(200, body, cut=kind == "cut")

    def _send(
        self, status: int, value: Any, headers: dict[str, str] | None = None, cut: bool = False
    ) -> None:
        body = json.dumps(value).encode()
        body = body[: len(body) // 2] if cut else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is written to the terminal."""


def _prompt(asked: dict[str, Any]) -> str:
    if "messages" in asked:
        return "\n".join(str(message["content"]) for message in asked["messages"])
    return str(asked.get("prompt", asked.get("input")))


def _answer(path: str, prompt: str, text: str, *, usage: bool) -> dict[str, Any]:
    tokens = {"prompt_tokens": len(prompt), "completion_tokens": len(text)}
    chat = path.endswith("/chat/completions")
    said = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    return {
        "id": "1",
        "object": "chat.completion" if chat else "text_completion",
        "created": 0,
        "model": "faulty",
        "choices": [{"index": 0, "finish_reason": "stop", **said}],
        **({"usage": {**tokens, "total_tokens": sum(tokens.values())}} if usage else {}),
    }


def _embeddings(asked: dict[str, Any]) -> dict[str, Any]:
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    rows = [hashlib.sha256(str(text).encode("utf-8", "replace")).digest() for text in texts]
    data = [
        {"object": "embedding", "index": place, "embedding": [byte / 255 for byte in row]}
        for place, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": "faulty", "data": data, "usage": usage}
