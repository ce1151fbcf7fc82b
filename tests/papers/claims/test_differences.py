"""The difference of two terms and its interval, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metaeval.papers.claims import ClaimSettings, judge_claims
from tests.papers.claims.support import Made, compared, counts
from tests.support.results import facts_of

# What leaves 0.025 beyond it, by scipy.stats: t of 2 degrees of freedom (three values), t of 1, the normal quantile.
T, T_OF_TWO, Z = 4.302653, 12.706205, 1.959964


def limits(row):
    return row.difference, row.lower, row.upper


def test_the_standard_error_is_that_of_paired_replicates():
    # Differences 0.1, 0.2, 0.3: mean 0.2, standard deviation sqrt((0.01 + 0 + 0.01) / 2) = 0.1.
    made = Made().add("gtm", 0.9, replicates=[0.5, 0.7, 0.6]).add("bleu", 0.4, replicates=[0.4, 0.4, 0.4])
    made = made.add("nist", 0.7, replicates=[0.4, 0.5, 0.3])
    row = made.judge("gtm above bleu")
    assert limits(row) == pytest.approx((0.5, 0.5 - T * 0.1, 0.5 + T * 0.1), abs=1e-6)
    assert (row.verdict, row.evidence, counts(row)) == ("holds", "replicates", (1, 0, 0))
    assert (compared(row), row.notes) == ("gtm - bleu, adequacy, case, 1 reference, 5 segments", "")
    # gtm and nist: differences 0.1, 0.2, 0.3 again, where unpaired ones would give 0.1 + 0.1.
    assert limits(made.judge("gtm above nist")) == pytest.approx((0.2, 0.2 - T * 0.1, 0.2 + T * 0.1), abs=1e-6)


def test_a_relation_downward_turns_the_difference_round():
    made = Made().add("gtm", 0.9, replicates=[0.5, 0.7, 0.6]).add("bleu", 0.4, replicates=[0.4, 0.4, 0.4])
    row = made.judge("gtm below bleu")
    assert limits(row) == pytest.approx((-0.5, -0.5 - T * 0.1, -0.5 + T * 0.1), abs=1e-6)
    assert (row.verdict, compared(row).split(",")[0]) == ("fails", "bleu - gtm")


def test_a_factor_multiplies_the_replicates():
    # 0.9 - 2 * 0.25 = 0.4; replicates 0.9 - 2 * (0.2, 0.3, 0.25) = 0.5, 0.3, 0.4: standard deviation 0.1.
    made = Made().add("gtm", 0.9, replicates=[0.9, 0.9, 0.9]).add("bleu", 0.25, replicates=[0.2, 0.3, 0.25])
    row = made.judge("gtm above 2 * bleu")
    assert limits(row) == pytest.approx((0.4, 0.4 - T * 0.1, 0.4 + T * 0.1), abs=1e-6)
    assert compared(row).startswith("gtm - 2 times bleu, ")


def test_a_number_is_sure():
    # Replicates 0.5, 0.7, 0.6: standard deviation 0.1.
    row = Made().add("gtm", 0.6, replicates=[0.5, 0.7, 0.6]).judge("0.3 below gtm")
    assert limits(row) == pytest.approx((0.3, 0.3 - T * 0.1, 0.3 + T * 0.1), abs=1e-6)
    assert compared(row).startswith("gtm - 0.3, ")


@pytest.mark.parametrize(
    ("other", "error", "quantile"),
    [
        # 0.1 + 0.1; with four replicates 0.1 + sqrt(0.02 / 3); with two 0.1 + sqrt(0.02). The fewest count.
        ({"units": 8}, 0.2, T),
        ({"replicates": [0.3, 0.4, 0.5, 0.4]}, 0.1 + math.sqrt(0.02 / 3), T),
        ({"replicates": [0.3, 0.5]}, 0.1 + math.sqrt(0.02), T_OF_TWO),
    ],
)
def test_the_standard_errors_of_unpaired_replicates_are_added_up(other, error, quantile):
    made = Made().add("gtm", 0.6, replicates=[0.5, 0.7, 0.6])
    other = {"replicates": [0.3, 0.4, 0.5], **other}
    made.add("bleu", 0.4, criterion="fluency", **other)
    row = made.judge("gtm[criterion=adequacy] above bleu[criterion=fluency]")
    half = quantile * error
    assert limits(row) == pytest.approx((0.2, 0.2 - half, 0.2 + half), abs=1e-6)
    assert row.notes == "interval at its widest, because not all values are paired"


@pytest.mark.parametrize(("level", "quantile"), [(0.5, 0.816497), (0.9, 2.919986), (0.99, 9.924843)])
def test_the_confidence_level_gives_the_quantile(level, quantile):
    # t of 2 degrees of freedom at 0.75, 0.95 and 0.995.
    row = Made().add("gtm", 0.6, replicates=[0.5, 0.7, 0.6]).judge("gtm above 0", confidence_level=level)
    assert limits(row) == pytest.approx((0.6, 0.6 - quantile * 0.1, 0.6 + quantile * 0.1), abs=1e-6)


# The sum of three times 0.1 is not 0.3 in floating point; no rounding may pass for a spread.
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("evidence", ["replicates", "documents"])
def test_values_that_are_all_alike_show_nothing(evidence, shift):
    drawn = [[1], [2], [3]]
    made = Made().add("gtm", 0.6, drawn=drawn, **{evidence: [0.5 + shift, 0.7 + shift, 0.6 + shift]})
    made.add("bleu", 0.4, drawn=drawn, **{evidence: [0.5, 0.7, 0.6]})
    row = made.judge("gtm above bleu")
    assert (row.verdict, row.evidence, counts(row)) == ("undecided", evidence, (0, 0, 1))
    assert math.isnan(row.lower)
    assert math.isnan(row.upper)
    assert row.notes == f"all {evidence} are alike, which shows nothing"
    assert made.judge("gtm below bleu").verdict == "undecided"
    assert made.judge("gtm equals bleu", margin=0.5).verdict == "undecided"


def test_a_single_replicate_has_no_limits():
    made = Made().add("gtm", 0.6, replicates=[0.5, np.nan, np.nan])
    row = made.judge("gtm above 0.1")
    assert (row.verdict, row.notes) == ("undecided", "2 values of replicates undefined")
    assert math.isnan(row.lower)


def test_replicates_of_all_that_there_can_be_are_weighted():
    # The values 0 and 1 with 1/4 and 3/4: variance 3/16.
    made = Made().add("gtm", 0.5, replicates=[0.0, 1.0], weights=[0.25, 0.75])
    row = made.judge("gtm above 0.1")
    half = Z * math.sqrt(3 / 16)
    assert limits(row) == pytest.approx((0.4, 0.4 - half, 0.4 + half), abs=1e-6)


def test_listed_replicates_beside_drawn_ones_take_the_t_of_the_drawn():
    # sqrt(3 / 16) of the listed ones and 0.1 of the three drawn, which are not paired.
    made = Made().add("gtm", 0.5, replicates=[0.0, 1.0], weights=[0.25, 0.75])
    made.add("gtm", 0.9, replicates=[0.8, 1.0, 0.9], criterion="fluency")
    half = T * (math.sqrt(3 / 16) + 0.1)
    row = made.judge("gtm[criterion=fluency] above gtm[criterion=adequacy]")
    assert limits(row) == pytest.approx((0.4, 0.4 - half, 0.4 + half), abs=1e-6)


def test_replicates_without_a_value_are_left_out_and_counted():
    made = Made().add("gtm", 0.6, replicates=[0.5, np.nan, 0.7, 0.6]).add("bleu", 0.4, replicates=[0.4, 0.4, 0.4, 0.4])
    row = made.judge("gtm above bleu")
    assert row.lower == pytest.approx(0.2 - T * 0.1, abs=1e-6)
    assert row.notes == "1 values of replicates undefined"


def test_paired_documents_stand_in_for_replicates():
    # Differences 0.1, 0.2, 0.3; 0.1 / sqrt(3). The fourth document has no coefficient of gtm.
    drawn = [[1, 2], [3, 4], [5, 6], [7, 8]]
    made = Made().add("gtm", 0.6, documents=[0.5, 0.7, 0.6, np.nan], drawn=drawn)
    made = made.add("nist", 0.45, documents=[0.4, 0.5, 0.3, 0.6], drawn=drawn)
    row = made.judge("gtm above nist")
    half = T * 0.1 / math.sqrt(3)
    assert limits(row) == pytest.approx((0.15, 0.15 - half, 0.15 + half), abs=1e-6)
    assert row.evidence == "documents"


def test_an_undefined_coefficient_counts_as_zero_where_the_experiment_says_so():
    # 0.2, 0.4 and 0: standard deviation 0.2, over three documents.
    made = Made().add("gtm", 0.2, documents=[0.2, 0.4, np.nan], drawn=[[1], [2], [3]], undefined="zero")
    assert made.judge("gtm above 0").upper == pytest.approx(0.2 + T * 0.2 / math.sqrt(3), abs=1e-6)


def test_other_documents_are_not_paired():
    made = Made().add("gtm", 0.6, documents=[0.5, 0.7, 0.6], drawn=[[1], [2], [3]], criterion="fluency")
    made = made.add("gtm", 0.4, documents=[0.4, 0.5, 0.3], drawn=[[1], [2], [4]])
    error = 2 * 0.1 / math.sqrt(3)
    row = made.judge("gtm[criterion=fluency] above gtm[criterion=adequacy]")
    assert row.lower == pytest.approx(0.2 - T * error, abs=1e-6)


@pytest.mark.parametrize("values", [{}, {"documents": [0.5, 0.7, 0.6], "average_by": "system"}])
def test_single_coefficients_without_replicates_decide_nothing(values):
    row = Made().add("gtm", 0.9, **values).add("bleu", 0.1, **values).judge("gtm above bleu")
    assert (row.verdict, row.evidence, counts(row)) == ("undecided", "none", (0, 0, 1))
    assert row.difference == pytest.approx(0.8)
    assert math.isnan(row.lower)
    assert math.isnan(row.upper)


def test_subsets_of_one_size_are_averaged():
    # Means (0.6 + 0.4) / 2 = 0.5; replicates (0.5, 0.7, 0.6) and (0.4, 0.2, 0.6): 0.45, 0.45, 0.6.
    made = Made().add("gtm", 0.6, replicates=[0.5, 0.7, 0.6]).add("gtm", 0.4, replicates=[0.4, 0.2, 0.6], subset="r2")
    made.add("gtm", 0.9, replicates=[0.9, 0.9, 0.9], subset="r1+r2")
    row = made.judge("gtm above 0.1", references=(1,))
    error = math.sqrt((2 * 0.05**2 + 0.1**2) / 2)
    assert limits(row) == pytest.approx((0.4, 0.4 - T * error, 0.4 + T * error), abs=1e-6)
    assert row.n_comparisons == 1
    more = made.judge("gtm[references=2] above gtm[references=1]")
    assert limits(more) == pytest.approx((0.4, 0.4 - T * error, 0.4 + T * error), abs=1e-6)
    assert compared(more) == "gtm with 2 references - gtm with 1 reference, adequacy, case, 5 segments"


def test_places_are_averaged_before_they_are_judged():
    # Differences 0.2 and 0.4; replicates (0.1, 0.3, 0.2) and (0.5, 0.3, 0.7): 0.3, 0.3 and 0.45, so 0.05 * sqrt(3).
    made = Made().add("gtm", 0.2, replicates=[0.1, 0.3, 0.2]).add("bleu", 0.0, replicates=[0, 0, 0])
    made.add("gtm", 0.4, replicates=[0.5, 0.3, 0.7], length=9).add("bleu", 0.0, replicates=[0, 0, 0], length=9)
    row = made.judge("gtm above bleu", over="average")
    half = T * 0.05 * math.sqrt(3)
    assert limits(row) == pytest.approx((0.3, 0.3 - half, 0.3 + half), abs=1e-6)
    assert (row.n_comparisons, compared(row)) == (1, "gtm - bleu, adequacy, case, mean of 2 lengths")


def test_unpaired_places_are_averaged_with_their_standard_errors():
    # Each difference has 0.1: the mean of two has at most (0.1 + 0.1) / 2.
    made = Made().add("gtm", 0.2, replicates=[0.1, 0.3, 0.2]).add("bleu", 0.0, replicates=[0, 0, 0])
    other = {"length": 9, "units": 8}
    made.add("gtm", 0.4, replicates=[0.5, 0.3, 0.4], **other).add("bleu", 0.0, replicates=[0, 0, 0], **other)
    row = made.judge("gtm above bleu", over="average")
    assert limits(row) == pytest.approx((0.3, 0.3 - T * 0.1, 0.3 + T * 0.1), abs=1e-6)


def test_a_place_without_a_coefficient_is_told_not_hidden():
    # 0.1 - T * 0.01 is above 0.
    made = Made().add("gtm", 0.2, replicates=[0.19, 0.21, 0.2]).add("gtm", np.nan, replicates=[np.nan] * 3, length=9)
    row = made.judge("gtm above 0.1", over="average")
    assert row.verdict == "holds"
    assert compared(row) == "gtm - 0.1, adequacy, case, mean of 1 length, 1 without a coefficient"
    row = made.judge("gtm above 0.1")
    assert (row.verdict, counts(row)) == ("undecided", (1, 0, 1))
    assert row.why == "gtm has no value (adequacy, case, 1 reference, 9 segments)"
    assert row.notes == "no coefficient is defined; 3 values of replicates undefined"


def test_whole_corpora_are_compared_whatever_number_of_segments_was_judged():
    # 0.2 - T * (0.01 + 0.02) is above 0.
    made = Made()
    made.add("gtm", 0.5, replicates=[0.49, 0.51, 0.5], length=9, kind="all")
    made.add("gtm", 0.7, replicates=[0.68, 0.72, 0.7], length=8, kind="all", criterion="fluency", units=8)
    row = made.judge("gtm[criterion=fluency] above gtm[criterion=adequacy]")
    assert (row.verdict, row.difference) == ("holds", pytest.approx(0.2))
    assert compared(row) == "gtm for fluency - gtm for adequacy, case, 1 reference"
    assert row.notes == "interval at its widest, because not all values are paired"


@pytest.mark.parametrize(("labels", "error"), [("abc", 0.1 / math.sqrt(3)), ("abd", 2 * 0.1 / math.sqrt(3))])
def test_documents_with_names_are_paired_by_these(labels, error):
    made = Made().add("gtm", 0.6, documents=[0.5, 0.7, 0.6], labels="abc", criterion="fluency")
    made.add("gtm", 0.4, documents=[0.4, 0.5, 0.3], labels=labels)
    row = made.judge("gtm[criterion=fluency] above gtm[criterion=adequacy]")
    assert row.lower == pytest.approx(0.2 - T * error, abs=1e-6)


def test_each_corpus_is_judged_on_its_own():
    made = Made().add("gtm", 0.6, replicates=[0.5, 0.7, 0.6])
    made.run.corpora.append(facts_of("d"))
    claims = [ClaimSettings("words", "gtm above 0.1"), ClaimSettings("more", "gtm below 0.1")]
    rows = judge_claims(claims, made.run)
    found = [(row.corpus, row.claim, row.verdict) for row in rows]
    assert found == [("c", 1, "holds"), ("c", 2, "fails"), ("d", 1, "not applicable"), ("d", 2, "not applicable")]
