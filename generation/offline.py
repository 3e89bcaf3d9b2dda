"""Answers without a model: the sentences of the prompt's own passages that fit the question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from llama_index.core.base.llms.types import (
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.llms import CustomLLM
from pydantic import Field

from generation.prompt_reading import read_prompt
from retrievers.analyzers import analyzer
from retrievers.sentences import split_sentences

NO_ANSWER = "The passages do not answer this."
"""What it says where no sentence shares a term with the question, or where there is no passage."""

_VERSION = "2"  # of the rule: it changes when the same prompt would get another answer
_CACHED = 1 << 15


class ExtractiveLLM(CustomLLM):
    """Not a language model: it quotes the sentences that best match the question, with `[i]`.

    It reads the prompts of `ContextAssembler`, plain or XML. A sentence scores the sum of the
    inverse document frequencies, over the prompt's own passages, of the distinct question terms in
    it. A further sentence is quoted only for terms that the ones before do not have. Ties go by
    length and text, so the order of the passages never changes what is quoted: it is a floor to
    hold models against, and shows no effect of position.

    max_sentences: how many are quoted at most.  analyzer: what makes terms of texts.
    """

    max_sentences: int = Field(default=2, ge=1)
    analyzer: str = "auto"

    def identity(self) -> dict[str, Any]:
        """The version of the rule and the options that change an answer."""
        options = {"max_sentences": self.max_sentences, "analyzer": self.analyzer}
        return {
            "class": f"{type(self).__module__}.{type(self).__qualname__}",
            "arguments": {"version": _VERSION, **options},
        }

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            model_name="extractive (no language model)", context_window=1_000_000, num_output=256
        )

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The quoted sentences, or `NO_ANSWER`."""
        read = read_prompt(prompt)
        wanted = set(_terms(read.question, self.analyzer))
        weights = _weights(wanted, read.passages, self.analyzer)
        quoted: list[str] = []
        sentences = _candidates(read.passages, self.analyzer)
        while weights and len(quoted) < self.max_sentences:
            best = min(sentences, key=lambda one: one.place(weights))
            if not best.terms & weights.keys():
                break
            quoted.append(f"{best.text} [{best.number}]")
            weights = {term: weight for term, weight in weights.items() if term not in best.terms}
        return CompletionResponse(text=" ".join(quoted) or NO_ANSWER)

    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> CompletionResponseGen:
        """The whole answer as one piece."""
        whole = self.complete(prompt, formatted, **kwargs)
        yield whole.model_copy(update={"delta": whole.text})


class _Sentence(NamedTuple):
    text: str
    number: int
    terms: frozenset[str]

    def place(self, weights: Mapping[str, float]) -> tuple[float, int, str, int]:
        """The lowest is the best."""
        score = math.fsum(weights[term] for term in self.terms & weights.keys())
        return -score, len(self.text), self.text, self.number


def _candidates(passages: Mapping[int, str], name: str) -> list[_Sentence]:
    return [
        _Sentence(text, number, terms)
        for number, passage in passages.items()
        for text, terms in _sentences(passage, name)
    ]


def _weights(wanted: set[str], passages: Mapping[int, str], name: str) -> dict[str, float]:
    """Question term -> its inverse document frequency, above 0, as BM25 has it (Lucene's)."""
    held = [
        frozenset().union(*(terms for _, terms in _sentences(passage, name)))
        for passage in passages.values()
    ]
    counts = Counter(term for terms in held for term in terms & wanted)
    return {
        term: math.log1p((len(held) - count + 0.5) / (count + 0.5))
        for term, count in counts.items()
    }


@lru_cache(maxsize=_CACHED)
def _sentences(passage: str, name: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of a passage with their terms; one that many prompts show is read once."""
    texts = [text for sentence in split_sentences(passage) if (text := sentence.strip())]
    terms = analyzer(name).analyze_many(texts)
    return tuple((text, frozenset(own)) for text, own in zip(texts, terms, strict=True))


def _terms(text: str, name: str) -> list[str]:
    return analyzer(name).analyze_many([text])[0]
