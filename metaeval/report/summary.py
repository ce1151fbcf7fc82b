"""The correlations of an experiment as tables that fit a page: metrics down, and criteria or lengths across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.names import Signature
from metaeval.report.tables import Rows, aligned, latex, markdown

if TYPE_CHECKING:
    import pandas as pd

# Marks the best of a column and those whose intervals overlap with its.
EQUAL = "*"


@dataclass(frozen=True)
class SummaryTable:
    """A table with its heading and a note below; `rows` are from column to number or text."""

    heading: str
    rows: Rows
    note: str = ""

    def __str__(self) -> str:
        columns = list(dict.fromkeys(name for cells in self.rows for name in cells))
        return "\n".join(filter(None, [self.heading, aligned(self.rows, columns), self.note]))

    def to_latex(self) -> str:
        """Return the table for the package booktabs, with its heading and note as comments."""
        columns = list(dict.fromkeys(name for cells in self.rows for name in cells))
        comments = [f"% {text}" for text in (self.heading, self.note) if text]
        return "\n".join([*comments, latex(self.rows, columns)])

    def to_markdown(self) -> str:
        """Return the table with its heading above and its note below."""
        columns = list(dict.fromkeys(name for cells in self.rows for name in cells))
        return "\n\n".join(filter(None, [self.heading, markdown(self.rows, columns), self.note]))


def summary_tables(correlations: pd.DataFrame, rankings: pd.DataFrame) -> list[SummaryTable]:
    """Return the mean correlations as tables for people.

    Parameters
    ----------
    correlations, rankings : DataFrame
        With the columns of correlations.tsv and rankings.tsv.

    Returns
    -------
    list of SummaryTable
        Where documents have several lengths: metrics down and lengths across, a table for each criterion and
        coefficient. Else: metrics down; criteria and coefficients across; bootstrap limits where there are any.
    """
    one_line = ["corpus", "condition", "subset", "metric", "criterion", "grouping", "coefficient"]
    by_length = bool((correlations.groupby(one_line, sort=False)["length"].nunique() > 1).any())
    keys = ["corpus", "subset", "grouping", *(["criterion", "coefficient"] if by_length else [])]
    several = correlations.loc[correlations["condition"] != "", "condition"].nunique() > 1
    equals = _equals(rankings)
    tables = []
    for _, part in correlations.groupby(keys, sort=False, dropna=False):
        first = part.iloc[0]
        references = f"references {first['subset']}"
        if by_length:
            what = f"mean {first['coefficient']} by {first['grouping']}, {references}, by document length"
            heading = f"{first['corpus']}, {first['criterion']}: {what}"
        else:
            heading = f"{first['corpus']}: correlation by {first['grouping']}, {references}, {_size(part)}"
        kinds = {_interval_of(text) for text in part["signature"]}
        with_limits = not by_length and bool(kinds & set(_LIMITS)) and part["lower"].notna().any()
        rows: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in part.to_dict("records"):
            labels = {"metric": row["metric"]} | ({"condition": row["condition"]} if several else {})
            if not by_length:
                labels = {"criterion": row["criterion"]} | labels
            cells = rows.setdefault(tuple(labels.values()), labels)
            column = str(int(row["length"])) if by_length else row["coefficient"]
            cells[column] = _with_limits(row, equals) if with_limits else row["mean"]
        limits = " and ".join(dict.fromkeys(_LIMITS[kind] for kind in sorted(kinds) if kind in _LIMITS))
        note = (
            f"[ ] limits by {limits}.  {EQUAL} the best, and its equals: their intervals overlap."
            if with_limits
            else ""
        )
        tables.append(SummaryTable(heading, list(rows.values()), note))
    return tables


# Intervals of one coefficient, by their names in signatures.
_LIMITS = {"percentile": "bootstrap", "bca": "bootstrap (BCa)", "fisher": "formula (Fisher)"}


def _interval_of(signature: str) -> str:
    return dict(Signature.parse(signature).items).get("interval", "").partition("(")[0]


def _size(part: pd.DataFrame) -> str:
    sizes = sorted({int(length) for length in part["length"].dropna()})
    if not sizes:
        return "documents"
    return f"{sizes[0]} segments" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} segments"


_PLACE = ("corpus", "condition", "subset", "criterion", "grouping", "coefficient", "metric")


def _equals(rankings: pd.DataFrame) -> set[tuple[Any, ...]]:
    """Return the places of the metrics whose intervals overlap with the best."""
    if not len(rankings):
        return set()
    chosen = rankings[(rankings["method"] == "intervals") & (rankings["equals_best"] == "yes")]
    return {tuple(row[key] for key in _PLACE) for row in chosen.to_dict("records")}


def _with_limits(row: dict[Any, Any], equals: set[tuple[Any, ...]]) -> str:
    mark = EQUAL if tuple(row[key] for key in _PLACE) in equals else ""
    return f"{row['mean']:.3f} [{row['lower']:.3f}, {row['upper']:.3f}]{mark}"


def summary_text(tables: Sequence[SummaryTable]) -> str:
    """Return the tables for a terminal."""
    return "\n\n".join(map(str, tables))
