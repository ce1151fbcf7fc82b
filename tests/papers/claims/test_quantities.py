"""Claims about minimum significant differences and shares of the NIST score."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metaeval.report.claims import claims_text
from metaeval.results.keys import Key
from metaeval.results.model import ScoreBlock
from tests.papers.claims.support import Made, counts
from tests.support.results import minimum_difference, ranking

NAN = math.nan


def smallest(*values):
    """Return results in which a test found these largest differences, the significant ones left out, and with them."""
    made = Made()
    for criterion, test, missed, largest in values:
        made.run.tables.minimum_significant_differences.append(
            minimum_difference(
                criterion=criterion,
                coefficient="spearman",
                test=test,
                largest_not_significant=missed,
                largest_difference=largest,
                n_pairs=6,
            )
        )
    return made


@pytest.mark.parametrize(
    ("missed", "largest", "verdict"),
    [
        (0.008, 0.05, "holds"),
        (0.02, 0.05, "fails"),
        # A pair of just that size is not significant.
        (0.01, 0.05, "fails"),
        (0.01, 0.01, "fails"),
        # One of just that size is.
        (0.008, 0.01, "holds"),
        # None is so large.
        (0.008, 0.009, "undecided"),
        (0.009, 0.009, "undecided"),
        (NAN, 0.009, "undecided"),
        # All are significant.
        (NAN, 0.05, "holds"),
        # Nothing is significant.
        (0.05, 0.05, "fails"),
        # No pair was compared.
        (NAN, NAN, "undecided"),
    ],
)
def test_a_minimum_significant_difference_is_refuted_by_a_pair_as_large(missed, largest, verdict):
    made = smallest(("adequacy", "wilcoxon", missed, largest))
    for over in ("everywhere", "somewhere"):
        row = made.judge(
            "minimum-significant-difference at most 0.01", quantity="minimum-significant-difference", over=over
        )
        assert row.verdict == verdict
        assert counts(row) == tuple(int(verdict == one) for one in ("holds", "fails", "undecided"))
        assert row.difference == pytest.approx(0.01 - (0 if math.isnan(missed) else missed))
        assert math.isnan(row.lower)
        assert (row.evidence, row.notes) == ("none", "")
        side = "not below" if missed == 0.01 else "above" if missed > 0.01 else "below"
        words = f"the largest difference that is not significant is {missed:.3f}, {side} 0.01"
        words = "all 6 differences are significant" if math.isnan(missed) else words
        assert row.why == ("no difference is as large as 0.01" if verdict == "undecided" else words)


def test_where_all_pairs_are_significant_any_number_from_zero_on_holds():
    made = smallest(("adequacy", "wilcoxon", NAN, 0.05))
    assert (
        made.judge("minimum-significant-difference at most 0", quantity="minimum-significant-difference").verdict
        == "holds"
    )


@pytest.mark.parametrize(
    ("settings", "verdict", "notes"),
    [
        ({}, "fails", ""),
        ({"criteria": ("adequacy",)}, "fails", ""),
        ({"criteria": ("adequacy",), "test": "wilcoxon"}, "holds", ""),
        ({"over": "somewhere"}, "holds", ""),
        ({"over": "somewhere", "criteria": ("fluency",)}, "fails", ""),
        ({"criteria": ("adequacy",), "references": (1, 16), "test": "wilcoxon"}, "holds", "16 references"),
        ({"references": (2,)}, "not applicable", ""),
        ({"test": "bootstrap"}, "not applicable", ""),
    ],
)
def test_minimum_significant_differences_are_chosen_and_counted(settings, verdict, notes):
    made = smallest(
        ("adequacy", "wilcoxon", 0.008, 0.05),
        ("adequacy", "permutation", 0.02, 0.05),
        ("fluency", "wilcoxon", 0.03, 0.03),
    )
    row = made.judge(
        "minimum-significant-difference at most 0.01", quantity="minimum-significant-difference", **settings
    )
    assert (row.verdict, row.notes) == (verdict, f"without {notes}, which are not there" if notes else "")
    if settings == {}:
        words = "the largest difference that is not significant is 0.030, above 0.01"
        assert row.why == f"{words} (Wilcoxon signed-rank test, fluency)"
        assert row.compared == "the largest difference that is not significant is above 0.01 (fluency)"
        assert (counts(row), row.difference) == ((1, 2, 0), pytest.approx(-0.02))


def test_places_without_a_difference_as_large_leave_the_verdict_to_others():
    made = smallest(("adequacy", "wilcoxon", 0.008, 0.05), ("fluency", "wilcoxon", 0.008, 0.009))
    row = made.judge("minimum-significant-difference at most 0.01", quantity="minimum-significant-difference")
    assert (row.verdict, counts(row)) == ("holds", (1, 0, 0))
    row = made.judge("minimum-significant-difference at most 0.06", quantity="minimum-significant-difference")
    assert (row.verdict, counts(row)) == ("undecided", (0, 0, 2))
    assert row.why == "no difference is as large as 0.06 (adequacy)"


def test_without_an_order_of_good_and_bad_there_is_no_minimum_significant_difference():
    made = smallest(("adequacy", "wilcoxon", 0.008, 0.05)).add("gtm", 0.5).add("ter", -0.5)
    assert (
        made.judge("minimum-significant-difference at most 0.01", quantity="minimum-significant-difference").verdict
        == "holds"
    )
    made.turn_raw()
    row = made.judge("minimum-significant-difference at most 0.01", quantity="minimum-significant-difference")
    assert row.why == "high is not always good here: `correlation.orientation` is 'raw'"


def test_without_tests_there_is_no_minimum_significant_difference():
    row = Made().judge("minimum-significant-difference at most 0.01", quantity="minimum-significant-difference")
    assert (row.verdict, row.why) == ("not applicable", "the experiment has no test between metrics")


def equal(**numbers):
    """Return results with so many equals of the best among bleu, nist and gtm, by coefficient."""
    made = Made()
    for coefficient, number in numbers.items():
        for place, metric in enumerate(("bleu", "nist", "gtm")):
            made.add(metric, 0.9 - 0.1 * place, coefficient=coefficient)
            key = made.run.tables.correlations[-1].key
            for method, count in (("intervals", number), ("wilcoxon", 3)):
                made.run.tables.rankings.append(ranking(key=key, method=method, top_cluster=place < count))
    return made


@pytest.mark.parametrize(
    ("spearman", "relation", "verdict"),
    [(3, "above", "holds"), (1, "above", "fails"), (1, "at least", "holds"), (1, "below", "fails")],
)
def test_the_equals_of_the_best_are_counted_by_their_intervals(spearman, relation, verdict):
    # One by Pearson's, the best itself; what a test says of equals is not asked.
    statement = f"top-cluster[coefficient=spearman] {relation} top-cluster[coefficient=pearson]"
    row = equal(pearson=1, spearman=spearman).judge(statement, quantity="top-cluster")
    assert (row.verdict, row.evidence, row.difference) == (verdict, "none", spearman - 1)
    assert math.isnan(row.lower)
    counts_found = [f"{spearman} by Spearman", "1 by Pearson"][:: -1 if relation == "below" else 1]
    overlapping = "metrics whose interval overlaps with that of the best"
    assert row.why == f"{overlapping}: {', '.join(counts_found)} (adequacy, case, 1 reference, 5 segments)"
    words = {"above": "more {} than {}", "below": "fewer {} than {}", "at least": "at least as many {} as {}"}[relation]
    assert f"     {overlapping}: {words.format('by Spearman', 'by Pearson')}," in claims_text([row], width=200)


def test_the_equals_of_the_best_beside_a_number():
    row = equal(pearson=2, spearman=2).judge("top-cluster at least 2", quantity="top-cluster")
    assert (row.verdict, counts(row), row.difference) == ("holds", (2, 0, 0), 0)
    words = "metrics whose interval overlaps with that of the best: 2"
    assert row.why == f"{words} (adequacy, case, 1 reference, 5 segments, pearson)"
    text = claims_text([row])
    assert f"     {words} or more, everywhere\n" in text


def test_without_intervals_nothing_equals_the_best():
    row = Made().add("bleu", 0.5).judge("top-cluster above 1", quantity="top-cluster")
    assert (row.verdict, row.why) == ("not applicable", "the experiment has no intervals (`uncertainty.method`)")


def nist_scores(*scores):
    """Return results with the scores of nist up to order 1 and up to order 2, by reference subset and system."""
    made = Made()
    for subset in dict.fromkeys(subset for subset, *_ in scores):
        of_systems = {system: both for one, system, *both in scores if one == subset}
        for place, order in enumerate((1, 2)):
            made.run.scores.append(
                ScoreBlock(
                    key=Key(corpus="c", preprocessing="case", subset=subset, metric=f"nist(order={order})"),
                    level="system",
                    kind="system",
                    units=("all",),
                    sizes=np.array([9], dtype=np.int32),
                    names=tuple(of_systems),
                    values=np.array([[both[place] for both in of_systems.values()]], dtype=float),
                    n_references=1 + subset.count("+"),
                    signature=f"NIST|order:{order}|information:yes|brevity:yes|refs:{subset}",
                )
            )
    return made


def test_shares_of_the_nist_score_are_compared_system_by_system():
    # Shares of order 1 with r1: 0.8 and 0.9; with r2: 0.6 and 0.9, so 0.7 and 0.9 with one reference. With both: 0.5
    # and 0.6. They fall by 0.2 and 0.3.
    made = nist_scores(
        ("r1", "A", 4, 5),
        ("r1", "B", 9, 10),
        ("r2", "A", 3, 5),
        ("r2", "B", 9, 10),
        ("r1+r2", "A", 3, 6),
        ("r1+r2", "B", 6, 10),
    )
    row = made.judge("nist(order=1)[references=1] above nist(order=1)[references=2]", quantity="nist-share")
    assert (row.verdict, row.evidence, row.n_comparisons) == ("holds", "systems", 1)
    assert (row.difference, row.lower, row.upper) == pytest.approx((0.25, 0.2, 0.3))
    # Order 2 has the rest, so it gains the same.
    row = made.judge(
        "nist(order=2)[references=2] above nist(order=2)[references=1]", quantity="nist-share", margin=0.22
    )
    assert (row.verdict, row.difference) == ("undecided", pytest.approx(0.25))
    row = made.judge("nist(order=1) above 0.55", quantity="nist-share", over="average")
    # A: (0.7 + 0.5) / 2 - 0.55 = 0.05; B: (0.9 + 0.6) / 2 - 0.55 = 0.2.
    assert (row.lower, row.upper) == pytest.approx((0.05, 0.2))
    assert made.judge("nist(order=3) above 0.1", quantity="nist-share").verdict == "not applicable"


def test_shares_are_those_of_one_corpus_and_of_panels_with_all_orders():
    made = nist_scores(("r1", "A", 4, 5), ("r1", "B", 9, 10))
    (first, second) = made.run.scores
    elsewhere = [
        replace(one, key=one.key.with_names(corpus="other"), values=one.values[:, ::-1]) for one in (first, second)
    ]
    here = [replace(one, key=one.key.with_names(panel="all orders")) for one in (first, second)]
    made.run.scores = [*here, *elsewhere, replace(second, key=second.key.with_names(panel="no first order"))]
    row = made.judge("nist(order=1) above 0.5", quantity="nist-share")
    # 0.8 and 0.9, less 0.5.
    assert (row.n_comparisons, row.lower, row.upper) == (1, pytest.approx(0.3), pytest.approx(0.4))


def test_without_lower_orders_there_are_no_shares():
    row = Made().add("bleu", 0.5).judge("nist(order=1) above 0.5", quantity="nist-share")
    assert row.why == "the experiment has no nist of two orders or more with every order below the highest"


def test_the_text_tells_where_limits_come_from():
    made = nist_scores(("r1", "A", 4, 5), ("r1", "B", 9, 10)).add("bleu", 0.5)
    shares = claims_text([made.judge("nist(order=1) above 0.5", quantity="nist-share")])
    # 0.8 and 0.9.
    assert "     shares of the NIST score: nist(order=1) above 0.5, everywhere\n" in shares
    sentence = "nist(order=1) is 0.850 [0.800, 0.900], above 0.5 (case, 1 reference)"
    assert f"HOLDS: {sentence}; range over the systems" in " ".join(shares.split())
    single = claims_text([made.judge("bleu above 0.1")])
    sentence = "bleu is 0.500, above 0.1 (adequacy, case, 1 reference, 5 segments)"
    assert f"UNDECIDED: {sentence}; without an interval" in " ".join(single.split())
    made = smallest(("adequacy", "wilcoxon", 0.3, 0.5))
    rows = [
        made.judge(f"minimum-significant-difference at most {number}", quantity="minimum-significant-difference")
        for number in (0.4, 0.2, 1)
    ]
    text = " ".join(claims_text(rows).split())
    assert "HOLDS: the largest difference that is not significant is 0.300, below 0.4" in text
    assert "FAILS: the largest difference that is not significant is 0.300, above 0.2" in text
    assert text.endswith("UNDECIDED: no difference is as large as 1")
