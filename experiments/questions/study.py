"""`+experiment=write_questions`: a question set from the passages, with its generator's name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file
from experiments.console import say, terminal
from experiments.provenance import write_provenance
from experiments.questions.asked import ModelQuestions
from experiments.questions.cloze import Cloze
from experiments.questions.easiness import easiness
from experiments.questions.written import as_dataset, sampled
from experiments.schema import Dataset, Report

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.setting import Setting

EASY = "cloze questions copy their passage: they are easy, and fit for a smoke test alone"


@dataclass(frozen=True, kw_only=True)
class WriteQuestions:
    """Writes one question for each sampled passage, with the passage as gold.

    size: passages that are drawn.  llm: who writes; None blanks a word of a sentence instead.
    """

    setting: Setting
    size: int = 100
    seed: int = 0
    llm: Any = None

    def run(self) -> Report:
        """Write corpus.jsonl, queries.jsonl, qrels.tsv and provenance.json, as dataset=jsonl reads.

        Raises ValueError for an impossible size, and where no question is left.
        """
        if self.size < 1:
            raise ValueError(f"questions.size is {self.size}: draw 1 passage or more.")
        writer = Cloze() if self.llm is None else ModelQuestions(self.llm)
        dataset = self.setting.dataset.load()
        drawn = sampled(dataset.corpus, self.size, self.seed)
        questions, reasons = writer.write(drawn, dataset.corpus)
        if not questions:
            why = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
            raise ValueError(
                f"Of {len(drawn)} passages none gave a question: {why}. Draw more with "
                "questions.size=…, or choose another model with llm=…."
            )
        made = as_dataset(questions, dataset.corpus, "the written set")
        told = self.setting.split.divide(dataset).visible
        overlaps, caution = easiness(made, questions, dataset, told)
        folder = self.setting.open_folder("questions")
        _write_set(folder, made)
        page = {
            "generator": writer.name,
            "circular": [*writer.circular],
            "corpus": dataset.name,
            "corpus_fingerprint": dataset.corpus_fingerprint,
            "seed": self.seed,
            "passages": len(drawn),
            "questions": len(questions),
            "left_out": dict(reasons),
            "word_overlap": overlaps,
            "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_provenance(folder, page)
        self.setting.point_latest(folder)
        _show(folder, page, caution, offline=self.llm is None)
        return Report(folder=folder)


def _write_set(folder: Path, made: Dataset) -> None:
    corpus = [{"id": d.id, "title": d.title, "text": d.text} for d in made.corpus]
    queries = [
        {"id": one.id, "text": one.text, **({"answer": one.answer} if one.answer else {})}
        for one in made.queries
    ]
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        with atomic_file(folder / name) as part:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            part.write_bytes(text.encode("utf-8", "backslashreplace"))
    labels = [f"{q}\t{name}\t1\n" for q, gold in (made.qrels or {}).items() for name in gold]
    with atomic_file(folder / "qrels.tsv") as part:
        part.write_text("query-id\tcorpus-id\tscore\n" + "".join(labels), encoding="utf-8")


def _show(folder: Path, page: dict[str, Any], caution: str | None, *, offline: bool) -> None:
    out = terminal()
    say(
        out,
        f"{page['questions']} questions from {page['passages']} passages, by {page['generator']}.",
    )
    for reason, count in page["left_out"].items():
        say(out, f"Left out, because {reason}: {count}.")
    if offline:
        say(out, f"Note: {EASY}.")
    overlap = page["word_overlap"]
    if overlap["written"] is not None:
        said = f"{overlap['written']:.2f} of a question's words stand in its gold passage"
        real = overlap["real"]
        than = "" if real is None else f"; of the real questions it is {real:.2f}"
        say(out, f"{said}{than}. The more, the easier for retrieval by words.")
    if caution:
        say(out, f"Caution: {caution}")
    say(out, f"Search it with: dataset=jsonl dataset.path={folder}")
