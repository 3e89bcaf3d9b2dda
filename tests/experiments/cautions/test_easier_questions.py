"""A validation set that copies the words of its passages is easier than one that does not."""

import numpy as np

from experiments.cautions.easier_questions import easier_questions, word_overlap
from experiments.schema import Dataset, Document, Query
from retrievers.analyzers import UnicodeAnalyzer

TERMS = UnicodeAnalyzer()
TEXTS = [f"planet number{n} turns around star{n} in year{n}" for n in range(40)]


def dataset(name, asked, labelled=True):
    corpus = [Document(f"d{n}", text) for n, text in enumerate(TEXTS)]
    queries = [Query(f"q{n}", text) for n, text in enumerate(asked)]
    qrels = {f"q{n}": {f"d{n}": 1} for n in range(len(asked))} if labelled else None
    return Dataset(name, corpus, queries, qrels, name * 8)


COPIED = [f"star{n} year{n}" for n in range(40)]
OWN = [f"star{n} how long does it take" for n in range(40)]


def test_the_share_is_of_distinct_words_in_the_gold_passage():
    one = dataset("a", ["star0 star0 moon", "star5", "?!", "moon"])
    assert np.allclose(word_overlap(one, TERMS, gold=True), [0.5, 0, np.nan, 0], equal_nan=True)
    assert np.allclose(word_overlap(one, TERMS, gold=False), [0.5, 1, np.nan, 0], equal_nan=True)


def test_copied_questions_are_said_to_be_easier_with_and_without_labels():
    for labelled in (True, False):
        said = easier_questions(dataset("tuned", COPIED), dataset("real", OWN, labelled), TERMS)
        assert "Questions of tuned share 100 %" in said
        assert "those of real 17 %" in said


def test_equal_and_harder_sets_are_not():
    assert easier_questions(dataset("a", COPIED), dataset("b", COPIED), TERMS) is None
    assert easier_questions(dataset("a", OWN), dataset("b", COPIED), TERMS) is None


def test_empty_sets_are_silent():
    nothing = Dataset("n", [], [], {}, "n")
    assert easier_questions(nothing, dataset("b", COPIED), TERMS) is None
    assert easier_questions(dataset("a", ["?", "…"]), dataset("b", COPIED), TERMS) is None
