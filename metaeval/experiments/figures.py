"""The figures of a run: what they are drawn from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import UsageError
from metaeval.experiments.compute import Computed
from metaeval.experiments.config import Experiment
from metaeval.experiments.export import export_rows
from metaeval.records import Corpus
from metaeval.report.figures import FigureData, draw_figure, save_figures


def draw_figures(experiment: Experiment, computed: Computed, directory: Path) -> list[str]:
    """Draw the figures of a run into its directory, which holds all other files.

    Returns
    -------
    list of str
        Why a figure is missing; a run is not lost for it.
    """
    messages = []
    data = FigureData(
        **{name: pd.DataFrame(computed.tables[name]) for name in ("correlations", "rankings", "scores")},
        documents=lambda: pd.DataFrame(export_rows(directory)),
        judgments=lambda: pd.concat([judgment_table(read_corpus(name)[0]) for name in experiment.corpora]),
        seed=experiment.seed,
    )
    for settings in experiment.figures:
        try:
            figures = draw_figure(settings.kind, data, settings.options)
        except UsageError as error:
            messages.append(f"the figure {settings.kind!r} is missing: {error}")
        else:
            save_figures(figures, directory / "figures")
    return messages


def judgment_table(corpus: Corpus) -> pd.DataFrame:
    """Return the judgments of the systems of a corpus as published.

    Returns
    -------
    DataFrame
        With the columns corpus, system, segment (a number from 1 on), judge, criterion and score.
    """
    rows = corpus.judgments
    criteria = [criterion.name for criterion in corpus.criteria]
    return pd.DataFrame(
        {
            "corpus": corpus.name,
            "system": np.array(corpus.systems, dtype=object)[rows.system],
            "segment": rows.segment + 1,
            "judge": np.array(rows.judges, dtype=object)[rows.judge],
            "criterion": np.array(criteria, dtype=object)[rows.criterion],
            "score": rows.score,
        }
    )
