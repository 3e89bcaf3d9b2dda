"""A judge whose verdicts are a rule: a statement holds where all its words stand in the context."""

import json

from generation.limits import Limits
from generation.llm import StoredLLM
from generation.retry import Retry


def _held(statement, context):
    return int(set(statement.casefold().split()) <= set(context.casefold().split()))


def _sentences(text):
    return [part.strip() for part in text.split(". ") if part.strip()]


def answer(prompt):
    """The JSON that ragas asks for, by the kind of its prompt."""
    if "TRANSLATOR" in prompt:
        statements = json.loads(prompt.partition("Statements to translate:\n")[2])
        return json.dumps({"statements": [f"번역 {one}" for one in statements]})
    given = json.loads(prompt.rpartition("\ninput: ")[2].rpartition("Output:")[0])
    if '"title": "StatementGeneratorOutput"' in prompt:
        said = {"statements": _sentences(given["answer"])}
    elif '"title": "ClaimDecompositionOutput"' in prompt:
        said = {"claims": _sentences(given["response"])}
    elif '"title": "NLIStatementOutput"' in prompt:
        said = {"statements": [_verdict(one, given["context"]) for one in given["statements"]]}
    elif '"title": "ContextRecallOutput"' in prompt:
        parts = [_verdict(one, given["context"]) for one in _sentences(given["answer"])]
        said = {"classifications": [{**one, "attributed": one["verdict"]} for one in parts]}
    elif '"title": "ContextPrecisionOutput"' in prompt:
        said = {"reason": "rule", "verdict": _held(given["answer"], given["context"])}
    else:
        said = {"question": f"What of {given['response']}?", "noncommittal": 0}
    return f"Here it is:\n```json\n{json.dumps(said, ensure_ascii=False)}\n```"


def _verdict(statement, context):
    return {"statement": statement, "reason": "rule", "verdict": _held(statement, context)}


def layer(model, store, *, attempts=4, **options):
    return StoredLLM(
        llm=model,
        store=store,
        limits=Limits(concurrency=4, timeout=20.0),
        retry=Retry(attempts=attempts, first_wait=0.001),
        **options,
    )
