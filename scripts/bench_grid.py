"""Time the Turian grid side by side with what people use today, interleaved, one thread, in CPU seconds.

The grid: BLEU-4 and human scores of 1000 documents for each of nine lengths, and Spearman's correlation across the
systems for each document. Four ways, on the same segments, documents and drawn judgments:

metaeval         from segment statistics to coefficients, all documents at once
careful user     from the same segment statistics: numpy sum, sacreBLEU's compute_bleu and scipy's spearmanr in a loop
numpy user       the same with a formula of one's own in numpy, for all systems at once
sacreBLEU loops  from texts: sacreBLEU's corpus_score of each system and document, and spearmanr; extrapolated from the
                 first documents of each length

Drawing the documents and judgments is timed apart. Usage: python scripts/bench_grid.py [--corpus DIR] [--quick]
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import sacrebleu
import scipy
from scipy.stats import spearmanr

from metaeval.corpora.catalogue import load_corpus
from metaeval.correlation.coefficients import Spearman
from metaeval.datamodel.pooling import mean_of_sums, pool, pool_drawn, settle
from metaeval.judgments.combining import draw_judgments, group_by_item
from metaeval.judgments.normalisation import z_scores
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.runtime.randomness import generator
from metaeval.sampling.documents import draw_documents
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import get_preprocessing

LENGTHS = (1, 2, 3, 5, 7, 10, 15, 25, 50)


class Grid:
    """The workload: statistics, judgments, and what is drawn from them."""

    def __init__(self, name: str, count: int) -> None:
        corpus = load_corpus(name)
        reference = next(iter(corpus.references))
        self.metric = get_metric("bleu")
        treated = treat(get_preprocessing('case(tokenizer="13a")'), corpus.candidates, corpus.references)
        judgments = corpus.judgments.where(corpus.judgments.criterion == 0)
        values, _ = z_scores(judgments.score, judgments.judge, len(judgments.judges), 1)
        self.judged = group_by_item(
            judgments.system, judgments.segment, judgments.judge, values, (len(corpus.systems), corpus.n_segments)
        )
        present = np.array([text is not None for text in corpus.references[reference]])
        eligible = np.flatnonzero((self.judged.counts > 0).all(axis=0) & present)
        self.statistics = measure(self.metric, treated.candidates, [treated.references[reference]]).values
        self.texts = [[" ".join(tokens) for tokens in segments.tokens] for segments in treated.candidates]
        self.reference = [" ".join(tokens) for tokens in treated.references[reference].tokens]
        self.eligible, self.count, self.n_systems = eligible, count, len(corpus.systems)
        self.scale = float(np.abs(values).max())
        self.size = f"{corpus.name}: {len(corpus.systems)} systems x {corpus.n_segments} segments, 1 reference"
        self.documents, self.drawn = self.draw_all()

    def draw_all(self):
        documents, drawn = [], []
        for length in LENGTHS:
            rng = generator(1, "documents", length)
            chosen = draw_documents(len(self.eligible), length, self.count, rng)
            chosen = type(chosen)(indices=self.eligible[chosen.indices])
            rngs = [generator(1, "judgments", length, system) for system in range(self.n_systems)]
            documents.append(chosen)
            drawn.append(draw_judgments(self.judged, chosen.indices, rngs, two=False).first)
        return documents, drawn

    def metaeval(self) -> list[np.ndarray]:
        results = []
        for documents, drawn in zip(self.documents, self.drawn, strict=True):
            scores = self.metric.score(pool(self.statistics, documents))
            scores = settle(scores, float(np.abs(scores).max()))
            human = mean_of_sums(pool_drawn(self.judged.values, drawn), self.scale)
            results.append(Spearman()(scores, human))
        return results

    def careful_user(self, digits: int | None = None) -> list[np.ndarray]:
        compute = sacrebleu.BLEU.compute_bleu
        results = []
        for documents, drawn in zip(self.documents, self.drawn, strict=True):
            values = []
            for indices, judgments in zip(documents.indices, drawn, strict=True):
                totals = self.statistics[:, indices].sum(axis=1).astype(int).tolist()
                scores = [compute(row[:4], row[4:8], row[8], row[9], smooth_method="none").score for row in totals]
                human = self.judged.values[judgments].mean(axis=1)
                if digits is not None:
                    scores, human = np.round(scores, digits), np.round(human, digits)
                values.append(spearmanr(scores, human).statistic)
            results.append(np.array(values))
        return results

    def numpy_user(self) -> list[np.ndarray]:
        results = []
        for documents, drawn in zip(self.documents, self.drawn, strict=True):
            values = []
            for indices, judgments in zip(documents.indices, drawn, strict=True):
                total = self.statistics[:, indices].sum(axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):
                    mean = np.exp(np.log(total[:, :4] / total[:, 4:8]).mean(axis=1))
                    scores = np.nan_to_num(mean * np.exp(np.minimum(0, 1 - total[:, 9] / total[:, 8])))
                values.append(spearmanr(scores, self.judged.values[judgments].mean(axis=1)).statistic)
            results.append(np.array(values))
        return results

    def sacrebleu_loops(self, part: int) -> None:
        bleu = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
        for documents, drawn in zip(self.documents, self.drawn, strict=True):
            for indices, judgments in zip(documents.indices[:part], drawn[:part], strict=True):
                reference = [[self.reference[index] for index in indices]]
                scores = [
                    bleu.corpus_score([texts[index] for index in indices], reference).score for texts in self.texts
                ]
                spearmanr(scores, self.judged.values[judgments].mean(axis=1))


def cpu_seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def _difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    if (np.isnan(ours) != np.isnan(theirs)).any():
        return float("inf")
    return float(np.nanmax(np.abs(ours - theirs)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the Turian grid side by side with what people use today.")
    parser.add_argument("--corpus", default="demo")
    parser.add_argument("--quick", action="store_true", help="only see that it runs")
    options = parser.parse_args()
    count, rounds, part = (20, 1, 2) if options.quick else (1000, 7, 5)
    import warnings

    warnings.simplefilter("ignore")  # spearmanr warns of constant input
    grid = Grid(options.corpus, count)
    ours = np.concatenate(grid.metaeval())
    plain, rounded = np.concatenate(grid.careful_user()), np.concatenate(grid.careful_user(digits=10))
    ways: dict[str, tuple[Callable[[], object], float]] = {
        "metaeval": (grid.metaeval, 1.0),
        "careful user": (grid.careful_user, 1.0),
        "numpy user": (grid.numpy_user, 1.0),
        "sacreBLEU loops": (lambda: grid.sacrebleu_loops(part), count / part),
        "(drawing)": (grid.draw_all, 1.0),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, (function, scale) in ways.items():
            # What takes milliseconds is repeated, since the clock of CPU time is coarse.
            repeats = 10 if name in ("metaeval", "(drawing)") else 1
            times[name].append(cpu_seconds(lambda f=function, n=repeats: [f() for _ in range(n)]) / repeats * scale)
    print(f"{grid.size}; {count} documents for each of {len(LENGTHS)} lengths, BLEU-4, Spearman")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, ", end="")
    print(f"sacreBLEU {sacrebleu.__version__}, {platform.machine()}; {rounds} interleaved rounds, CPU seconds")
    print(f"largest difference to the careful user who rounds scores to 10 digits: {_difference(ours, rounded):.1e};")
    print(
        f"to one who does not: {_difference(ours, plain):.1e}, in {int((np.abs(ours - plain) > 1e-9).sum())} of ",
        end="",
    )
    print(f"{len(ours)} coefficients, where sums in another order break ties\n")
    print(f"{'way':<16} {'median':>9} {'min':>9} {'max':>9}   ratio to metaeval, pair by pair: median [min max]")
    for name, seconds in times.items():
        ratios = [theirs / ours for theirs, ours in zip(seconds, times["metaeval"], strict=True)]
        told = f"{statistics.median(ratios):,.1f} [{min(ratios):,.1f} {max(ratios):,.1f}]"
        print(f"{name:<16} {statistics.median(seconds):9.4f} {min(seconds):9.4f} {max(seconds):9.4f}   {told}")
    print(f"\nsacreBLEU loops: extrapolated from the first {part} documents of each length.")


if __name__ == "__main__":
    sys.exit(main())
