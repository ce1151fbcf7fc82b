"""Experiments over several reference subsets: the jackknife, random subsets, averages of scores and of correlations."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import metaeval
from metaeval.corpora.catalogue import find_corpus
from tests.support.configs import BY_LENGTH
from tests.support.corpus import write
from tests.support.gold import gold, rows
from tests.support.grids import grid_of

FAST = [
    "documents.count=24",
    "documents.lengths=[5]",
    'metrics=["bleu(order=1)", "wer"]',
    'preprocessing=["case"]',
    "figures=[]",
]


def run(tmp_path, *overrides, corpus="demo", config=BY_LENGTH):
    return metaeval.run(config, overrides=[*FAST, *overrides], corpora=[corpus], output=tmp_path / "run")


def scores(result):
    import pandas as pd

    return pd.read_csv(result.directory / "scores.tsv", sep="\t", keep_default_na=False, quoting=3)


def test_the_jackknife_averages_the_scores_of_each_document(tmp_path):
    separate = run(tmp_path, 'references.subsets="leave-one-out"', 'references.combine="separate"')
    together = run(tmp_path, 'references.subsets="leave-one-out"')
    names = [f"ref{n}" for n in (1, 2, 3, 4)]
    subsets = ["+".join(other for other in names if other != name) for name in names]
    for metric in ("bleu(order=1)", "wer"):
        place = {"criterion": "adequacy", "length": 5}
        each = [grid_of(separate, subset=subset, **place).scores(metric) for subset in subsets]
        found = grid_of(together, subset="leave-one-out(ref1+ref2+ref3+ref4)", **place).scores(metric)
        np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=0, atol=1e-11)


def test_the_jackknife_scores_each_reference_against_the_others(tmp_path):
    found = scores(run(tmp_path, 'references.subsets="leave-one-out"'))
    human = found[found.kind == "reference"]
    corpus = metaeval.load_corpus("demo")
    assert len(human) == 2 * 4
    for _, row in human.iterrows():
        others = {name: texts for name, texts in corpus.references.items() if name != row.system}
        assert row.subset == "+".join(others)
        (alone,) = metaeval.score([row.metric], {"human": corpus.references[row.system]}, others, preprocessing="case")
        assert row.score == alone.values[0, 0]
    systems = found[(found.kind == "system") & (found.level == "system")]
    assert set(systems.subset) == {"leave-one-out(ref1+ref2+ref3+ref4)"}


def test_document_d_uses_subset_d_modulo_their_number(tmp_path):
    overrides = ['references.subsets="random"', "references.sizes=[2]", "references.count=5"]
    place = {"criterion": "adequacy", "length": 5}
    found = grid_of(run(tmp_path, *overrides), subset="random(size=2,count=5)", **place).scores("wer")
    table = scores(run(tmp_path, *overrides))
    subsets = list(dict.fromkeys(table.subset))
    assert len(subsets) == 5
    listed = run(tmp_path, f"references.subsets={subsets}".replace("'", '"'))
    for document in range(24):
        expected = grid_of(listed, subset=subsets[document % 5], **place).scores("wer")[document]
        np.testing.assert_array_equal(found[document], expected)


def test_correlations_can_be_averaged_instead_of_scores(tmp_path):
    separate = run(tmp_path, 'references.subsets="each"')
    together = run(tmp_path, 'references.subsets="each"', 'references.combine="correlations"')

    def coefficients(result, subset):
        grid = grid_of(result, subset=subset, criterion="adequacy", length=5)
        return grid.coefficients("spearman")[grid.position("bleu(order=1)")]

    each = [coefficients(separate, f"ref{n}") for n in (1, 2, 3, 4)]
    found = coefficients(together, "each(ref1+ref2+ref3+ref4)")
    np.testing.assert_array_equal(found, np.mean(each, axis=0))
    assert "|refs:each(ref1+ref2+ref3+ref4)|combine:correlations|nrefs:1|" in together.correlations.signature[0]


def test_all_subsets_have_the_same_documents_and_human_scores(tmp_path):
    result = run(tmp_path, 'references.subsets="every"', "references.sizes=[1, 2, 4]")
    labels = ["every(size=1,count=4)", "every(size=2,count=6)", "ref1+ref2+ref3+ref4"]
    first, *others = (grid_of(result, subset=label, criterion="fluency", length=5) for label in labels)
    for other in others:
        np.testing.assert_array_equal(first.segments, other.segments)
        np.testing.assert_array_equal(first.human, other.human)


@pytest.mark.parametrize(
    ("metric", "measure"),
    [("rouge-l", "ROUGE-L"), ("rouge-w", "ROUGE-W-1.2"), ("rouge-s", "ROUGE-S*"), ("rouge-s(skip=4)", "ROUGE-S4")],
)
def test_jackknifed_rouge_of_an_oracle(metric, measure, tmp_path):
    """The corpus means of the gold's own oracle of Lin and Och's definitions, jackknife over four references."""
    corpus = tmp_path / "seg60"
    for folder, pattern in (("systems", "hyp.sys*.txt"), ("references", "ref.*.txt")):
        (corpus / folder).mkdir(parents=True)
        for path in gold("inputs/seg60").glob(pattern):
            shutil.copy(path, corpus / folder / path.name.split(".", 1)[1])
    (corpus / "corpus.toml").write_text(
        'name = "seg60"\n[[criteria]]\nname = "any"\nlow = 0\nhigh = 9\ndirection = "higher"\n'
    )
    lines = [f"{segment}\tsys{system}\tme\tany\t{system}" for segment in range(1, 61) for system in range(4)]
    (corpus / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n")
    overrides = [f"metrics={[metric]}", 'preprocessing=["case"]', 'references.subsets="leave-one-out"']
    result = metaeval.run("system-level", overrides=overrides, corpora=[corpus], output=tmp_path / "run")
    table = scores(result)
    found = table[(table.kind == "system") & (table.level == "system")].set_index("system").score
    expected = {
        row["hyp"]: float(row["jackknife_F"])
        for row in rows("rouge/seg60.paper_definition_oracle.corpus_mean.tsv")
        if row["refs"] == "0+1+2+3" and row["measure"] == measure
    }
    assert len(expected) == 4
    assert dict(found) == pytest.approx(expected, abs=1e-9)


# Of any text the number of its words; it fails where a word of the references is a candidate.
COUNTING = """\
def count(candidate, references):
    if candidate == "only a person writes this":
        raise ValueError("a person")
    return float(len(candidate.split()))
"""


def test_references_are_scored_by_metrics_of_all_kinds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = write(tmp_path / "corpus", references__ref2="only a person writes this\n\nit rains\nlet us go home\n")
    (tmp_path / "count.py").write_text(COUNTING)
    lines = [f"{system}\t{segment}\t{ord(system) + segment}" for system in "ABC" for segment in range(1, 5)]
    (tmp_path / "given.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    result = metaeval.run(
        "system-level",
        corpora=[corpus],
        overrides=[
            'metrics=["chrf", "wer", "scores:given.tsv", "count.py:count"]',
            'preprocessing=["case"]',
            'criteria=["adequacy"]',
            'references.subsets="leave-one-out"',
            "uncertainty.n_resamples=10",
        ],
        output=tmp_path / "run",
    )
    found = scores(result)
    human = found[found.kind == "reference"]
    # The file has no scores of references; the function fails on one, and is left out altogether.
    assert list(zip(human.metric, human.system, strict=True)) == [
        (metric, reference) for metric in ("chrf", "wer") for reference in ("ref1", "ref2")
    ]
    assert set(found.metric) == {"chrf", "wer", "scores:given.tsv"}
    (failure,) = result.failures
    assert failure.startswith("tiny: left out: metric 'count.py:count', ")
    assert "a person" in failure
    # Segment 2 has one reference, and so none to compare it with.
    texts = metaeval.load_corpus(corpus).references
    rows_left = [0, 2, 3]
    (alone,) = metaeval.score(
        "chrf", {"human": [texts["ref1"][k] for k in rows_left]}, {"ref2": [texts["ref2"][k] for k in rows_left]}
    )
    (row,) = human[(human.metric == "chrf") & (human.system == "ref1")].to_dict("records")
    assert (row["score"], row["segments"]) == (alone.values[0, 0], 3)


def test_a_reference_that_shares_no_segment_with_others_has_no_score(tmp_path):
    corpus = write(
        tmp_path / "corpus",
        references__ref1="\n\n\nwe go home\n",
        references__ref2="a cat was on the mat\na dog\nit rains\n\n",
        references__ref3="the cat\nthe dog\nrain\n\n",
    )
    result = metaeval.run(
        "system-level",
        corpora=[corpus],
        overrides=[
            'metrics=["wer"]',
            'preprocessing=["case"]',
            'criteria=["adequacy"]',
            'references.subsets="leave-one-out"',
            "uncertainty.n_resamples=10",
        ],
        output=tmp_path / "run",
    )
    found = scores(result)
    # Against ref1 alone or with another, ref2 and ref3 have the other one in segments 1 to 3.
    assert set(found[found.kind == "reference"].system) == {"ref2", "ref3"}


def test_fewer_documents_than_subsets_use_the_first_ones(tmp_path):
    settings = ['references.subsets="random"', "references.sizes=[2]", "references.count=5", "documents.count=3"]
    result = run(tmp_path, *settings)
    grid, corpus = grid_of(result, criterion="adequacy", length=5), metaeval.load_corpus("demo")
    subsets = list(dict.fromkeys(scores(result).subset))
    assert len(subsets) == 5
    documents = grid.segments - 1
    assert len(documents) == 3
    for document, subset, of_systems in zip(documents, subsets, grid.scores("wer"), strict=False):
        candidates = {
            system: [texts[k] for k in document]
            for system, texts in zip(corpus.systems, corpus.candidates, strict=True)
        }
        references = {one: [corpus.references[one][k] for k in document] for one in subset.split("+")}
        (alone,) = metaeval.score("wer", candidates, references, preprocessing="case")
        np.testing.assert_allclose(of_systems, alone.values[:, 0], rtol=0, atol=1e-9)


def test_of_a_whole_corpus_the_first_of_many_subsets_counts(tmp_path):
    # There is one document, and document d uses subset d modulo their number.
    settings = ['references.subsets="random"', "references.sizes=[2]", "references.count=3"]
    whole = metaeval.run(
        "system-level", overrides=[*FAST[2:], *settings, "uncertainty.n_resamples=10"], output=tmp_path / "run"
    )
    found = grid_of(whole, criterion="adequacy").scores("wer")
    table = scores(whole)
    table = table[(table.metric == "wer") & (table.kind == "system") & (table.level == "system")]
    subsets = list(dict.fromkeys(table.subset))
    assert len(subsets) == 3
    by_subset = {subset: table[table.subset == subset].score.tolist() for subset in subsets}
    np.testing.assert_allclose(found, [by_subset[subsets[0]]], rtol=0, atol=1e-9)
    assert len({tuple(one) for one in by_subset.values()}) == 3


def test_subsets_are_made_of_the_references_that_are_named(tmp_path):
    named = run(tmp_path, 'references={subsets="all", names=["ref1", "ref3"]}')
    listed = run(tmp_path, 'references.subsets=["ref1+ref3"]')
    for one, other in zip(named.grids, listed.grids, strict=True):
        assert one.labels == other.labels
        assert one.arrays.keys() == other.arrays.keys()
        for name, array in one.arrays.items():
            np.testing.assert_array_equal(array, other.arrays[name])

    sizes = run(tmp_path, 'references={names=["ref1", "ref3"], subsets="every", sizes="all"}')
    assert {grid.key.subset for grid in sizes.grids} == {"every(size=1,count=2)", "ref1+ref3"}


def test_references_that_are_named_wrong_or_rare_are_told(tmp_path):
    with pytest.raises(metaeval.UsageError, match=r"`references.names`: unknown reference 'ref9'. Known references: "):
        run(tmp_path, 'references.names=["ref9"]')
    with pytest.raises(metaeval.UsageError, match=r"`references.names` must name at least one; got an empty list"):
        run(tmp_path, "references.names=[]")
    shutil.copytree(find_corpus("demo"), tmp_path / "corpus")
    rare = tmp_path / "corpus" / "references" / "ref4.txt"
    rare.write_text("\n".join(rare.read_text().splitlines()[:2] + [""] * 118) + "\n")
    with pytest.raises(metaeval.UsageError, match=r"Few segments have 'ref4' \(2\); `references.names` chooses"):
        run(tmp_path, 'references.subsets="each"', corpus=str(tmp_path / "corpus"))


def test_a_list_of_subsets_is_labelled_by_what_it_holds(tmp_path):
    result = run(tmp_path, 'references.subsets=["ref1", "ref2"]', 'references.combine="documents"')
    assert {grid.key.subset for grid in result.grids} == {"listed(ref1+ref2)"}
