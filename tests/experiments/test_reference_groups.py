"""Experiments over several reference subsets: the jackknife, random subsets, averages of scores and of correlations."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import metaeval
from tests.support.configs import BY_LENGTH
from tests.support.gold import GOLD, needs_gold, rows

FAST = [
    "documents.count=24",
    "documents.lengths=[5]",
    'metrics=["bleu(order=1)", "wer"]',
    'conditions=["case"]',
    "figures=[]",
]


def run(tmp_path, *overrides, corpus="demo", config=BY_LENGTH):
    return metaeval.run(config, overrides=[*FAST, *overrides], corpora=[corpus], output=tmp_path / "run")


def arrays(result):
    return np.load(result.directory / "documents.npz")


def scores(result):
    import pandas as pd

    return pd.read_csv(result.directory / "scores.tsv", sep="\t", keep_default_na=False, quoting=3)


def test_the_jackknife_averages_the_scores_of_each_document(tmp_path):
    separate = arrays(run(tmp_path, 'references.subsets="leave-one-out"', 'references.combine="separate"'))
    together = arrays(run(tmp_path, 'references.subsets="leave-one-out"'))
    names = [f"ref{n}" for n in (1, 2, 3, 4)]
    subsets = ["+".join(other for other in names if other != name) for name in names]
    for metric in ("bleu(order=1)", "wer"):
        place = f"adequacy/5/case/{metric}"
        each = [separate[f"demo/{subset}/{place}"] for subset in subsets]
        found = together[f"demo/leave-one-out(ref1+ref2+ref3+ref4)/{place}"]
        np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=0, atol=1e-11)


def test_the_jackknife_scores_each_reference_against_the_others(tmp_path):
    found = scores(run(tmp_path, 'references.subsets="leave-one-out"'))
    human = found[found.kind == "reference"]
    corpus = metaeval.load_corpus("demo")
    assert len(human) == 2 * 4
    for _, row in human.iterrows():
        others = {name: texts for name, texts in corpus.references.items() if name != row.system}
        assert row.subset == "+".join(others)
        (alone,) = metaeval.score([row.metric], {"human": corpus.references[row.system]}, others)
        assert row.score == alone.values[0, 0]
    systems = found[(found.kind == "system") & (found.level == "system")]
    assert set(systems.subset) == {"leave-one-out(ref1+ref2+ref3+ref4)"}


def test_document_d_uses_subset_d_modulo_their_number(tmp_path):
    overrides = ['references.subsets="random"', "references.sizes=[2]", "references.count=5"]
    found = arrays(run(tmp_path, *overrides))["demo/random(size=2,count=5)/adequacy/5/case/wer"]
    table = scores(run(tmp_path, *overrides))
    subsets = list(dict.fromkeys(table.subset))
    assert len(subsets) == 5
    listed = arrays(run(tmp_path, f"references.subsets={subsets}".replace("'", '"')))
    for document in range(24):
        expected = listed[f"demo/{subsets[document % 5]}/adequacy/5/case/wer"][document]
        np.testing.assert_array_equal(found[document], expected)


def test_correlations_can_be_averaged_instead_of_scores(tmp_path):
    separate = arrays(run(tmp_path, 'references.subsets="each"'))
    together = run(tmp_path, 'references.subsets="each"', 'references.combine="correlations"')
    place = "adequacy/5/case/bleu(order=1)/spearman"
    each = [separate[f"demo/ref{n}/{place}"] for n in (1, 2, 3, 4)]
    found = arrays(together)[f"demo/each(ref1+ref2+ref3+ref4)/{place}"]
    np.testing.assert_array_equal(found, np.mean(each, axis=0))
    assert "|refs:each(ref1+ref2+ref3+ref4)|combine:correlations|nrefs:1|" in together.correlations.signature[0]


def test_all_subsets_have_the_same_documents_and_human_scores(tmp_path):
    saved = arrays(run(tmp_path, 'references.subsets="every"', "references.sizes=[1, 2, 4]"))
    labels = ["every(size=1,count=4)", "every(size=2,count=6)", "ref1+ref2+ref3+ref4"]
    for name in ("segments", "human"):
        first, *others = (saved[f"demo/{label}/fluency/5/{name}"] for label in labels)
        for other in others:
            np.testing.assert_array_equal(first, other)


@needs_gold
@pytest.mark.parametrize(
    ("metric", "measure"),
    [
        ("rouge-l", "ROUGE-L"),
        ("rouge-w", "ROUGE-W-1.2"),
        ("rouge-s", "ROUGE-S*"),
        ("rouge-s(skip=4)", "ROUGE-S4"),
    ],
)
def test_jackknifed_rouge_of_an_oracle(metric, measure, tmp_path):
    """The corpus means of the gold's own oracle of Lin and Och's definitions, jackknife over four references."""
    corpus = tmp_path / "seg60"
    for folder, pattern in (("systems", "hyp.sys*.txt"), ("references", "ref.*.txt")):
        (corpus / folder).mkdir(parents=True)
        for path in (GOLD / "inputs" / "seg60").glob(pattern):
            shutil.copy(path, corpus / folder / path.name.split(".", 1)[1])
    (corpus / "corpus.toml").write_text(
        'name = "seg60"\n[[criteria]]\nname = "any"\nlow = 0\nhigh = 9\ndirection = "higher"\n'
    )
    lines = [f"{segment}\tsys{system}\tme\tany\t{system}" for segment in range(1, 61) for system in range(4)]
    (corpus / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n")
    overrides = [f"metrics={[metric]}", 'conditions=["case"]', 'references.subsets="leave-one-out"']
    result = metaeval.run("system-level", overrides=overrides, corpora=[corpus], output=tmp_path / "run")
    table = scores(result)
    found = table[(table.kind == "system") & (table.level == "system")].set_index("system").score
    gold = {
        row["hyp"]: float(row["jackknife_F"])
        for row in rows("rouge/seg60.paper_definition_oracle.corpus_mean.tsv")
        if row["refs"] == "0+1+2+3" and row["measure"] == measure
    }
    assert len(gold) == 4
    assert dict(found) == pytest.approx(gold, abs=1e-9)
