"""Stand-ins for torch and transformers: a model whose tokens are letters."""

from __future__ import annotations

import re
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

OPENING, CLOSING, PADDING = 1, 2, 0
DIMENSIONS = 2048


_LETTER = re.compile(r"식물|[^\Wz]")  # a word it has of its own; it has never seen a z


def _prefix(text: str) -> str:
    """What the preset puts before a text; this model takes no notice of it."""
    return next((one for one in ("query: ", "passage: ") if text.startswith(one)), "")


class Tokenizer:
    """A token a letter, or a word it knows; blanks and signs have none."""

    def __call__(self, texts: str | list[str], **options: Any) -> dict[str, list[Any]]:
        if isinstance(texts, str):
            return self._one(texts, **options)
        read = [self._one(text, **options) for text in texts]
        width = max((len(one["input_ids"]) for one in read), default=0)
        return {
            name: [one[name] + [PADDING] * (width - len(one[name])) for one in read]
            for name in ("input_ids", "attention_mask")
        }

    def _one(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        truncation: bool = False,
        max_length: int = 0,
        **_: Any,
    ) -> dict[str, list[Any]]:
        text.encode()  # a real one, too, refuses lone surrogates
        letters = [one for one in _LETTER.finditer(text) if one.start() >= len(_prefix(text))]
        ids = [sum(map(ord, letter[0])) % (DIMENSIONS - 3) + 3 for letter in letters]
        edge = int(add_special_tokens)
        if truncation:
            ids = ids[: max_length - 2 * edge]
        return {
            "input_ids": [OPENING] * edge + ids + [CLOSING] * edge,
            "attention_mask": [1] * (len(ids) + 2 * edge),
            "special_tokens_mask": [1] * edge + [0] * len(ids) + [1] * edge,
            "offset_mapping": [letter.span() for letter in letters],
        }

    @classmethod
    def from_pretrained(cls, name: str) -> Tokenizer:
        return cls()


class Model:
    """The vector of a token says which letter it is; `shown` keeps what it read."""

    config = SimpleNamespace(hidden_size=DIMENSIONS)
    device = "cpu"
    shown: list[list[int]]

    def __init__(self) -> None:
        self.shown = []

    def __call__(self, input_ids: Any, attention_mask: Any) -> Any:
        self.shown += input_ids.tolist()
        hidden = np.eye(DIMENSIONS, dtype=np.float32)[input_ids]
        hidden[input_ids < 3] = 0.0
        return SimpleNamespace(last_hidden_state=_Tensor(hidden))

    def to(self, device: str) -> Model:
        return self

    def eval(self) -> Model:
        return self

    @classmethod
    def from_pretrained(cls, name: str) -> Model:
        return cls()


class _Tensor:
    def __init__(self, values: Any) -> None:
        self.values = values

    def float(self) -> _Tensor:
        return self

    def cpu(self) -> _Tensor:
        return self

    def numpy(self) -> Any:
        return self.values


MODULES = {
    "torch": SimpleNamespace(
        inference_mode=nullcontext,
        tensor=lambda rows, device: np.array(rows, dtype=np.int64),
        cuda=SimpleNamespace(is_available=lambda: False),
    ),
    "transformers": SimpleNamespace(AutoModel=Model, AutoTokenizer=Tokenizer),
}
"""What stands in `sys.modules` while a test runs."""
