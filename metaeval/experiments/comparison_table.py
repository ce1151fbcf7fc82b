"""One table of a comparison of metrics, with the sentence that says what can be said of the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from metaeval.report.summary import SummaryTable
from metaeval.report.tables import formatted, on_one_line
from metaeval.report.tabular import Tabular


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonTable(Tabular):
    """The metrics of one corpus, condition, reference subset and criterion, from the best to the worst.

    Attributes
    ----------
    heading : str
        What was compared.
    criterion : str
        What was judged.
    rows : tuple of rows
        metric; coefficient with its limits; best minus this, with paired limits and p, corrected for all pairs;
        cluster; share of the noise ceiling; ties: the share of pairs of systems with equal scores. For people: see
        :meth:`Compared.to_frame` for the numbers.
    sentence : str
        What can be said of the best.
    note : str
        How to read the table.
    """

    heading: str
    criterion: str
    rows: tuple[Mapping[str, Any], ...]
    sentence: str
    note: str = ""

    def text(self, kind: str = "table") -> str:
        """Return the table as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            Those for people have heading and sentence around the table.

        Returns
        -------
        str
            The table.
        """
        body = formatted(self.rows, kind)
        if kind == "latex":
            heading, note, sentence = (f"% {on_one_line(text)}" for text in (self.heading, self.note, self.sentence))
            return f"{heading}\n{body}\n{note}\n{sentence}"
        return body if kind in ("tsv", "json") else f"{self.heading}\n{body}\n{self.note}\n{self.sentence}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a new data frame, as people read them.

        Returns
        -------
        DataFrame
            The columns of `rows`: text, but for ``cluster`` and ``documents`` (Int64) and ``ties`` (float). The numbers
            are in :meth:`Compared.to_frame`.
        """
        return pd.DataFrame(list(self.rows)).astype({"cluster": "Int64", "documents": "Int64"})

    def _tables_for_people(self) -> list[SummaryTable]:
        return [SummaryTable(self.heading, self.rows, f"{self.note} {self.sentence}")]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"ComparisonTable({self.heading!r})"
