"""On pooled labels judged@k stands beside every score, and what nobody judged counts in none."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from experiments.datasets.science_qa import ScienceQA
from experiments.evaluation import Evaluator
from experiments.imported_run import ImportedRuns
from experiments.pooled_scores import with_judged
from experiments.schema import Dataset, Span
from experiments.splits import FileSplit, RandomSplit
from experiments.vote.study import VoteStudy
from retrievers.gate import ScoreGate
from tests.experiments.test_comparison import SAMPLE, compare, pipeline, setting, summary
from tests.experiments.test_fusion_search import search

POOLED = Dataset("pooled", [], [], {}, "f", pooled=True)


def names(given, dataset=POOLED):
    return with_judged(Evaluator(given), dataset).names


def test_each_depth_is_followed_by_its_share_once():
    given = ["map@3", "mrr@3", "ndcg@10", "1-recall@20", "map", "map_comp@3"]
    assert names(given) == [
        *("map@3", "judged@3", "mrr@3", "ndcg@10", "judged@10"),
        *("1-recall@20", "judged@20", "map", "judged", "map_comp@3"),
    ]
    assert names("ndcg@5") == ["ndcg@5", "judged@5"]
    assert names(["judged@3", "map@3"]) == ["judged@3", "map@3"]


def test_complete_labels_and_spans_are_left_as_they_are():
    given = Evaluator(["map@3"], rel_level=2)
    assert with_judged(given, replace(POOLED, pooled=False)) is given
    assert with_judged(given, replace(POOLED, spans={"q": [Span("d", 0, 1)]})) is given
    assert with_judged(given, POOLED).rel_level == 2


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """The sample whose labels come from a pool, of which 50 questions are not judged yet."""
    folder = tmp_path_factory.mktemp("half") / "half"
    shutil.copytree(SAMPLE, folder)
    asked = [query.id for query in ScienceQA(path=SAMPLE).load().queries]
    lost = {*asked[:50]}
    head, *rows = (folder / "qrels.tsv").read_text().split("\n")
    kept = [row for row in rows if row.split("\t")[0] not in lost]
    (folder / "qrels.tsv").write_text("\n".join([head, *kept]))
    said = {"runs": {"a": {}, "b": {}, "c": {}}, "depth": 5, "unjudged": sorted(lost)}
    (folder / "provenance.json").write_text(json.dumps(said))
    return ScienceQA(path=str(folder)), lost


def test_a_comparison_shows_the_share_and_leaves_out_what_nobody_judged(tmp_path, half, capsys):
    data, lost = half
    report = compare(tmp_path, base=pipeline(gate=ScoreGate(draws=19)), dataset=data)
    told = capsys.readouterr().out
    assert "judged@3" in told
    assert "50 of 150 questions have no judgement yet" in told
    scores = summary(report)["pipelines"]["bm25"]["scores"]["all"]
    assert [*scores] == ["map@3", "judged@3", "map_comp@3"]
    assert scores["map_comp@3"]["n_total"] == 100, "an unjudged question is no chit-chat"
    assert 0 < scores["judged@3"]["mean"] < 1
    counts = summary(report)["pipelines"]["bm25"]["gate"]
    judged = ("blocked_rightly", "blocked_wrongly", "passed_rightly", "passed_wrongly")
    assert sum(counts[name] for name in judged) == 100
    table = pd.read_parquet(report.folder / "bm25" / "per_query.parquet")
    assert not {*table.index} & lost
    sent = (report.folder / "bm25" / "submission.csv").read_text().split("\n")[:-1]
    assert len(sent) == 150, "a submission answers every question"


def test_votes_and_imported_runs_show_it_too(tmp_path, half):
    data, _ = half
    run = compare(tmp_path, variants={"bm25": {}, "two": {}}, baseline="bm25", dataset=data).folder
    files = [str(run / name / "ranking.trec") for name in ("bm25", "two")]
    made = setting(tmp_path, dataset=data)
    voted = VoteStudy(setting=made, files=files).run()
    assert [*voted.means["vote"]["public"]] == ["map@3", "judged@3", "map_comp@3"]
    scored = ImportedRuns(setting=replace(made, submission=None), path=files).run()
    assert [*scored.means["two"]["public"]] == ["map@3", "judged@3", "map_comp@3"]


def test_a_fusion_search_says_how_much_of_its_best_was_judged(tmp_path, half, capsys):
    report = search(tmp_path, dataset=half[0]).run()
    shares = summary(report)["pipelines"]
    told = capsys.readouterr().out
    means = [shares[n]["scores"]["public"]["judged@3"]["mean"] for n in ("configured", "best")]
    assert f"judged@3 in public: configured {means[0]:.2f}, best {means[1]:.2f};" in told


def test_no_split_holds_an_unjudged_question(tmp_path, half):
    loaded, lost = half[0].load(), half[1]
    path = tmp_path / "public.txt"
    path.write_text("".join(f"{query.id}\n" for query in loaded.queries[:75]))
    for split in (RandomSplit(), RandomSplit(sealed=True), FileSplit(str(path))):
        made = split.divide(loaded)
        assert not {*made.everyone, *made.public, *made.private} & lost
        assert any("no judgement yet" in note for note in made.notes)
    assert len(FileSplit(str(path)).divide(loaded).public) == 25


def test_a_question_that_got_a_label_since_is_judged(half, tmp_path):
    data, lost = half
    shutil.copytree(data.path, tmp_path / "more")
    name, document = min(lost), data.load().corpus[0].id
    with (tmp_path / "more" / "qrels.tsv").open("a") as file:
        file.write(f"{name}\t{document}\t0\n")
    loaded = ScienceQA(path=str(tmp_path / "more")).load()
    assert loaded.unjudged == lost - {name}
