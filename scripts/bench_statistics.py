"""Time correlation, uncertainty and significance side by side with the peers, interleaved, one thread, in CPU seconds.

The workload is drawn: the quality of systems, the difficulty of segments and noise make the scores of people, rounded
to five grades, and those of metrics. In each round every task is done by metaeval, three times, and then by its peer,
from arrays in the form that the peer takes, drawing included. Where a peer takes long, it does some of the replicates,
in two runs of different length, and the difference is scaled to all of them: what it does once is counted once.

mt-metrics-eval runs with all pairs and without early stopping. Its repository and that of nlpstats are given as
folders; without them their rows are left out.

Usage: python scripts/bench_statistics.py [--mt-metrics-eval DIR] [--nlpstats DIR] [--rounds N] [--quick]
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import metaeval
from metaeval.components.registries import COEFFICIENTS
from metaeval.correlation.coefficients import Pearson, Spearman
from metaeval.correlation.pairwise_accuracy import tie_calibration
from metaeval.correlation.permutation import permutation_test
from metaeval.correlation.soft_pairwise_accuracy import soft_pairwise_accuracy
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.runtime.randomness import generator
from metaeval.sampling.resamples import draw_resamples, draw_swaps
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import get_preprocessing

REPLICATES = 1000
METRICS = 20
Scores = np.ndarray
Work = Callable[[int], object]


@dataclass(frozen=True)
class Race:
    """A task: what metaeval does for all replicates, and what the peer does for a given number of them.

    Without `part` the peer does all replicates, otherwise `part` of them and one, and the slope is scaled.
    """

    title: str
    ours: Callable[[], object]
    peer: str
    theirs: Work
    part: int = 0


@dataclass(frozen=True)
class Workload:
    """Scores (documents, systems), and those of many metrics (metrics, documents, systems)."""

    human: Scores
    a: Scores
    b: Scores
    many: Scores

    @property
    def size(self) -> str:
        return f"{self.human.shape[1]} x {self.human.shape[0]}"

    @property
    def shape(self) -> tuple[int, int]:
        return self.human.shape

    def lists(self) -> list[list[float]]:
        """Return people, A and B as mt-metrics-eval takes them: flat lists, one system after the other."""
        return [scores.T.ravel().tolist() for scores in (self.human, self.a, self.b)]


def workload(n_systems: int, n_segments: int, n_metrics: int = METRICS) -> Workload:
    rng = generator(2003, "bench", n_systems, n_segments)
    quality = (
        rng.normal(size=n_systems) * 0.5 + rng.normal(size=(n_segments, 1)) + rng.normal(size=(n_segments, n_systems))
    )
    human = np.clip(np.round(3.0 + quality), 1, 5)
    noise = np.linspace(0.5, 2.0, n_metrics)[:, None, None]
    many = quality + noise * rng.normal(size=(n_metrics, n_segments, n_systems))
    return Workload(human, many[0], many[1], many)


# What metaeval does. ------------------------------------------------------------------------------------------------


def permutation(data: Workload, coefficient: str, average_by: str) -> None:
    swaps = draw_swaps("both", *data.shape, REPLICATES, rng=generator(1, "swaps"))
    permutation_test(data.a, data.b, data.human, COEFFICIENTS.named(coefficient), average_by, swaps)


def soft(data: Workload, metrics: Scores) -> None:
    swaps = draw_swaps("segments", *data.shape, REPLICATES, rng=generator(1, "swaps"))
    soft_pairwise_accuracy(metrics, data.human, swaps)


def system_scores(sums: Scores, counts: Scores) -> Scores:
    """Pool segment scores (segments, columns) by the counts of replicates: (replicates, columns)."""
    return counts @ sums / counts.shape[1]


def drawn_counts(n_segments: int, n_systems: int) -> Scores:
    rngs = {"rng_segments": generator(1, "segments"), "rng_systems": generator(1, "systems")}
    drawn = draw_resamples("segments", n_segments, n_systems, REPLICATES, **rngs)
    assert drawn.segments is not None
    return drawn.segments.astype(np.float64)


def bootstrap(data: Workload) -> None:
    counts = drawn_counts(*data.shape)
    both = system_scores(np.concatenate([data.a, data.human], axis=1), counts)
    metric, human = np.split(both, 2, axis=1)
    for coefficient in (Pearson(), Spearman()):
        np.quantile(coefficient(metric, human), (0.025, 0.975))


def bleu_bootstrap(values: Scores, human: Scores) -> None:
    """Resample BLEU from its statistics (systems, segments, k), and relate it to human scores (segments, systems)."""
    n_systems, n_segments, k = values.shape
    counts = drawn_counts(n_segments, n_systems)
    pooled = counts @ values.transpose(1, 0, 2).reshape(n_segments, -1)
    scores = get_metric("bleu").score(pooled.reshape(-1, n_systems, k))
    people = system_scores(human, counts)
    for coefficient in (Pearson(), Spearman()):
        np.quantile(coefficient(scores, people), (0.025, 0.975))


# What the peers do. -------------------------------------------------------------------------------------------------


def mt_metrics_eval(data: Workload, part: int) -> list[Race]:
    import scipy.stats
    from mt_metrics_eval import pce, stats

    human, a, b = data.lists()
    n_systems = data.human.shape[1]
    first, second = (stats.Correlation(n_systems, human, scores) for scores in (a, b))
    people, metric, many = data.human.T, data.a.T, data.many.transpose(0, 2, 1)

    def permute(function: object, average: str, **arguments: str) -> Work:
        return lambda n: stats.PermutationSigDiff(
            first, second, function, average, n, stats.PermutationSigDiffParams(block_size=n + 1), **arguments
        )

    def soft_accuracies(metrics: Sequence[Scores]) -> None:
        p = pce.compute_pairwise_p_values(people, REPLICATES)
        for one in metrics:
            pce.compute_one_minus_pce(p, pce.compute_pairwise_p_values(one, REPLICATES))

    name, size = "mt-metrics-eval", data.size
    accuracy = "pairwise-accuracy"
    return [
        Race(
            f"PERM-BOTH, segment Pearson, flat, {size}",
            lambda: permutation(data, "pearson", "pooled"),
            name,
            permute(scipy.stats.pearsonr, "none"),
            20 * part,
        ),
        Race(
            f"PERM-BOTH, segment Pearson by item, {size}",
            lambda: permutation(data, "pearson", "system"),
            name,
            permute(scipy.stats.pearsonr, "item"),
            part,
        ),
        Race(
            f"PERM-BOTH, acc23 by item, {size}",
            lambda: permutation(data, accuracy, "system"),
            name,
            permute(stats.KendallVariants, "item", variant="acc23"),
            part,
        ),
        Race(
            f"acc_eq calibrated by item, all pairs, {size}",
            lambda: tie_calibration(data.a, data.human),
            name,
            lambda n: stats.KendallWithTiesOpt(human, a, "acc23", n_systems, "item", 1.0),
        ),
        Race(f"soft pairwise accuracy, {size}", lambda: soft(data, data.a), name, lambda n: soft_accuracies([metric])),
        Race(
            f"soft pairwise accuracy of {len(many)} metrics, {size}",
            lambda: soft(data, data.many),
            name,
            lambda n: soft_accuracies(many),
        ),
    ]


def nlpstats(data: Workload, part: int) -> list[Race]:
    from nlpstats.correlations import bootstrap as resampled
    from nlpstats.correlations import permutation_test as permuted

    human, a, b = data.human.T, data.a.T, data.b.T

    def bootstraps(n: int) -> None:
        for coefficient in ("pearson", "spearman"):
            resampled(a, human, "system", coefficient, "inputs", n_resamples=n)

    return [
        Race(
            f"permutation, system Pearson, both, {data.size}",
            lambda: permutation(data, "pearson", "averages"),
            "nlpstats",
            lambda n: permuted(a, b, human, "system", "pearson", "both", n_resamples=n),
            50 * part,
        ),
        Race(
            f"bootstrap, system Pearson and Spearman, {data.size}",
            lambda: bootstrap(data),
            "nlpstats",
            bootstraps,
            50 * part,
        ),
    ]


def vectorised_scipy(data: Workload) -> list[Race]:
    import scipy.stats

    human, metric = data.human.T, data.a.T

    def both(drawn: Scores, axis: int) -> Scores:
        x, y = metric[:, drawn].mean(axis=-1), human[:, drawn].mean(axis=-1)
        ranks = [scipy.stats.rankdata(side, axis=0) for side in (x, y)]
        return np.stack([scipy.stats.pearsonr(*pair, axis=0).statistic for pair in ((x, y), ranks)])

    places = (np.arange(human.shape[1]),)
    return [
        Race(
            f"bootstrap, system Pearson and Spearman, {data.size}",
            lambda: bootstrap(data),
            "scipy, vectorised",
            lambda n: scipy.stats.bootstrap(
                places, both, n_resamples=n, method="percentile", vectorized=True, batch=100
            ),
        )
    ]


def sacrebleu_bootstrap(corpus_name: str) -> list[Race]:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import _bootstrap_resample

    corpus = metaeval.load_corpus(corpus_name)
    candidates = [[text or "" for text in texts] for texts in corpus.candidates]
    references = {name: [text or "" for text in texts] for name, texts in corpus.references.items()}
    treated = treat(get_preprocessing("case"), candidates, references)
    values = measure(get_metric("bleu"), treated.candidates, list(treated.references.values())).values
    bleu = BLEU(tokenize="none", references=list(references.values()))
    counted = [bleu._extract_corpus_statistics(texts, None) for texts in candidates]
    human = generator(1, "people").normal(size=(corpus.n_segments, len(candidates)))
    return [
        Race(
            f"bootstrap of BLEU with both correlations, {len(candidates)} x {corpus.n_segments}",
            lambda: bleu_bootstrap(values, human),
            "sacreBLEU _bootstrap_resample, no correlation",
            lambda n: [_bootstrap_resample(one, bleu, n) for one in counted],
        )
    ]


# The races. ---------------------------------------------------------------------------------------------------------


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peer_seconds(race: Race) -> float:
    if not race.part:
        return seconds(lambda: race.theirs(REPLICATES))
    short, long = seconds(lambda: race.theirs(1)), seconds(lambda: race.theirs(1 + race.part))
    return short + (REPLICATES - 1) * (long - short) / race.part


def run(races: Sequence[Race], rounds: int) -> list[tuple[Race, list[float], list[float]]]:
    """Run all races in every round; the first round warms up and does not count."""
    results: list[tuple[Race, list[float], list[float]]] = [(race, [], []) for race in races]
    for number in range(rounds + 1):
        for race, mine, theirs in results:
            took = seconds(lambda race=race: [race.ours() for _ in range(3)]) / 3  # type: ignore[misc]
            peer = peer_seconds(race)
            if number:
                mine.append(took)
                theirs.append(peer)
        print(f"round {number} of {rounds} done", file=sys.stderr, flush=True)
    return results


def peak(n_systems: int, n_segments: int, n_metrics: int) -> float:
    """Return the peak memory in MB of bootstraps and soft accuracies of all metrics and some permutation tests."""
    data = workload(n_systems, n_segments, n_metrics)
    counts = drawn_counts(*data.shape)
    human = system_scores(data.human, counts)
    for metric in data.many:
        scores = system_scores(metric, counts)
        np.quantile(Pearson()(scores, human), (0.025, 0.975))
        np.quantile(Spearman()(scores, human), (0.025, 0.975))
    soft(data, data.many)
    for coefficient, average_by in (("pearson", "none"), ("pearson", "averages"), ("pairwise-accuracy", "item")):
        permutation(data, coefficient, average_by)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def spread(values: Sequence[float], digits: int) -> str:
    return f"{statistics.median(values):,.{digits}f} [{min(values):,.{digits}f} {max(values):,.{digits}f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mt-metrics-eval", type=Path, metavar="DIR", help="its repository")
    parser.add_argument("--nlpstats", type=Path, metavar="DIR", help="its repository")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round on small sizes: does it run?")
    parser.add_argument("--peak", type=int, nargs=3, metavar=("SYSTEMS", "SEGMENTS", "METRICS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        print(peak(*options.peak))
        return
    rounds, part = (1, 1) if options.quick else (options.rounds, 2)
    races: list[Race] = []
    for size in ((4, 40), (6, 60)) if options.quick else ((10, 878), (20, 2000)):
        data = workload(*size)
        for name, folder, make in (
            ("mt-metrics-eval", options.mt_metrics_eval, mt_metrics_eval),
            ("nlpstats", options.nlpstats, nlpstats),
        ):
            if folder is None:
                print(f"{name}, {data.size}: left out; give its repository as --{name} DIR")
                continue
            sys.path.insert(0, str(folder))
            races += make(data, part)
        races += vectorised_scipy(data)
    races += sacrebleu_bootstrap("demo" if options.quick else "mtc-chinese")
    results = run(races, rounds)

    import sacrebleu
    import scipy

    versions = f"numpy {np.__version__}, scipy {scipy.__version__}, sacreBLEU {sacrebleu.__version__}"
    print(f"Python {platform.python_version()}, {versions}, {platform.machine()}; {rounds} rounds, CPU seconds")
    print(f"{REPLICATES} replicates; sizes are systems x segments")
    print()
    print("| task | metaeval, ms | peer | peer, ms | ratio, round by round |")
    print("| --- | --- | --- | --- | --- |")
    for race, mine, theirs in results:
        ratios = [peer / own for own, peer in zip(mine, theirs, strict=True)]
        scaled = f" ({race.part} of {REPLICATES} replicates, scaled)" if race.part else ""
        left, right = (spread([1000 * value for value in side], digits) for side, digits in ((mine, 1), (theirs, 0)))
        print(f"| {race.title} | {left} | {race.peer}{scaled} | {right} | {spread(ratios, 1)} |")
    print()
    size = ("6", "60", "5") if options.quick else ("30", "5000", "60")
    done = subprocess.run([sys.executable, __file__, "--peak", *size], check=True, capture_output=True, text=True)
    print(f"{size[0]} systems x {size[1]} segments x {size[2]} metrics, {REPLICATES} replicates: bootstraps and soft")
    print(f"accuracies of all metrics, three permutation tests: peak of the whole process {float(done.stdout):,.0f} MB")


if __name__ == "__main__":
    main()
