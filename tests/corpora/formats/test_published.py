"""The owners' files of the public corpora, against the same corpora converted by another program."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from metaeval.corpora.catalogue import convert_corpus, fetch_corpus, load_corpus
from metaeval.corpora.read import read_sources
from tests.support.gold import of_others

PUBLIC = ["summeval", "webnlg2020-en", "wmt21-ted-zhen"]
MQM = "google/wmt-mqm-human-evaluation/ted/zhen/mqm_ted_zhen"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METAEVAL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("name", PUBLIC)
def test_texts_and_judgments_are_equal_to_the_byte(name, cache, tmp_path):
    """All files but ours, corpus.toml, error spans, and the table of documents, which here has the ids of segments."""
    fetch_corpus(name, of_others("raw"))
    convert_corpus(name, tmp_path / name)
    mine, theirs = tmp_path / name, of_others("corpora") / name
    apart = {"corpus.toml", "documents.tsv", "segments.tsv", "error_spans.tsv"}
    files = [
        {path.relative_to(root) for path in root.rglob("*") if path.is_file() and path.name not in apart}
        for root in (mine, theirs)
    ]
    assert files[0] == files[1]
    assert [path for path in sorted(files[0]) if (mine / path).read_bytes() != (theirs / path).read_bytes()] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_told_of_the_corpus_is_equal(name, cache):
    mine, theirs = load_corpus(fetch_corpus(name, of_others("raw"))), load_corpus(of_others("corpora") / name)
    assert mine.criteria == theirs.criteria
    assert mine.documents == theirs.documents
    assert mine.name == theirs.name
    real = {"Amazon_AI_-Shanghai": "Amazon_AI_(Shanghai)"}  # the name that its owner gave, and cannot be that of a file
    assert mine.systems == tuple(real.get(system, system) for system in theirs.systems)


def test_mqm_means_are_those_that_the_owner_published(cache):
    """Their table has the mean penalty of each item, with the sign turned, ``None`` for unrated ones."""
    lines = of_others(f"raw/{MQM}.avg_seg_scores.tsv").read_text(encoding="utf-8").split("\n")[1:]
    published = {}
    for line in filter(None, lines):
        system, score, segment = line.split()
        if score != "None":
            published[system, segment] = -float(score)
    corpus, _ = read_sources([of_others(f"raw/{MQM}.tsv")], ['mqm(references=["ref=ref.A", "refB=ref.B"])'])
    found = {}
    for judgments, names in (
        (corpus.judgments, corpus.systems),
        (corpus.reference_judgments, corpus.judged_references),
    ):
        for criterion, system, segment, score in zip(
            judgments.criterion, judgments.system, judgments.segment, judgments.score, strict=True
        ):
            if corpus.criteria[criterion].name == "mqm":
                found[names[system], corpus.segment_ids[segment]] = float(score)
    shared = set(published) & set(found)
    assert len([key for key in shared if key[0] in corpus.systems]) == len(corpus.systems) * corpus.n_segments
    assert {key: found[key] for key in shared} == pytest.approx({key: published[key] for key in shared}, abs=1e-9)
    means = [defaultdict(list), defaultdict(list)]
    for mean, scores in zip(means, (published, found), strict=True):
        for system, segment in shared:
            mean[system].append(Fraction(scores[system, segment]))
    for system in corpus.systems:
        assert float(sum(means[0][system]) / len(means[0][system])) == pytest.approx(
            float(sum(means[1][system]) / len(means[1][system])), abs=1e-12
        )


# The table "TED talks, Chinese to English" in the README of google/wmt-mqm-human-evaluation, commit 7fadea2.
README = {
    "DIDI-NLP": 1.65,
    "metricsystem2": 1.76,
    "metricsystem1": 1.90,
    "MiSS": 1.97,
    "IIE-MT": 1.98,
    "metricsystem4": 2.05,
    "metricsystem5": 2.15,
    "SMU": 2.202,
    "Borderline": 2.40,
    "NiuTrans": 2.49,
    "Facebook-AI": 2.64,
    "Online-W": 2.93,
    "metricsystem3": 2.99,
}


def test_mqm_means_of_systems_are_those_of_the_owners_readme():
    corpus, _ = read_sources([of_others(f"raw/{MQM}.tsv")], ['mqm(references=["ref", "refB"])'])
    mqm = corpus.judgments.where(corpus.judgments.criterion == 0)
    means = {name: mqm.score[mqm.system == index].mean() for index, name in enumerate(corpus.systems)}
    assert means == pytest.approx(README, abs=0.0055)
