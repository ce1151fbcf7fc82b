"""The noise ceiling beside the metrics of an experiment: shares, their limits, and the level of chance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import metaeval
from tests.support.corpus import judgments, write
from tests.support.grids import grid_of

PLACE = "ref1+ref2+ref3+ref4/adequacy"


def correlate(corpus="demo", **settings):
    settings = {
        "criteria": ["adequacy"],
        "preprocessing": ["case"],
        "correlation": {"coefficients": ["pearson"]},
        **settings,
    }
    settings["judgments"] = {"ceiling": 30, **settings.get("judgments", {})}
    settings["uncertainty"] = {"n_resamples": 60, **settings.get("uncertainty", {})}
    return metaeval.correlate(corpus, ["bleu(order=1)", "ter"], **settings)


def by_kind(found, metric=""):
    return found.ceiling[found.ceiling["metric"] == metric].set_index("kind")


def test_a_share_is_the_coefficient_divided_by_the_ceiling():
    found = correlate()
    people = by_kind(found)
    kinds = ["inter-judge", "one-against-rest", "split-half", "reliability", "ceiling", "chance of the best"]
    assert list(people.index) == kinds
    assert people["value"]["ceiling"] == pytest.approx(np.sqrt(people["value"]["reliability"]))
    for one in found.estimates:
        share = by_kind(found, one.metric).loc["fraction of ceiling"]
        assert share["value"] == pytest.approx(one.value / people["value"]["ceiling"], abs=1e-12)
        assert share[["lower", "upper"]].isna().all()
    assert people.loc["ceiling", ["items_used", "share_of_items"]].tolist() == [960, 1.0]


def test_a_ceiling_needs_no_replicates():
    # Of means over segments the interval is Student's t, which has no replicates.
    found = correlate(documents={"kind": "segments"})
    assert found.estimates[0].interval == "t"
    assert all(one.replicates is None for one in found.estimates)
    assert by_kind(found, "ter").loc["fraction of ceiling", "value"] > 0


def test_one_drawn_judgment_has_a_ceiling_of_its_own():
    found = correlate(documents={"kind": "pseudo", "lengths": [5], "count": 40}, judgments={"rule": "draw"})
    people = by_kind(found)
    assert people["value"]["ceiling of one judgment"] == pytest.approx(np.sqrt(people["value"]["inter-judge"]))
    for one in found.estimates:
        share = by_kind(found, one.metric).loc["fraction of ceiling"]
        assert share["value"] == pytest.approx(one.value / people["value"]["ceiling of one judgment"], abs=1e-12)


def test_the_level_of_chance_by_every_order_of_the_systems(tmp_path):
    found = correlate(write(tmp_path / "corpus"), documents={"kind": "all"}, uncertainty={"n_resamples": 6})
    grid = grid_of(found)
    metric, human = grid.scores("ter")[0], grid.human[0]
    # TER is low where it is good.
    values = [-stats.pearsonr(metric, human[list(order)]).statistic for order in itertools.permutations(range(3))]
    chance = by_kind(found, "ter").loc["chance"]
    assert chance["value"] == pytest.approx(np.mean(values), abs=1e-12)
    assert (chance["lower"], chance["upper"]) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=1e-12)


def highest_in_exchanges(metrics, human):
    """Return the second highest of what the best metric has in all orders of the systems; None has no score there."""
    found = []
    for order in itertools.permutations(human):
        sides = [
            zip(*((x, y) for x, y in zip(one, order, strict=True) if x is not None), strict=True) for one in metrics
        ]
        found.append(max(stats.pearsonr(*pair).statistic for pair in sides))
    return np.mean(found), sorted(found)[-2]


@pytest.mark.parametrize("lacking", [None, "mine", "both"])
def test_the_best_of_chance_is_that_of_the_metrics_of_most_systems(tmp_path, lacking):
    # Four systems, in 24 orders. Where only one metric lacks a system, it is no candidate for the best; where each
    # lacks another one, human scores are exchanged among all four.
    people = {"A": 1, "B": 5, "C": 2, "D": 4}
    scores = {"mine": {"A": 3.0, "B": 4.0, "C": 1.0, "D": 8.0}, "other": {"A": 2.0, "B": 9.0, "C": 7.0, "D": 6.0}}
    if lacking:
        del scores["mine"]["A"]
    if lacking == "both":
        del scores["other"]["D"]
    files = {f"systems__{name}": f"a {name}\n" for name in people}
    rows = [f"1\t{name}\t{judge}\tadequacy\t{one}" for name, one in people.items() for judge in ("ann", "bob")]
    files |= {"judgments": "\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *rows]) + "\n"}
    files |= {"references__ref1": "a b\n", "references__ref2": None}
    for name, own in scores.items():
        files[f"metrics__{name}.system"] = "system\tscore\n" + "".join(f"{k}\t{one}\n" for k, one in own.items())
    found = metaeval.correlate(
        write(tmp_path / "corpus", **files),
        ["precomputed:mine", "precomputed:other"],
        criteria=["adequacy"],
        correlation={"coefficients": ["pearson"]},
        uncertainty={"resample": "systems", "n_resamples": 30},
        judgments={"ceiling": 2},
    )
    lines = [[own.get(name) for name in people] for own in scores.values()]
    mean, level = highest_in_exchanges(lines[1:] if lacking == "mine" else lines, people.values())
    best = by_kind(found).loc["chance of the best"]
    assert (best["value"], best["upper"]) == pytest.approx((mean, level), abs=1e-12)
    assert (np.isnan(best["lower"]), best["n_draws"]) == (True, 24)


def test_of_one_metric_the_best_of_chance_is_that_metric():
    # All 24 orders of four systems, or 1000 that are drawn: the level of the metric itself, at 95 % on one side,
    # whatever the confidence level is.
    for systems, n_orders in ((4, 24), (8, 1000)):
        for confidence_level in (0.95, 0.5):
            found = metaeval.correlate(
                "demo",
                "ter",
                criteria=["adequacy"],
                correlation={"coefficients": ["pearson"]},
                uncertainty={"n_resamples": 1000, "confidence_level": confidence_level},
                judgments={"ceiling": 2},
                filter={"without": [f"sys{k}" for k in range(systems + 1, 9)]},
            )
            own, best = by_kind(found, "ter").loc["chance"], by_kind(found).loc["chance of the best"]
            assert best["value"] == pytest.approx(own["value"], abs=1e-12)
            grid = grid_of(found)
            assert grid.human.shape == (1, systems)
            assert best["n_draws"] == n_orders
            if n_orders == 24:
                metric, human = grid.scores("ter")[0], grid.human[0]
                orders = itertools.permutations(range(systems))
                every = sorted(-stats.pearsonr(metric, human[list(order)]).statistic for order in orders)
                assert best["upper"] == pytest.approx(every[-2], abs=1e-12)
            elif confidence_level == 0.95:
                assert own["value"] < best["upper"] < own["upper"]


def test_the_level_of_the_best_does_not_depend_on_the_number_of_replicates():
    few, many = (correlate(uncertainty={"n_resamples": n}) for n in (20, 1000))
    assert by_kind(few).loc["chance of the best"].equals(by_kind(many).loc["chance of the best"])
    assert by_kind(few, "ter").loc["chance", "upper"] != by_kind(many, "ter").loc["chance", "upper"]


def test_accuracies_have_no_share_but_a_level_of_chance():
    found = correlate(correlation={"coefficients": ["pairwise-accuracy"]})
    assert list(by_kind(found, "ter").index) == ["chance"]
    assert by_kind(found, "ter")["value"]["chance"] == pytest.approx(0.5, abs=0.1)
    assert list(by_kind(found).index) == ["inter-judge", "one-against-rest", "split-half", "chance of the best"]


def test_without_a_second_judgment_there_is_no_ceiling(tmp_path):
    found = correlate(write(tmp_path / "corpus"), judgments={"judges": ["ann"]})
    assert by_kind(found)["value"].drop("chance of the best").isna().all()
    assert by_kind(found, "ter").loc["fraction of ceiling", ["value", "lower", "upper"]].isna().all()
    assert by_kind(found)["items_used"].drop("chance of the best").tolist() == [0] * 5


def test_items_with_one_judgment_spoil_no_other(tmp_path):
    # Bob has not judged system A on segment 1: that segment has no ceiling, the others have one.
    rows = [row for row in judgments() if not row.startswith("1\tA\tbob")]
    corpus = write(tmp_path / "corpus", judgments="\n".join(rows) + "\n")
    found = correlate(corpus, documents={"kind": "segments"}, correlation={"coefficients": ["pearson"]})
    people = by_kind(found)
    assert people["items_used"]["ceiling"] == 11
    assert people["share_of_items"]["ceiling"] == pytest.approx(11 / 12)
    fraction = by_kind(found, "ter").loc["fraction of ceiling"]
    assert fraction["value"] == pytest.approx(found.estimates[1].value / people["value"]["ceiling"])


def test_it_is_made_on_request_and_changes_nothing_else():
    assert len(correlate(judgments={"ceiling": 0}).ceiling) == 0
    assert correlate(judgments={"ceiling": 0}).correlations.equals(correlate().correlations)
