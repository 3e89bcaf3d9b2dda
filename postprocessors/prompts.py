"""What a model is asked about passages: in Korean where the query is Korean, else in English.

`VERSION` is part of what an answer is stored under: it changes with what the texts mean.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrievers.asking import sendable
from retrievers.language import Prompt

VERSION = "1"
STAND_IN = ", or the stand-in llm=lexical"
"""What a part here can do with, where there is no model."""

LISTWISE = Prompt(
    korean="아래 지문 가운데 질문에 답하는 데 가장 알맞은 것 {count}개를 고르세요. 가장 알맞은 "
    "것부터 번호만 쉼표로 나누어 쓰고, 다른 말은 쓰지 마세요.\n\n질문: {query}\n\n{passages}\n\n"
    "번호:",
    english="Choose the {count} passages that answer the question best. Write their numbers alone, "
    "the best one first, with commas between them, and nothing else.\n\n"
    "Question: {query}\n\n{passages}\n\nNumbers:",
)
POINTWISE = Prompt(
    korean="지문이 질문에 답하는 데 얼마나 알맞은지 0(관계없음)부터 10(완전한 답)까지의 정수로 "
    '매기고 {"score": 정수} 꼴로만 쓰세요.\n\n질문: {query}\n\n지문: {passage}\n\n답:',
    english="How well does the passage answer the question? Give a whole number from 0 (unrelated) "
    'to 10 (a full answer), as {"score": number} and nothing else.\n\n'
    "Question: {query}\n\nPassage: {passage}\n\nAnswer:",
)
LOGIC = Prompt(
    korean="지문에 과학적 오류나 논리적 모순이 있으면 '오류', 없으면 '정상'이라고만 쓰세요. "
    "확실하지 않으면 '정상'이라고 쓰세요.\n\n지문: {passage}\n\n답:",
    english="Does the passage contain a scientific error or a contradiction? Answer ERROR if it "
    "does and SOUND if it does not. When in doubt, answer SOUND. Answer with that one word.\n\n"
    "Passage: {passage}\n\nAnswer:",
)


def numbered(passages: Sequence[str]) -> str:
    """The passages one below the other, counted from 1."""
    return "\n\n".join(f"[{place}] {text}" for place, text in enumerate(passages, start=1))


def readable(text: str, limit: int) -> str:
    """The first `limit` characters as a server can take them, each run of white space one blank."""
    return " ".join(sendable(text).split())[:limit]
