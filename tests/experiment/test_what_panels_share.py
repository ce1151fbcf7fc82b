"""Panels that differ in one setting share what they have in common, and nothing else: each is as it is alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metaeval.corpora.catalogue import read_corpus
from metaeval.experiment.panels import compute_panels
from metaeval.papers.config import load_config

HEAD = """\
corpora = ["demo"]
metrics = ["bleu(order=2)", "wer"]
criteria = ["adequacy"]
correlation.coefficients = ["pearson", "kendall"]
preprocessing = ["case"]
references.subsets = ["ref1"]
documents = {kind = "pseudo", lengths = [4], count = 25}
uncertainty = {method = "bootstrap", n_resamples = 11}
judgments = {judges = ["judge0*"], require = "any"}
"""
# What determines documents, human scores, metric scores or coefficients, each by itself.
PANELS = {
    "as it is": "",
    "the same": "",
    "other documents": "documents.count = 24",
    "with replacement": "documents.replacement = true",
    "another length": "documents.lengths = [5]",
    "criterion": 'criteria = ["fluency"]',
    "z-scores": 'judgments.normalise = "z"',
    "z-scores with n": 'judgments.normalise = "z(ddof=0)"',
    "median": 'judgments.rule = "median"',
    "draw": 'judgments.rule = "draw"',
    "draw twice": 'judgments.rule = "draw"\njudgments.inter_judge = true',
    "ties": 'judgments.ties = "exact"',
    "judges": 'judgments.judges = ["judge0*", "judge1*"]',
    "all": 'judgments.require = "all"',
    "over judged": 'judgments.metric_over = "judged"',
    "reference": 'references.subsets = ["ref2"]',
    "references": 'references.subsets = ["ref1+ref2"]',
    "each reference": 'references.subsets = "each"\nreferences.combine = "scores"',
    "each reference, apart": 'references.subsets = "each"\nreferences.combine = "correlations"',
    "each reference in turn": 'references.subsets = "each"\nreferences.combine = "documents"',
    "preprocessing": 'preprocessing = ["nocase"]',
    "metric": 'metrics = ["bleu(order=3)", "wer"]',
    "counted the same": """metrics = ["nist(order=2)", "gtm", "gtm(mean='recall')", "wer(normalise='closest')"]""",
    "raw": 'correlation.orientation = "raw"',
    "zero": 'correlation.undefined = "zero"',
    "by system": 'correlation.average_by = "system"',
    "all together": 'correlation.average_by = "none"',
    "coefficient": 'correlation.coefficients = ["spearman", "kendall(variant=\\"b\\")"]',
    "fewer systems": 'filter.without = ["sys8"]',
    "fewer segments": 'filter.documents = ["doc000*", "doc0010"]',
    "systems drawn": 'uncertainty.resample = "systems"',
    "both drawn": 'uncertainty.resample = "both"',
    "more replicates": "uncertainty.n_resamples = 12",
    "tests": '[[panels.tests]]\nmethod = "bootstrap"',
}


def read_incomplete(name, formats):
    corpus, warnings = read_corpus(name, formats)
    rows = corpus.judgments
    return replace(corpus, judgments=rows.where((rows.segment + 7 * rows.system) % 11 > 0)), warnings


def computed(tmp_path, titles):
    lines = [f"[[panels]]\ntitle = {title!r}\n{PANELS[title]}" for title in titles]
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    found = compute_panels(load_config(path).panels, read=read_incomplete)
    assert found.failures == []
    return found


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    return computed(tmp_path_factory.mktemp("together"), PANELS)


@pytest.mark.parametrize("title", PANELS)
def test_a_panel_beside_others_gives_what_it_gives_alone(together, tmp_path, title):
    own, alone = together.of_panel(title), computed(tmp_path, [title])
    # As text, in which nan is nan.
    assert repr(own.tables.correlations) == repr(alone.tables.correlations) != "[]"
    assert repr(own.tables.tests) == repr(alone.tables.tests)
    assert len(own.grids) == len(alone.grids) > 0
    for grid, other in zip(own.grids, alone.grids, strict=True):
        assert grid.arrays.keys() == other.arrays.keys()
        for name, array in other.arrays.items():
            np.testing.assert_array_equal(grid.arrays[name], array, err_msg=name)


def test_panels_that_differ_have_other_replicates(together):
    # Else the tests above would compare what cannot differ.
    replicates = {}
    for title in PANELS:
        grids = [grid for grid in together.of_panel(title).grids if not grid.is_of_judges]
        replicates[title] = b"".join(grid.replicates(grid.coefficient_names[0]).tobytes() for grid in grids)
    alike = {title for title in PANELS if replicates[title] == replicates["as it is"]}
    assert alike == {"as it is", "the same", "tests", "zero"}
