"""What two judges gave to the same items, for the figures of judges and of their agreement."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.records import FloatArray

# Fewer items in common say nothing of two judges.
FEWEST_SHARED = 10


@dataclass(frozen=True)
class JudgedItems:
    """Who gave what to each item.

    Attributes
    ----------
    names : list of str
        Of the judges.
    scores : (judges, items) float array
        ``nan`` where a judge has not seen an item.
    criteria : list of str
        The criterion of each item.
    """

    names: list[str]
    scores: FloatArray
    criteria: list[str]

    @classmethod
    def of(cls, table: pd.DataFrame) -> JudgedItems:
        """Return those of a table with the columns system, segment, judge, criterion and score."""
        names = list(dict.fromkeys(table["judge"]))
        items = table.groupby(["criterion", "system", "segment"], sort=False).ngroup().to_numpy()
        scores = np.full((len(names), int(items.max(initial=-1)) + 1), np.nan)
        scores[table["judge"].map({name: place for place, name in enumerate(names)}).to_numpy(), items] = table["score"]
        first = np.unique(items, return_index=True)[1]
        return cls(names, scores, table["criterion"].iloc[first].tolist())

    def pairs(self) -> dict[tuple[str, str], int]:
        """Return every two judges who share enough items, with the number of these."""
        seen = np.isfinite(self.scores).astype(np.float32)
        shared = seen @ seen.T
        pairs = itertools.combinations(enumerate(self.names), 2)
        return {(one, other): int(shared[k, m]) for (k, one), (m, other) in pairs if shared[k, m] >= FEWEST_SHARED}

    def shared(self, one: str, other: str) -> pd.DataFrame:
        """Return the items that both have judged, with the columns criterion, first, second, and their names."""
        first, second = (self.scores[self.names.index(judge)] for judge in (one, other))
        both = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
        criteria = [self.criteria[item] for item in both.tolist()]
        scores = {"first": first[both], "second": second[both]}
        return pd.DataFrame({"criterion": criteria, **scores, "one": one, "other": other})


def spearman(shared: pd.DataFrame) -> float:
    """Return Spearman's correlation of two judges, ties corrected; ``nan`` where one of them is constant."""
    first, second = shared["first"], shared["second"]
    if len(first) < 2 or first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(np.corrcoef(first.rank(), second.rank())[0, 1])
