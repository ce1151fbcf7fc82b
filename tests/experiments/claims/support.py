"""Small hand-made results of an experiment."""

from __future__ import annotations

import numpy as np

from metaeval.experiments.claims import ClaimSettings, judge_claims
from metaeval.experiments.compute import Computed

CORPUS = "c"


class Made:
    """Results to which numbers are added one by one."""

    def __init__(self, source="newswire"):
        self.computed = Computed(corpora=[{"name": CORPUS, "source": source}])

    def add(
        self,
        metric,
        mean,
        *,
        replicates=None,
        documents=None,
        drawn=None,
        labels=(),
        preprocessing="case",
        subset="r1",
        criterion="adequacy",
        length=5,
        coefficient="spearman",
        panel=None,
        eligible="9/9",
        average_by="item",
        weights=None,
        undefined="exclude",
        docs="pseudo",
    ):
        """Add a row of correlations, with its replicates and the coefficients of documents."""
        related = self.computed.related
        cell = "/".join(filter(None, (panel, CORPUS, subset, criterion, str(length))))
        own = f"{cell}/{preprocessing}/{metric}" if preprocessing else f"{cell}/{metric}"
        keys = {
            "corpus": CORPUS,
            "preprocessing": preprocessing,
            "subset": subset,
            "metric": metric,
            "criterion": criterion,
            "average_by": average_by,
            "length": length,
        } | ({"panel": panel} if panel else {})
        path = f"{own}/{coefficient}"
        signature = f"{metric}|{preprocessing}|{subset}|{criterion}|{length}|{coefficient}|eligible:{eligible}"
        signature += f"|docs:{docs}|undefined:{undefined}|resample:segments"
        related.correlations.append({**keys, "coefficient": coefficient, "mean": mean, "signature": signature})
        related.arrays[path] = np.array([mean] if documents is None else documents, dtype=float)
        if replicates is not None:
            related.arrays[f"{path}/replicates"] = np.array(replicates, dtype=float)
        if weights is not None:
            place = cell if preprocessing else own
            related.arrays[f"{place}/weights of replicates"] = np.array(weights)
        segments = f"{own}/segments"
        if drawn is not None:
            related.arrays[segments] = np.array(drawn)
        for item in related.index:
            if keys.items() <= item.items():
                item["coefficients"][coefficient] = path
                return self
        related.index.append(
            {
                **keys,
                "documents": list(labels),
                "segments": segments if drawn is not None else None,
                "coefficients": {coefficient: path},
            }
        )
        return self

    def judge(self, statement, *, confidence_level=0.95, **settings):
        """Return the row of one claim."""
        claim = ClaimSettings(paper="words of the paper", statement=statement, **settings)
        (row,) = judge_claims([claim], self.computed, confidence_level=confidence_level)
        return row


def near(mean, size):
    """Return three replicates around a mean, with a standard deviation of `size`."""
    return [mean - size, mean + size, mean]


def counts(row):
    """Return how many comparisons are for, against and open."""
    assert row["n_comparisons"] == row["n_for"] + row["n_against"] + row["n_open"]
    return row["n_for"], row["n_against"], row["n_open"]
