"""One table of a comparison of metrics, with the sentence that says what can be said of the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from metaeval.correlation.coefficients import get_coefficient, takes_grid
from metaeval.names import Signature
from metaeval.records import NO_REFERENCES
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import formatted, on_one_line
from metaeval.report.tabular import Tabular
from metaeval.report.words import corpus_words


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonTable(Tabular):
    """The metrics of one corpus, preprocessing, reference subset and criterion, from the best to the worst.

    Attributes
    ----------
    heading : str
        What was compared.
    criterion : str
        What was judged.
    rows : tuple of rows
        metric; coefficient with its limits; best minus this, with paired limits and p, corrected for all pairs;
        cluster; fraction of the noise ceiling; ties: the share of pairs of systems with equal scores. For people: see
        :meth:`Compared.to_frame` for the numbers.
    sentence : str
        What can be said of the best.
    note : str
        How to read the table, and what in its data misleads: a line each.
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
        return [SummaryTable(self.heading, self.rows, on_one_line(f"{self.note} {self.sentence}"))]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"ComparisonTable({self.heading!r})"


def _references(subset: str) -> str:
    """Return what the reference subset is called in a heading; many names are a number."""
    if subset == NO_REFERENCES:
        return "no references"
    number = subset.count("+") + 1
    return f"references {subset}" if number <= 4 else f"{number} references"


def heading_of(row: Mapping[Any, Any]) -> str:
    """Return the heading of the table that a row of correlations.tsv stands in."""
    corpus = corpus_words(row["corpus"], row["signature"])
    return f"{corpus}, {row['criterion']}: {_what(row)}, {row['preprocessing']}, {_references(str(row['subset']))}"


def _what(row: Mapping[Any, Any]) -> str:
    """Return which coefficient was taken, across what, and over what it is a mean."""
    coefficient, average_by = row["coefficient"], row["average_by"]
    kind = dict(Signature.parse(row["signature"]).items)["docs"]
    if kind == "all":
        return f"{coefficient} across systems, whole systems"
    documents = {"segments": "single segments", "real": "real documents"}.get(kind)
    documents = documents or f"pseudo-documents of {int(row['length'])} segments"
    if takes_grid(get_coefficient(coefficient)):
        return f"{coefficient} over pairs of systems, on {documents}"
    return {
        "item": f"{coefficient} across systems, mean over {documents}",
        "system": f"{coefficient} across {documents}, mean over systems",
        "none": f"{coefficient} across {documents} of all systems together",
    }[average_by]
