"""Answers that say there is no answer."""

from __future__ import annotations

import re

from retrievers.analyzers import clean

_ENGLISH = (
    r"do(?:es)? not (?:answer|contain|mention|provide|say|specify)",
    r"(?:can|could)(?:not|n't| not) (?:answer|find|determine|be (?:found|determined|answered))",
    r"(?:i )?(?:do not|don't) know\b",
    r"no (?:answer|information|relevant passage)",
    r"not enough information",
    r"unable to (?:answer|find|determine)",
    r"^unanswerable\b",
)
_KOREAN = (
    r"답(?:할|변할|을 할) 수 없",
    r"알 수 없",
    r"찾을 수 없",
    r"모르겠",
    r"(?:정보|내용|근거|답)(?:가|이|은|는)? ?(?:없|부족)",
    r"언급(?:되어 있지|되지|하지) 않",
)
_REFUSES = re.compile("|".join((*_ENGLISH, *_KOREAN)))


def refuses(answer: str) -> bool:
    """Whether an answer says, in English or Korean, that it has none: by its usual wordings.

    An empty answer refuses too. A wording that is not listed is taken for an answer, so a share of
    refusals is a lower bound.
    """
    text = " ".join(clean(answer).replace("’", "'").split())
    return not text or bool(_REFUSES.search(text))
