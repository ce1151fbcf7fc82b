"""Small hand-made results of an experiment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.papers.claims import ClaimSettings, judge_claims
from metaeval.results.model import Series
from tests.support.results import correlation, facts_of, key_of, run_of


class Made:
    """Results to which numbers are added one by one."""

    def __init__(self, *, simulated=False):
        self.run = run_of(corpora=[facts_of(simulated=simulated)], arrays={})

    def add(
        self,
        metric,
        mean,
        *,
        replicates=None,
        documents=None,
        drawn=None,
        labels=(),
        length=5,
        coefficient="spearman",
        units=9,
        weights=None,
        undefined="exclude",
        kind="pseudo",
        **names,
    ):
        """Add a row of correlations, with its replicates, which draw so many units, and coefficients of documents."""
        arrays = self.run.arrays
        key = key_of(metric=metric, length=length, kind=kind, coefficient=coefficient, **names)
        own = repr(key.of(coefficient=""))
        path = f"{own}/{coefficient}"
        # Signatures tell no panels.
        row = correlation(mean, key=key, signature=f"{key.of(panel='')}, {units} units")
        self.run.tables.correlations.append(row)
        arrays[path] = np.array([mean] if documents is None else documents, dtype=float)
        if replicates is not None:
            arrays[f"{path}/replicates"] = np.array(replicates, dtype=float)
        if weights is not None:
            arrays[f"{own}/weights of replicates"] = np.array(weights)
        if drawn is not None:
            arrays[f"{own}/segments"] = np.array(drawn)
        known = self.run.find_series(key)
        if known:
            known.coefficients[coefficient] = path
            return self
        self.run.series.append(
            Series(
                key=key.of(coefficient=""),
                signs=(1, 1),
                orientation="aligned",
                undefined=undefined,
                systems=(),
                documents=tuple(labels),
                subsets=(),
                scores=own,
                human=own,
                segments=f"{own}/segments" if drawn is not None else None,
                coefficients={coefficient: path},
                draws=f"{len(replicates)} of {units} segments" if replicates is not None else "",
                weights=f"{own}/weights of replicates" if weights is not None else None,
                score_replicates=None,
            )
        )
        return self

    def turn_raw(self):
        """Let correlations be as they come, so that high is not always good."""
        self.run.series = [replace(one, orientation="raw") for one in self.run.series]

    def judge(self, statement, *, confidence_level=0.95, **settings):
        """Return the row of one claim."""
        claim = ClaimSettings(paper="words of the paper", statement=statement, **settings)
        (row,) = judge_claims([claim], self.run, confidence_level=confidence_level)
        return row


def near(mean, size):
    """Return three replicates around a mean, with a standard deviation of `size`."""
    return [mean - size, mean + size, mean]


def counts(row):
    """Return how many comparisons are for, against and open."""
    assert row.n_comparisons == row.n_for + row.n_against + row.n_open
    return row.n_for, row.n_against, row.n_open
