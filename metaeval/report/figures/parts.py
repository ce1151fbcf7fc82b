"""What all kinds of figures have in common: a width, and one figure for each part of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import pandas as pd

from metaeval.contracts import Figure
from metaeval.parameters import parameter
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import WIDTHS, file_part
from metaeval.report.words import corpus_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


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
    title : str
        Of the panel of the experiment that it belongs to; "" if there are none.
    simulated : collection of str
        The corpora that are simulated, as headings say.
    """

    name: str
    values: dict[str, str]
    rows: pd.DataFrame
    title: str
    simulated: Collection[str]

    def heading(self, words: str) -> str:
        """Return a heading: the title of the panel if there is one, the corpus, and words."""
        corpus = corpus_words(self.values["corpus"], simulated=self.values["corpus"] in self.simulated)
        title = f"{self.title}\n" if self.title else ""
        return f"{title}{corpus} \N{EN DASH} {words}"

    def select(self, table: pd.DataFrame, *, besides: Collection[str] = ()) -> pd.DataFrame:
        """Return the rows of another table that have the values of the part, besides those of some columns."""
        for column, value in self.values.items():
            if column not in besides:
                table = table[table[column] == value]
        return table


@dataclass(frozen=True)
class SizedFigure(Figure):
    """A kind that is as wide as it is asked to be."""

    width: Literal["column", "page"] | None = parameter(
        None, doc="as wide as a column (3.3 in) or the text (6.9 in) of a page; by default as the figure needs"
    )

    @property
    def inches(self) -> float | None:
        """The width that was asked for; None as the figure needs."""
        return WIDTHS[self.width] if self.width else None

    @property
    def beside(self) -> float:
        """The inches that names beside rows take at most."""
        return 3.6 if self.inches is None else 0.4 * self.inches


@dataclass(frozen=True)
class PartedFigure(SizedFigure):
    """A kind of which there is one figure for each part of a table.

    Attributes
    ----------
    columns : tuple of str
        A figure holds rows that are equal in these; its name has those of their values that vary in the table.
    """

    columns: ClassVar[tuple[str, ...]]

    @property
    def parted_by(self) -> tuple[str, ...]:
        """The columns, where they depend on what was asked for."""
        return self.columns

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the table whose parts are drawn: the correlations of metrics."""
        return data.of_metrics

    @abstractmethod
    def draw_part(self, part: FigurePart, data: FigureData) -> Drawing | None:
        """Return the figure of a part; None where it has nothing to show."""

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names, in the order of the rows."""
        parts = figure_parts(self.table(data), self.kind, self.parted_by, title, data.simulated)
        drawn = ((part.name, self.draw_part(part, data)) for part in parts)
        return {name: figure for name, figure in drawn if figure is not None}


def figure_parts(
    table: pd.DataFrame, kind: str, columns: Sequence[str], title: str, simulated: Collection[str]
) -> Iterator[FigurePart]:
    """Give the parts of a table, one a figure, in the order of the rows; for parameters see `PartedFigure`."""
    varying = [column for column in columns if table[column].nunique(dropna=False) > 1]
    names: list[str] = []
    for key, rows in table.groupby(list(columns), sort=False, dropna=False):
        values = dict(zip(columns, map(written, key), strict=True))
        name = "_".join([kind, *filter(None, (file_part(values[column]) for column in varying))])
        while name in names:  # what differs may be lost in the name of a file
            name += "-2"
        names.append(name)
        yield FigurePart(name, values, rows, title, simulated)


def written(value: object) -> str:
    """Return a value of a key as text; lengths are whole, and absent where documents have none."""
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
