"""What every layout shares: find the folder, read its files, check them against each other."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import ClassVar

from experiments import datasets
from experiments.datasets.checks import checked_qrels, fingerprint, only_labelled
from experiments.datasets.documents import Corpus
from experiments.datasets.paths import existing_folder, listing
from experiments.datasets.qrels import WHOLE, chosen_labels, read_labels
from experiments.datasets.queries import Questions
from experiments.provenance import provenance_notes, read_provenance
from experiments.schema import Dataset, Qrels, Query, Span, Target

Spans = Mapping[str, Sequence[Span]]


@dataclass(frozen=True, kw_only=True)
class Layout(ABC):
    """A folder of files in one layout; `load` reads it.

    path: the folder; a relative one starts at the current directory.
    labels: which label file to score with, by name ("train" is qrels/train.tsv or
        qrels.train.tsv); None takes the only one there is. A file called plainly "qrels" labels
        the whole set; any other name is a split, and queries it does not name are left out.
    name: the dataset's name; None takes the folder's.
    target: the folder of the questions that this set stands for, in the same layout; a run says
        when its own are much easier. None names none.

    A new layout is a module beside this one with a subclass; its module names the option
    `dataset=...`, and `files` are what the folder must hold.
    """

    path: str
    labels: str | None = None
    name: str | None = None
    target: str | None = None

    files: ClassVar[tuple[str, ...]]

    @abstractmethod
    def corpus_of(self, folder: Path, notes: list[str]) -> Corpus:
        """The documents."""

    @abstractmethod
    def questions_of(self, folder: Path, notes: list[str]) -> Questions:
        """The queries."""

    def spans_of(self, folder: Path, corpus: Corpus, notes: list[str]) -> Spans | None:
        """The gold spans of each query, for layouts that have them."""
        return None

    def target_folder(self, folder: Path) -> Path | None:
        """Where the questions lie that those in the folder stand for."""
        return None if self.target is None else existing_folder(self.target, "dataset.target")

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        """Whether the folder looks like this layout."""
        return all((folder / file).is_file() for file in cls.files)

    def load(self) -> Dataset:
        """The dataset. Raises ValueError: the sentence says which file and line to mend."""
        folder = existing_folder(self.path, "dataset.path")
        self._check_files(folder)
        notes: list[str] = []
        corpus = self.corpus_of(folder, notes)
        questions = self.questions_of(folder, notes)
        spans = self.spans_of(folder, corpus, notes)
        queries, qrels = self._labelled(folder, corpus, questions, notes)
        if spans is not None:
            spans = {query.id: spans.get(query.id, ()) for query in queries}
            qrels = _documents_of(spans) if qrels is None else qrels
        said = read_provenance(folder)
        notes += provenance_notes(said)
        if qrels is None:
            notes.append(f"No label file in {folder}: add qrels.tsv to get scores.")
        return Dataset(
            name=str(self.name or folder.resolve().name),
            corpus=corpus.documents,
            queries=queries,
            qrels=qrels,
            fingerprint=fingerprint(corpus.documents, queries, qrels, spans),
            spans=spans,
            notes=tuple(dict.fromkeys(notes)),
            corpus_fingerprint=fingerprint(corpus.documents, (), None, None),
            circular=tuple(map(str, said.get("circular", ()))),
            target=None if qrels is None else self._target(folder),
            pooled="runs" in said and qrels is not None,
            unjudged=frozenset(map(str, said.get("unjudged", ()))).difference(qrels or ()),
        )

    def _target(self, folder: Path) -> Target | None:
        above = self.target_folder(folder)
        if above is None:
            return None
        return Target(above.resolve().name, self.questions_of(above, []).queries)

    def _labelled(
        self, folder: Path, corpus: Corpus, questions: Questions, notes: list[str]
    ) -> tuple[tuple[Query, ...], Qrels | None]:
        """The queries that the chosen label file is about, and its labels."""
        chosen = chosen_labels(folder, self.labels)
        if chosen is None:
            return questions.queries, None
        split, file = chosen
        labels = read_labels(file, notes)
        qrels = checked_qrels(labels, corpus, questions, notes)
        if split == WHOLE:
            return questions.queries, qrels
        return only_labelled(questions, labels, file.name, notes), qrels

    def _check_files(self, folder: Path) -> None:
        missing = [file for file in self.files if not (folder / file).exists()]
        if not missing:
            return
        others = [name for name in recognised(folder) if name != layout_name(type(self))]
        held = listing(sorted(entry.name for entry in folder.iterdir()))
        use = f"; use dataset={' or dataset='.join(others)}" if others else ""
        raise ValueError(
            f"{folder} has no {missing[0]}, which dataset={layout_name(type(self))} reads; "
            f"it holds {held}{use}."
        )


def _documents_of(spans: Spans) -> Qrels:
    """A document is relevant to a query that has a gold span in it; without spans, no entry."""
    return {query: {span.document: 1 for span in gold} for query, gold in spans.items() if gold}


def layout_name(layout: type[Layout]) -> str:
    """The name of a layout: its module's, and that of its file in conf/dataset."""
    return layout.__module__.rpartition(".")[2]


def recognised(folder: Path) -> list[str]:
    """The names of the layouts that the folder looks like."""
    return [layout_name(layout) for layout in layouts() if layout.recognises(folder)]


def layouts() -> list[type[Layout]]:
    """Every layout of this folder, by module name."""
    names = sorted(module.name for module in iter_modules(datasets.__path__))
    modules = [import_module(f"{datasets.__name__}.{name}") for name in names]
    return [
        thing
        for module in modules
        for thing in vars(module).values()
        if inspect.isclass(thing)
        and issubclass(thing, Layout)
        and not inspect.isabstract(thing)
        and thing.__module__ == module.__name__
    ]
