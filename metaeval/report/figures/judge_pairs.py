"""Pairs of scores that two judges gave to the same items, for the figures of judges and of agreement."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

# Fewer items in common say nothing of two judges.
MIN_SHARED_ITEMS = 10
_ITEM_COLUMNS = ["criterion", "system", "segment"]


def judged_items(table: pd.DataFrame) -> pd.DataFrame:
    """Return the score of each item by each judge, items down and judges across; ``nan`` if a judge did not see it.

    Parameters
    ----------
    table : DataFrame
        With the columns system, segment, judge, criterion and score.
    """
    items = pd.MultiIndex.from_frame(table[_ITEM_COLUMNS].drop_duplicates())
    return table.pivot_table(index=_ITEM_COLUMNS, columns="judge", values="score").reindex(items)[
        table["judge"].unique()
    ]


def judge_pairs(judged: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Return every two judges who share enough items, with the number of these."""
    judged_by = judged.notna().to_numpy(dtype=np.float32)
    shared = judged_by.T @ judged_by
    pairs = itertools.combinations(enumerate(judged.columns), 2)
    return {(first, second): int(shared[k, m]) for (k, first), (m, second) in pairs if shared[k, m] >= MIN_SHARED_ITEMS}


def shared_items(judged: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return the items that both have judged: the columns first and second have the scores, and two more the names."""
    shared = judged[[first, second]].dropna().set_axis(["first", "second"], axis=1)
    return shared.reset_index().assign(first_judge=first, second_judge=second)


def spearman(shared: pd.DataFrame) -> float:
    """Return Spearman's correlation of two judges, ties corrected; ``nan`` where one of them is constant."""
    return float(shared[["first", "second"]].corr("spearman").to_numpy()[0, 1])
