"""The denoised interval and test against figures of a second program.

The second program was written on its own, from the definition (decision 29) and before the code here: plain numpy 2.4.6
and scipy 1.17.1. The figures are what it printed on 26 November 2026 for the scores that `corpus` makes, in 13 digits.
It shares the scores and the replicates with the tests, and nothing else.

It differs on purpose in four points, for which no figure of it is compared:

- It takes the degrees of freedom of the replicates always, and not those of the segments where these are fewer.
- It cuts Spearman's 1 off at 1 - 1e-6 on Fisher's scale, and not halfway to the next value.
- Its interval of a difference is that of percentiles, and so is that of one coefficient: widened to hold the estimate.
- Of coefficients that count pairs it adds no half of what a pair changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from metaeval.components.mean_coefficient import MeanCoefficient
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.denoised import Denoised, denoised, noise_covariance
from metaeval.correlation.denoised_inference import DenoisedInterval, DenoisedTest

N_REPLICATES = 60
# The seed of the digits, segments, systems, and how much better each system is than the one before. The covariance of
# the scores of "quality" stays positive without that of the noise; that of "noise" has a negative direction; the second
# metric of "copy" is the human score in other units, so that the covariance has a direction without any variance.
CORPORA = {"quality": (20, 14, 6, 2.0), "noise": (2, 20, 8, 0.25), "copy": (3, 15, 7, 1.5)}


def corpus(name):
    """Return the scores of two metrics and people, (3, systems), and in replicates, (replicates, 3, systems).

    All from the raw 64-bit words of PCG64, which no version of numpy changes: digits are words modulo 10, the segments
    of the replicates words modulo their number.
    """
    seed, n, n_systems, step = CORPORA[name]
    digits = (np.random.PCG64(seed).random_raw(3 * n * n_systems) % 10).reshape(3, n, n_systems).astype(float)
    quality = step * np.arange(n_systems)
    human = quality + digits[0]
    second = 2 * human + 5 if name == "copy" else quality + 2 * digits[2]
    scores = np.stack([1000 * (quality + (digits[0] + digits[1]) / 4), second, human])
    drawn = (np.random.PCG64(100).random_raw(N_REPLICATES * n) % n).reshape(N_REPLICATES, n).astype(int)
    return scores.mean(axis=1), scores[:, drawn].mean(axis=2).swapaxes(0, 1)


class Scores(NamedTuple):
    """The sums of the human scores of each system, also in the last replicate; covariance of the noise; its removal."""

    human: tuple[float, ...]
    last: tuple[float, ...]
    noise: tuple[tuple[float, ...], ...]
    denoised: tuple[tuple[float, ...], ...]


class Pair(NamedTuple):
    """Of both metrics, denoised together: the first replicates, their means and standard deviations.

    Of the difference the standard deviation, and on Fisher's scale t = mean / standard deviation with its two-sided p.
    """

    first: tuple[tuple[float, ...], ...]
    mean: tuple[float, ...]
    sd: tuple[float, ...]
    sd_of_difference: float
    t: float | None = None
    p: float | None = None


class One(NamedTuple):
    """A coefficient, its percentiles (widened to hold it), and mean and s.d. of its replicates on Fisher's scale."""

    value: float
    mean: float
    sd: float
    percentiles: tuple[float, float]


# fmt: off
SCORES: dict[str, Scores] = {
    "quality": Scores(
        human=(68.0, 104.0, 98.0, 162.0, 179.0, 206.0),
        last=(57.0, 98.0, 94.0, 175.0, 175.0, 215.0),
        noise=((60926.26722299, 7.939942926323, 121.5655266344), (7.939942926323, 2.268678081402, 0.05404444828779),
            (121.5655266344, 0.05404444828779, 0.4785404416004)),
        denoised=((2455.424075237, 4574.718673142, 6317.529265603, 8671.461729378, 10651.63957819, 12597.08382131),
            (9.443783897876, 10.17688090453, 11.25581104305, 12.01648364708, 17.12107284471, 17.12882480561),
            (4.819239863279, 7.22138013891, 7.530240228027, 11.32128068855, 12.76995823543, 14.69504370294)),
    ),
    "noise": Scores(
        human=(76.0, 79.0, 108.0, 106.0, 92.0, 134.0, 110.0, 113.0),
        last=(77.0, 93.0, 113.0, 93.0, 99.0, 139.0, 118.0, 118.0),
        noise=((56090.44592413, -18.95258272801, 115.7699883979), (-18.95258272801, 1.473800242131,
            -0.05665607344633), (115.7699883979, -0.05665607344633, 0.4100214891041)),
        denoised=((2438.176126245, 2132.879957885, 2893.839500921, 2959.989711771, 3074.707582618, 3490.362128057,
            3772.207143701, 4075.337848801), (8.517628314975, 7.811148665353, 8.34855935619, 8.642062200921,
            9.111646078532, 8.760366420377, 9.835993320405, 10.27259564325), (4.134696323015, 4.142649008892,
            5.183922517007, 5.060414180276, 4.880403822515, 6.008401772864, 5.633850985566, 5.855661389865)),
    ),
    "copy": Scores(
        human=(55.0, 77.5, 125.0, 129.5, 155.0, 175.5, 214.0),
        last=(56.0, 74.5, 126.0, 122.5, 154.0, 200.5, 208.0),
        noise=((83127.45493678, 324.8062505605, 162.4031252802), (324.8062505605, 2.591712551939, 1.295856275969),
            (162.4031252802, 1.295856275969, 0.6479281379846)),
        denoised=((2288.505797107, 3592.874086746, 5613.609437966, 6277.041593513, 8183.127094819, 9790.495803539,
            11421.01285298), (12.90527855437, 15.78910092222, 20.25673621482, 21.72351557837, 25.9376719998,
            29.49139672035, 33.09630001006), (3.952639277186, 5.394550461109, 7.628368107411, 8.361757789187,
            10.4688359999, 12.24569836017, 14.04815000503)),
    ),
}

PAIRS: dict[tuple[str, str], Pair] = {
    ("quality", "pearson"): Pair(
        first=((0.9731985130802, 0.9675049882276, 0.9914239240696), (0.7949511950701, 0.9483436004292,
            0.8107676104982)),
        mean=(0.980418583123, 0.854510032715),
        sd=(0.010404507886, 0.08255977587026),
        sd_of_difference=0.08402414724723,
        t=1.999526263055,
        p=0.05016303615567,
    ),
    ("quality", "spearman"): Pair(
        first=((0.9428571428571, 0.8857142857143, 1.0), (0.6571428571429, 0.8857142857143, 0.8285714285714)),
        mean=(0.9733333333333, 0.8171428571429),
        sd=(0.03237050583994, 0.09858213087144),
        sd_of_difference=0.09634865010727,
    ),
    ("quality", "kendall"): Pair(
        first=((0.8666666666667, 0.7333333333333, 1.0), (0.6, 0.7333333333333, 0.7333333333333)),
        mean=(0.9377777777778, 0.6755555555556),
        sd=(0.0755311802932, 0.1396615045183),
        sd_of_difference=0.1409500541512,
    ),
    ("noise", "pearson"): Pair(
        first=((0.9283430246922, 0.8656065508554, 0.917889496676), (0.01295325348739, 0.4612052190438,
            0.2500398687474)),
        mean=(0.7778567995735, 0.2007315590563),
        sd=(0.1643193555118, 0.3132424345832),
        sd_of_difference=0.2561438568762,
        t=2.418539238795,
        p=0.01868743928481,
    ),
    ("noise", "spearman"): Pair(
        first=((0.952380952381, 0.8095238095238, 0.952380952381), (0.3333333333333, 0.5238095238095, 0.452380952381)),
        mean=(0.7488095238095, 0.1980158730159),
        sd=(0.1762997828596, 0.3096787240899),
        sd_of_difference=0.2544226832987,
        t=2.018887288153,
        p=0.04805071515362,
    ),
    ("noise", "kendall"): Pair(
        first=((0.8571428571429, 0.5714285714286, 0.8571428571429), (0.2142857142857, 0.3571428571429,
            0.3571428571429)),
        mean=(0.6142857142857, 0.1547619047619),
        sd=(0.1851453382191, 0.2173575889114),
        sd_of_difference=0.195224314953,
    ),
    ("copy", "pearson"): Pair(
        first=((0.9831065939789, 0.9893947516235, 0.9618703370981), (1.0, 1.0, 1.0)),
        mean=(0.9867653740241, 1.0),
        sd=(0.009891812821142, 1.183100465778e-16),
        sd_of_difference=0.009891812821142,
        t=-12.17823054549,
        p=9.649175131802e-18,
    ),
    ("copy", "spearman"): Pair(
        first=((0.9642857142857, 0.9285714285714, 0.9285714285714), (1.0, 1.0, 1.0)),
        mean=(0.9839285714286, 1.0),
        sd=(0.0240928461777, 0.0),
        sd_of_difference=0.0240928461777,
    ),
    ("copy", "kendall"): Pair(
        first=((0.9047619047619, 0.8095238095238, 0.8095238095238), (1.0, 1.0, 1.0)),
        mean=(0.9571428571429, 1.0),
        sd=(0.0642475898072, 0.0),
        sd_of_difference=0.0642475898072,
    ),
}

ONES: dict[tuple[str, str, int], One] = {
    ("quality", "pearson", 0): One(0.9803040941244, 2.391343285781, 0.314462506113, (0.9605289786802,
        0.9958855436863)),
    ("quality", "pearson", 1): One(0.8355764655648, 1.360423001077, 0.3498608181417, (0.6634253026565,
        0.9689836130988)),
    ("noise", "pearson", 0): One(0.820561905993, 1.176788811746, 0.4102118616133, (0.3691690099982, 0.949842186395)),
    ("noise", "pearson", 1): One(0.2310066295337, 0.2119106086281, 0.3618726873869, (-0.362561460343,
        0.7363335695992)),
    ("noise", "spearman", 0): One(0.8263621207201, 1.130484993086, 0.4988133407572, (0.2595238095238,
        0.9761904761905)),
    ("noise", "spearman", 1): One(0.2035964645253, 0.1990764411705, 0.3610355189355, (-0.4059523809524,
        0.6666666666667)),
    ("copy", "pearson", 0): One(0.9953784291542, 2.635219561276, 0.3792922987224, (0.9600731975525, 0.9975088842158)),
}
# fmt: on


def of_two(name, coefficient, n_segments):
    """Return both metrics as an estimate, whose replicates are denoised together."""
    values, replicates = corpus(name)
    found = Denoised(values, replicates).coefficients([0, 1], [coefficient] * 2)
    return MeanCoefficient(
        coefficients=[coefficient(values[place], values[2]).reshape(1) for place in (0, 1)],
        coefficient=coefficient,
        n_documents=1,
        n_systems=values.shape[1],
        replicates=found,
        sample_sizes={"segments": n_segments},
    )


@pytest.mark.parametrize("name", CORPORA)
def test_scores_and_replicates_are_those_of_the_second_program(name):
    n, (values, replicates) = CORPORA[name][1], corpus(name)
    assert values[2] * n == pytest.approx(SCORES[name].human, rel=1e-12)
    assert replicates[-1, 2] * n == pytest.approx(SCORES[name].last, rel=1e-12)


@pytest.mark.parametrize("name", CORPORA)
def test_covariance_of_the_noise_and_scores_without_it(name):
    values, replicates = corpus(name)
    noise = noise_covariance(values, replicates)
    np.testing.assert_allclose(noise, SCORES[name].noise, rtol=1e-9)
    np.testing.assert_allclose(denoised(values, noise), SCORES[name].denoised, rtol=1e-9)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_replicates_of_two_metrics(name, kind):
    expected, coefficient = PAIRS[name, kind], COEFFICIENTS.named(kind)
    found = np.array(Denoised(*corpus(name)).coefficients([0, 1], [coefficient] * 2))
    np.testing.assert_allclose(found[:, :3], expected.first, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=1), expected.mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.std(axis=1, ddof=1), expected.sd, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "kind"), [key for key, pair in PAIRS.items() if pair.t is not None])
def test_t_and_p_of_a_difference(name, kind):
    expected, coefficient = PAIRS[name, kind], COEFFICIENTS.named(kind)
    # As many segments as replicates or more: the degrees of freedom are those of the second program.
    found = DenoisedTest().compare(of_two(name, coefficient, 10 * N_REPLICATES))
    assert found.statistic == pytest.approx(expected.t, rel=1e-9)
    assert found.p == pytest.approx(expected.p, rel=1e-8)
    # With fewer segments these decide.
    n = CORPORA[name][1]
    fewer = DenoisedTest().compare(of_two(name, coefficient, n))
    assert fewer.statistic == pytest.approx(expected.t, rel=1e-9)
    assert fewer.p == pytest.approx(2 * stats.t.sf(abs(expected.t), n - 1), rel=1e-8)
    # The interval of the difference is the one of that t on Fisher's scale: it ends at 0 at the level of its own p.
    assert (fewer.lower <= 0 <= fewer.upper) == (fewer.p >= 0.05)


@pytest.mark.parametrize("name", ["quality", "noise"])
def test_a_difference_that_counts_pairs(name):
    expected = PAIRS[name, "kendall"]
    n_systems = CORPORA[name][2]
    found = DenoisedTest().compare(of_two(name, COEFFICIENTS.named("kendall"), 10 * N_REPLICATES))
    # One of n (n - 1) / 2 pairs changes a coefficient by 2 of them: half of that is added, and taken off.
    half_a_pair = 2 / (n_systems * (n_systems - 1))
    half = stats.t.ppf(0.975, N_REPLICATES - 1) * expected.sd_of_difference + half_a_pair
    assert (found.upper - found.difference, found.difference - found.lower) == pytest.approx((half, half), rel=1e-9)
    t = (abs(found.difference) - half_a_pair) / expected.sd_of_difference
    assert found.p == pytest.approx(2 * stats.t.sf(t, N_REPLICATES - 1), rel=1e-8)


@pytest.mark.parametrize(("name", "kind", "place"), ONES)
def test_the_interval_of_one_coefficient(name, kind, place):
    expected, coefficient = ONES[name, kind, place], COEFFICIENTS.named(kind)
    values, replicates = corpus(name)
    value = coefficient(values[place], values[2])
    assert value == pytest.approx(expected.value, abs=1e-9)
    one = MeanCoefficient(
        coefficients=[value.reshape(1)],
        coefficient=coefficient,
        n_documents=1,
        n_systems=values.shape[1],
        replicates=Denoised(values, replicates).coefficients([place], [coefficient]),
        sample_sizes={"segments": 10 * N_REPLICATES},
    )
    found = DenoisedInterval().confidence_interval(one)
    # t standard deviations around both centres, from the figures of the second program.
    half = stats.t.ppf(0.975, N_REPLICATES - 1) * expected.sd
    centres = np.arctanh(expected.value), expected.mean
    limits = np.tanh(min(centres) - half), np.tanh(max(centres) + half)
    assert (found.lower, found.upper) == pytest.approx(limits, abs=1e-9)
    # How far these limits are from the percentiles of the second program, in standard deviations on Fisher's scale:
    # they begin 0.1 to 0.9 below, and end from 0.3 below to 1.2 above.
    below, above = (np.arctanh([found.lower, found.upper]) - np.arctanh(expected.percentiles)) / expected.sd
    assert -1.0 < below < 0.0
    assert -0.3 < above < 1.25
