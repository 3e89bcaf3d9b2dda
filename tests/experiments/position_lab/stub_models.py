"""Models with a known effect of position: answers are right by a coin that the prompt throws."""

import hashlib
import re

from generation.prompt_reading import read_prompt
from tests.generation.stub_llm import StubLLM

WRONG = "no idea at all"


def coin(text):
    """A number in [0, 1) that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) / 16**12


def key_value_model(rate, *, salt="", **options):
    """Right with the chance rate(share of the way, 0 to 1)."""

    def answer(prompt):
        read = read_prompt(prompt)
        values = []
        for key in re.findall(r'"([^"]+)"', read.question):
            place, text = next((n, t) for n, t in read.passages.items() if f'"{key}":' in t)
            way = (place - 1) / max(len(read.passages) - 1, 1)
            right = coin(salt + prompt + key) < rate(way)
            values.append(text.split('": "')[1].rstrip('"') if right else WRONG)
        return " and ".join(values)

    return StubLLM(answer, **options)


def u_curve(way):
    """0.9 at both ends and 0.5 in the middle."""
    return 0.5 + 1.6 * (way - 0.5) ** 2


def flat(way):
    """0.7 everywhere."""
    return 0.7
