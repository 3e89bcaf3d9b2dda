"""From a ranking to the exact bytes a model reads, with a manifest that makes them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from generation.evidence import Evidence, Excluded, Selection, select
from generation.slots import Layout

VERSION = "2"
"""Of the assembly: it changes when the same inputs would give other bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one prompt was made of.

    state_version: of whatever the run depends on beside dataset and index, as the caller names it.
    dataset, index: their fingerprints.  selected: the passages, in the order of the prompt.
    excluded: those left out, with the reason and the tokens they would have cost.
    context_hash: sha256 (hex) of the prompt's bytes (UTF-8).
    validation_profile: what the answer is to be checked by, as the caller names it.
    """

    task_id: str
    state_version: str
    dataset: str
    index: str
    selected: tuple[Evidence, ...]
    tokens: tuple[int, ...]
    excluded: tuple[Excluded, ...]
    texts: Mapping[str, str]
    layout: Mapping[str, Any]
    assembler_version: str
    context_hash: str
    validation_profile: str = ""

    def to_json(self) -> str:
        """As JSON, without the passages' texts, which the corpus has."""
        value = asdict(self)
        for one in value["selected"]:
            del one["text"]
        return json.dumps(value, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str, passages: Mapping[str, str]) -> Manifest:
        """Read it back. passages: node id -> text.

        Raises ValueError for a passage that is not there.
        """
        value = json.loads(text)
        missing = [one["id"] for one in value["selected"] if one["id"] not in passages]
        if missing:
            raise ValueError(
                f'The passage "{missing[0]}" of the manifest is not in the corpus: give the corpus '
                "that it was made from."
            )
        value["selected"] = tuple(
            Evidence(**one, text=passages[one["id"]]) for one in value["selected"]
        )
        value["excluded"] = tuple(Excluded(**one) for one in value["excluded"])
        value["tokens"] = tuple(value["tokens"])
        return cls(**value)

    def citations(self) -> dict[int, str]:
        """[i] of the prompt -> document id."""
        return {number: one.document for number, one in enumerate(self.selected, start=1)}


@dataclass(frozen=True, slots=True)
class Assembled:
    """One prompt with its manifest."""

    prompt: str
    manifest: Manifest


@dataclass(frozen=True, kw_only=True)
class ContextAssembler:
    """Chooses passages by rank within a budget, and writes them into the slots of a layout.

    budget: tokens of the passages together.  top_k: how many at most.
    texts: slot -> its fixed text, such as rules or the output instruction.
    """

    budget: int = 3000
    top_k: int = 10
    encoding: str = "o200k_base"
    texts: Mapping[str, str] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)

    def choose(self, ranked: Sequence[Evidence]) -> Selection:
        """What fits, by rank (see `select`)."""
        return select(ranked, budget=self.budget, top_k=self.top_k, encoding=self.encoding)

    def assemble(
        self,
        task_id: str,
        question: str,
        selection: Selection,
        *,
        order: Sequence[int] | None = None,
        provenance: Mapping[str, str] | None = None,
    ) -> Assembled:
        """The prompt of one question.

        order: places in `selection.chosen` as the model is to read them; None is by rank.
        provenance: state_version, dataset, index and validation_profile of the manifest.
        Raises ValueError: an order that is no permutation, or a required slot without a text.
        """
        places = range(len(selection.chosen)) if order is None else order
        if sorted(places) != list(range(len(selection.chosen))):
            raise ValueError(
                f"The order {list(places)} is no permutation of {len(selection.chosen)} passages."
            )
        shown = tuple(selection.chosen[place] for place in places)
        texts = {**self.texts, "question": question}
        prompt = self.layout.render(texts, shown)
        known = {"state_version": "", "dataset": "", "index": "", **(provenance or {})}
        manifest = Manifest(
            task_id=task_id,
            selected=shown,
            tokens=tuple(selection.tokens[place] for place in places),
            excluded=selection.excluded,
            texts=texts,
            layout=_plain(self.layout),
            assembler_version=VERSION,
            context_hash=context_hash(prompt),
            **known,
        )
        return Assembled(prompt, manifest)


def reassemble(manifest: Manifest) -> str:
    """The prompt of a manifest, byte for byte.

    Raises ValueError where its hash differs: a passage or the assembler has changed since.
    """
    if manifest.assembler_version != VERSION:
        raise ValueError(
            f"The manifest of {manifest.task_id} is of assembler version "
            f"{manifest.assembler_version} and this is {VERSION}: use the release it was made with."
        )
    prompt = Layout(**manifest.layout).render(manifest.texts, manifest.selected)
    if context_hash(prompt) != manifest.context_hash:
        raise ValueError(
            f"The prompt of {manifest.task_id} is no longer what its manifest was made of: a "
            "passage has changed since."
        )
    return prompt


def context_hash(prompt: str) -> str:
    """sha256 (hex) of the bytes that a model is sent."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(layout: Layout) -> dict[str, Any]:
    value = asdict(layout)
    return {name: list(item) if isinstance(item, tuple) else item for name, item in value.items()}
