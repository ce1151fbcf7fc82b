"""Small hand-made results of an experiment."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from metaeval.papers.claims import ClaimSettings, judge_claims
from metaeval.results.grid import Grid, GridMetric, setting_of
from tests.support.results import correlation, facts_of, key_of, run_of


def compared(row):
    """Return what the sentence of a claim compares, the one less the other, and where: ``gtm - bleu, adequacy``."""
    sentence, _, place = row.why.removesuffix(")").partition(" (")
    found = re.fullmatch(r"(.+) is \S+(?: \[.*\])?, (?:above|below|equal to) (\S+)", sentence) or re.fullmatch(
        r"(.+) is (?:above|below|equal to) (.+?)(?: by .*|, with a difference of .*)?", sentence
    )
    return ", ".join(filter(None, [" - ".join(found.groups()), place]))


class Made:
    """Results to which numbers are added one by one."""

    def __init__(self, *, simulated=False):
        self.run = run_of(corpora=[facts_of(simulated=simulated)])
        self._orientation = "aligned"
        # The numbers of each metric by its setting, and what else the grid of the setting has.
        self._numbers = {}
        self._others = {}

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
        key = key_of(metric=metric, length=length, kind=kind, coefficient=coefficient, **names)
        # Signatures tell no panels.
        row = correlation(mean, key=key, signature=f"{key.with_names(panel='')}, {units} units")
        self.run.tables.correlations.append(row)
        setting, shown = setting_of(key), (key.preprocessing, metric)
        own = self._numbers.setdefault(setting, {}).setdefault(shown, {})
        own[coefficient] = np.array([mean] if documents is None else documents, dtype=float), replicates
        self._others.setdefault(setting, {}).update(
            documents=tuple(labels),
            undefined=undefined,
            draws=f"{len(replicates)} of {units} segments" if replicates is not None else "",
            weights=None if weights is None else np.array(weights),
            segments=None if drawn is None else np.array(drawn),
        )
        self._make_grids()
        return self

    def turn_raw(self):
        """Let correlations be as they come, so that high is not always good."""
        self._orientation = "raw"
        self._make_grids()

    def _make_grids(self):
        self.run = replace(self.run, grids=[self._grid(setting) for setting in self._numbers])

    def _grid(self, setting):
        """Return the grid of a setting, with the numbers of its metrics; ``nan`` where one lacks a coefficient."""
        metrics = self._numbers[setting]
        coefficients, replicates = {}, {}
        for coefficient in dict.fromkeys(name for own in metrics.values() for name in own):
            found = [own[coefficient] for own in metrics.values() if coefficient in own]
            none = np.full(len(found[0][0]), np.nan), None if found[0][1] is None else [np.nan] * len(found[0][1])
            values, drawn = zip(*(own.get(coefficient, none) for own in metrics.values()), strict=True)
            coefficients[coefficient] = np.stack(values)
            if drawn[0] is not None:
                replicates[coefficient] = np.array(drawn, dtype=float)
        scores = np.zeros((1, 0))
        return Grid.from_arrays(
            key=setting,
            metrics=tuple(GridMetric(*shown, (1, 1)) for shown in metrics),
            systems=(),
            subsets=(),
            orientation=self._orientation,
            human=scores,
            scores=[scores] * len(metrics),
            coefficients=coefficients,
            sample_size=1000.0,
            replicates=replicates,
            **self._others[setting],
        )

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
