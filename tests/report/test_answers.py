"""What a run or comparison says that it has found, from rows made by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from metaeval.datamodel.corpus import CONSTANT
from metaeval.report.answers import answers_of, sentences_of
from metaeval.report.comparison_views import brief_text
from metaeval.report.comparisons_at import places_of
from metaeval.report.display_names import labelled
from metaeval.report.rankings import rankings_of
from metaeval.results.keys import DocumentKind
from metaeval.results.model import RunData
from metaeval.results.rows import BEST_OF_CHANCE, Ceiling, Influence
from tests.support.grids import made_grid
from tests.support.results import claim, correlation, facts_of, key_of, minimum_difference, ranking, run_of, test_result

LENGTHS = (5, 10)


def run(means, tests=(), *, over=True, chance=None, p_worse=0.01):
    """Return a run with the same coefficients, and tests (metric, metric, p), at two lengths of documents."""
    rows, of_tests, rankings, ceiling = [], [], [], []
    for length in LENGTHS:
        rows += [correlation(mean, metric=name, length=length, replicates_used=500) for name, mean in means.items()]
        at = length if over else None
        of_tests += [test_result(a, b, p, key=key_of(length=at)) for a, b, p in tests]
        rankings += [
            ranking(method="bootstrap", over="replicates", metric=name, length=length, p_worse=p_worse)
            for name in means
        ]
        if chance is not None:
            ceiling += [Ceiling(key_of(metric="", length=length), BEST_OF_CHANCE, 0.0, upper=chance)]
    return run_of(*rows, tests=of_tests, rankings=rankings, ceiling=ceiling)


def test_the_best_is_clear_only_where_it_is_better_than_each_other_metric():
    # C is worse than B for sure, but not than A, which is the best: no metric is better than all others.
    undecided = run({"A": 0.9, "B": 0.8, "C": 0.7}, [("A", "B", 0.4), ("A", "C", 0.3), ("B", "C", 0.001)])
    of = "adequacy, Pearson: A has the highest coefficient at both document lengths"
    assert answers_of(undecided) == [f"{of}; it is significantly better than every other metric at none of 2."]
    clear = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)])
    assert answers_of(clear) == [f"{of}; it is significantly better than every other metric at both."]


def test_a_coefficient_is_named_only_where_a_panel_has_several():
    rows = [correlation(0.9, metric="A", panel="system, pearson")]
    rows += [correlation(0.8, metric="A", panel="segment, kendall", coefficient="kendall")]
    assert answers_of(run_of(*rows)) == [
        "system, pearson, adequacy: A has 0.90 [0.80, 1.00]; it is the only metric.",
        "segment, kendall, adequacy: A has 0.80 [0.70, 0.90]; it is the only metric.",
    ]
    rows += [correlation(0.7, metric="A", panel="segment, kendall", coefficient="spearman")]
    assert answers_of(run_of(*rows))[2] == (
        "segment, kendall, adequacy, Spearman: A has 0.70 [0.60, 0.80]; it is the only metric."
    )


def test_two_metrics_share_the_highest_coefficient():
    tied = [correlation(0.5, metric="A"), correlation(0.5, metric="B"), correlation(0.4, metric="C")]
    assert answers_of(run_of(*tied)) == [
        "adequacy: A and B have the same highest coefficient, 0.50; differences were not tested."
    ]
    assert answers_of(run_of(tied[1], tied[2])) == [
        "adequacy: B has the highest coefficient, 0.50 [0.40, 0.60]; differences were not tested."
    ]


def test_one_metric_is_no_winner():
    alone = run({"A": 0.9}, [("A", "constant", 0.001)])
    assert answers_of(alone) == ["adequacy, Pearson: A is the only metric, at 2 document lengths."]


def test_the_only_metric_that_could_be_scored_is_said_to_be_so():
    setting = SimpleNamespace(panel="", corpus="c", left_out={"B": "failed", "C": "has scores of whole systems alone"})
    reasons = "(B failed and C has scores of whole systems alone)"
    alone = run_of(correlation(0.9, metric="A"), settings=[setting])
    assert answers_of(alone) == [
        f"adequacy: A has 0.90 [0.80, 1.00]; it is the only metric that could be scored {reasons}."
    ]
    comma = SimpleNamespace(panel="", corpus="c", left_out={"F, e=1": "failed"})
    assert answers_of(run_of(correlation(0.9, metric="A"), settings=[comma]))[0].endswith('("F, e=1" failed).')
    several = replace(run({"A": 0.9}), settings=[setting])
    assert answers_of(several) == [
        f"adequacy, Pearson: A is the only metric that could be scored {reasons}, at 2 document lengths."
    ]
    # What is left out of another corpus does not concern this one.
    other = run_of(correlation(0.9, metric="A"), settings=[SimpleNamespace(panel="", corpus="d", left_out={"B": "x"})])
    assert answers_of(other) == ["adequacy: A has 0.90 [0.80, 1.00]; it is the only metric."]


def test_coefficients_within_those_of_exchanged_systems_win_nothing():
    noise = run({"A": 0.3, "B": 0.2}, [("A", "B", 0.01)], chance=0.6)
    assert answers_of(noise) == [
        "adequacy, Pearson: no metric is shown to agree with people at either of 2 document lengths."
    ]


# The coefficients of three metrics; the interval of each is a tenth on either side.
THREE = {"A": 0.9, "B": 0.8, "C": 0.7}


def with_tests(p_worse, pairs, means=THREE, **key):
    """Return rows of metrics, their stars at 0.05 by the p of the hypothesis that none is better, and tests of pairs.

    Parameters
    ----------
    p_worse : mapping of str to float
        Of the metrics that the test could compare.
    pairs : mapping of str to (float or dict)
        By two letters, such as AB: p corrected for all pairs, or what else the row of the test has.
    """
    rows = [correlation(mean, metric=name, **key) for name, mean in means.items()]
    tests = [
        test_result(*names, **({"p": one} if isinstance(one, float) else one), **key) for names, one in pairs.items()
    ]
    of = {"method": "bootstrap", "over": "replicates", **key}
    return rows, tests, [ranking(metric=one, p_worse=p, top_cluster=p >= 0.05, **of) for one, p in p_worse.items()]


def said(p_worse, pairs, means=THREE, others=(), **tables):
    """Return what is said of metrics that were tested, without the name of the criterion."""
    rows, tests, rankings = with_tests(p_worse, pairs, means)
    (line,) = answers_of(run_of(*rows, *others, tests=tests, rankings=rankings, **tables))
    assert line.startswith("adequacy: ")
    return line.removeprefix("adequacy: ")


def test_one_metric_leads_and_the_others_are_worse():
    assert said({"A": 1.0, "B": 0.01, "C": 0.01}, {"AB": 0.01, "AC": 0.01, "BC": 0.3}) == (
        "A is the best, with 0.90 [0.80, 1.00]; B and C are significantly worse than A."
    )


def test_several_metrics_lead():
    assert said({"A": 1.0, "B": 0.3, "C": 0.01}, {"AB": 0.3, "AC": 0.01, "BC": 0.01}) == (
        "A (0.90 [0.80, 1.00]) and B share the lead, with no significant difference between them; C is significantly "
        "worse than A."
    )


def test_no_metric_leads_where_none_is_worse():
    highest = "A has the highest coefficient, 0.90 [0.80, 1.00]."
    assert said({"A": 1.0, "B": 0.3}, {"AB": 0.3}, {"A": 0.9, "B": 0.8}) == (
        f"no significant difference between A and B; {highest}"
    )
    assert said({"A": 1.0, "B": 0.3, "C": 0.2}, {"AB": 0.3, "AC": 0.2, "BC": 0.5}) == (
        f"no significant difference among the 3 metrics; {highest}"
    )


def test_what_rests_on_single_systems_stands_behind_the_metric_that_leads():
    # C could not be tested, and has the highest coefficient without S.
    pairs = {"AB": 0.3, "AC": STORED, "BC": STORED}
    line = said({"A": 1.0, "B": 0.3}, pairs, influence=left_out(S={"A": 0.3, "B": 0.2, "C": 0.5}))
    assert line == (
        "no significant difference between A and B; A has the highest coefficient, 0.90 [0.80, 1.00]; without system "
        "S, C has the highest coefficient, 0.50 (not tested); C could not be tested: its scores are stored."
    )


def test_of_many_metrics_that_are_worse_three_are_named():
    means = {name: 0.9 - number / 10 for number, name in enumerate("ABCDEFG")}
    found = said(dict.fromkeys("BCDEFG", 0.01) | {"A": 1.0}, {f"A{name}": 0.01 for name in "BCDEFG"}, means)
    assert found == "A is the best, with 0.90 [0.80, 1.00]; B, C, D and 3 others are significantly worse than A."


@pytest.mark.parametrize(
    ("names", "leaders"),
    [
        ("ABCDEF", "A (0.90 [0.80, 1.00]), B, C, D and E"),
        ("ABCDEFG", "A (0.90 [0.80, 1.00]), B, C, D, E and F"),
        ("ABCDEFGH", "A (0.90 [0.80, 1.00]) and 6 others"),
    ],
)
def test_of_many_metrics_that_lead_the_first_is_named_and_the_others_are_counted(names, leaders):
    *leading, last = names
    means = {name: 0.9 - number / 10 for number, name in enumerate(names)}
    # The last is worse than B, and not than the best.
    line = said(dict.fromkeys(leading, 0.5) | {last: 0.01}, {"AB": 0.5, f"A{last}": 0.3, f"B{last}": 0.01}, means)
    assert line == (
        f"{leaders} share the lead, with no significant difference among them; {last} is significantly worse than B "
        "(not than A)."
    )


def test_metrics_that_no_single_one_is_better_than_are_worse_than_some_leader():
    # C is worse than A, and D than B.
    means = {"A": 0.9, "B": 0.8, "C": 0.7, "D": 0.6}
    p_worse = {"A": 1.0, "B": 0.5, "C": 0.01, "D": 0.01}
    assert said(p_worse, {"AB": 0.5, "AC": 0.01, "BC": 0.3, "AD": 0.3, "BD": 0.01, "CD": 0.9}, means) == (
        "A (0.90 [0.80, 1.00]) and B share the lead, with no significant difference between them; C and D are each "
        "significantly worse than at least one of these."
    )


def test_a_name_with_a_comma_stands_in_quotes():
    rows, tests, ranks = with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8})
    found = replace(run_of(*rows, tests=tests, rankings=ranks), labels={"A": "F, e=1"})
    assert answers_of(labelled(found)) == [
        'adequacy: "F, e=1" is the best, with 0.90 [0.80, 1.00]; B is significantly worse than "F, e=1".'
    ]


def test_the_highest_mean_need_not_lead_on_the_documents_that_two_metrics_share():
    # B is better than A where both have a coefficient, though its mean, over other documents, is lower.
    pairs = {"AB": {"p": 0.01, "difference": -0.1}, "AC": 0.3, "BC": 0.01}
    assert said({"A": 0.01, "B": 1.0, "C": 0.01}, pairs) == (
        "A has the highest mean (0.90 [0.80, 1.00]), but agrees less well than B on the documents where both have a "
        "coefficient; B is the best, with 0.80 [0.70, 0.90]; A and C are significantly worse than B."
    )


STORED = {"p": float("nan"), "untested_because": "its scores are stored"}


def test_what_could_not_be_tested_is_named_with_the_reason():
    assert said({"A": 1.0, "B": 0.01}, {"AB": 0.01, "AC": STORED, "BC": STORED}) == (
        "A is the best, with 0.90 [0.80, 1.00]; B is significantly worse than A; C could not be tested: its scores are "
        "stored."
    )
    nameless = {"p": float("nan")}
    assert said({"A": 1.0, "B": 0.01}, {"AB": 0.01, "AC": nameless, "BC": nameless}).endswith(
        "; C could not be tested: the test gives no p-value."
    )


def test_where_no_metric_could_be_tested_the_reason_is_given_once():
    few = {"p": float("nan"), "untested_because": "it needs at least 50 replicates with a value, and there are 30"}
    assert said({}, {"AB": few, "AC": few, "BC": few}) == (
        "A has the highest coefficient, 0.90 [0.80, 1.00]; differences could not be tested: a test needs at least 50 "
        "replicates with a value, and there are 30."
    )


def test_nothing_leads_where_the_highest_coefficient_could_not_be_tested():
    # B is better than C, which says nothing of A.
    rows, tests, _ = with_tests({}, {"AB": STORED, "AC": STORED, "BC": 0.01})
    of = {"method": "bootstrap", "over": "replicates", "top_cluster": False}
    ranks = [ranking(metric="B", p_worse=1.0, **of), ranking(metric="C", p_worse=0.01, **of)]
    assert answers_of(run_of(*rows, tests=tests, rankings=ranks)) == [
        "adequacy: A has the highest coefficient, 0.90 [0.80, 1.00], but could not be tested: its scores are stored; C "
        "is significantly worse than B."
    ]


def test_where_no_pair_could_be_tested_the_reason_is_given_once():
    rows, tests, _ = with_tests({}, {"AB": STORED, "AC": STORED, "BC": STORED})
    assert answers_of(run_of(*rows, tests=tests)) == [
        "adequacy: A has the highest coefficient, 0.90 [0.80, 1.00]; differences could not be tested: its scores are "
        "stored."
    ]


def test_a_metric_that_lacks_a_system_is_said_to_have_scores_of_few():
    pairs = {"AB": 0.01} | {
        pair: {"p": float("nan"), "untested_because": "one of them lacks scores of some system"}
        for pair in ("AC", "BC")
    }
    few = correlation(0.95, metric="C", n_systems=7)
    assert said({"A": 1.0, "B": 0.01}, pairs, {"A": 0.9, "B": 0.8}, [few]).endswith(
        "; C could not be tested: it has scores of 7 of 8 systems."
    )


LACKS = {"p": float("nan"), "untested_because": "one of them lacks scores of some system"}


def test_the_only_metric_with_scores_of_all_systems_has_none_to_be_compared_with():
    rows = [correlation(0.9, metric="A"), correlation(0.95, metric="B", n_systems=7)]
    ranks = [ranking(metric=name, method="bootstrap", over="replicates", top_cluster=False) for name in "AB"]
    (line,) = answers_of(run_of(*rows, tests=[test_result("A", "B", **LACKS)], rankings=ranks))
    assert line == (
        "adequacy: A has the highest coefficient, 0.90 [0.80, 1.00], but could not be tested: no other metric has "
        "scores of the same 8 systems; B could not be tested: it has scores of 7 of 8 systems."
    )
    lacking = correlation(0.5, metric="C", n_systems=7)
    tests = [test_result(*pair, **LACKS) for pair in ("AB", "AC", "BC")]
    (line,) = answers_of(run_of(*rows, lacking, tests=tests, rankings=[*ranks, replace(ranks[0], key=lacking.key)]))
    assert line.endswith("; B and C could not be tested: they have scores of 7 of 8 systems.")
    # Each lacks another system.
    rows = [replace(row, n_systems=7) for row in rows]
    (line,) = answers_of(run_of(*rows, tests=[test_result("A", "B", **LACKS)], rankings=ranks))
    assert line == (
        "adequacy: B has the highest coefficient, 0.95 [0.85, 1.05]; differences could not be tested: no two metrics "
        "have scores of the same 7 systems."
    )


def test_a_metric_without_a_coefficient_cannot_be_ranked():
    without = correlation(float("nan"), metric="D")
    assert said({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, [without]).endswith(
        "B is significantly worse than A; D cannot be ranked: no coefficient."
    )
    assert answers_of(run_of(without)) == ["adequacy: no metric has a coefficient."]


def test_too_few_replicates_leave_it_undecided_and_say_how_many_it_takes():
    few = {"p": 0.06, "needs_resamples": 1000}
    more = {"p": 0.06, "needs_resamples": 2000}
    highest = "A has the highest coefficient, 0.90 [0.80, 1.00]"
    takes = "undecided: that takes 2,000 replicates (n_resamples=2000)."
    # Not that there is no significant difference: no p of so few replicates could be significant.
    assert said({"A": 1.0, "B": 0.06, "C": 0.06}, {"AB": few, "AC": more, "BC": 0.5}) == (
        f"{highest}; whether B and C are worse is {takes}"
    )
    assert said({"A": 1.0, "B": 0.5, "C": 0.06}, {"AB": 0.5, "AC": more, "BC": 0.5}) == (
        f"no significant difference between A and B; {highest}; whether C is worse is {takes}"
    )
    assert said({"A": 1.0, "B": 0.01, "C": 0.06}, {"AB": 0.01, "AC": more, "BC": 0.5}) == (
        f"{highest}; B is significantly worse than A; whether C is worse is {takes}"
    )


def test_a_metric_that_is_undecided_is_none_of_the_leaders_that_were_named():
    # C is worse than A, and D than U, of which it is undecided whether it leads.
    pairs = {"AU": {"p": 0.06, "needs_resamples": 1000}, "AC": 0.01, "AD": 0.3, "UC": 0.3, "UD": 0.01, "CD": 0.9}
    means = {"A": 0.9, "U": 0.85, "C": 0.7, "D": 0.6}
    assert said({"A": 1.0, "U": 0.06, "C": 0.01, "D": 0.01}, pairs, means).startswith(
        "A has the highest coefficient, 0.90 [0.80, 1.00]; C and D are each significantly worse than another metric; "
        "whether U is worse"
    )


def test_without_a_test_intervals_that_overlap_are_named():
    def of(*starred, means=THREE):
        rows = [correlation(mean, metric=name) for name, mean in means.items()]
        ranks = [ranking(metric=name, top_cluster=name in starred) for name in means]
        (line,) = answers_of(run_of(*rows, rankings=ranks))
        return line

    highest = "adequacy: A has the highest coefficient, 0.90 [0.80, 1.00]"
    assert of("A", "B") == (
        f"{highest}; differences were not tested, and its confidence interval overlaps with that of B."
    )
    assert of("A", "B", "C") == (
        f"{highest}; differences were not tested, and its confidence interval overlaps with those of all other metrics."
    )
    assert of("A", "B", "C", means={**THREE, "D": 0.1}) == (
        f"{highest}; differences were not tested, and its confidence interval overlaps with those of B and C."
    )
    assert of("A") == f"{highest}; differences were not tested."


def test_a_coefficient_that_would_be_rounded_to_1_has_three_digits():
    row = correlation(0.9962, metric="A", lower=0.9214, upper=0.9991)
    assert answers_of(run_of(row)) == ["adequacy: A has 0.996 [0.921, 0.999]; it is the only metric."]
    perfect = correlation(1.0, metric="A", lower=0.9214, upper=1.0)
    assert answers_of(run_of(perfect)) == ["adequacy: A has 1.00 [0.92, 1.00]; it is the only metric."]


def test_a_name_with_a_comma_is_in_quotes_where_nothing_is_tested():
    rows = [correlation(0.9, metric="BLEU, shortest reference"), correlation(0.8, metric="B")]
    assert answers_of(run_of(rows[0])) == [
        'adequacy: "BLEU, shortest reference" has 0.90 [0.80, 1.00]; it is the only metric.'
    ]
    assert answers_of(run_of(*rows)) == [
        'adequacy: "BLEU, shortest reference" has the highest coefficient, 0.90 [0.80, 1.00]; differences were not '
        "tested."
    ]


def left_out(**values):
    """Return the coefficients of metrics without a system, such as ``S={"A": 0.3, "B": 0.5}``."""
    return [
        Influence(key_of(metric=name), "all", system, 7, value, 0.0)
        for system, of_metric in values.items()
        for name, value in of_metric.items()
    ]


@pytest.mark.parametrize(
    ("systems", "words"),
    [
        (("S",), "without system S, B has the highest coefficient, 0.50 (not tested)"),
        (("S", "T"), "without system S or T, B has the highest coefficient"),
        (("S", "T", "U"), "without system S or any one of 2 others, B has the highest coefficient"),
    ],
)
def test_a_leader_that_rests_on_single_systems_is_said_to(systems, words):
    without = left_out(**{system: {"A": 0.3, "B": 0.5} for system in systems}, V={"A": 0.9, "B": 0.5})
    two = {"A": 0.9, "B": 0.8}
    assert said({"A": 1.0, "B": 0.01}, {"AB": 0.01}, two, influence=without) == (
        f"A is the best, with 0.90 [0.80, 1.00]; {words}; B is significantly worse than A."
    )
    # Of metrics that lead together, none leads by itself.
    assert "without" not in said({"A": 1.0, "B": 0.3}, {"AB": 0.3}, two, influence=without)


def test_at_a_level_of_its_own_a_test_has_that_level():
    # With alpha = 0.1, a p of 0.07 is significant, and 0.2 is not.
    rows, tests, _ = with_tests({}, {"AB": 0.07, "AC": {"p": 0.07, "p_corrected": 0.2}, "BC": 0.5})
    of = {"method": "bootstrap", "over": "replicates"}
    stars = {"A": 1.0, "B": 0.02, "C": 0.09}
    ranks = [ranking(metric=one, p_worse=p, top_cluster=p >= 0.1, **of) for one, p in stars.items()]
    levels = [minimum_difference(test="bootstrap", over="replicates", alpha=0.1)]
    found = run_of(*rows, tests=tests, rankings=ranks, minimum_significant_differences=levels)
    assert answers_of(found) == [
        "adequacy: A is the best, with 0.90 [0.80, 1.00]; B is significantly worse than A; C may be worse than A: the "
        "difference is significant only before correction for all pairs of metrics."
    ]


def of_the_third(p, p_worse, p_of_second=0.2):
    """Return what is said of the third of three metrics, and its star.

    By its p against the best and the second, corrected for the three pairs, and by Hsu's p that it is as good as any.
    """
    pairs = {name: {"p": of / 3, "p_corrected": of} for name, of in {"AB": 0.6, "AC": p, "BC": p_of_second}.items()}
    rows, tests, rankings = with_tests({"A": 1.0, "B": 0.6, "C": p_worse}, pairs)
    found = run_of(*rows, tests=tests, rankings=rankings)
    (place,) = places_of(found)
    (line,) = answers_of(found)
    return line, place.mark("C")


def test_a_metric_is_said_to_be_worse_by_p_that_is_corrected_for_all_pairs():
    lead = "adequacy: A (0.90 [0.80, 1.00]) and B share the lead, with no significant difference between them"
    uncertain = "the difference is significant only before correction for all pairs of metrics."
    for p, is_worse in ((0.001, True), (0.03, True), (0.0499, True), (0.05, False), (0.14, False)):
        of_best = f"{lead}; C is significantly worse than A."
        assert of_the_third(p, 0.001) == (of_best if is_worse else f"{lead}; C may be worse than A: {uncertain}", ""), p
        of_other = f"{lead}; C is significantly worse than B (not than A)."
        of_other = of_other if is_worse else f"{lead}; C may be worse than B: {uncertain}"
        assert of_the_third(0.2, 0.001, p) == (of_other, ""), p


def test_metrics_that_may_be_worse_than_different_ones_are_said_to_be_worse_than_another():
    # C than A, and D than B; with the other two neither.
    uncertain = {"p": 0.01, "p_corrected": 0.06}
    pairs = {"AB": 0.5, "AC": uncertain, "AD": 0.3, "BC": 0.3, "BD": uncertain, "CD": 0.9}
    assert said({"A": 1.0, "B": 0.5, "C": 0.03, "D": 0.03}, pairs, {**THREE, "D": 0.6}).endswith(
        "; C and D may each be worse than another metric: the differences are significant only before correction for "
        "all pairs of metrics."
    )


def test_what_lacks_a_star_alone_is_not_said_to_be_worse():
    # A star is of one metric by itself: of many metrics that know nothing, some lack theirs.
    for p_worse, star in ((0.001, ""), (0.0499, ""), (0.05, "*"), (0.2, "*")):
        line, mark = of_the_third(0.2, p_worse)
        assert mark == star
        assert "C is significantly worse" not in line
        assert ("C may be worse" in line) == (star == "")
        assert ("no significant difference among the 3 metrics" in line) == (star == "*")


def test_nothing_leads_where_the_best_is_within_chance():
    # The level is that of the best of all metrics; at the level itself nothing is shown. As many digits as tell the two
    # numbers apart, and three of equal ones.
    means = {"A": 0.7, "B": 0.2}
    for level, numbers in ((0.69, None), (0.7, ("0.700", "0.700")), (0.72, ("0.70", "0.72")), (float("nan"), None)):
        ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=level)]
        line = said({"A": 1.0, "B": 0.001}, {"AB": 0.001}, means, ceiling=ceiling)
        if numbers is None:
            assert line == "A is the best, with 0.70 [0.60, 0.80]; B is significantly worse than A."
        else:
            assert line == (
                f"no metric is shown to agree with people: the highest coefficient, {numbers[0]} (A), is not above the "
                f"level of chance, {numbers[1]}. With human scores shuffled among the 8 systems, the best of the 2 "
                "metrics exceeds that level in at most 5 % of shuffles."
            )


def test_the_level_of_chance_of_three_systems_is_one_that_another_order_has():
    # Six orders are too few for a level that is exceeded in 5 % of them.
    rows = [correlation(mean, metric=name, n_systems=3) for name, mean in {"A": 0.7, "B": 0.2}.items()]
    ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=0.8)]
    assert answers_of(run_of(*rows, ceiling=ceiling)) == [
        "adequacy: no metric is shown to agree with people: the highest coefficient, 0.70 (A), is not above the level "
        "of chance, 0.80. With human scores in another order of the 3 systems, the best of the 2 metrics reaches "
        "that level."
    ]


def test_of_four_systems_one_order_in_24_can_exceed_the_level_of_chance():
    ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=0.8)]
    assert answers_of(run_of(correlation(0.7, metric="A", n_systems=4), ceiling=ceiling))[0].endswith(
        " With human scores shuffled among the 4 systems, the metric exceeds that level in at most 5 % of shuffles."
    )


def test_the_level_of_chance_is_of_the_metrics_that_have_a_coefficient():
    rows = [correlation(-0.001, metric="F, e=1"), correlation(float("nan"), metric="B")]
    ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=0.8)]
    assert answers_of(run_of(*rows, ceiling=ceiling)) == [
        'adequacy: no metric is shown to agree with people: the highest coefficient, 0.00 ("F, e=1"), is not above the '
        "level of chance, 0.80. With human scores shuffled among the 8 systems, the metric exceeds that level in at "
        "most 5 % of shuffles."
    ]


def test_the_level_of_chance_is_explained_once():
    rows = [correlation(0.7, metric="A", criterion=criterion) for criterion in ("adequacy", "fluency")]
    ceiling = [Ceiling(row.key.with_names(metric=""), BEST_OF_CHANCE, 0.1, upper=0.8) for row in rows]
    assert answers_of(run_of(*rows, ceiling=ceiling)) == [
        "Overall: no metric is shown to agree with people on either of the 2 criteria.",
        "adequacy: no metric is shown to agree with people: the highest coefficient, 0.70 (A), is not above the level "
        "of chance, 0.80. With human scores shuffled among the 8 systems, the metric exceeds that level in at "
        "most 5 % of shuffles.",
        "fluency: no metric is shown to agree with people: the highest coefficient, 0.70 (A), is not above the level "
        "of chance, 0.80.",
    ]


def test_settings_where_nothing_agrees_have_no_best_metric_that_is_significant():
    # Of two lengths, the second has coefficients within chance.
    found = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)])
    found.tables.ceiling.append(Ceiling(key_of(metric="", length=10), BEST_OF_CHANCE, 0.1, upper=0.95))
    assert answers_of(found) == [
        "adequacy, Pearson: A has the highest coefficient at both document lengths; it is significantly better than "
        "every other metric at 1 of 2. No metric is shown to agree with people at 1 of 2."
    ]


def test_the_highest_coefficient_of_several_settings_is_counted():
    # A at two lengths, B at one, and at one they share it.
    means = {5: (0.9, 0.8), 10: (0.9, 0.8), 20: (0.7, 0.8), 40: (0.8, 0.8)}
    rows = [
        correlation(one, metric=name, length=n) for n, of in means.items() for name, one in zip("AB", of, strict=True)
    ]
    assert answers_of(run_of(*rows)) == [
        "adequacy, Pearson: A has the highest coefficient at 2 of 4 document lengths, B at 1, no single one at "
        "1; differences were not tested."
    ]


def test_a_metric_that_could_not_be_tested_may_lead_as_well():
    parts = [
        with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01, "AC": STORED, "BC": STORED}, criterion=criterion)
        for criterion in ("adequacy", "fluency")
    ]
    rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
    # Not "only A": of C it is not known.
    assert answers_of(run_of(*rows, tests=tests, rankings=rankings))[0] == (
        "Overall: A leads, alone or with others, on both criteria."
    )


def test_that_intervals_overlap_at_one_of_several_settings_is_not_said_of_all():
    rows = [correlation(mean, metric=name, length=n) for n in LENGTHS for name, mean in (("A", 0.9), ("B", 0.85))]
    ranks = [ranking(metric=row.key.metric, length=row.key.documents.length) for row in rows]
    assert answers_of(run_of(*rows, rankings=ranks)) == [
        "adequacy, Pearson: A has the highest coefficient at both document lengths; differences were not tested."
    ]


def test_of_several_settings_those_count_where_a_metric_was_tested():
    parts = [
        with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01, "AC": STORED, "BC": STORED}, length=5),
        with_tests({}, {"AB": STORED, "AC": STORED, "BC": STORED}, length=10),
    ]
    rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
    assert answers_of(run_of(*rows, tests=tests, rankings=rankings)) == [
        "adequacy, Pearson: A has the highest coefficient at both document lengths; it is significantly better than "
        "every other metric that was tested at 1 of 1 that could be tested."
    ]


def test_a_criterion_with_one_setting_has_its_whole_answer():
    keys = [{"criterion": "x"}, {"criterion": "x", "corpus": "d"}, {"criterion": "y", "corpus": "d"}]
    parts = [with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, **key) for key in keys]
    rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
    assert answers_of(run_of(*rows, tests=tests, rankings=rankings)) == [
        "x, Pearson: A has the highest coefficient on both corpora; it is significantly better than every other metric "
        "on both.",
        "y, Pearson: A is the best, with 0.90 [0.80, 1.00]; B is significantly worse than A.",
    ]


def test_tests_without_a_p_at_several_settings_are_said_to_be_impossible():
    few = {"p": float("nan"), "untested_because": "it needs at least 50 bootstrap replicates, and 30 were drawn"}
    found = run({"A": 0.9, "B": 0.8}, [], p_worse=float("nan"))
    found.tables.tests.extend(test_result("A", "B", key=key_of(length=n), **few) for n in LENGTHS)
    assert answers_of(found) == [
        "adequacy, Pearson: A has the highest coefficient at both document lengths; differences could not be tested: a "
        "test needs at least 50 bootstrap replicates, and 30 were drawn (to draw more: n_resamples=2000)."
    ]


def test_tests_of_one_panel_are_not_those_of_another():
    rows = [correlation(mean, metric=name, panel=panel) for panel in "xy" for name, mean in (("A", 0.9), ("B", 0.8))]
    ranks = [
        ranking(metric=name, panel="x", method="bootstrap", over="replicates", p_worse=p, top_cluster=p > 0.05)
        for name, p in (("A", 1.0), ("B", 0.01))
    ]
    lines = answers_of(run_of(*rows, tests=[test_result("A", "B", 0.01, panel="x")], rankings=ranks))
    assert lines[1] == "y, adequacy: A has the highest coefficient, 0.90 [0.80, 1.00]; differences were not tested."


def test_the_only_metric_of_one_corpus_is_not_that_of_another():
    rows = [correlation(0.9, metric=name, corpus=corpus) for name, corpus in ("Ac", "Bd", "Be")]
    assert answers_of(run_of(*rows)) == ["adequacy, Pearson: A is the only metric on 1 of 3 corpora, B on 2."]


def over_criteria(*p_worse):
    """Return what is said of all criteria together; a corrected p is that of the metric of the two that is worse."""
    rows, tests, rankings = [], [], []
    for criterion, of_metric in zip(("adequacy", "fluency", "fidelity"), p_worse, strict=False):
        pairs = {a + b: min(of_metric[a], of_metric[b]) for a, b in itertools.combinations(of_metric, 2)}
        means = {name: 0.9 - number / 10 for number, name in enumerate(of_metric)}
        for found, own in zip(
            (rows, tests, rankings), with_tests(of_metric, pairs, means, criterion=criterion), strict=True
        ):
            found += own
    first, *others = answers_of(run_of(*rows, tests=tests, rankings=rankings))
    assert [line.partition(":")[0] for line in others] == ["adequacy", "fluency", "fidelity"][: len(others)]
    assert len(others) == len(p_worse)
    return first


def test_a_line_of_all_criteria_says_which_metrics_are_among_the_best_on_each():
    assert (
        over_criteria({"A": 1.0, "B": 0.3}, {"A": 1.0, "B": 0.01})
        == "Overall: only A leads, alone or with others, on both criteria."
    )
    assert over_criteria(
        {"A": 1.0, "B": 0.3, "C": 0.01}, {"B": 1.0, "A": 0.3, "C": 0.3}, {"A": 1.0, "C": 0.3, "B": 0.2}
    ) == ("Overall: only A and B lead, alone or with others, on all 3 criteria.")


def test_where_all_metrics_are_alike_on_all_criteria_the_line_says_that():
    alike = {"A": 1.0, "B": 0.3}
    assert over_criteria(alike, alike) == (
        "Overall: no significant difference between the 2 metrics on either of the 2 criteria."
    )
    alike = {"A": 1.0, "B": 0.3, "C": 0.2}
    assert over_criteria(alike, alike, alike) == (
        "Overall: no significant difference among the 3 metrics on any of the 3 criteria."
    )


def test_where_no_metric_is_among_the_best_everywhere_the_most_frequent_one_is_named():
    assert over_criteria({"A": 1.0, "B": 0.01}, {"B": 1.0, "A": 0.01}) == (
        "Overall: no metric leads, alone or with others, on both criteria."
    )
    assert over_criteria(
        {"A": 1.0, "B": 0.01, "C": 0.01}, {"B": 1.0, "A": 0.01, "C": 0.01}, {"C": 1.0, "A": 0.3, "B": 0.01}
    ) == ("Overall: no metric leads, alone or with others, on all 3 criteria; A does on 2.")
    assert over_criteria(
        {"A": 1.0, "B": 0.3, "C": 0.01}, {"A": 1.0, "C": 0.3, "B": 0.01}, {"B": 1.0, "C": 0.3, "A": 0.01}
    ) == ("Overall: no metric leads, alone or with others, on all 3 criteria; A, B and C do on 2.")


def test_a_line_of_several_corpora_speaks_of_settings():
    both = [with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, corpus=name) for name in ("c", "d")]
    rows, tests, rankings = ([one for part in parts for one in part] for parts in zip(*both, strict=True))
    line, *_ = answers_of(run_of(*rows, tests=tests, rankings=rankings))
    # Two corpora with one criterion: how often a metric is the best, as where documents have several lengths.
    assert line == (
        "adequacy, Pearson: A has the highest coefficient on both corpora; it is significantly better than every other "
        "metric on both."
    )
    line, *others = sentences_of(places_of(run_of(*rows, tests=tests, rankings=rankings)))
    assert line == "Overall: only A leads, alone or with others, on both corpora."
    assert [one.partition(":")[0] for one in others] == ["c, adequacy", "d, adequacy"]


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ([{}, {"coefficient": "spearman"}], "by both coefficients"),
        ([{"panel": "x"}, {"panel": "y"}, {"panel": "z"}], "in all 3 panels"),
        ([{}, {"coefficient": "spearman", "criterion": "fluency"}], "in both settings"),
    ],
)
def test_a_line_of_all_places_says_what_tells_them_apart(keys, where):
    parts = [with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, **key) for key in keys]
    rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
    line, *_ = answers_of(run_of(*rows, tests=tests, rankings=rankings))
    assert line == f"Overall: only A leads, alone or with others, {where}."


def test_there_is_no_line_of_all_criteria_where_the_highest_coefficient_of_one_was_not_tested():
    rows, tests, rankings = with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8})
    others, of_others, _ = with_tests({}, {"AB": STORED, "AC": STORED, "BC": 0.01}, criterion="fluency")
    settings = {"method": "bootstrap", "over": "replicates", "top_cluster": False, "criterion": "fluency"}
    ranks = [ranking(metric=name, p_worse=p, **settings) for name, p in (("B", 1.0), ("C", 0.01))]
    lines = answers_of(run_of(*rows, *others, tests=[*tests, *of_others], rankings=[*rankings, *ranks]))
    assert [line.partition(":")[0] for line in lines] == ["adequacy", "fluency"]


def labels(*keys):
    """Return what the lines on some places begin with."""
    rows = [correlation(0.5, metric=name, **key) for key in keys for name in "AB"]
    return [line.partition(":")[0] for line in sentences_of(places_of(run_of(*rows)))]


def test_a_line_begins_with_what_tells_its_place_apart():
    assert labels({}, {"criterion": "fluency"}) == ["adequacy", "fluency"]
    assert labels({"length": 1}, {"length": 10}) == ["1 segment, adequacy", "10 segments, adequacy"]
    assert labels({"subset": "r1"}, {"subset": "r1+r2"}) == ["reference r1, adequacy", "references r1 + r2, adequacy"]
    assert labels({"preprocessing": "case"}, {"preprocessing": 'nocase(tokenizer="13a")'}) == [
        "tokens at white space, case kept, adequacy",
        "13a tokens, lower-cased, adequacy",
    ]
    assert labels({}, {"coefficient": "spearman"}) == ["adequacy, Pearson", "adequacy, Spearman"]
    # Each corpus has its references and its length, and each panel its level.
    assert labels({}, {"corpus": "d", "subset": "r1+r2", "length": 10}) == ["c, adequacy", "d, adequacy"]
    levels = labels({"panel": "system"}, {"panel": "segment", "length": 1, "coefficient": "kendall"})
    assert levels == ["system, adequacy", "segment, adequacy"]
    # Where they do not say it all, they stay.
    assert labels({}, {"corpus": "d"}, {"corpus": "d", "length": 10}) == [
        "c, 9 segments, adequacy",
        "d, 9 segments, adequacy",
        "d, 10 segments, adequacy",
    ]


def test_there_is_no_line_of_all_criteria_where_one_was_not_tested_or_is_undecided():
    rows, tests, rankings = with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8})
    untested = [correlation(mean, metric=name, criterion="fluency") for name, mean in {"A": 0.9, "B": 0.8}.items()]
    lines = answers_of(run_of(*rows, *untested, tests=tests, rankings=rankings))
    assert [line.partition(":")[0] for line in lines] == ["adequacy", "fluency"]
    few = {"p": 0.06, "needs_resamples": 1000}
    _, undecided, ranks = with_tests({"A": 1.0, "B": 0.06}, {"AB": few}, {"A": 0.9, "B": 0.8}, criterion="fluency")
    lines = answers_of(run_of(*rows, *untested, tests=[*tests, *undecided], rankings=[*rankings, *ranks]))
    assert [line.partition(":")[0] for line in lines] == ["adequacy", "fluency"]


def test_a_simulated_corpus_is_in_the_label_of_each_line():
    corpora = [facts_of("c", simulated=True)]
    rows, tests, rankings = with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8})
    (line,) = answers_of(run_of(*rows, tests=tests, rankings=rankings, corpora=corpora))
    assert line == (
        "adequacy (simulated data: no evidence about real metrics): A is the best, with 0.90 [0.80, 1.00]; B is "
        "significantly worse than A."
    )
    rows, tests, rankings = (
        [*one, *other]
        for one, other in zip(
            (rows, tests, rankings),
            with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, criterion="fluency"),
            strict=True,
        )
    )
    lines = answers_of(run_of(*rows, tests=tests, rankings=rankings, corpora=corpora))
    assert [line.partition("): ")[0] for line in lines] == [
        "Overall (simulated data: no evidence about real metrics",
        "adequacy (simulated data",
        "fluency (simulated data",
    ]


def test_the_line_on_the_claims_says_what_simulated_data_are_no_evidence_of():
    rows = [correlation(0.9, metric=name, criterion=criterion) for name in "AB" for criterion in ("x", "y")]
    claims = [claim(1, "A above B", "holds", label="simulation: no evidence about the claim")]
    lines = answers_of(run_of(*rows, corpora=[facts_of("c", simulated=True)], claims=claims))
    assert [line.partition(")")[0] for line in lines] == [
        "c (simulated data: no evidence about real metrics",
        "x (simulated data",
        "y (simulated data",
    ]


def test_the_first_line_on_simulated_data_says_what_they_are_no_evidence_of():
    corpora = [facts_of("c"), facts_of("d", simulated=True)]
    rows = [correlation(0.9, metric="A"), correlation(0.8, metric="A", corpus="d", criterion="fluency")]
    long = "simulated data: no evidence about real metrics"
    assert [line.partition(": A ")[0] for line in answers_of(run_of(*rows, corpora=corpora))] == [
        "c, adequacy",
        f"d, fluency ({long})",
    ]
    # Two corpora in one line, and the second criterion on the simulated one alone.
    rows = [correlation(0.9, metric="A", corpus=corpus, criterion=of) for corpus, of in (("c", "x"), ("d", "x"))]
    rows += [correlation(0.9, metric="A", corpus="d", criterion="y")]
    assert [line.partition(": A ")[0] for line in answers_of(run_of(*rows, corpora=corpora))] == [
        f"x, Pearson (in part {long})",
        "y, Pearson (simulated data)",
    ]


def test_a_star_of_several_rivals_is_said_to_be_of_each_metric_by_itself():
    names = "ABC"
    rows = [correlation(0.9, metric=name) for name in names]
    tests = [test_result("A", "B"), test_result("A", "C"), test_result("B", "C")]
    ranks = [ranking(method="bootstrap", over="replicates", metric=name) for name in names]
    (found,) = rankings_of(run_of(*rows, tests=tests, rankings=ranks))
    assert found.star_words == "not significantly worse than the best, each metric by itself"
    (found,) = rankings_of(run_of(*rows[:2], tests=tests[:1], rankings=ranks[:2]))
    assert found.star_words == "not significantly worse than the best"


ACC_EQ = 'pairwise-accuracy(epsilon="auto")'


def with_constant(level, means, coefficient, p_worse=None, pairs=None, of_constant=None):
    """Return what is said where a metric that gives every text the same score has a coefficient."""
    rows, tests, rankings = with_tests(p_worse or {}, pairs or {}, means, coefficient=coefficient)
    rows.append(correlation(level, metric=CONSTANT, coefficient=coefficient))
    tests += [test_result(name, CONSTANT, p, coefficient=coefficient) for name, p in (of_constant or {}).items()]
    key = rows[0].key
    scores = np.array([[1.0, 2.0, 3.0]])
    grid = made_grid(key, human=scores, scores=dict.fromkeys([*means, CONSTANT], scores), systems=tuple("STU"))
    (line,) = answers_of(run_of(*rows, tests=tests, rankings=rankings, grids=[grid]))
    return line


def test_where_no_metric_does_better_than_a_constant_one_it_is_said_what_to_ask_instead():
    # Calibrated ties count pairs that people tie as right for a metric that ties all: here 40 %.
    assert with_constant(0.4, {"A": 0.3, "B": 0.2}, ACC_EQ) == (
        "adequacy: no metric is shown to do better than a constant score: the best, A, has 0.30, and one that gives "
        "every text the same score has 0.40. acc_eq is the share of pairs that a metric orders, or ties, as people do: "
        'a constant score is right on all pairs that people tie. coefficients=["kendall"] counts no tie as right.'
    )
    assert with_constant(0.4, {"A": 0.3, "B": 0.2}, "pairwise-accuracy") == (
        "adequacy: no metric is shown to do better than a constant score: the best, A, has 0.30, and one that gives "
        "every text the same score has 0.40."
    )


def test_metrics_that_are_not_better_than_a_constant_one_are_named():
    pairs = {"AB": 0.01, "AC": 0.3, "BC": 0.01}
    p_worse = {"A": 1.0, "B": 0.01, "C": 0.3}
    means = {"A": 0.6, "B": 0.2, "C": 0.5}
    assert with_constant(0.4, means, "pairwise-accuracy", p_worse, pairs, {"A": 0.01, "B": 0.01, "C": 0.06}) == (
        "adequacy: A (0.60 [0.50, 0.70]) and C share the lead, with no significant difference between them; B is "
        "significantly worse than A; B is no better than a constant score (0.400); C is not significantly better than "
        "a constant score (0.400)."
    )


def test_a_best_metric_whose_interval_has_the_constant_score_is_not_shown_to_do_better():
    # Intervals are the coefficient and 0.1 to each side: 0.55 lies within 0.60 [0.50, 0.70], and 0.45 does not.
    def line(level, p_of_pair=0.3):
        stars = {"A": 1.0, "B": p_of_pair}
        return with_constant(level, {"A": 0.6, "B": 0.5}, ACC_EQ, stars, {"AB": p_of_pair})

    assert line(0.55).startswith(
        "adequacy: no metric is shown to do better than a constant score: the best, A, has 0.60 [0.50, 0.70], and one "
        "that gives every text the same score has 0.55, which lies within that interval. acc_eq is the share"
    )
    assert line(0.5, p_of_pair=0.01).endswith("; B is no better than a constant score (0.500).")
    assert line(0.45) == (
        "adequacy: no significant difference between A and B; A has the highest coefficient, 0.60 [0.50, 0.70]."
    )
    # Calibrated ties give B no less than the constant score, so that what is better than B is better than that.
    assert line(0.55, p_of_pair=0.01) == (
        "adequacy: A is the best, with 0.60 [0.50, 0.70]; B is significantly worse than A; B is no better than a "
        "constant score (0.550)."
    )


def test_calibrated_ties_without_an_interval_are_compared_with_the_constant_score_itself():
    rows = [correlation(0.6, metric="A", lower=float("nan"), upper=float("nan"), coefficient=ACC_EQ)]
    sides = dict.fromkeys(["A", CONSTANT], np.array([[1.0, 2.0, 3.0]]))
    grids = [made_grid(rows[0].key, human=sides["A"], scores=sides, systems=tuple("STU"))]
    for level, words in ((0.59, "A has 0.60; it is the only metric."), (0.6, "no metric is shown to do better")):
        constant = correlation(level, metric=CONSTANT, coefficient=ACC_EQ)
        assert answers_of(run_of(*rows, constant, grids=grids))[0].startswith(f"adequacy: {words}")


def test_metrics_across_fewer_systems_show_nothing_about_the_constant_score_of_all():
    # B is better than C on seven systems; A alone scored all eight, and its interval has the constant score.
    pairs = {"AB": LACKS, "AC": LACKS, "BC": 0.01}
    rows, tests, _ = with_tests({}, pairs, {"A": 0.6, "B": 0.9, "C": 0.4}, coefficient=ACC_EQ)
    rows[1:] = [replace(row, n_systems=7) for row in rows[1:]]
    rows.append(correlation(0.55, metric=CONSTANT, coefficient=ACC_EQ))
    assert answers_of(run_of(*rows, tests=tests))[0].startswith(
        "adequacy: no metric that scored all systems is shown to do better than a constant score: the best, A, has 0.60"
    )


def test_an_equal_constant_score_is_said_to_be_equal():
    assert with_constant(0.4, {"A": 0.4}, "pairwise-accuracy") == (
        "adequacy: no metric is shown to do better than a constant score: the best, A, has 0.400, no more than one "
        "that gives every text the same score."
    )


def test_a_line_of_all_criteria_names_those_on_which_no_metric_agrees():
    def first_line(*criteria, by_chance=("adequacy",)):
        parts = [with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.9, "B": 0.8}, criterion=c) for c in criteria]
        rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
        # The best of random metrics gets up to 0.95 there.
        chance = [Ceiling(key_of(metric="", criterion=c), BEST_OF_CHANCE, 0.1, upper=0.95) for c in by_chance]
        return answers_of(run_of(*rows, tests=tests, rankings=rankings, ceiling=chance))[0]

    unshown = "Overall: on adequacy no metric is shown to agree with people"
    assert first_line("adequacy", "fluency") == f"{unshown}; on fluency A is the best."
    assert first_line("adequacy", "fluency", by_chance=("adequacy", "fluency")) == (
        "Overall: no metric is shown to agree with people on either of the 2 criteria."
    )
    assert first_line("fluency", "adequacy", "fidelity") == (
        f"{unshown}; only A leads, alone or with others, on both other criteria."
    )
    three = ("adequacy", "fluency", "fidelity")
    assert first_line(*three, by_chance=three) == (
        "Overall: no metric is shown to agree with people on any of the 3 criteria."
    )


def test_a_line_of_all_criteria_that_differ_in_the_reason_says_that_no_metric_agrees():
    # On x the constant score has more, and on y chance.
    rows = [correlation(0.4, metric="A", criterion=name) for name in "xy"]
    rows.append(correlation(0.5, metric=CONSTANT, criterion="x"))
    ceiling = [Ceiling(key_of(metric="", criterion="y"), BEST_OF_CHANCE, 0.1, upper=0.6)]
    assert answers_of(run_of(*rows, ceiling=ceiling))[0] == (
        "Overall: no metric is shown to agree with people on either of the 2 criteria."
    )
    rows.append(correlation(0.5, metric=CONSTANT, criterion="y"))
    assert answers_of(run_of(*rows, ceiling=ceiling))[0] == (
        "Overall: no metric is shown to do better than a constant score on either of the 2 criteria."
    )


def test_on_the_one_criterion_where_metrics_agree_they_can_be_alike():
    p_worse, pairs = {"A": 1.0, "B": 0.3}, {"AB": 0.3}
    parts = [with_tests(p_worse, pairs, {"A": 0.9, "B": 0.8}, criterion=name) for name in ("adequacy", "fluency")]
    rows, tests, rankings = ([row for part in parts for row in part[table]] for table in range(3))
    chance = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.1, upper=0.95)]
    assert answers_of(run_of(*rows, tests=tests, rankings=rankings, ceiling=chance))[0] == (
        "Overall: on adequacy no metric is shown to agree with people; on fluency there is no significant difference "
        "between the 2 metrics."
    )


def calibrated(lower, scores, human_ties):
    """Return the answer of a metric with calibrated ties, from where its interval begins and what share people tie."""
    key = key_of(coefficient=ACC_EQ, documents=DocumentKind("segments", 1), metric="A")
    rows = [correlation(0.5, key=key, lower=lower), correlation(human_ties, key=key.with_names(metric=CONSTANT))]
    sides = {"A": scores, CONSTANT: np.zeros_like(scores)}
    (line,) = answers_of(run_of(*rows, grids=[made_grid(key, human=scores, scores=sides, systems=tuple("abcd"))]))
    return line


def test_noise_with_ties_is_right_about_ties_of_people_and_about_half_of_the_rest():
    # Of the six pairs of four systems, the first document ties three and the second none: a quarter of all. People tie
    # a fifth. Ties of the metric are right where people tie, .25 x .2; of the other pairs, those that people do not tie
    # are right half of the time, .75 x .8 / 2. Together .35.
    scores = np.array([[1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
    noisy = "; A is no better than random scores with as many ties."
    assert calibrated(0.35, scores, 0.2).endswith(noisy)
    assert "random" not in calibrated(0.3501, scores, 0.2)
    # The same of pairs drawn at random.
    rng = np.random.default_rng(3)
    order = np.where(rng.random(200_000) < 0.25, 0, rng.choice([-1, 1], 200_000))
    people = np.where(rng.random(200_000) < 0.2, 0, rng.choice([-1, 1], 200_000))
    assert (order == people).mean() == pytest.approx(0.35, abs=0.005)


def test_noise_that_has_less_than_a_constant_score_is_no_measure():
    # Without ties noise has half of the 60 % of pairs that people do not tie, and a constant score has 40 %.
    rows, tests, rankings = with_tests({"A": 1.0, "B": 0.01}, {"AB": 0.01}, {"A": 0.8, "B": 0.5}, coefficient=ACC_EQ)
    rows[1] = replace(rows[1], lower=0.2)
    constant = correlation(0.4, metric=CONSTANT, coefficient=ACC_EQ)
    scores = np.array([[1.0, 2.0, 3.0]])
    sides = dict.fromkeys(["A", "B", CONSTANT], scores)
    grids = [made_grid(rows[0].key, human=scores, scores=sides, systems=tuple("STU"))]
    assert answers_of(run_of(*rows, constant, tests=tests, rankings=rankings, grids=grids)) == [
        "adequacy: A is the best, with 0.80 [0.70, 0.90]; B is significantly worse than A."
    ]


def test_what_lacks_a_system_is_not_what_the_highest_coefficient_is_of():
    rows = [correlation(0.3, metric="A", n_systems=9, replicates_used=500)]
    rows += [correlation(0.8, metric="B", n_systems=8, replicates_used=500)]
    ceiling = [Ceiling(key_of(metric=""), BEST_OF_CHANCE, 0.0, upper=0.6)]
    assert answers_of(run_of(*rows, ceiling=ceiling)) == [
        "adequacy: no metric that scored all systems is shown to agree with people: the highest coefficient, 0.30 "
        "(A), is not above the level of chance, 0.60. With human scores shuffled among the 9 systems, the metric "
        "exceeds that level in at most 5 % of shuffles."
    ]


def test_tests_over_all_lengths_together_are_tests():
    together = run({"A": 0.9, "B": 0.8}, [("A", "B", 0.01)], over=False)
    of = "adequacy, Pearson: A has the highest coefficient at both document lengths"
    assert answers_of(together) == [f"{of}; differences are tested over all settings together (tests.tsv)."]
    untested = run({"A": 0.9, "B": 0.8})
    assert answers_of(untested) == [f"{of}; differences were not tested."]


def test_where_there_is_nothing_but_a_constant_there_is_no_place():
    assert places_of(run_of(correlation(0.1, metric="constant"))) == []
    assert brief_text(RunData(), [], 80, verbose=False).strip() == ""
