"""Near duplicates by MinHash, held to all pairs compared one by one."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunk_quality import minhash
from chunk_quality.minhash import jaccard, similar_groups

WORDS = "열 빛 물 소리 전기 자석 heat light wave force 원자 분자 세포 energy mass".split()


def sentence(draw, words=40):
    return " ".join(draw.choice(WORDS) + str(draw.randrange(50)) for _ in range(words))


def edited(draw, text, edits):
    letters = list(text)
    for place in draw.sample(range(len(letters)), edits):
        letters[place] = draw.choice("가나다라abcd")
    return "".join(letters)


def families(seed, count=60, size=5):
    """Texts with up to 30 letters changed: some near each other, some at the edge, most apart."""
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        first = sentence(draw)
        texts += [first, *(edited(draw, first, draw.randrange(1, 30)) for _ in range(size - 1))]
    draw.shuffle(texts)
    return list(dict.fromkeys(texts))


def as_sets(texts, labels):
    groups = {}
    for text, label in zip(texts, labels.tolist(), strict=True):
        groups.setdefault(label, set()).add(text)
    return {frozenset(group) for group in groups.values()}


def by_brute_force(texts, threshold, shingle):
    runs = [{t[i : i + shingle] for i in range(max(1, len(t) - shingle + 1))} for t in texts]
    label = list(range(len(texts)))
    for one, other in combinations(range(len(texts)), 2):
        if len(runs[one] & runs[other]) / len(runs[one] | runs[other]) >= threshold:
            old, kept = label[other], label[one]
            label = [kept if each == old else each for each in label]
    return as_sets(texts, np.array(label))


@pytest.mark.parametrize(
    ("threshold", "shingle"), [(0.2, 9), (0.5, 5), (0.7, 3), (0.8, 5), (0.9, 5), (1.0, 4)]
)
def test_the_groups_are_those_of_all_pairs_compared(threshold, shingle):
    texts = families(seed=3)
    wanted = by_brute_force(texts, threshold, shingle)
    assert 1 < len(wanted) <= len(texts)
    assert as_sets(texts, similar_groups(texts, threshold, shingle=shingle)) == wanted


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_the_corpus_changes_no_group(seed):
    texts = families(seed=5, count=20)
    turned = random.Random(seed).sample(texts, len(texts))
    assert as_sets(texts, similar_groups(texts, 0.8)) == as_sets(
        turned, similar_groups(turned, 0.8)
    )


def test_the_same_seed_gives_the_same_labels():
    texts = families(seed=7, count=10)
    assert np.array_equal(similar_groups(texts, 0.8, seed=4), similar_groups(texts, 0.8, seed=4))


def test_a_crowd_larger_than_the_window_is_one_group():
    draw = random.Random(1)
    first = sentence(draw, words=60)
    texts = list(dict.fromkeys(edited(draw, first, 4) for _ in range(3 * minhash.WINDOW)))
    assert len(set(similar_groups(texts, 0.8).tolist())) == 1


def test_a_pair_to_keep_apart_meets_only_through_a_third():
    text = sentence(random.Random(2))
    texts = [text, text + "!", text + "?"]

    def apart(left, right):
        return left + right == 1  # the first two

    assert len(set(similar_groups(texts, 0.8, apart=apart).tolist())) == 1
    alone = similar_groups(texts[:2], 0.8, apart=apart)
    assert alone[0] != alone[1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), unique=True, max_size=12), st.integers(1, 6))
def test_any_texts_give_the_groups_of_brute_force(texts, shingle):
    labels = similar_groups(texts, 0.6, shingle=shingle)
    assert as_sets(texts, labels) == by_brute_force(texts, 0.6, shingle)


def test_minima_agree_as_often_as_texts_share_runs():
    draw = random.Random(9)
    pairs = [(one, edited(draw, one, 12)) for one in (sentence(draw) for _ in range(200))]
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    sketches = [minhash._sketched(texts, 5, 0) for texts in (left, right)]
    agreed = (sketches[0].minima == sketches[1].minima).mean(axis=1)
    true = np.array([jaccard(one, other, 5) for one, other in pairs])
    assert abs((agreed - true).mean()) < 0.01
    expected = np.sqrt((true * (1 - true) / minhash.HASHES).mean())
    assert (agreed - true).std() < 1.2 * expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("가나ab ", max_size=30), unique=True, min_size=2, max_size=8))
def test_no_pair_at_the_threshold_is_ruled_out(texts):
    sketches = minhash._sketched(texts, 3, 0)
    for one, other in combinations(range(len(texts)), 2):
        true = jaccard(texts[one], texts[other], 3)
        if true >= 0.2:
            assert sketches.may_reach(true, np.array([one]), np.array([other]))[0]


def test_a_crowd_that_shares_a_template_but_is_not_alike_is_ruled_out():
    draw = random.Random(4)
    template = sentence(draw, words=30)
    texts = [template + sentence(draw, words=6) for _ in range(300)]
    left, right = np.triu_indices(len(texts), k=1)
    assert minhash._sketched(texts, 5, 0).may_reach(0.8, left, right).mean() < 0.01
    groups = as_sets(texts, similar_groups(texts, 0.8))
    assert 290 < len(groups) <= 300
    assert groups == by_brute_force(texts, 0.8, 5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threshold": 0.1}, "threshold is 0.1"),
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"threshold": 0.8, "shingle": 0}, "shingle is 0"),
    ],
)
def test_an_impossible_option_is_named(options, said):
    with pytest.raises(ValueError, match=said):
        similar_groups(["가", "나"], **options)
