"""What holds for each format in conf/submission: what it writes is valid, and it is stable."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hydra.utils import instantiate
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.schema import Dataset, Document, Query
from experiments.submissions.base import Submission
from retrievers.ranking import Ranking

CONF = Path(__file__).parents[3] / "conf" / "submission"
FORMATS = sorted(path.stem for path in CONF.glob("*.yaml") if path.stem != "none")


def build(name: str, **options) -> Submission:
    return instantiate(yaml.safe_load((CONF / f"{name}.yaml").read_text()), **options)


TEXTS = st.text()
WORDS = st.text(min_size=1).filter(lambda text: text.split() == [text])
SCORES = st.floats() | st.just(0.0)


@st.composite
def runs(draw):
    """A dataset and a ranking over it: any texts and scores, blocked and unscored queries too."""
    documents = draw(st.lists(WORDS, min_size=1, max_size=6, unique=True))
    numbers = draw(st.lists(st.integers(0, 400), min_size=1, max_size=4, unique=True))
    lists = st.lists(st.sampled_from(documents), unique=True)
    results = {str(n): [(d, draw(SCORES)) for d in draw(lists)] for n in numbers}
    results[str(numbers[0])] = [(documents[0], draw(SCORES))]
    corpus = [Document(name, draw(TEXTS)) for name in documents]
    queries = [Query(str(number), draw(TEXTS)) for number in draw(st.permutations(numbers))]
    dataset = Dataset("drawn", corpus, queries, qrels=None, fingerprint="")
    return dataset, Ranking.from_lists(results)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None)
@given(run=runs(), k=st.integers(1, 5), answer=TEXTS)
def test_what_is_written_is_valid_and_the_same_each_time(tmp_path_factory, name, run, k, answer):
    dataset, ranking = run
    folder = tmp_path_factory.mktemp("submission")
    submission = build(name, k=k)
    answers = {dataset.queries[0].id: answer}
    submission.accepts(dataset)
    path = submission.write(folder, dataset, ranking, answers=answers)
    checked = submission.check(path, dataset)
    assert checked.problems == ()
    assert checked.ids == int(ranking.head(k).lengths().sum())
    first = path.read_bytes()
    assert submission.write(folder, dataset, ranking, answers=answers).read_bytes() == first


@pytest.mark.parametrize("name", FORMATS)
def test_korean_is_written_as_it_is(tmp_path, name):
    dataset = Dataset("one", [Document("문서", "물")], [Query("1", "물?")], None, "")
    path = build(name).write(tmp_path, dataset, Ranking.from_lists({"1": ["문서"]}))
    assert "문서" in path.read_bytes().decode()


@pytest.mark.parametrize("name", FORMATS)
def test_a_failing_check_leaves_the_old_file(tmp_path, name):
    dataset = Dataset("one", [Document("d", "t")], [Query("1", "?")], None, "")
    path = build(name).write(tmp_path, dataset, Ranking.from_lists({"1": ["d"]}))
    old = path.read_bytes()
    broken = Ranking(("1",), ("d",), np.zeros((1, 2), dtype=np.int32), np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"was not written.* document id 'd' is repeated"):
        build(name).write(tmp_path, dataset, broken)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", FORMATS)
def test_every_option_can_be_read_back(name):
    options = yaml.safe_load((CONF / f"{name}.yaml").read_text())
    del options["_target_"]
    submission = build(name)
    assert {option: getattr(submission, option) for option in options} == options


@pytest.mark.parametrize("name", FORMATS)
def test_no_documents_at_all_is_a_mistake(name):
    with pytest.raises(ValueError, match=r"submission\.k is 0"):
        type(build(name))(k=0)
