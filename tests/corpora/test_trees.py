"""Test sets of several language pairs as one thing, and what is read of them."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest

import metaeval
from metaeval.corpora.mtme_pairs import parts_of
from metaeval.corpora.read import read_sources
from metaeval.errors import CorpusError, UsageError
from metaeval.papers.config import load_config
from tests.support import examples, tasks
from tests.support.gold import of_others
from tests.support.reports import told

TREE = "gold/tasks/inputs/synth"
PAIRS = ["cs-uk", "en-de", "ja-zh"]


@pytest.fixture
def tree(tmp_path):
    """Write a tree of two language pairs."""
    return examples.tree(tmp_path / "set")


def test_a_whole_tree_in_one_call_gives_the_figures_of_mt_metrics_eval():
    found = metaeval.correlate(
        of_others(TREE),
        ['precomputed:*(system="stored")'],
        filter={"humans": ["refB"]},
        documents={"kind": "all"},
        judgments={"rule": "stored"},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"method": "none"},
        tests=[],
    )
    value = {(one.key.corpus, one.key.criterion, one.metric): one.value for one in found.estimates}
    assert {corpus for corpus, _, _ in value} == {f"synth.{pair}" for pair in PAIRS}
    # Four metrics whose coefficients are defined, in so many rows.
    checked = dict.fromkeys(PAIRS, 0)
    for row in tasks.where(tasks.table("tasks_k0"), level="sys", corr_fcn="pearson", human="True", domain="None"):
        name, pair = row["metric"].removeprefix("*"), row["lang"]
        name = f"{name.partition('[')[0]}-src" if name.endswith("[noref]") else f"{name}-refA"
        plain = (row["refs"], row["close_refs"], row["replace_nans_with_zeros"]) == ("refA", "", "False")
        # The outlier is a system here. Undefined is 0 there; a metric that lacks a system has zeros there.
        if plain and (pair != "en-de" or row["use_outliers"] == "True") and "partial" not in name:
            of_ours = value.get((f"synth.{pair}", row["gold"], f'precomputed:{name}(system="stored")'), math.nan)
            if not math.isnan(of_ours):
                assert of_ours == pytest.approx(float(row["corr"]), abs=1e-9)
                checked[pair] += 1
            else:
                assert float(row["corr"]) == 0
    assert checked == {"cs-uk": 12, "en-de": 4, "ja-zh": 12}


def test_a_pair_of_a_tree_is_a_corpus(tree):
    corpus = metaeval.load_corpus(f"{tree}.en-de")
    assert (corpus.name, corpus.systems) == ("set.en-de", ("A", "B"))
    assert parts_of(str(tree)) == [f"{tree}.de-en", f"{tree}.en-de"]
    with pytest.raises(UsageError, match=r"unknown language pair 'en-fr'; did you mean 'en-de'\?"):
        metaeval.load_corpus(f"{tree}.en-fr")
    with pytest.raises(
        CorpusError, match=r"has the language pairs 'de-en', 'en-de'; name one of them, as in .*set\.de-en"
    ):
        metaeval.load_corpus(tree)


def test_a_run_on_a_tree_has_a_corpus_for_each_pair(tree, tmp_path):
    found = metaeval.compare(tree, ["bleu", "precomputed:*"], criteria=["mqm"], n_resamples=50, output=tmp_path / "run")
    assert [table.heading.partition(",")[0] for table in found.tables] == ["set.de-en", "set.en-de"]
    assert "set.de-en" in (tmp_path / "run" / "correlations.tsv").read_text(encoding="utf-8")


def test_texts_may_be_json_lines(tree):
    expected = metaeval.load_corpus(f"{tree}.de-en")
    for name, key in (
        ("sources/de-en", "source"),
        ("references/de-en.refB", "target"),
        ("system-outputs/de-en/A", "hypothesis"),
    ):
        path = tree / f"{name}.txt"
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        rows = [json.dumps({key: line if line != "three" else "a\nb", "other": 1}) for line in lines]
        (tree / f"{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        path.unlink()
    corpus = metaeval.load_corpus(f"{tree}.de-en")
    assert corpus.sources == expected.sources
    assert corpus.references == expected.references
    assert corpus.candidates[0] == ("one & two", "a\nb", "", "five <b>")
    (tree / "system-outputs/de-en/A.jsonl").write_text('{"target": "x"}\n' * 4, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"A\.jsonl:1: must have a text under 'hypothesis'; it has 'target'"):
        metaeval.load_corpus(f"{tree}.de-en")


def test_an_output_that_was_not_supplied_is_missing(tree):
    path = tree / "system-outputs/de-en/A.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("three", "[No translation supplied]"), encoding="utf-8")
    assert metaeval.load_corpus(f"{tree}.de-en").candidates[0][1] is None


def test_scores_are_read_when_they_are_asked_for(tree):
    """A broken file of one metric is in nobody's way until it is named; `corpus check` reads all."""
    path = tree / "metric-scores/de-en/broken.seg.score"
    path.write_text("A\tx\n" * 4 + "B\t1\n" * 4, encoding="utf-8")
    corpus = metaeval.load_corpus(f"{tree}.de-en")
    assert [one.name for one in corpus.scores if one.origin == "metric"] == ["BLEU-refA", "BLEU-refA", "broken"]
    assert next(one for one in corpus.scores if one.level == "segment").values.tolist() == [[0, 0.125, 0.25, 0.375]] * 2
    with pytest.raises(CorpusError, match=r"broken\.seg\.score:1: the score must be a finite number; got 'x'"):
        _ = corpus.scores[-1].values
    checked, problems = metaeval.check_corpus(f"{tree}.de-en")
    assert checked is None
    assert "broken.seg.score:1: the score must be a finite number" in told(problems, "error")


def test_scores_that_are_not_read_yet_can_go_to_another_process(tree):
    scores = pickle.loads(pickle.dumps(metaeval.load_corpus(f"{tree}.de-en").scores))
    one = next(one for one in scores if one.level == "segment")
    assert (one.name, one.systems, one.values.tolist()) == ("BLEU-refA", ("A", "B"), [[0, 0.125, 0.25, 0.375]] * 2)


def test_corpora_of_a_config_are_relative_to_it(tree, tmp_path, monkeypatch):
    config = tree.parent / "mine.toml"
    head = 'metrics = ["bleu"]\ncriteria = ["mqm"]\nreferences.subsets = ["refA"]\n'
    head += 'judgments.inter_judge = false\ndocuments.kind = "all"\n'
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (log,) = examples.pearmut(tree.parent)
    for corpora, names in (("set", {"set.de-en", "set.en-de"}), ("set.en-de", {"set.en-de"})):
        config.write_text(f'title = "x"\ncorpora = ["{corpora}"]\n{head}')
        run = metaeval.run(config, output=tmp_path / f"run-{corpora}")
        assert {row.key.corpus for row in run.estimates} == names
    config.write_text(f'title = "x"\ncorpora = ["{log.name}"]\n{head}')
    loaded = load_config(config)
    assert loaded.experiment.corpora == (str(log.resolve()),)


def test_scores_that_change_after_the_corpus_was_read_are_noticed(tree):
    corpus = metaeval.load_corpus(f"{tree}.de-en")
    path = tree / "metric-scores/de-en/BLEU-refA.seg.score"
    path.write_text(path.read_text().replace("0.375", "0.5"), encoding="utf-8")
    with pytest.raises(CorpusError, match="has changed since the corpus was read; read the corpus again"):
        _ = next(one for one in corpus.scores if one.level == "segment").values
    assert metaeval.load_corpus(f"{tree}.de-en").digest != corpus.digest


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A\t1\nA\t2\nA\tNone\nA\t4\nB 5\nB 6\nB nan\nB 8", [[1, 2, np.nan, 4], [5, 6, np.nan, 8]]),
        # Not block by block; with blanks in a name; with Python's underscores, which are no numbers.
        ("A 1\nB 5\nA 2\nB 6\nA 3\nB 7\nA 4\nB 8\n", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ("B\t5\nB\t6\nB\t7\nB\t8\nX y\t1\nX y\t1\nX y\t1\nX y\t1\n", [[5, 6, 7, 8]]),
        ("A\t1_0\nA\t2\nA\t3\nA\t4\n", "the score must be a finite number; got '1_0'"),
        ("A\t1e999\nA\t2\nA\t3\nA\t4\n", "the score must be a finite number; got '1e999'"),
        ("A\t1\nA\t2\nA\t3\n", "has 3 lines of 'A' but must have 4, one for each segment"),
        ("A\t1\t2\nA\t2\nA\t3\nA\t4\n", "must have 2 columns"),
    ],
)
def test_files_of_scores_are_read_alike_however_they_are_laid_out(text, values, tree):
    (tree / "metric-scores/de-en/m.seg.score").write_text(text, encoding="utf-8")
    corpus, _ = read_sources([tree], ['mt-metrics-eval(pair="de-en")'])
    scores = next(one for one in corpus.scores if one.name == "m")
    if isinstance(values, str):
        with pytest.raises(CorpusError, match=values):
            _ = scores.values
    else:
        np.testing.assert_array_equal(scores.values, values)
        assert ("X y" in "".join(scores.remarks)) == ("X y" in text)


def test_scores_of_domains_are_found_by_domain_and_system(tree):
    path = tree / "metric-scores/de-en/BLEU-refA.domain.score"
    path.write_text("news A 0.5\nsocial B 0.25\n", encoding="utf-8")
    corpus = metaeval.load_corpus(f"{tree}.de-en")
    with pytest.raises(
        CorpusError, match=r"BLEU-refA\.domain\.score:2: the domain must be one of 'news'; got 'social'"
    ):
        _ = next(one for one in corpus.scores if one.level == "domain").values
