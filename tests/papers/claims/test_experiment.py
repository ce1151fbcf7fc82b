"""Claims on a real experiment: the decisive difference by numpy from the arrays of the run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from metaeval.config import schema as config
from metaeval.config.schema import (
    DocumentSettings,
    Experiment,
    JudgmentSettings,
    ReferenceSettings,
    UncertaintySettings,
)
from metaeval.experiment.execute import compute_experiment
from metaeval.papers.claims import ClaimSettings, judge_claims
from metaeval.report.claims import claims_text
from tests.papers.claims.support import compared
from tests.support.grids import grid_of


@pytest.fixture(scope="module", params=["bootstrap", "normal"])
def computed(request):
    experiment = Experiment(
        title="claims",
        corpora=("demo",),
        metrics=("bleu(order=2)", "nist(order=1)", "nist( order=2 )"),
        preprocessing=("case", "nocase"),
        criteria=("adequacy", "fluency"),
        references=ReferenceSettings(subsets=("ref1", "ref2", "ref1+ref2")),
        documents=DocumentSettings(lengths=(2, 6), count=50),
        judgments=JudgmentSettings(rule="draw", inter_judge=True),
        uncertainty=UncertaintySettings(method=request.param, n_resamples=20),
        tests=(config.TestSettings(method="wilcoxon"),),
    )
    return request.param, compute_experiment(experiment)


def judge(computed, statement, **settings):
    (row,) = judge_claims([ClaimSettings("words", statement, **settings)], computed)
    return row


def values(computed, where, coefficient="spearman", what="coefficients"):
    subset, criterion, length, *metric = where.split("/")
    place = {"subset": subset, "criterion": criterion, "length": int(length)}
    grid = grid_of(computed, is_of_judges=metric == ["inter-judge"], **place)
    return getattr(grid, what)(coefficient)[grid.position(("", *metric)[-2:])]


def standard_error(method, computed, first, second):
    """Return that of the mean difference between two averages of lines, and its degrees of freedom."""
    what = "replicates" if method == "bootstrap" else "coefficients"
    sides = [np.mean([values(computed, where, what=what) for where in side], axis=0) for side in (first, second)]
    differences = sides[0] - sides[1]
    differences = differences[~np.isnan(differences)]
    deviation = differences.std(ddof=1)
    error = deviation if method == "bootstrap" else deviation / np.sqrt(len(differences))
    return error, len(differences) - 1


def means(computed, lines):
    return np.mean([np.nanmean(values(computed, where)) for where in lines])


def check(row, computed, method, first, second):
    error, freedom = standard_error(method, computed, first, second)
    half = stats.t.ppf(0.975, freedom) * error
    difference = means(computed, first) - means(computed, second)
    found = (row.difference, row.lower, row.upper)
    assert found == pytest.approx((difference, difference - half, difference + half), abs=1e-12)
    assert row.evidence == {"bootstrap": "replicates", "normal": "documents"}[method]


def test_two_metrics_at_one_place(computed):
    method, computed = computed
    place = {"criteria": ("fluency",), "preprocessing": ("nocase",), "references": (2,), "lengths": (6,)}
    row = judge(computed, "nist(order=2) above bleu( order=2 )", **place)
    lines = ["ref1+ref2/fluency/6/nocase/nist( order=2 )", "ref1+ref2/fluency/6/nocase/bleu(order=2)"]
    check(row, computed, method, lines[:1], lines[1:])
    words = "nist( order=2 ) - bleu(order=2), fluency, nocase, 2 references, 6 segments"
    assert compared(row) == words
    assert row.n_comparisons == 1


def test_two_numbers_of_references_with_single_ones_averaged(computed):
    method, computed = computed
    statement = "bleu(order=2)[references=2] above bleu(order=2)[references=1]"
    row = judge(computed, statement, criteria=("adequacy",), preprocessing=("case",), lengths=(6,))
    both = ["ref1+ref2/adequacy/6/case/bleu(order=2)"]
    single = [f"ref{number}/adequacy/6/case/bleu(order=2)" for number in (1, 2)]
    check(row, computed, method, both, single)


def test_everywhere_takes_every_place_and_the_lowest_difference_decides(computed):
    _, computed = computed
    row = judge(computed, "bleu(order=2) below every other")
    # Two others, two criteria, two preprocessing, two numbers of references, two lengths.
    assert row.n_comparisons == 2 * 2 * 2 * 2 * 2
    differences = []
    for criterion in ("adequacy", "fluency"):
        for preprocessing in ("case", "nocase"):
            for subsets in (("ref1", "ref2"), ("ref1+ref2",)):
                for length in (2, 6):
                    of = {
                        name: means(computed, [f"{one}/{criterion}/{length}/{preprocessing}/{name}" for one in subsets])
                        for name in ("bleu(order=2)", "nist(order=1)", "nist( order=2 )")
                    }
                    own = of.pop("bleu(order=2)")
                    differences += [value - own for value in of.values()]
    assert row.verdict in ("fails", "undecided")
    if row.verdict == "undecided":
        assert row.difference == pytest.approx(min(differences), abs=1e-12)
    # For each criterion and preprocessing a mean over two numbers of references and two lengths.
    averages = np.reshape(differences[::2], (4, 4)).mean(axis=1)
    average = judge(computed, "bleu(order=2) below nist(order=1)", over="average")
    assert average.n_comparisons == 4
    assert np.abs(averages - average.difference).min() < 1e-12
    for number, (criterion, preprocessing) in enumerate(itertools.product(("adequacy", "fluency"), ("case", "nocase"))):
        place = {"criteria": (criterion,), "preprocessing": (preprocessing,)}
        average = judge(computed, "bleu(order=2) below nist(order=1)", over="average", **place)
        assert (average.n_comparisons, average.difference) == (1, pytest.approx(averages[number], abs=1e-12))
        assert compared(average) == f"nist(order=1) - bleu(order=2), {criterion}, {preprocessing}, mean of 4 places"


def test_the_judges_beside_a_metric(computed):
    method, computed = computed
    place = {"criteria": ("adequacy",), "references": (2,), "lengths": (6,), "preprocessing": ("case",)}
    row = judge(computed, "inter-judge above nist(order=1)", **place)
    check(row, computed, method, ["ref1+ref2/adequacy/6/inter-judge"], ["ref1+ref2/adequacy/6/case/nist(order=1)"])


def test_minimum_significant_differences_shares_and_the_label(computed):
    _, computed = computed
    tests = computed.tables.tests
    sizes = [abs(row.difference) for row in tests]
    misses = [abs(row.difference) for row in tests if not row.p_corrected < 0.05]
    groups = {}
    for one in tests:
        place = (one.key.criterion, one.key.preprocessing, one.key.subset)
        groups.setdefault(place, []).append(abs(one.difference))
    assert len(groups) == 2 * 2 * 3
    for number in (max(misses), np.nextafter(max(misses), 1), max(sizes), max(sizes) + 0.01):
        row = judge(
            computed,
            f"minimum-significant-difference at most {float(number)!r}",
            quantity="minimum-significant-difference",
        )
        # Places without a difference as large say nothing beside others.
        told = sum(max(group) >= number for group in groups.values())
        assert row.n_comparisons == (told or len(groups))
        assert row.verdict == ("undecided" if not told else "fails" if number <= max(misses) else "holds")
    row = judge(computed, "nist(order=1) above nist(order=2)", quantity="nist-share", references=(2,))
    scores = {
        (score["preprocessing"], score["metric"], score["system"]): score["score"]
        for score in computed.system_scores()
        if score["kind"] == "system" and score["subset"] == "ref1+ref2"
    }
    systems = {system for *_, system in scores}
    # order 1 less order 2: s1 / s2 - (s2 - s1) / s2.
    lowest = [
        min(
            2 * scores[preprocessing, "nist(order=1)", one] / scores[preprocessing, "nist( order=2 )", one] - 1
            for one in systems
        )
        for preprocessing in ("case", "nocase")
    ]
    assert (row.verdict, row.lower) == ("holds", pytest.approx(min(lowest), abs=1e-12))
    assert row.label == "simulation: no evidence about the claim"
    text = claims_text([row])
    assert text.startswith("demo (simulated data: no evidence about real metrics): 1 claim of the paper; 1 holds\n")
    # Without a count the list says so itself.
    assert claims_text([row], counted=False) == "\n\n".join(
        [*text.split("\n\n")[1:], "demo: simulated data, no evidence about the claims."]
    )
