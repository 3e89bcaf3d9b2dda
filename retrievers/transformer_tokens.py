"""Token vectors of a transformer (extra `torch`): what late chunking pools."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from numpy.typing import NDArray

from retrievers.asking import sendable
from retrievers.local_embedding import LocalEmbedding, Vectors

Spans = NDArray[np.int64]

_PIECE = re.compile(r"\s+|\S+")


class TransformerTokens(LocalEmbedding):
    """A model of Hugging Face whose vector of a text is the mean of the vectors of its tokens.

    Only for a model that was trained so (E5, Jina, ModernBERT-embed) are means of some tokens
    comparable with its vectors of queries. It is downloaded at its first use; code that a model
    brings along is not run.
    query_prefix, passage_prefix: what the model wants before a text, such as "query: ".
    window: tokens that it reads at once. A longer document is read in windows, a longer query cut.
    overlap: tokens of a window that the one before has too; they only give context to the others
        (Günther et al., "Late Chunking", 2024, algorithm 2).
    device: "cpu", "cuda", "mps"; None for a graphics card where there is one.
    Texts are read in NFC; a NUL and lone surrogates count as blanks.

    Raises ValueError for an overlap that leaves nothing of a window.
    """

    model: str
    query_prefix: str = ""
    passage_prefix: str = ""
    window: int = Field(default=512, ge=8)
    overlap: int = Field(default=128, ge=0)
    device: str | None = None
    _loaded: Any = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self.model_name = self.model

    def token_embeddings(self, text: str) -> tuple[Vectors, Spans]:
        """Vectors [t, d] of the tokens, and which characters [start, end) of the text each is."""
        composed, places = _composed(sendable(text))
        tokenizer, _ = self._model()
        before = len(self.passage_prefix)
        read = tokenizer(
            self.passage_prefix + composed,
            add_special_tokens=False,
            return_offsets_mapping=True,
            verbose=False,
        )
        ids = list(read["input_ids"])
        spans = np.asarray(read["offset_mapping"], dtype=np.int64).reshape(-1, 2) - before
        first = int((spans[:, 1] <= 0).sum())  # the tokens of the prefix
        found = [*chain.from_iterable(self._windows(ids[:first], ids[first:]))]
        vectors = np.stack(found) if found else np.zeros((0, self._dimensions()), np.float32)
        return vectors, places[np.maximum(spans[first:], 0)]

    def _windows(self, head: list[int], ids: list[int]) -> Iterator[Vectors]:
        """The vectors of the tokens, a window at a time; each begins with the head."""
        opening, closing = self._special_tokens()
        room = self.window - len(opening) - len(head) - len(closing)
        if room <= self.overlap:
            raise ValueError(
                f"late_chunking got window={self.window} and overlap={self.overlap}, which leaves "
                f"{max(room - self.overlap, 0)} tokens for what is new: give a larger window or a "
                "smaller overlap."
            )
        known = 0
        while known < len(ids):
            begin = max(known - self.overlap, 0)
            part = [*opening, *head, *ids[begin : begin + room], *closing]
            (vectors,) = self._hidden([part], [[1] * len(part)])
            inner = vectors[len(opening) + len(head) : len(part) - len(closing)]
            yield inner[known - begin :]
            known = begin + len(inner)

    def _vectors(self, texts: Sequence[str], *, queries: bool) -> Vectors:
        """The means over all that the model reads of each text, as its makers pool."""
        tokenizer, _ = self._model()
        prefix = self.query_prefix if queries else self.passage_prefix
        found = [np.zeros((0, self._dimensions()), dtype=np.float32)]
        for begin in range(0, len(texts), self.embed_batch_size):
            block = texts[begin : begin + self.embed_batch_size]
            read = tokenizer(
                [prefix + unicodedata.normalize("NFC", sendable(text)) for text in block],
                padding=True,
                truncation=True,
                max_length=self.window,
            )
            seen = np.asarray(read["attention_mask"], dtype=np.float32)[:, :, None]
            hidden = self._hidden(read["input_ids"], read["attention_mask"])
            found.append((hidden * seen).sum(axis=1) / np.maximum(seen.sum(axis=1), 1.0))
        return np.concatenate(found)

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        """What the model wants before and behind a text."""
        tokenizer, _ = self._model()
        read = tokenizer("a", return_special_tokens_mask=True)
        own = [place for place, mark in enumerate(read["special_tokens_mask"]) if not mark]
        ids = list(read["input_ids"])
        return ids[: own[0]], ids[own[-1] + 1 :]

    def _hidden(self, ids: Any, seen: Any) -> Vectors:
        """The last layer, float32 [n, t, d]."""
        import torch

        _, model = self._model()
        with torch.inference_mode():
            given = {
                name: torch.tensor(rows, device=model.device)
                for name, rows in (("input_ids", ids), ("attention_mask", seen))
            }
            return np.asarray(model(**given).last_hidden_state.float().cpu().numpy())

    def _dimensions(self) -> int:
        _, model = self._model()
        return int(model.config.hidden_size)

    def _model(self) -> tuple[Any, Any]:
        """Tokenizer and model, loaded at the first use."""
        if self._loaded is None:
            import torch
            from transformers import AutoModel, AutoTokenizer

            device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
            model = AutoModel.from_pretrained(self.model).to(device).eval()
            self._loaded = AutoTokenizer.from_pretrained(self.model), model
        return self._loaded  # type: ignore[no-any-return]


def _composed(text: str) -> tuple[str, Spans]:
    """The text in NFC, and for each of its characters, and its end, the place in `text`.

    Within a word that is spelled otherwise, places are spread evenly.
    """
    composed: list[str] = []
    places: list[NDArray[Any]] = []
    for match in _PIECE.finditer(text):
        piece = unicodedata.normalize("NFC", match[0])
        composed.append(piece)
        places.append(match.start() + np.arange(len(piece)) * len(match[0]) // len(piece))
    return "".join(composed), np.concatenate([*places, [len(text)]]).astype(np.int64)
