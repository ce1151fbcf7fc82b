"""The permutation test between all metrics of a task: mt-metrics-eval's tasks, hand counts, and laws."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation import shared_task
from metaeval.correlation.averages import correlate, mean_of_defined
from metaeval.correlation.shared_task import PermutedTask, permuted_task
from metaeval.errors import UsageError
from metaeval.runtime.randomness import random_bytes
from tests.support import tasks

PAIRS = {"cs-uk": "esa", "en-de": "mqm", "ja-zh": "mqm"}
METRICS = ["neural", "ter", "qe[noref]", "lexic", "partial", "const", "sentinel[noref]"]


def stored(pair, name, systems):
    """Return the scores of whole systems of a metric, (systems,): 0 where a system lacks one."""
    full = name.replace("[noref]", "-src") if "[" in name else f"{name}-refA"
    lines = tasks.of_others(f"gold/tasks/inputs/synth/metric-scores/{pair}/{full}.sys.score").read_text().splitlines()
    found = dict(line.split() for line in lines)
    return np.array([float(found.get(system, 0)) for system in systems])


def stored_human(pair, systems):
    path = f"gold/tasks/inputs/synth/human-scores/{pair}.{PAIRS[pair]}.sys.score"
    found = dict(line.split() for line in tasks.of_others(path).read_text().splitlines())
    return np.array([float(found[system]) for system in systems])


@cache
def task(name: str, n: int = 1000) -> PermutedTask:
    """Return a task by its name, such as ``pearson.sys.cs-uk``."""
    kind, level, pair = name.split(".")
    rng = np.random.default_rng(1)
    if kind == "accuracy":
        names = {one: tasks.human(one, criterion)[0] for one, criterion in PAIRS.items()}
        human = np.concatenate([stored_human(one, systems) for one, systems in names.items()])
        scores = [np.concatenate([stored(one, metric, names[one]) for one in names]) for metric in METRICS]
        return permuted_task(
            np.stack(scores)[:, None],
            human[None],
            COEFFICIENTS.named("pairwise-accuracy"),
            "item",
            n,
            rng,
            sizes=list(map(len, names.values())),
        )
    systems, human = tasks.human(pair, PAIRS[pair])
    scores = np.stack([tasks.metric(pair, metric, systems) for metric in METRICS])
    if kind == "pce":
        coefficient = COEFFICIENTS.named('soft-pairwise-accuracy(tails="wmt")')
        return permuted_task(scores, human, coefficient, "none", n, rng)
    if level == "sys":
        scores = np.stack([stored(pair, metric, systems) for metric in METRICS])[:, None]
        human = stored_human(pair, systems)[None]
    coefficient = COEFFICIENTS.named("pearson" if kind == "pearson" else "acc_eq")
    return permuted_task(scores, human, coefficient, "none" if kind == "pearson" else "item", n, rng)


NAMES = [
    "accuracy.sys.all",
    *(
        f"{kind}.{pair}"
        for pair in PAIRS
        for kind in ("pearson.sys", "pearson.seg", "KendallWithTiesOpt.seg", "pce.sys")
    ),
]


@pytest.mark.parametrize("name", NAMES)
def test_tasks_of_mt_metrics_eval(name):
    found = task(name)
    soft = name.startswith("pce")
    for row in tasks.where(tasks.table("wmt_tasks"), task=name):
        place = METRICS.index(row["metric"])
        # Undefined is 0 there; and the order of equal systems decides about constant metrics.
        if not (soft and row["metric"] in ("const", "sentinel[noref]")):
            value = np.nan_to_num(found.values[place])
            assert value == pytest.approx(float(row["corr"]), abs=0.008 if soft else 1e-9), row
    n_compared = 0
    for row in tasks.where(tasks.table("wmt_pvalues"), task=name):
        a, b = METRICS.index(row["better"]), METRICS.index(row["worse"])
        p = found.p[a, b]
        if "const" in (row["better"], row["worse"]):
            assert np.isnan(p)
            continue
        if row["p_own_20000_draws"]:
            expected, draws = float(row["p_own_20000_draws"]), 20_000
        elif row["p_mtme"] and soft and "sentinel[noref]" not in (row["better"], row["worse"]):
            expected, draws = float(row["p_mtme"]), int(row["draws_used"])
        else:
            continue
        spread = max(expected * (1 - expected), 1 / draws)
        assert p == pytest.approx(expected, abs=4 * (spread * (1 / 1000 + 1 / draws)) ** 0.5), row
        n_compared += 1
    assert n_compared >= 6, n_compared


class Signs:
    """A generator whose bytes exchange what a test says."""

    def __init__(self, *rows: str) -> None:
        self.rows = rows

    def integers(self, low, high, size, dtype, endpoint):
        # A byte for each draw: its first bits are the cells.
        data = bytes(int(row.ljust(8, "0"), 2) for row in self.rows).ljust(8 * size, b"\0")
        return np.frombuffer(data, dtype=np.uint64)


def test_a_hand_count():
    # Standard scores of a and b are 0, 1, 2 and 2, 1, 0, less 1, over .8165. Human 1, 2, 3: Pearson 1 and -1, apart 2.
    # Without an exchange 2; all exchanged -2; the first cell exchanged gives 2 1 2 (0) and 0 1 0 (0); the middle one,
    # which is equal, 2 again. So 2 of 4 draws for a over b, and for b over a all are at least -2.
    found = permuted_task(
        [[[0.0, 1, 2]], [[20.0, 10, 0]]],
        [[1.0, 2, 3]],
        COEFFICIENTS.named("pearson"),
        "none",
        4,
        Signs("000", "111", "100", "010"),
    )
    np.testing.assert_allclose(found.values, [1, -1])
    np.testing.assert_allclose(found.nulls, [[2, -2, 0, 2]], atol=1e-12)
    assert (found.p[0, 1], found.p[1, 0]) == (2 / 4, 1)


def test_pairs_are_pooled_over_corpora_by_hand():
    # Systems 1 2 3 and 1 2. Metric a orders all three pairs and the one of the second corpus: 4 of 4. Metric b is
    # right on one pair of the first (1 3, as 2 is last there) and on none of the second: 1 of 4.
    # The first corpus has the greater share of pairs: means over corpora would be 1 and 1/6.
    scores = [[[1.0, 2, 3, 1, 2]], [[2.0, 1.5, 1.9, 2, 1]]]
    found = permuted_task(
        scores,
        [[1.0, 2, 3, 1, 2]],
        COEFFICIENTS.named("pairwise-accuracy"),
        "item",
        2,
        Signs("00000", "11111"),
        sizes=[3, 2],
    )
    np.testing.assert_allclose(found.values, [1, 1 / 4])
    np.testing.assert_allclose(found.nulls, [[3 / 4, -3 / 4]])
    assert (found.p[0, 1], found.p[1, 0]) == (1 / 2, 1)


def test_verdicts_are_exchanged_by_hand():
    # Two items of two systems, a pair each. Metric a is right on the first and wrong on the second, b the other way:
    # without an exchange 0, with the first exchanged -1 (b right on both), with the second 1. Thresholds are 0, for no
    # pair is tied by people.
    found = permuted_task(
        [[[0.0, 1], [1, 0]], [[1.0, 0], [0, 1]]],
        [[1.0, 2], [1, 2]],
        COEFFICIENTS.named("acc_eq"),
        "item",
        4,
        Signs("00", "10", "01", "11"),
    )
    np.testing.assert_allclose(found.values, [1 / 2, 1 / 2])
    np.testing.assert_allclose(found.nulls, [[0, -1, 1, 0]])
    assert found.p[0, 1] == found.p[1, 0] == 3 / 4


def grid(seed, shape=(4, 6, 5), holes=True):
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=shape[1:]), 1)
    scores = np.round(rng.normal(size=shape) + human, 1)
    if holes:
        human[rng.random(human.shape) < 0.2] = np.nan
    return scores, human


def plainly(a, b, human, coefficient, average_by, exchanged):
    """Return the difference of two metrics whose cells are exchanged, (documents, systems): the definition."""
    judged = np.isfinite(human)
    a, b = ((one - one[judged].mean()) / one[judged].std() for one in (a, b))
    both = [np.where(exchanged, b, a), np.where(exchanged, a, b)]
    means = []
    for one in both:
        values = correlate(one, human, coefficient, average_by, where=judged)
        means.append(np.nan_to_num(mean_of_defined(values, axis=0)))
    return means[0] - means[1]


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
@pytest.mark.parametrize(
    "name", ["pearson", "pairwise-accuracy", 'kendall(variant="23")', "spearman", "kendall", "pdp"]
)
def test_all_ways_give_what_the_definition_gives(name, average_by):
    scores, human = grid(1)
    coefficient, judged, n = COEFFICIENTS.named(name), np.isfinite(human), 20
    # Constant in each document: no coefficient by item of its own, but one where it is mixed with another metric.
    scores[3] = np.arange(6.0)[:, None]
    found = permuted_task(scores, human, coefficient, average_by, n, np.random.default_rng(5))
    n_cells = int(judged.sum())
    packed = random_bytes(np.random.default_rng(5), n * -(-n_cells // 8)).reshape(n, -1)
    for draw, bits in enumerate(np.unpackbits(packed, axis=1)[:, :n_cells]):
        exchanged = np.zeros(human.shape, dtype=bool)
        exchanged[judged] = bits
        for a, b in itertools.permutations(range(4), 2):
            expected = plainly(scores[a], scores[b], human, coefficient, average_by, exchanged)
            assert found.null(a, b)[draw] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["soft-pairwise-accuracy", 'soft-pairwise-accuracy(n_resamples=50, tails="wmt")'])
def test_soft_accuracies_of_exchanged_cells(name):
    # Fewer than 100 draws: no pair stops.
    (scores, human), coefficient, n = grid(2, holes=False), COEFFICIENTS.named(name), 30
    scores = scores - human * [[[0.2]], [[0.4]], [[0.8]], [[1]]]
    found = permuted_task(scores, human, coefficient, "none", n, np.random.default_rng(5))
    packed = random_bytes(np.random.default_rng(5), n * -(-human.size // 8)).reshape(n, -1)
    for draw, bits in enumerate(np.unpackbits(packed, axis=1)[:, : human.size]):
        for a, b in itertools.combinations(range(4), 2):
            expected = plainly(scores[a], scores[b], human, coefficient, "none", bits.reshape(human.shape).astype(bool))
            assert found.null(a, b)[draw] == pytest.approx(expected, abs=1e-9)


def test_a_pair_that_stops_repeats_its_draws():
    scores, human = grid(3, holes=False)
    scores[1] = human
    found = permuted_task(
        scores[:2], human, COEFFICIENTS.named("soft-pairwise-accuracy"), "none", 250, np.random.default_rng(1)
    )
    np.testing.assert_array_equal(found.nulls[0, 100:200], found.nulls[0, :100])
    np.testing.assert_array_equal(found.nulls[0, 200:], found.nulls[0, :50])
    # Of the draws made, and not of all with their repetitions.
    assert found.p[1, 0] == np.mean(-found.nulls[0, :100] >= found.values[1] - found.values[0] - 1e-11)


@pytest.mark.parametrize("name", ["pearson", "acc_eq", "pairwise-accuracy", "spearman", "soft-pairwise-accuracy"])
def test_laws(name):
    scores, human = grid(4, (3, 8, 5), holes=name != "soft-pairwise-accuracy")
    constant = np.ones_like(human)
    together = np.stack([*scores, 3 * scores[1] + 1, constant])
    by = "none" if name == "soft-pairwise-accuracy" else "item"
    found = permuted_task(together, human, COEFFICIENTS.named(name), by, 99, np.random.default_rng(1))
    # A metric in other units is the same metric; of a constant one nothing is tested.
    assert (found.p[1, 3], found.p[3, 1]) == (1, 1)
    assert np.isnan(found.p[4]).all()
    assert np.isnan(found.p[:, 4]).all()
    assert np.isnan(found.p.diagonal()).all()
    # Each draw is at least as large in one direction, and in both where it equals the observed difference.
    for a, b in itertools.combinations(range(4), 2):
        equal = np.isclose(found.null(a, b), found.values[a] - found.values[b], atol=1e-11, rtol=0).mean()
        assert found.p[a, b] + found.p[b, a] == pytest.approx(1 + equal)
    # The order of metrics changes nothing.
    turned = permuted_task(together[::-1], human, COEFFICIENTS.named(name), by, 99, np.random.default_rng(1))
    np.testing.assert_array_equal(turned.p[::-1, ::-1], found.p)
    some = found.among([2, 0])
    np.testing.assert_array_equal(some.p, found.p[[2, 0]][:, [2, 0]])
    np.testing.assert_array_equal(some.null(0, 1), found.null(2, 0))


def test_bad_arguments_are_refused(monkeypatch):
    (scores, human), rng, pearson = grid(1), np.random.default_rng(1), COEFFICIENTS.named("pearson")
    with pytest.raises(UsageError, match="average_by"):
        permuted_task(scores, human, pearson, "averages", 9, rng)
    with pytest.raises(ValueError, match=r"must be \(metrics, documents, systems\)"):
        permuted_task(scores[0], human, pearson, "item", 9, rng)
    with pytest.raises(UsageError, match="only the pairs of 'pairwise-accuracy' are pooled"):
        permuted_task(scores[:, :1], human[:1], pearson, "item", 9, rng, sizes=[2, 3])
    with pytest.raises(ValueError, match="add up"):
        permuted_task(scores[:, :1], human[:1], COEFFICIENTS.named("pairwise-accuracy"), "item", 9, rng, sizes=[2, 2])
    with pytest.raises(ValueError, match="none is finite"):
        permuted_task(scores, np.full(human.shape, np.nan), pearson, "item", 9, rng)
    with pytest.raises(ValueError, match="`scores` must be finite"):
        permuted_task(np.full(scores.shape, np.nan), human, pearson, "item", 9, rng)
    with pytest.raises(ValueError, match="at least 1"):
        permuted_task(scores, human, pearson, "item", 0, rng)
    monkeypatch.setattr(shared_task, "_MAX_SCORES_OF_VERDICTS", 5)
    with pytest.raises(UsageError, match=r'6 scores \(at most 5\); choose average_by = "item"'):
        permuted_task(*grid(1, holes=False), COEFFICIENTS.named("acc_eq"), "system", 9, rng)
