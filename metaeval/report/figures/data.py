"""What figures are drawn from: the tidy tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metaeval.records import INTER_JUDGE
from metaeval.results.export import export_rows
from metaeval.results.model import RunData


@dataclass(frozen=True)
class FigureData:
    """The tidy tables of a run.

    Attributes
    ----------
    correlations, rankings : DataFrame
        As in the files of these names.
    scores : callable
        Gives the rows of scores.tsv at the system level.
    documents : callable
        Gives a row for each document, system and metric, with the columns corpus, preprocessing, subset, criterion,
        length, metric, document, system, score and human.
    judgments : callable
        Gives the judgments of systems as published, with the columns corpus, system, segment, judge, criterion and
        score.
    seed : int
        The random seed.
    signs : mapping of (corpus, criterion, metric) to (int, int)
        -1 for metric and human scores that coefficients take as negated, because lower is better; (1, 1) by default.
    simulated : collection of str
        The corpora that are simulated.
    run : RunData
        What the tables are of.
    """

    correlations: pd.DataFrame
    rankings: pd.DataFrame
    scores: Callable[[], pd.DataFrame]
    documents: Callable[[], pd.DataFrame]
    judgments: Callable[[], pd.DataFrame]
    seed: int
    signs: Mapping[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    simulated: Collection[str] = ()
    run: RunData = field(default_factory=RunData)

    @property
    def of_metrics(self) -> pd.DataFrame:
        """The correlations of metrics alone."""
        return self.correlations[self.correlations["metric"] != INTER_JUDGE]

    @property
    def of_judges(self) -> pd.DataFrame:
        """The correlations of the inter-judge line."""
        return self.correlations[self.correlations["metric"] == INTER_JUDGE]


def figure_data(run: RunData) -> FigureData:
    """Return what the figures of a run, or of one panel of it, are drawn from."""
    panels = {row.key.panel for row in run.tables.correlations}
    return FigureData(
        correlations=pd.DataFrame(run.tables.records("correlations")),
        rankings=pd.DataFrame(run.tables.records("rankings")),
        scores=lambda: pd.DataFrame([row for row in run.system_scores() if row["panel"] in panels]),
        documents=lambda: pd.DataFrame(list(export_rows(run))),
        judgments=lambda: judgment_table(run),
        seed=run.facts["seed"],
        signs={(one.key.corpus, one.key.criterion, one.key.metric): one.signs for one in run.series},
        simulated=run.simulated,
        run=run,
    )


def judgment_table(run: RunData) -> pd.DataFrame:
    """Return the judgments of the systems as published.

    Returns
    -------
    DataFrame
        With the columns corpus, system, segment (a number from 1 on), judge, criterion and score.
    """
    judges = {(row.key.corpus, row.key.judges) for row in run.tables.correlations}
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "corpus": one.corpus,
                    "system": np.array(one.systems, dtype=object)[run.arrays[f"{one.arrays}/system"]],
                    "segment": run.arrays[f"{one.arrays}/segment"] + 1,
                    "judge": np.array(one.names, dtype=object)[run.arrays[f"{one.arrays}/judge"]],
                    "criterion": np.array(one.criteria, dtype=object)[run.arrays[f"{one.arrays}/criterion"]],
                    "score": run.arrays[f"{one.arrays}/score"],
                }
            )
            for one in run.judgments
            if (one.corpus, one.judges) in judges
        ]
    ).drop_duplicates()
