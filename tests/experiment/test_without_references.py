"""Corpora without references: metrics that read none work everywhere; others are refused by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr

import metaeval
from metaeval.corpora.catalogue import check_corpus
from metaeval.errors import UsageError

DEMO = Path(__file__).parents[2] / "data" / "demo"
METRICS = """\
def words(candidate): return float(len(candidate.split()))
def ratio(candidate, source): return len(candidate) / len(source)
def overlap(candidate, references): return float(candidate in references)
"""
QUICK = {"n_resamples": 20, "criteria": ["adequacy"]}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """The corpus that ships without its references, but with sources; beside it a file of metrics."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DEMO, "corpus")
    shutil.rmtree("corpus/references")
    lines = Path("corpus/systems/sys1.txt").read_text().split("\n")[:-1]
    Path("corpus/source.txt").write_text("".join(f"{line} {number}\n" for number, line in enumerate(lines)))
    Path("qe.py").write_text(METRICS)
    return "corpus"


def test_it_is_a_corpus_like_any_other(corpus):
    found, problems = check_corpus(corpus)
    assert problems.errors == []
    assert found.references == {}


def test_metrics_of_candidates_sources_and_given_scores_are_compared(corpus):
    found = metaeval.compare(corpus, ["qe.py:words", "qe.py:ratio", "precomputed:adequacy-0.55"], **QUICK)
    read = metaeval.load_corpus(corpus)
    rows = read.judgments.where(read.judgments.criterion == 0)
    items = rows.system * 1000 + rows.segment
    places, inverse = np.unique(items, return_inverse=True)
    means = np.bincount(inverse, weights=rows.score) / np.bincount(inverse)
    people = [means[places // 1000 == system].mean() for system in range(len(read.systems))]
    words = [np.mean([len(text.split()) for text in texts]) for texts in read.candidates]
    value = found.to_frame().set_index("metric")["value"]
    assert value["qe.py:words"] == pytest.approx(pearsonr(words, people).statistic, abs=1e-9)
    assert value.notna().all()
    assert "no references" in found.tables[0].heading


def test_metrics_that_need_references_are_refused_by_name(corpus):
    message = r"corpus 'demo' has no references, which 'bleu', 'qe.py:overlap' must be compared with\."
    for verb in (metaeval.compare, metaeval.correlate):
        with pytest.raises(UsageError, match=message):
            verb(corpus, ["bleu", "qe.py:words", "qe.py:overlap"], criteria=["adequacy"])
    with pytest.raises(UsageError, match=message):
        metaeval.score(["bleu", "qe.py:overlap"], metaeval.load_corpus(corpus))
    with pytest.raises(UsageError, match="corpus 'demo' has no references, which 'ter'"):
        metaeval.agreement(corpus, criteria=["adequacy"], metrics=["ter"], n_resamples=10)
    with pytest.raises(UsageError, match="corpus 'demo' has no references, which 'ter'"):
        metaeval.check_metric("ter", corpus)


def test_scores_of_a_corpus(corpus):
    (found,) = metaeval.score(["qe.py:words"], metaeval.load_corpus(corpus))
    assert "refs:none" in str(found.signature)


def test_subsets_cannot_be_asked_for(corpus):
    with pytest.raises(UsageError, match=r"has no references, so no subsets .* leave out `references`"):
        metaeval.compare(corpus, ["qe.py:words"], references={"subsets": ["ref1"]}, **QUICK)


def test_a_run_with_documents_figures_and_page(corpus):
    found = metaeval.run(
        "turian2003-chinese",
        corpora=corpus,
        overrides=[
            'references={subsets="all"}',
            'metrics=["qe.py:words", "precomputed:adequacy-0.55"]',
            "documents.count=10",
            "documents.lengths=[2]",
            "uncertainty.n_resamples=5",
        ],
        output="run",
    )
    assert set(found.correlations["subset"]) == {"none"}
    disagreements = json.loads((found.directory / "disagreements.json").read_text())
    assert disagreements["segments"]
    assert disagreements["grids"] == []
    assert (found.directory / "report.html").exists()
