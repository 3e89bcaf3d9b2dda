"""Two halves that share no question, the same for a seed whatever the order of the file."""

import json
import random
import time

import pytest

from experiments.query_groups import kept_together, near_duplicates
from experiments.schema import Dataset, Document, Query, Span, Turn
from experiments.splits import FileSplit, RandomSplit

WORDS = ["light", "wave", "atom", "cell", "gene", "force", "field", "heat", "orbit", "acid", "tide"]


def dataset(queries, qrels=None, spans=None):
    return Dataset("set", [], queries, qrels, "fingerprint", spans)


def distinct(n, **tags):
    draw = random.Random(0)
    return [
        Query(f"q{row:04}", f"{row} " + " ".join(draw.choices(WORDS, k=8)), tags=tags)
        for row in range(n)
    ]


def grouped(groups):
    return sorted(rows for rows in groups if len(rows) > 1)


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


def test_every_stratum_is_shared_out():
    queries = [
        Query(query.id, query.text, tags={"source": "arc" if row % 5 else "mmlu"})
        for row, query in enumerate(distinct(100))
    ]
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
    queries = [
        Query(query.id, query.text, tags={"source": "arc" if row % 5 else "mmlu"})
        for row, query in enumerate(distinct(60))
    ]
    wanted = RandomSplit(stratify=["source"]).divide(dataset(queries))
    assert RandomSplit(stratify="source").divide(dataset(queries)) == wanted
    assert wanted.notes == ()
    assert RandomSplit(stratify=None).divide(dataset(queries)).notes == ()


def test_equal_and_nearly_equal_questions_stay_together():
    queries = [
        Query("a", "What keeps the planets in their orbits around the sun?"),
        Query("b", "what keeps  the planets in their orbits around the Sun ?"),
        Query("c", "What keeps the planets in their orbit around the sun?"),
        Query("d", "What keeps the electrons near the nucleus of an atom?"),
        Query("e", "달의 중력이 밀물과 썰물을 일으키는 까닭은 무엇인가요?"),
        Query("f", "달의 중력이 밀물과 썰물을 일으키는 까닭은 무엇인가?"),
    ]
    assert grouped(near_duplicates(queries).members()) == [[0, 1, 2], [4, 5]]
    for seed in range(20):
        split = RandomSplit(seed=seed).divide(dataset(queries))
        sides = [query.id in split.public for query in queries]
        assert sides[0] == sides[1] == sides[2]
        assert sides[4] == sides[5]


def test_the_same_last_turn_after_another_history_is_another_question():
    after = [(Turn("user", text), Turn("assistant", "Yes.")) for text in ("Is iron heavy?", "물?")]
    queries = [Query(str(row), "Why is that so?", history) for row, history in enumerate(after)]
    assert grouped(near_duplicates(queries).members()) == []


def test_near_duplicates_are_those_of_the_plain_definition():
    draw = random.Random(3)
    stems = [draw.choices(WORDS, k=6) for _ in range(15)]
    queries = [
        Query(str(row), " ".join(draw.sample(words, 6) if row % 2 else words[: 4 + row % 3]))
        for row, words in enumerate(stems * 6)
    ]

    def grams(query):
        text = f" {query.text} "
        return {text[place : place + 3] for place in range(len(text) - 2)}

    expected = {row: {row} for row in range(len(queries))}
    for left in range(len(queries)):
        for right in range(left):
            a, b = grams(queries[left]), grams(queries[right])
            if len(a & b) >= 0.8 * len(a | b):
                merged = expected[left] | expected[right]
                expected.update((row, merged) for row in merged)
    assert any(len(rows) > 1 for rows in expected.values())
    wanted = sorted({tuple(sorted(rows)) for rows in expected.values()})
    assert sorted(map(tuple, near_duplicates(queries).members())) == wanted


@pytest.mark.slow
def test_ten_thousand_queries_are_grouped_in_seconds():
    draw = random.Random(0)
    queries = [Query(str(row), " ".join(draw.choices(WORDS, k=12))) for row in range(10_000)]
    start = time.perf_counter()
    near_duplicates(queries)
    assert time.perf_counter() - start < 20


def test_queries_that_share_gold_stay_together_while_groups_are_small():
    queries = distinct(40)
    shared = {"q0003": {"d": 1}, "q0004": {"d": 2, "e": 1}, "q0017": {"e": 1}, "q0018": {"e": 0}}
    groups, notes = kept_together(queries, dataset(queries, shared))
    assert grouped(groups) == [[3, 4, 17]]
    assert notes == ()


def test_too_large_a_group_of_shared_gold_is_given_up_and_said():
    queries = distinct(40)
    groups, notes = kept_together(queries, dataset(queries, {q.id: {"d": 1} for q in queries[:9]}))
    assert grouped(groups) == []
    assert "9 of 40 queries" in notes[0]


def test_queries_whose_gold_documents_are_copies_stay_together():
    queries = distinct(40)
    texts = {"a": "Water boils.", "b": "water  boils.", "c": "Ice melts."}
    qrels = {"q0001": {"a": 1}, "q0002": {"b": 1}, "q0003": {"c": 1}, "q0004": {"c": 0}}
    corpus = [Document(name, text) for name, text in texts.items()]
    groups, _ = kept_together(queries, Dataset("d", corpus, queries, qrels, "f" * 64))
    assert grouped(groups) == [[1, 2]]


def test_queries_whose_gold_spans_overlap_stay_together():
    queries = distinct(40)
    spans = {
        "q0001": [Span("d", 0, 50)],
        "q0002": [Span("d", 40, 60), Span("d", 90, 95)],
        "q0003": [Span("d", 60, 80)],
        "q0004": [Span("e", 0, 50)],
    }
    groups, _ = kept_together(queries, dataset(queries, None, spans))
    assert grouped(groups) == [[1, 2]]


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


def test_a_sealed_split_shows_the_public_half_alone():
    split = RandomSplit(sealed=True).divide(dataset(distinct(10)))
    assert split.sealed
    assert split.shown == ("public",)
    opened = RandomSplit().divide(dataset(distinct(10)))
    assert opened.shown == ("all", "public", "private")
    assert opened.of("all") == tuple(query.id for query in distinct(10))
    with pytest.raises(ValueError, match="choose all, public, private"):
        opened.of("test")


@pytest.mark.parametrize("fraction", [0, 1, -0.5, 50, float("nan"), "half", None])
def test_an_impossible_share_is_refused(fraction):
    with pytest.raises(ValueError, match="between 0 and 1"):
        RandomSplit(fraction=fraction).divide(dataset(distinct(4)))


def written(tmp_path, text):
    path = tmp_path / "split.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return FileSplit(str(path))


@pytest.mark.parametrize(
    "text",
    [
        "q0000\nq0002\n",
        "\ufeffq0002\r\nq0000\r\n\r\n",
        "q0000\tpublic\nq0001\tprivate\nq0002\tpublic\n",
    ],
    ids=["list", "BOM and CRLF", "columns"],
)
def test_a_file_names_the_sides(tmp_path, text):
    split = written(tmp_path, text).divide(dataset(distinct(3)))
    assert (split.public, split.private) == (("q0000", "q0002"), ("q0001",))
    assert split.notes == ()


def test_a_query_left_out_of_both_columns_is_on_neither_side(tmp_path):
    split = written(tmp_path, "q0000\tpublic\nq0001\tprivate\n").divide(dataset(distinct(3)))
    assert split.private == ("q0001",)
    assert split.neither == ("q0002",)
    assert "1 queries are on neither side" in split.notes[0]


def test_a_file_that_tears_a_pair_apart_is_said(tmp_path):
    twins = [Query("q1", "What is heat?"), Query("q2", "what is  heat?")]
    split = written(tmp_path, "q1\n").divide(dataset(twins))
    assert "nearly equal queries stand on both sides" in split.notes[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("q0000\nq0009\n", 'line 2: "q0009" is no query'),
        ("q0000\n\nq0000\n", 'line 3: query "q0000" stands here a second time'),
        ("q0000\tpublic\nq0001\n", "line 2: 1 columns, where the first line has 2"),
        (
            "q0000\tpublic\nq0001\ttest\n",
            'line 2: the side is "test": write public, private or both',
        ),
        ("q0000\tpublic\textra\n", "line 1: 3 columns"),
        ("", "is empty"),
        (b"\xff\xfeq", "line 1: UTF-8 is wanted"),
    ],
)
def test_a_malformed_line_is_one_sentence(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        written(tmp_path, text).divide(dataset(distinct(3)))


def test_a_nested_private_half_holds_the_public_one_and_says_what_is_held_out(tmp_path):
    asked = dataset(distinct(10))
    drawn, apart = RandomSplit(nested=True).divide(asked), RandomSplit().divide(asked)
    assert drawn.public == apart.public
    assert drawn.private == drawn.everyone
    assert drawn.held_out == apart.private
    assert drawn.labels(["q0000", "x"]) == apart.labels(["q0000", "x"])
    assert "5 queries are public and private" in drawn.notes[0]
    split = written(tmp_path, "q0000\tboth\nq0001\tprivate\n").divide(dataset(distinct(3)))
    assert (split.public, split.private) == (("q0000",), ("q0000", "q0001"))
    assert (split.held_out, split.neither) == (("q0001",), ("q0002",))


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        FileSplit(str(tmp_path / "none")).divide(dataset(distinct(3)))
