"""What figures are drawn from, and what a user may say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class FigureData:
    """The tidy tables of a run.

    Attributes
    ----------
    correlations, rankings : DataFrame
        As in the files of these names.
    scores : DataFrame
        The rows of scores.tsv for whole systems.
    documents : callable
        Gives a row for each document, system and metric, with the columns corpus, condition, subset, criterion, length,
        metric, document, system, score and human.
    judgments : callable
        Gives the judgments of systems as published, with the columns corpus, system, segment, judge, criterion and
        score.
    seed : int
        All chance comes from it.
    """

    correlations: pd.DataFrame
    rankings: pd.DataFrame
    scores: pd.DataFrame
    documents: Callable[[], pd.DataFrame]
    judgments: Callable[[], pd.DataFrame]
    seed: int


@dataclass(frozen=True)
class FigureOptions:
    """How a figure is wanted.

    Attributes
    ----------
    width : str or None
        A key of `metaeval.report.layout.WIDTHS`; None for as wide as it needs to be.
    together : bool
        Whether lines of several reference subsets share their axes.
    judges : tuple of str
        Two names, or none.
    title : str
        Of the panel of the experiment that it belongs to; "" if there are none.
    """

    width: str | None = None
    together: bool = False
    judges: tuple[str, ...] = ()
    title: str = ""

    def titled(self, heading: str) -> str:
        """Return a heading after the title of the panel it belongs to."""
        return f"{self.title}\n{heading}" if self.title else heading


PLAIN = FigureOptions()
