"""Twenty rows of answers, in two languages, with what can go wrong."""

from dataclasses import replace

from experiments.rag.answer_rows import AnswerRow

_ENGLISH = [
    ("Paris is the capital of France.", "Paris is the capital of France."),
    ("The capital is Paris, a large city on the Seine.", "Paris is the capital of France."),
    ("I do not know.", "Water boils at 100 degrees at sea level."),
    ("Water boils at 100 degrees. It freezes at 0.", "Water boils at 100 degrees at sea level."),
    ("42", "42"),
    ("", "Something was expected here."),
    ("...", "?!"),
    ("running runners run", "the runner ran a run"),
]
_KOREAN = [
    ("서울은 대한민국의 수도이다.", "서울은 대한민국의 수도이다."),
    ("대한민국의 수도는 서울이다 [1].", "서울"),
    ("광합성은 빛으로 양분을 만든다", "빛을 써서 양분을 만드는 일이 광합성이다"),
    ("모르겠습니다.", "물은 100도에서 끓는다."),
]
_PASSAGES = (
    "Paris is the capital and the largest city of France.",
    "Berlin is the capital of Germany.",
    "서울은 대한민국의 수도이다.",
    "Water boils at 100 degrees at sea level.",
    "물은 100도에서 끓는다.",
)


def row(number, answer, reference, **changes):
    """Three passages in the order of the prompt, of which the last is the best of the ranking."""
    shown = [(number + step) % len(_PASSAGES) for step in range(3)]
    value = AnswerRow(
        id=f"q{number}",
        question="What is it? 무엇인가?",
        answer=answer,
        reference=reference,
        contexts=tuple(_PASSAGES[place] for place in shown),
        ranks=(1, 2, 0),
        context_ids=tuple(f"d{place}" for place in shown),
        reference_contexts=(_PASSAGES[number % 4], _PASSAGES[(number + 2) % 4][:-4]),
        reference_ids=(f"d{number % 4}", f"d{(number + 2) % 4}"),
    )
    return replace(value, **changes)


def twenty():
    """Rows that ragas itself can score, all of them."""
    pairs = (_ENGLISH + _KOREAN) * 2
    return [row(number, *pair) for number, pair in enumerate(pairs[:20])]
