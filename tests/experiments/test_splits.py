"""Two halves drawn at random that share no question: the same for a seed, shared out by stratum."""

from __future__ import annotations

import json
import random

import pytest

from experiments.schema import Query, Turn
from experiments.splits import RandomSplit
from tests.experiments.distinct_queries import dataset, distinct


def of_two_sources(n):
    """Every fifth query comes from mmlu, the others from arc."""
    return [
        Query(query.id, query.text, tags={"source": "arc" if row % 5 else "mmlu"})
        for row, query in enumerate(distinct(n))
    ]


def test_the_draw_depends_on_the_seed_and_not_on_the_order():
    queries = distinct(100)
    shuffled = random.Random(1).sample(queries, 100)
    split = RandomSplit().divide(dataset(queries))
    assert split == RandomSplit().divide(dataset(shuffled))
    assert split.public != RandomSplit(seed=1).divide(dataset(queries)).public
    assert set(split.public) | set(split.private) == {query.id for query in queries}
    assert not set(split.public) & set(split.private)


@pytest.mark.parametrize(("fraction", "size"), [(0.5, 50), (0.2, 20), (0.9, 90)])
def test_the_public_share_is_what_was_asked(fraction, size):
    assert len(RandomSplit(fraction=fraction).divide(dataset(distinct(100))).public) == size


@pytest.mark.parametrize("fraction", [0, 1, -0.5, 50, float("nan"), "half", None])
def test_an_impossible_share_is_refused(fraction):
    with pytest.raises(ValueError, match="between 0 and 1"):
        RandomSplit(fraction=fraction).divide(dataset(distinct(4)))


def test_every_stratum_is_shared_out():
    queries = of_two_sources(100)
    public = RandomSplit(stratify=("source",)).divide(dataset(queries)).public
    assert sum(query.tags["source"] == "mmlu" for query in queries if query.id in public) == 10


def test_turns_are_counted_where_no_tag_says_them():
    history = (Turn("user", "hello"), Turn("assistant", "yes?"))
    queries = [
        Query(query.id, query.text, history if row < 20 else ())
        for row, query in enumerate(distinct(60))
    ]
    public = RandomSplit().divide(dataset(queries)).public
    assert sum(bool(query.history) for query in queries if query.id in public) == 10


def test_a_tag_that_nobody_has_is_said():
    notes = RandomSplit(stratify=("colour",)).divide(dataset(distinct(10))).notes
    assert 'No query has the tag "colour"' in notes[0]


def test_one_tag_may_stand_without_a_list():
    asked = dataset(of_two_sources(60))
    wanted = RandomSplit(stratify=["source"]).divide(asked)
    assert RandomSplit(stratify="source").divide(asked) == wanted
    assert wanted.notes == ()
    assert RandomSplit(stratify=None).divide(asked).notes == ()


def test_a_nested_private_half_holds_the_public_one_and_says_what_is_held_out(tmp_path):
    asked = dataset(distinct(10))
    drawn, apart = RandomSplit(nested=True).divide(asked), RandomSplit().divide(asked)
    assert drawn.public == apart.public
    assert drawn.private == drawn.everyone
    assert drawn.held_out == apart.private
    assert drawn.labels(["q0000", "x"]) == apart.labels(["q0000", "x"])
    assert "5 queries are public and private" in drawn.notes[0]


def test_a_sealed_split_shows_the_public_half_alone():
    split = RandomSplit(sealed=True).divide(dataset(distinct(10)))
    assert split.sealed
    assert split.shown == ("public",)
    opened = RandomSplit().divide(dataset(distinct(10)))
    assert opened.shown == ("all", "public", "private")
    assert opened.of("all") == tuple(query.id for query in distinct(10))
    with pytest.raises(ValueError, match="choose all, public, private"):
        opened.of("test")


def test_on_cranfield_shared_gold_would_hold_most_queries(real_data):
    lines = (real_data / "cranfield" / "topics.tsv").read_text().split("\n")
    queries = [Query(*line.split("\t")[:2]) for line in lines if line]
    qrels = {}
    for line in (real_data / "cranfield" / "qrels.txt").read_text().split("\n"):
        if line:
            query, _, document, grade = line.split()
            qrels.setdefault(query, {})[document] = int(grade)
    split = RandomSplit().divide(dataset(queries, qrels))
    assert (len(split.public), len(split.private)) in {(112, 113), (113, 112)}
    assert len(split.notes) == 1
    assert "171, " in split.notes[0]
    assert "of 225 queries" in split.notes[0]


def test_the_competitions_messages_split_in_halves_of_110(real_data):
    queries = []
    for line in (real_data / "science_qa_ko" / "eval.jsonl").read_text().split("\n"):
        if line:
            message = json.loads(line)
            *earlier, last = [Turn(turn["role"], turn["content"]) for turn in message["msg"]]
            queries.append(Query(str(message["eval_id"]), last.text, tuple(earlier)))
    split = RandomSplit().divide(dataset(queries))
    assert (len(split.public), len(split.private)) == (110, 110)
