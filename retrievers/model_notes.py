"""Notes that a model writes: the whole document first, so that a provider's prompt cache serves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from llama_index.core.llms import LLM

from retrievers.asking import ask, given
from retrievers.contextual import Excerpt
from retrievers.language import filled, is_korean
from retrievers.prompts import unusable
from retrievers.tokens import tokens_of

VERSION = "1"
ENCODING = "o200k_base"
_LABEL = re.compile(r"^\W*(?:context|note|맥락|설명|노트)\W*[:：]\W*", re.IGNORECASE)

_KOREAN = (
    "아래는 한 문서의 글입니다.\n{title}<문서>\n{document}\n</문서>\n\n",
    "제목: ",
    "다음은 이 문서를 나눈 {total}개 조각 가운데 {place}번째입니다.\n<조각>\n{text}\n</조각>\n\n"
    "이 조각만 따로 찾은 사람도 무엇을 다루는지 알 수 있도록, 문서에서 어떤 대상의 어떤 부분을 "
    "다루는 조각인지 50~100토큰의 한국어 문장으로 쓰세요. 조각이 대명사로 부르거나 생략한 이름, "
    "주제, 때를 문서에서 찾아 밝히고, 조각의 내용을 되풀이하지 마세요. 그 문장만 쓰세요.",
)
_ENGLISH = (
    "Here is the text of a document.\n{title}<document>\n{document}\n</document>\n\n",
    "Title: ",
    "This is part {place} of {total} of that document.\n<part>\n{text}\n</part>\n\n"
    "Someone will come across this part alone. In 50 to 100 tokens, say what it belongs to: which "
    "document, which subject, which section or time. Name what the part only points at with "
    "pronouns or leaves out, and do not repeat what it says. Write in the language of the "
    "document, and nothing but this note.",
)


class ModelNotes:
    """Asks a model for a note of 50 to 100 tokens on each chunk, one document after the other.

    The prompts of a document begin alike and follow one another: providers that cache prefixes
    charge the document in full about once, with as many calls at once as `llm.limits` allows.
    llm: any LlamaIndex model.  A document with more Hangul than Latin letters gets Korean prompts.
    document_tokens: what a prompt may hold of the document, in tokens of o200k_base; a longer one
        is shown in stretches of whole chunks, each chunk in its own.
    A failed call, an empty or endless answer and one in the wrong language give no note; all count
    under the stage "enrich".
    """

    def __init__(self, llm: LLM, *, document_tokens: int = 6000) -> None:
        if document_tokens < 1:
            raise ValueError(f"enrich got document_tokens={document_tokens}: give 1 or more.")
        self.llm = given(llm, "enrich=contextual", ", or choose enrich=contextual_offline")
        self.document_tokens = document_tokens

    def write(self, excerpts: Sequence[Excerpt]) -> list[str | None]:
        """One note a chunk, None where the model gave none."""
        prompts = [prompt for one in _by_document(excerpts) for prompt in self._prompts(one)]
        said, _ = ask(self.llm, prompts, stage="enrich", version=VERSION, check=_unusable)
        return [None if text is None else _one_line(text) for text in said]

    def _prompts(self, excerpts: Sequence[Excerpt]) -> Iterator[str]:
        first = excerpts[0]
        opening, label, asked = _KOREAN if is_korean(first.document) else _ENGLISH
        title = f"{label}{first.title}\n" if first.title else ""
        for begin, end, members in _stretches(excerpts, self.document_tokens):
            document = first.document[begin:end].strip()
            shared = filled(opening, title=title, document=document)
            for one in members:
                yield shared + filled(
                    asked, place=str(one.place), total=str(one.total), text=one.text.strip()
                )


def _stretches(
    excerpts: Sequence[Excerpt], limit: int
) -> Iterator[tuple[int, int, Sequence[Excerpt]]]:
    """Characters [begin, end) of a document, with the chunks that are asked about beside them."""
    document = excerpts[0].document
    if len(tokens_of(ENCODING, document)) <= limit:
        yield 0, len(document), excerpts
        return
    members: list[Excerpt] = []
    used = 0
    for one in excerpts:
        cost = len(tokens_of(ENCODING, one.text))
        if members and used + cost > limit:
            yield members[0].start, _end(members), members
            members, used = [], 0
        members.append(one)
        used += cost
    yield members[0].start, _end(members), members


def _end(members: Sequence[Excerpt]) -> int:
    return max(one.start + len(one.text) for one in members)


def _by_document(excerpts: Sequence[Excerpt]) -> Iterator[list[Excerpt]]:
    """Runs of chunks of one document; `place` starts again at each."""
    numbered = enumerate(excerpts)
    for _, group in groupby(numbered, key=lambda pair: pair[0] - pair[1].place):
        yield [one for _, one in group]


def _unusable(prompt: str, answer: str) -> str:
    return unusable(prompt, answer) if answer.strip() else "it is empty"


def _one_line(text: str) -> str:
    return _LABEL.sub("", " ".join(text.split()))
