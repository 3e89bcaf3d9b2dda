"""One clear word is a verdict; a word that is denied, or one among others, decides nothing."""

import pytest

from retrievers.verdicts import verdict

CHAT = {"chat": True, "잡담": True, "search": False, "검색": False}
FAULTY = {"error": True, "오류": True, "sound": False, "정상": False}


@pytest.mark.parametrize(
    ("answer", "chat"),
    [
        ("SEARCH", False),
        ("CHAT", True),
        ("**chat**.", True),
        ("검색", False),
        ("'잡담'입니다.", True),
        ('{"verdict": "CHAT"}', True),
        ("Answer: CHAT", True),
        ("답: 잡담", True),
        ("CHAT. There is nothing to look up.", True),
        ("It is a greeting, not a question.\n\n**CHAT**", True),
        ("I would call that chat", True),
        ("잡담\n찾을 것이 없습니다.", True),
        ("", None),
        ("It could be search or chat.", None),
        ("I cannot tell.", None),
        ("chatter", None),
        ('{"verdict": "CH', None),
        ("This is not chat.", None),
        ("It isn't small chat", None),
        ("잡담이 아닙니다.", None),
    ],
)
def test_a_gates_word(answer, chat):
    assert verdict(answer, CHAT) is chat


@pytest.mark.parametrize(
    ("answer", "faulty"),
    [
        ("ERROR", True),
        ("ERROR. Water does not boil at 50 degrees.", True),
        ("오류", True),
        ("오류 있음", True),
        ("잘못된 설명이 있어 오류", True),
        ("정상입니다.", False),
        ("Sound.", False),
        ("The passage is sound", False),
        ("No error", None),
        ("There is no scientific error in this passage.", None),
        ("Is there an error? No.", None),
        ("error-free", None),
        ("오류 없음", None),
        ("오류: 없음", None),
        ("오류가 없습니다.", None),
        ("정상이 아닙니다.", None),
        ("errors?", None),
        ("", None),
    ],
)
def test_a_filters_word(answer, faulty):
    assert verdict(answer, FAULTY) is faulty
