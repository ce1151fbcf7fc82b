"""Raw text, cut as the original programs cut it, gives their figures: NIST and ROUGE.

Origin of the figures: README of the gold. BLEU under mteval's tokenization stands in test_bleu_programs.py, TER under
tercom's in test_ter_gold.py.
"""

from __future__ import annotations

import math
from functools import cache

import pytest

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics import get_metric
from tests.metrics.test_bleu_programs import MTEVAL
from tests.metrics.test_nist_gold import PREPROCESSING, token_zero
from tests.metrics.test_rouge_gold import MEANS, N_SEGMENT_FIGURES, name_of
from tests.support.gold import inputs, rows

SETS = ("edge1", "edge2", "seg60")
ROUGE = 'case(tokenizer="rouge-1.5.5")'


@cache
def statistics(name: str, candidate: str, references: str, metric: str, preprocessing: str) -> FloatArray:
    candidates, known = inputs(name, preprocessing)
    one = get_metric(metric)
    return one.statistics(candidates[candidate], one.prepare([known[reference] for reference in references.split("+")]))


def test_options_of_mteval_have_one_preprocessing_for_bleu_and_nist():
    # mteval lower-cases unless it is given -c; v14 takes the other tokenization with --international-tokenization.
    assert {program: preprocessing for program, (_, _, preprocessing) in MTEVAL.items()} == {
        program: preprocessing for program, preprocessing in PREPROCESSING.items() if "v13m" not in program
    }


@pytest.mark.parametrize("name", SETS)
def test_nist_of_segments_equals_mteval_with_its_own_tokenization(name):
    compared = differing = 0
    for row in rows(f"bleu_nist/{name}.mteval_tokenizing.segment.tsv"):
        if row["metric"] != "NIST":
            continue
        all_segments = statistics(name, row["hyp"], row["refs"], "nist", PREPROCESSING[row["program_options"]])
        own = all_segments[int(row["seg"]) - 1]
        score = float(get_metric("nist").score(own))
        if name == "edge1" and int(row["seg"]) == token_zero():
            # mteval takes the prefix "0" as empty: the bigram "0 items" then has the information of a unigram. The
            # candidate, "0 0 items found", is as long as its reference, so there is no penalty.
            score += math.log2(all_segments[:, -1].sum()) / own[5 + 1]
            differing += 1
        assert float(row["score"]) == pytest.approx(score, abs=1e-9), row
        compared += 1
    assert (compared, differing) == {"edge1": (180, 4), "edge2": (200, 0), "seg60": (4800, 0)}[name]


@cache
def rouge_scores(
    name: str, candidate: str, references: str, measure: str, formula: str, mean: str, preprocessing: str
) -> FloatArray:
    """Return the scores of all segments, from counts that recall, precision and F share."""
    counts = name_of(measure, "1.5.5", formula=formula, pooling="counts")
    metric = get_metric(name_of(measure, "1.5.5", formula=formula, pooling="counts", mean=mean))
    return metric.score(statistics(name, candidate, references, counts, preprocessing))


def rouge_differences(name: str, text: str, preprocessing: str) -> list[float]:
    """Return how far each figure of the script is from ours."""
    found = []
    for row in rows(f"rouge/{name}.rouge155.segment.tsv"):
        for column, mean in MEANS.items():
            if row["text"] == text and name_of(row["measure"], "1.5.5"):
                key = row["hyp"], row["refs"], row["measure"], row["formula"], mean, preprocessing
                found.append(abs(float(row[column]) - rouge_scores(name, *key)[int(row["seg"]) - 1]))
    assert len(found) == N_SEGMENT_FIGURES[name]
    return found


@pytest.mark.parametrize("name", SETS)
def test_rouge_equals_the_script_on_raw_text(name):
    # ROUGE-L, W, S and SU of every distance, formulas A and B, recall, precision and F; the script rounds to 5 digits.
    assert max(rouge_differences(name, "raw", ROUGE)) < 1.5e-5


# Figures of seg60 that differ from the script's with its stemmer. It stems only words of more than 3 letters, and
# looks up WordNet's exceptions first; the preprocessing stems all words, by Porter's algorithm alone.
N_STEMMED_OTHERWISE = {"edge1": 0, "edge2": 0, "seg60": 2626}


@pytest.mark.parametrize("name", SETS)
def test_stems_are_not_those_of_the_script(name):
    differences = rouge_differences(name, "raw+stem", 'stem(tokenizer="rouge-1.5.5")')
    assert sum(difference >= 1.5e-5 for difference in differences) == N_STEMMED_OTHERWISE[name]
    assert max(differences) < 0.21
