"""What a model is asked about a message: a Korean prompt for Korean messages, else an English one.

`VERSION` is part of what an answer is stored under: it changes with what the texts mean.
"""

from __future__ import annotations

from retrievers.language import Prompt, same_language

VERSION = "1"
LONGEST = 4000
"""Characters of an answer that a part goes on with; a longer one is no answer to these prompts."""

STANDALONE = Prompt(
    korean="다음 대화의 마지막 발화를, 대화를 보지 않은 사람도 이해할 수 있는 질문 한 문장으로 "
    "고쳐 쓰세요. 지시어와 생략된 말은 대화에 나온 말로 바꾸고, 새로운 내용은 더하지 마세요. "
    "질문만 쓰세요.\n\n{message}\n\n질문:",
    english="Rewrite the last turn of this conversation as one question that can be understood "
    "without it. Replace pronouns and fill in what is left out with words of the conversation, "
    "and add nothing. Keep its language. Write the question alone.\n\n{message}\n\nQuestion:",
)
HYDE = Prompt(
    korean="다음 질문에 답하는 백과사전 문단을 서너 문장으로 쓰세요. 문단만 쓰세요.\n\n"
    "질문: {message}\n\n문단:",
    english="Write an encyclopedia passage of three or four sentences that answers the question, "
    "in the language of the question. Write the passage alone.\n\n"
    "Question: {message}\n\nPassage:",
)
MULTI_QUERY = Prompt(
    korean="다음 질문을 뜻은 같고 낱말은 다른 검색 질의 {count}개로 바꿔 쓰세요. 한 줄에 하나씩, "
    "질의만 쓰세요.\n\n질문: {message}\n\n질의:",
    english="Write {count} search queries that mean the same as this question in other words, in "
    "the language of the question. Write one a line and nothing else.\n\n"
    "Question: {message}\n\nQueries:",
)
DECOMPOSE = Prompt(
    korean="다음 질문에 답하려면 무엇을 알아야 하는지, 따로 찾을 수 있는 더 쉬운 질문으로 많아야 "
    "{count}개까지 나누세요. 한 줄에 하나씩, 질문만 쓰세요. 나눌 수 없으면 질문을 그대로 "
    "쓰세요.\n\n질문: {message}\n\n나눈 질문:",
    english="Split this question into at most {count} easier ones that can be looked up apart and "
    "that together answer it, in the language of the question. Write one a line and nothing else. "
    "If it cannot be split, repeat it.\n\nQuestion: {message}\n\nParts:",
)
GATE = Prompt(
    korean="다음 메시지에 답하려면 자료를 찾아야 합니까? 지식이나 사실을 묻거나 설명을 바라면 "
    "'검색', 인사나 감정 표현, 대화 상대에 대한 말처럼 찾을 것이 없으면 '잡담'이라고만 답하세요. "
    "확실하지 않으면 '검색'이라고 하세요.\n\n메시지: {message}\n\n답:",
    english="Does answering this message need a look at documents? Answer SEARCH where it asks for "
    "knowledge, facts or an explanation, and CHAT where there is nothing to look up: a greeting, a "
    "feeling, a word about you. When in doubt, answer SEARCH. Answer with that one word.\n\n"
    "Message: {message}\n\nAnswer:",
)


def unusable(prompt: str, answer: str) -> str:
    """Why an answer cannot be gone on with, one clause; "" where it can.

    It is in the language of its prompt, which the first line shows, and not of endless length.
    """
    if len(answer) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    return same_language(prompt.partition("\n")[0], answer)
