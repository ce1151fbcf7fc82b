"""How often the joint interval of an average over tasks contains what it estimates.

Language pairs have systems of their own, which stay; each corpus draws new segments of all pairs. Two metrics are
compared on the average of four tasks a pair: Pearson's correlation of systems, soft pairwise accuracy, pairwise
accuracy of segments averaged by item, and Pearson's correlation of all segments. What an average estimates is its mean
over corpora. In the settings ``equal``, metrics are made alike; in ``noise`` one has more noise, in ``bias`` one has a
bias that stays with the systems, in ``both`` one has noise and the other bias.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import stats

from metaeval.correlation.coefficients import Pearson
from metaeval.correlation.denoised import Denoised
from metaeval.correlation.pairwise_accuracy import PairwiseAccuracy
from metaeval.correlation.soft_pairwise_accuracy import SoftPairwiseAccuracy
from metaeval.shared_tasks.joint import JointErrors, joint_family

# Noise and bias of the two metrics.
SETTINGS = {
    "equal": ((1.0, 0.15), (1.0, 0.15)),
    "noise": ((2.0, 0.0), (1.0, 0.0)),
    "bias": ((1.0, 0.0), (1.0, 0.25)),
    "both": ((2.5, 0.0), (1.0, 0.25)),
}
SIZES = ((3, 12, 200), (1, 8, 100), (6, 15, 200))
N_REPLICATES = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=int, default=400)
    parser.add_argument("--draws", type=int, default=4, help="draws of systems")
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--setting", choices=SETTINGS, action="append", help="one or more of the settings; else all")
    options = parser.parse_args()
    print("setting\tpairs\tsystems\tsegments\tcovered_difference\tcovered_value\ttoo_low\ttoo_high\tsignificant")
    for name in options.setting or SETTINGS:
        for sizes in SIZES:
            n_corpora = options.corpora // options.draws
            found = np.concatenate(
                [study(SETTINGS[name], sizes, n_corpora, (options.seed, draw)) for draw in range(options.draws)]
            )
            print(name, *sizes, *(f"{share:.4f}" for share in found.mean(axis=0)), sep="\t", flush=True)


def study(metrics, sizes, n_corpora, seed):
    """Return for each corpus whether the intervals hold the mean over corpora, on which side not, and significance."""
    n_pairs, n_systems, n_segments = sizes
    rng = np.random.default_rng(seed)
    systems = rng.normal(0, 0.5, (n_pairs, n_systems))
    biases = rng.normal(0, 1, (n_pairs, len(metrics), n_systems))
    results = [corpus(rng, metrics, systems, biases, n_segments) for _ in range(n_corpora)]
    values = np.stack([value for value, _ in results])
    truth = values.mean(axis=0)
    rows = []
    # What is drawn is segments, which are fewer than the replicates.
    degrees = min(n_segments, N_REPLICATES) - 1
    for value, joint in results:
        error = half_width(joint, value, degrees)
        apart = (value[0] - value[1]) - (truth[0] - truth[1])
        rows.append(
            (
                abs(apart) <= error,
                joint.lower[0] <= truth[0] <= joint.upper[0],
                apart < -error,
                apart > error,
                joint.p[0, 1] < 0.05,
            )
        )
    return np.array(rows, dtype=float)


def half_width(joint, value, degrees):
    """Return half the width of the interval of a difference, from its two-sided p (one pair: not corrected)."""
    t = stats.t.isf(joint.p[0, 1] / 2, degrees)
    return abs(value[0] - value[1]) / max(t, 1e-12) * stats.t.ppf(0.975, degrees)


def corpus(rng, metrics, systems, biases, n_segments):
    """Return the averages of the metrics on a new corpus, and the joint family."""
    errors = JointErrors([str(number) for number in range(len(metrics))])
    totals = np.zeros(len(metrics))
    n_tasks = 4 * len(systems)
    for pair, quality in enumerate(systems):
        truth = quality + rng.normal(0, 1, (n_segments, 1)) + rng.normal(0, 1, (n_segments, len(quality)))
        human = -np.minimum(25, rng.poisson(np.exp(0.8 - 0.6 * truth)))
        scores = [
            truth + bias * size + rng.normal(0, noise, truth.shape)
            for (noise, size), bias in zip(metrics, biases[pair], strict=True)
        ]
        counts = rng.multinomial(n_segments, np.full(n_segments, 1 / n_segments), N_REPLICATES) / n_segments
        for values, replicates, lowest in of_tasks(np.stack(scores), human.astype(float), counts):
            scale = 1 / (n_tasks * (1 - lowest))
            totals += (values - lowest) * scale
            errors.add(str(pair), "", {str(k): one for k, one in enumerate(replicates)}, scale, n_segments)
    return totals, joint_family(totals, errors, alpha=0.05, confidence_level=0.95)


def of_tasks(scores, human, counts):
    """Give the values of the metrics, their replicates and the lowest value of each task."""
    lines = np.stack([*scores, human])
    means, drawn = lines.mean(axis=1), np.einsum("bn,lnk->blk", counts, lines)
    denoised = Denoised(means, drawn)
    pearson, accuracy, soft = Pearson(), PairwiseAccuracy(), SoftPairwiseAccuracy()
    every = range(len(scores))
    yield (
        pearson(means[:-1], np.broadcast_to(means[-1], means[:-1].shape)),
        [denoised.coefficients([k], [pearson])[0] for k in every],
        -1.0,
    )
    yield (
        np.array([float(soft(one, human)) for one in scores]),
        [denoised.coefficients([k], [soft.among_systems(scores[k], human)])[0] for k in every],
        0.0,
    )
    items = np.stack([accuracy(one, human) for one in scores])
    yield items.mean(axis=1), list(items @ counts.T), 0.0
    sums = [
        np.stack([one.sum(axis=1), np.square(one).sum(axis=1), (one * human).sum(axis=1)]) for one in (*scores, human)
    ]
    yield (
        np.array([float(pearson(one.ravel(), human.ravel())) for one in scores]),
        [related(sums[k], sums[-1], counts, human.shape[1]) for k in every],
        -1.0,
    )


def related(metric, human, counts, n_systems):
    """Return Pearson's coefficients of all cells in replicates, from sums of segments."""
    x, xx, xy = (counts @ one / n_systems for one in metric)
    y, yy, _ = (counts @ one / n_systems for one in human)
    return (xy - x * y) / np.sqrt((xx - x * x) * (yy - y * y))


if __name__ == "__main__":
    main()
