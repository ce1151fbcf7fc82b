"""Claims on a real experiment: the decisive difference by numpy from the exported arrays."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.experiments import config
from metaeval.experiments.claims import ClaimSettings, judge_claims
from metaeval.experiments.compute import compute_experiment
from metaeval.experiments.config import (
    DocumentSettings,
    Experiment,
    JudgmentSettings,
    ReferenceSettings,
    UncertaintySettings,
)
from metaeval.report.claims import claims_text

Z = 1.9599639845400545


@pytest.fixture(scope="module", params=["bootstrap", "normal"])
def computed(request):
    experiment = Experiment(
        title="claims",
        corpora=("demo",),
        metrics=("bleu(order=2)", "nist(order=1)", "nist( order=2 )"),
        conditions=("case", "nocase"),
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


def values(computed, where, coefficient="spearman", what=""):
    return computed.related.arrays[f"demo/{where}/{coefficient}{what}"]


def standard_error(method, computed, first, second):
    """Return that of the mean difference between two averages of lines."""
    what = "/replicates" if method == "bootstrap" else ""
    sides = [np.mean([values(computed, where, what=what) for where in side], axis=0) for side in (first, second)]
    differences = sides[0] - sides[1]
    differences = differences[~np.isnan(differences)]
    deviation = differences.std(ddof=1)
    return deviation if method == "bootstrap" else deviation / np.sqrt(len(differences))


def means(computed, lines):
    return np.mean([np.nanmean(values(computed, where)) for where in lines])


def check(row, computed, method, first, second):
    error = standard_error(method, computed, first, second)
    difference = means(computed, first) - means(computed, second)
    found = (row["difference"], row["lower"], row["upper"])
    assert found == pytest.approx((difference, difference - Z * error, difference + Z * error), abs=1e-12)
    assert row["evidence"] == {"bootstrap": "replicates", "normal": "documents"}[method]


def test_two_metrics_at_one_place(computed):
    method, computed = computed
    place = {"criteria": ("fluency",), "conditions": ("nocase",), "references": (2,), "lengths": (6,)}
    row = judge(computed, "nist(order=2) above bleu( order=2 )", **place)
    lines = ["ref1+ref2/fluency/6/nocase/nist( order=2 )", "ref1+ref2/fluency/6/nocase/bleu(order=2)"]
    check(row, computed, method, lines[:1], lines[1:])
    words = "nist(order=2) - bleu( order=2 ), fluency, nocase, 2 references, 6 segments"
    assert row["why"].partition(";")[0] == words
    assert row["n_comparisons"] == 1


def test_two_numbers_of_references_with_single_ones_averaged(computed):
    method, computed = computed
    statement = "bleu(order=2)[references=2] above bleu(order=2)[references=1]"
    row = judge(computed, statement, criteria=("adequacy",), conditions=("case",), lengths=(6,))
    both = ["ref1+ref2/adequacy/6/case/bleu(order=2)"]
    single = [f"ref{number}/adequacy/6/case/bleu(order=2)" for number in (1, 2)]
    check(row, computed, method, both, single)


def test_everywhere_takes_every_place_and_the_lowest_difference_decides(computed):
    _, computed = computed
    row = judge(computed, "bleu(order=2) below every other")
    # Two others, two criteria, two conditions, two numbers of references, two lengths.
    assert row["n_comparisons"] == 2 * 2 * 2 * 2 * 2
    differences = []
    for criterion in ("adequacy", "fluency"):
        for condition in ("case", "nocase"):
            for subsets in (("ref1", "ref2"), ("ref1+ref2",)):
                for length in (2, 6):
                    of = {
                        name: means(computed, [f"{one}/{criterion}/{length}/{condition}/{name}" for one in subsets])
                        for name in ("bleu(order=2)", "nist(order=1)", "nist( order=2 )")
                    }
                    own = of.pop("bleu(order=2)")
                    differences += [value - own for value in of.values()]
    assert row["verdict"] in ("fails", "undecided")
    if row["verdict"] == "undecided":
        assert row["difference"] == pytest.approx(min(differences), abs=1e-12)
    average = judge(computed, "bleu(order=2) below nist(order=1)", over="average")
    assert average["difference"] == pytest.approx(np.mean(differences[::2]), abs=1e-12)


def test_the_judges_beside_a_metric(computed):
    method, computed = computed
    place = {"criteria": ("adequacy",), "references": (2,), "lengths": (6,), "conditions": ("case",)}
    row = judge(computed, "inter-judge above nist(order=1)", **place)
    check(
        row,
        computed,
        method,
        ["ref1+ref2/adequacy/6/inter-judge"],
        ["ref1+ref2/adequacy/6/case/nist(order=1)"],
    )


def test_smallest_differences_shares_and_the_label(computed):
    _, computed = computed
    found = [row["smallest_difference"] for row in computed.related.smallest_differences]
    highest = max(or_infinity(one) for one in found)
    row = judge(computed, "smallest-difference at most 5", quantity="smallest-difference")
    assert (row["verdict"], row["n_comparisons"]) == ("holds" if highest <= 5 else "fails", len(found))
    row = judge(computed, "nist(order=1) above nist(order=2)", quantity="nist-share", references=(2,))
    scores = {
        (score["condition"], score["metric"], score["system"]): score["score"]
        for score in computed.scores
        if score["level"] == "system" and score["kind"] == "system" and score["subset"] == "ref1+ref2"
    }
    systems = {system for *_, system in scores}
    # order 1 less order 2: s1 / s2 - (s2 - s1) / s2.
    lowest = [
        min(
            2 * scores[condition, "nist(order=1)", one] / scores[condition, "nist( order=2 )", one] - 1
            for one in systems
        )
        for condition in ("case", "nocase")
    ]
    assert (row["verdict"], row["lower"]) == ("holds", pytest.approx(min(lowest), abs=1e-12))
    assert row["label"] == "simulation: no evidence about the claim"
    assert claims_text([row]).endswith("demo: simulation: no evidence about the claim.")


def or_infinity(value):
    return float("inf") if value is None or value != value else value
