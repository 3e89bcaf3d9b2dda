"""Questions that a model writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.questions.written import Written, fault
from experiments.schema import Document
from retrievers.asking import ask

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

_VERSION = "1"
_PROMPT = """Write one question that the passage below answers, in the language of the passage.
A person who has never seen the passage asks it, so it names its subject and does not point at any
text. Use other words than the passage where you can. Write the question alone, on one line.

Passage:
{passage}

Question:"""


@dataclass(frozen=True, slots=True)
class ModelQuestions:
    """One question a passage.

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

    def write(self, documents: Sequence[Document], corpus: Sequence[Document]) -> list[Written]:
        """Those that came back; a failed call or an empty answer gives none."""
        texts = [document.text[: self.characters] for document in documents]
        prompts = [_PROMPT.format(passage=text) for text in texts]
        check: Any = _usable
        said, _ = ask(self.llm, prompts, stage="questions", version=_VERSION, check=check)
        return [
            Written(document.id, _line(text))
            for document, text in zip(documents, said, strict=True)
            if text
        ]


def _line(text: str) -> str:
    return text.strip().split("\n")[0].strip().strip('"')


def _usable(prompt: str, answer: str) -> str:
    """A model may ask again for what cannot be searched for; copying is judged later, with it."""
    return "" if _line(answer) and fault(_line(answer), "") == "" else "it is no question"
