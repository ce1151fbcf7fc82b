"""What figures are drawn from, what a user may say of them, and which rows of a table each of them shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.contracts import Figure
from metaeval.parameters import parameter
from metaeval.report.layout import file_part
from metaeval.report.words import corpus_words
from metaeval.results.export import document_scores
from metaeval.results.model import RunData


@dataclass(frozen=True)
class FigureData:
    """The tidy tables of a run.

    Attributes
    ----------
    correlations, rankings : DataFrame
        As in the files of these names.
    scores : callable
        Gives the rows of scores.tsv for whole systems.
    documents : callable
        Gives a row for each document, system and metric, with the columns corpus, preprocessing, subset, criterion,
        length, metric, document, system, score and human.
    judgments : callable
        Gives the judgments of systems as published, with the columns corpus, system, segment, judge, criterion and
        score.
    seed : int
        All chance comes from it.
    signs : mapping of (corpus, criterion, metric) to (int, int)
        -1 for metric and human scores that coefficients take as negated, because lower is better; (1, 1) unless told.
    simulated : collection of str
        The corpora that are simulated.
    """

    correlations: pd.DataFrame
    rankings: pd.DataFrame
    scores: Callable[[], pd.DataFrame]
    documents: Callable[[], pd.DataFrame]
    judgments: Callable[[], pd.DataFrame]
    seed: int
    signs: Mapping[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    simulated: Collection[str] = ()


def figure_data(run: RunData) -> FigureData:
    """Return what the figures of a run, or of one panel of it, are drawn from."""
    panels = {row.key.panel for row in run.tables.correlations}
    return FigureData(
        correlations=pd.DataFrame(run.tables.records("correlations")),
        rankings=pd.DataFrame(run.tables.records("rankings")),
        scores=lambda: pd.DataFrame([row for row in run.system_scores() if row["panel"] in panels]),
        documents=lambda: pd.DataFrame(list(document_scores(run))),
        judgments=lambda: judgment_table(run),
        seed=run.facts["seed"],
        signs={(one.key.corpus, one.key.criterion, one.key.metric): one.signs for one in run.series},
        simulated=run.simulated,
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
    )


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
    simulated : collection of str
        The corpora that are simulated, as headings say.
    """

    width: str | None = None
    together: bool = False
    judges: tuple[str, ...] = ()
    title: str = ""
    simulated: Collection[str] = ()

    def titled(self, heading: str) -> str:
        """Return a heading after the title of the panel it belongs to."""
        return f"{self.title}\n{heading}" if self.title else heading


PLAIN = FigureOptions()


@dataclass(frozen=True)
class Drawn(Figure):
    """What all figures have in common."""

    width: Literal["column", "page"] | None = parameter(
        None, doc="as wide as a column (3.3 in) or the text (6.9 in) of a page; by default as the figure needs"
    )

    def options(self, data: FigureData, title: str) -> FigureOptions:
        """Return what the function that draws it takes."""
        return FigureOptions(width=self.width, title=title, simulated=data.simulated)


@dataclass(frozen=True)
class FigurePart:
    """What one figure of several shows.

    Attributes
    ----------
    name : str
        Of the figure, and so of its files.
    values : dict of str to str
        What is the same in all rows, by its column; "" where it is absent.
    rows : DataFrame
    """

    name: str
    values: dict[str, str]
    rows: pd.DataFrame

    simulated: Collection[str]

    @property
    def corpus(self) -> str:
        """The corpus in words for a heading."""
        name = self.values["corpus"]
        return corpus_words(name, simulated=name in self.simulated)


def figure_parts(
    table: pd.DataFrame, kind: str, columns: Sequence[str], simulated: Collection[str]
) -> Iterator[FigurePart]:
    """Part a table into those of single figures.

    Parameters
    ----------
    table : DataFrame
    kind : str
        The kind of the figures, with which their names begin.
    columns : sequence of str
        A figure holds rows that are equal in these; its name tells those that vary in the table.
    simulated : collection of str
        The corpora that are simulated, as headings say.

    Yields
    ------
    FigurePart
        In the order of the rows.
    """
    varying = [column for column in columns if table[column].nunique(dropna=False) > 1]
    names: list[str] = []
    for key, rows in table.groupby(list(columns), sort=False, dropna=False):
        values = dict(zip(columns, map(_written, key), strict=True))
        names.append(_new_name(names, kind, *(values[column] for column in varying)))
        yield FigurePart(names[-1], values, rows, simulated)


def _written(value: object) -> str:
    """Return a value of a key as text; lengths are whole, and absent where documents have none."""
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _new_name(taken: Collection[str], *parts: str) -> str:
    """Return the name of a figure from its parts, one that is not taken: what differs may be lost in a file name."""
    name = "_".join(filter(None, [parts[0], *map(file_part, parts[1:])]))
    while name in taken:
        name += "-2"
    return name
