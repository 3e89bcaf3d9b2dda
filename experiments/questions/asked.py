"""Questions that a model writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments.metrics.refusals import refuses
from experiments.questions.written import Written, fault, kept
from experiments.schema import Document
from retrievers.asking import Check, ask

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

_VERSION = "2"
_QUESTION = """Write one question that the passage below answers, in the language of the passage.
A person who has never seen the passage asks it, so it names its subject and does not point at any
text. Use other words than the passage where you can. Write the question alone, on one line.

Passage:
{passage}

Question:"""
_ANSWER = """Answer the question from the passage alone, in a few words, in the language of the
question. Where the passage does not answer it, write: There is no answer in the passage.

Passage:
{passage}

Question: {question}
Answer:"""
UNANSWERED = "its passage does not answer it"


@dataclass(frozen=True, slots=True)
class ModelQuestions:
    """One question a passage, which the model then has to answer from the passage.

    llm: any LlamaIndex model.  characters: of a passage that it reads.
    """

    llm: LLM
    characters: int = 1500

    @property
    def name(self) -> str:
        """The model's, which the set carries as its generator."""
        return str(self.llm.metadata.model_name)

    @property
    def circular(self) -> tuple[str, ...]:
        """What a pipeline may not use to be scored on these questions: the model."""
        return (self.name,)

    def write(
        self, documents: Sequence[Document], corpus: Sequence[Document]
    ) -> tuple[list[Written], Counter[str]]:
        """Those that can be used, with their answers, and why the others cannot.

        A failed call is counted by its reason.
        """
        read = {document.id: document.text[: self.characters] for document in documents}
        prompts = [_QUESTION.format(passage=text) for text in read.values()]
        said, failed = self._ask(prompts, _usable)
        written = [
            Written(name, _line(text)) for name, text in zip(read, said, strict=True) if text
        ]
        good, reasons = kept(written, {document.id: document.text for document in documents})
        prompts = [_ANSWER.format(passage=read[one.document], question=one.text) for one in good]
        answers, unasked = self._ask(prompts)
        pairs = [(one, text) for one, text in zip(good, answers, strict=True) if text]
        answered = [replace(one, answer=_line(text)) for one, text in pairs if not refuses(text)]
        refused = Counter({UNANSWERED: len(pairs) - len(answered)})
        return answered, +(failed + reasons + unasked + refused)

    def _ask(
        self, prompts: Sequence[str], check: Check | None = None
    ) -> tuple[list[str | None], Counter[str]]:
        return ask(self.llm, prompts, stage="questions", version=_VERSION, check=check)


def _line(text: str) -> str:
    return text.strip().split("\n")[0].strip().strip('"')


def _usable(prompt: str, answer: str) -> str:
    """A model may ask again for what cannot be searched for; copying is judged later."""
    return fault(_line(answer), "")
