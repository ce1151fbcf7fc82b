"""Base classes of most figures: a choice of metrics and criteria, and one figure for each part of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metaeval.parameters.calls import file_part
from metaeval.parameters.fields import parameter
from metaeval.report.figures.captions import quantity_words, setting_words
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.settings import SizedFigure
from metaeval.report.phrases import corpus_words

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.picture import Picture


@dataclass(frozen=True)
class FigurePart:
    """Part of a table that one figure shows.

    Attributes
    ----------
    name : str
        Of the figure, and so of its files.
    values : dict of str to str
        What is the same in all rows, by its column; "" where it is absent.
    rows : DataFrame
    title : str
        Of the panel of the experiment that it belongs to; "" if there are none.
    data : FigureData
        All that there is.
    """

    name: str
    values: dict[str, str]
    rows: pd.DataFrame
    title: str
    data: FigureData

    def heading(self, words: str) -> str:
        """Return a heading: the title of the panel of the experiment if there is one, the corpus, and words."""
        corpus = self.values["corpus"]
        named = corpus_words(self.data.label(corpus), simulated=corpus in self.data.simulated)
        return ": ".join(filter(None, (self.title, named, words)))

    @property
    def setting(self) -> str:
        """Preprocessing, references and document length, in words."""
        kinds = list(self.rows["documents"]) if "documents" in self.rows else []
        return setting_words(self.values, *kinds[:1])

    @property
    def quantity(self) -> str:
        """Display name of the coefficient."""
        return quantity_words(self.values["coefficient"])

    def select(self, table: pd.DataFrame, *, besides: Collection[str] = (), across: bool = False) -> pd.DataFrame:
        """Return the rows of another table that have the values of the part, besides those of some columns.

        Where it goes `across` settings, as a test may, what the part leaves open may be anything.
        """
        for column, value in self.values.items():
            if column not in besides and column in table and not (across and value == ""):
                table = table[np.array([written(cell) == value for cell in table[column]], dtype=bool)]
        return table

    @property
    def criteria(self) -> list[str]:
        """The criteria of its rows."""
        return list(dict.fromkeys(self.rows["criterion"]))

    @property
    def metrics(self) -> list[str]:
        """The metrics of its rows."""
        return list(dict.fromkeys(self.rows["metric"]))


@dataclass(frozen=True)
class PartedFigure(SizedFigure):
    """A kind of which there is one figure for each part of a table.

    Attributes
    ----------
    columns : tuple of str
        A figure holds rows that are equal in these; its name has those of their values that vary in the table.
    """

    columns: ClassVar[tuple[str, ...]]

    criteria: tuple[str, ...] = parameter((), doc="only these criteria, in this order")

    @property
    def parted_by(self) -> tuple[str, ...]:
        """The columns, where they depend on what was asked for."""
        return self.columns

    @property
    def only(self) -> tuple[str, ...]:
        """The metrics that were asked for; all where none is."""
        return ()

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the table whose parts are drawn: the correlations of metrics."""
        return data.of_metrics

    @abstractmethod
    def draw_part(self, part: FigurePart) -> Picture | None:
        """Draw a part; None where it has nothing to show."""

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names, in the order of the rows."""
        chosen = data.chosen(self.only, self.criteria)
        parts = figure_parts(self.table(chosen), self.kind, self.parted_by, title, chosen)
        figures = {part.name: self.draw_part(part) for part in parts}
        return {name: figure for name, figure in figures.items() if figure is not None}


@dataclass(frozen=True)
class MetricsFigure(PartedFigure):
    """A kind that shows metrics."""

    metrics: tuple[str, ...] = parameter((), doc="only these metrics, in this order, as the run writes them")

    @property
    def only(self) -> tuple[str, ...]:
        """The metrics that were asked for; all where none is."""
        return self.metrics


def figure_parts(
    table: pd.DataFrame, kind: str, columns: Sequence[str], title: str, data: FigureData
) -> Iterator[FigurePart]:
    """Yield the parts of a table, one a figure, in the order of the rows; for parameters see `PartedFigure`."""
    if not len(table):
        return
    varying = [column for column in columns if table[column].nunique(dropna=False) > 1]
    names: list[str] = []
    for key, rows in table.groupby(list(columns), sort=False, dropna=False):
        values = dict(zip(columns, map(written, key), strict=True))
        name = "_".join([kind, *filter(None, (file_part(values[column]) for column in varying))])
        while name in names:  # what differs may be lost in the name of a file
            name += "-2"
        names.append(name)
        yield FigurePart(name, values, rows, title, data)


def written(value: object) -> str:
    """Return a value of a key as text; lengths are whole, and absent where documents have none."""
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
