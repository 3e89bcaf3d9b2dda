"""A stand-in for a language model that chooses passages by the words they share with a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM

from retrievers.analyzers import analyzer as analyzer_named

_QUESTION = re.compile(r"^(?:질문|Question): (.*)$", re.MULTILINE)
_PASSAGES = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_RANK_OFFSET = 60


class LexicalLLM(CustomLLM):
    """Answers a question with numbered passages by their numbers, and any other prompt with "".

    It lets recipes that ask a model run without one; it understands nothing. The passages are
    ranked twice, as they stand and by the terms they share with the question (each counts
    ln(1 + n / its passages) of n), and the two ranks are joined: 1 / (60 + rank), added up
    (Cormack, Clarke & Büttcher, SIGIR 2009).
    analyzer: which terms.
    trust: how many times the rank in which they stand counts, for it knows more than this does:
        at 8 two neighbours at the top change places only where words put one of them ten
        places before the other.
    """

    analyzer: str = "char_ngram"
    trust: float = 8.0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="lexical stand-in", context_window=1_000_000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        question, passages = _QUESTION.search(prompt), _PASSAGES.findall(prompt)
        if question is None or not passages:
            return CompletionResponse(text="")
        order = self._order(question[1], [text for _, text in passages])
        return CompletionResponse(text=", ".join(passages[place][0] for place in order))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt, formatted, **kwargs)

    def _order(self, question: str, passages: list[str]) -> list[int]:
        wanted, *found = map(set, analyzer_named(self.analyzer).analyze_many([question, *passages]))
        holders = Counter(term for terms in found for term in terms & wanted)
        shared = [
            sum(math.log1p(len(passages) / holders[term]) for term in sorted(terms & wanted))
            for terms in found
        ]
        by_words = sorted(range(len(passages)), key=lambda place: -shared[place])
        joined = [self.trust / (_RANK_OFFSET + place) for place in range(len(passages))]
        for rank, place in enumerate(by_words):
            joined[place] += 1 / (_RANK_OFFSET + rank)
        return sorted(range(len(passages)), key=lambda place: -joined[place])
