"""Do forty kinds of damage to corpora, and print which are noticed and by how much they change coefficients.

The change is the largest one of Pearson's correlation and of acc_eq, of BLEU and chrF with any criterion, across whole
systems and across systems for each segment. Usage: python scripts/notice_damage.py CORPUS ... [--seeds N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import metaeval
from metaeval.correlation.pairwise_accuracy import tie_calibration
from metaeval.datamodel.corpus import Corpus

sys.path.insert(0, str(Path(__file__).parents[1]))

METRICS = ("bleu", "chrf")
ENOUGH = 0.02


def coefficients(corpus: Corpus) -> np.ndarray:
    """Return Pearson and acc_eq of whole systems and of segments: (metrics, criteria, 4)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [metaeval.score(METRICS, corpus, level=level) for level in ("corpus", "segment")]
    judged = corpus.judgments
    shape = (len(corpus.systems), corpus.n_segments)
    rows = []
    for metric in METRICS:
        whole, single = (np.asarray(table[metric].values, dtype=float) for table in scores)
        for number, criterion in enumerate(corpus.criteria):
            mask = judged.criterion == number
            at = (judged.system[mask], judged.segment[mask])
            total = np.zeros(shape)
            count = np.zeros(shape)
            np.add.at(total, at, judged.score[mask] * (1 if criterion.higher_is_better else -1))
            np.add.at(count, at, 1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                human = total / np.where(count, count, np.nan)
                rows.append([*_both(whole.reshape(1, -1), np.nanmean(human, 1)[None]), *_both(single.T, human.T)])
    return np.array(rows)


def _both(metric: np.ndarray, human: np.ndarray) -> tuple[float, float]:
    """Return the mean of Pearson over rows, and acc_eq."""
    present = np.isfinite(metric) & np.isfinite(human)
    rows = [np.corrcoef(m[p], h[p])[0, 1] for m, h, p in zip(metric, human, present, strict=True) if p.sum() > 1]
    accuracy = tie_calibration(np.nan_to_num(metric), np.nan_to_num(human), where=present).accuracy
    return float(np.nanmean(rows)), accuracy


def main() -> None:
    from tests.support.damage import FILES, KINDS, damaged

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    counts = {True: [0, 0], False: [0, 0]}
    for name in options.corpora:
        corpus, problems = metaeval.check_corpus(name)
        assert corpus is not None
        before = coefficients(corpus)
        known = {str(problem) for problem in problems.entries}
        for seed in range(1, options.seeds + 1):
            for kind in [*KINDS, *FILES]:
                with tempfile.TemporaryDirectory() as directory:
                    place = Path(directory) / "corpus"
                    if not damaged(kind, corpus, place, seed):
                        continue
                    spoiled, problems = metaeval.check_corpus(place)
                    new = [
                        problem
                        for problem in problems.entries
                        if problem.severity != "note" and str(problem) not in known
                    ]
                    change = np.nanmax(np.abs(coefficients(spoiled) - before)) if spoiled is not None else np.inf
                matters = bool(change > ENOUGH)
                counts[matters][0] += 1
                counts[matters][1] += bool(new)
                message = f"{new[0].severity}: {new[0].message}" if new else "-"
                print(f"{corpus.name}\t{kind}\t{change:.3f}\t{'yes' if new else 'NO'}\t{message}", flush=True)
    for matters, (all_, seen) in counts.items():
        print(f"{'more than' if matters else 'at most'} {ENOUGH}: {seen} of {all_} noticed", file=sys.stderr)


if __name__ == "__main__":
    main()
