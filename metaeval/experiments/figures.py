"""The figures of a run: what they are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import UsageError
from metaeval.experiments.cells import Row
from metaeval.experiments.compute import Computed
from metaeval.experiments.export import export_rows
from metaeval.experiments.load import Panel
from metaeval.experiments.simulated import corpus_items
from metaeval.judgments.groups import judged_by
from metaeval.names import Signature
from metaeval.progress import Tally
from metaeval.records import Corpus
from metaeval.report.figures import FigureData, NoRoom, draw_figure, save_figures


def draw_figures(panels: Sequence[Panel], computed: Computed, directory: Path, tally: Tally | None = None) -> None:
    """Draw the figures of a run into its directory, which holds all other files.

    Parameters
    ----------
    panels : sequence of Panel
    computed : Computed
        Its messages get why a figure is missing; one that has no room is a failure too. The run goes on without it.
    directory : Path
        Of the run.
    tally : Tally, optional
        Counts the figures.
    """
    tally = tally or Tally()
    tally.expect(sum(len(panel.experiment.figures) for panel in panels))
    for panel in panels:
        data = _data(panel, computed, directory)
        if not len(data.correlations):
            tally.add(len(panel.experiment.figures))
            continue  # every metric failed, as the messages say
        for settings in panel.experiment.figures:
            try:
                figures = draw_figure(settings.kind, data, replace(settings.options, title=panel.title))
            except UsageError as error:
                where = f"{panel.title}: " if panel.title else ""
                computed.warnings.append(f"{where}the figure {settings.kind!r} is missing: {error}")
                if isinstance(error, NoRoom):
                    computed.failures.append(computed.warnings[-1])
            else:
                save_figures(figures, directory / "figures")
            tally.add()


def _data(panel: Panel, computed: Computed, directory: Path) -> FigureData:
    """Return the tables of a panel."""

    def of_panel(rows: Sequence[Row]) -> pd.DataFrame:
        return pd.DataFrame([row for row in rows if row.get("panel", "") == panel.title])

    judges = panel.experiment.judgments.judges
    return FigureData(
        correlations=of_panel(computed.related.correlations),
        rankings=of_panel(computed.related.rankings),
        scores=of_panel(computed.scores),
        documents=lambda: of_panel(list(export_rows(directory))),
        signs={
            (item["corpus"], item["criterion"], item["metric"]): tuple(item["signs"])
            for item in computed.related.index
            if item.get("panel", "") == panel.title
        },
        judgments=lambda: pd.concat(
            [
                judgment_table(judged_by(read_corpus(name, panel.experiment.formats_of(name))[0], judges))
                for name in panel.experiment.corpora
            ]
        ),
        seed=panel.experiment.seed,
    )


def judgment_table(corpus: Corpus) -> pd.DataFrame:
    """Return the judgments of the systems of a corpus as published.

    Returns
    -------
    DataFrame
        With the columns corpus, system, segment (a number from 1 on), judge, criterion, score and signature.
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
            "signature": str(Signature("judgments").with_pairs(corpus_items(corpus))),
        }
    )
