"""The correlations of an experiment as tables that fit a page: metrics down, and criteria or lengths across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from metaeval.records import NO_REFERENCES
from metaeval.report.tables import Rows, aligned, latex, markdown
from metaeval.report.words import across as across_words
from metaeval.report.words import corpus_words, with_limits
from metaeval.results.model import RunData
from metaeval.results.rows import Ranking
from metaeval.results.tables import record_of

if TYPE_CHECKING:
    import pandas as pd

# Marks the best of a column and its equals: by the first test there is, or else those whose intervals overlap with its.
EQUAL = "*"
# Where a number belongs, whatever the references and the length.
_PLACE = ("panel", "corpus", "preprocessing", "criterion", "average_by", "coefficient", "metric")
# In rankings, the method that is no test, with its axis.
_INTERVALS = ("intervals", "")
# The places of the best and its equals, each with the test that decides and its axis.
_Equals: TypeAlias = dict[tuple[Any, ...], tuple[str, str]]


@dataclass(frozen=True)
class SummaryTable:
    """A table with its heading and a note below; `rows` are from column to number or text."""

    heading: str
    rows: Rows
    note: str = ""

    @property
    def columns(self) -> list[str]:
        """The columns that any row has, in the order in which they come up."""
        return list(dict.fromkeys(name for cells in self.rows for name in cells))

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.heading, aligned(self.rows, self.columns), self.note]))

    def to_latex(self) -> str:
        """Return the table for the package booktabs, with its heading and note as comments."""
        comments = [f"% {text}" for text in (self.heading, self.note) if text]
        return "\n".join([*comments, latex(self.rows, self.columns)])

    def to_markdown(self) -> str:
        """Return the table with its heading above and its note below."""
        return "\n\n".join(filter(None, [self.heading, markdown(self.rows, self.columns), self.note]))


def summary_tables(run: RunData) -> list[SummaryTable]:
    """Return the mean correlations of a run as tables for people.

    Parameters
    ----------
    run : RunData

    Returns
    -------
    list of SummaryTable
        Where documents have several lengths: metrics down and lengths across, a table for each criterion and
        coefficient. Else, where there are three numbers of references or more: the same with these across. Else:
        metrics down; criteria and coefficients across; bootstrap limits where there are any. More than four reference
        subsets are averaged by their number of references. Where limits are shown, the best metric has a star, and so
        have those that the first test does not tell from it; where there is no test, those whose intervals overlap.
    """
    import pandas as pd

    if not run.tables.correlations:
        return []
    table = pd.DataFrame(run.tables.records("correlations"))
    simulated = [corpus in run.simulated for corpus in table["corpus"]]
    table = table.assign(references=table["n_references"], simulated=simulated)
    one_line = [*_PLACE, "subset"]
    by_length = bool((table.groupby(one_line, sort=False)["length"].nunique() > 1).any())
    by_references = not by_length and bool((table.groupby(list(_PLACE), sort=False)["references"].nunique() > 2).any())
    across = "length" if by_length else "references" if by_references else "coefficient"
    together = by_references or bool((table.groupby("panel", sort=False)["subset"].nunique() > 4).any())
    keys = ["panel", "corpus", *([] if by_references else ["references" if together else "subset"]), "average_by"]
    keys += [] if across == "coefficient" else ["criterion", "coefficient"]
    equals = _equals(run.tables.rankings)
    return [
        _table(part, across, equals, together=together) for _, part in table.groupby(keys, sort=False, dropna=False)
    ]


def _table(part: pd.DataFrame, across: str, equals: _Equals, *, together: bool) -> SummaryTable:
    """Return the table of some rows; the columns are lengths, numbers of references, or coefficients."""
    several = part.loc[part["preprocessing"] != "", "preprocessing"].nunique() > 1
    kinds = set(part["interval"])
    with_limits = (
        across == "coefficient" and not together and bool(kinds & set(_LIMITS)) and bool(part["lower"].notna().any())
    )
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    means: dict[tuple[tuple[str, ...], str], list[float]] = {}
    for row in part.to_dict("records"):
        labels = {"metric": row["metric"]} | ({"preprocessing": row["preprocessing"]} if several else {})
        if across == "coefficient":
            labels = {"criterion": row["criterion"]} | labels
        key, column = tuple(labels.values()), row[across] if across == "coefficient" else f"{row[across]:g}"
        cells = rows.setdefault(key, labels)
        found = means.setdefault((key, column), [])
        found.append(row["mean"])
        cells[column] = _with_limits(row, equals) if with_limits else sum(found) / len(found)
    note = ""
    if with_limits:
        limits = " and ".join(dict.fromkeys(_LIMITS[kind] for kind in sorted(kinds) if kind in _LIMITS))
        marked = dict.fromkeys(filter(None, (equals.get(_place_of(row)) for row in part.to_dict("records"))))
        why = "; or, where there is no test, ".join(map(_why_equal, sorted(marked, key=lambda one: one == _INTERVALS)))
        note = f"[ ] limits by {limits}." + (f"  {EQUAL} the best, and its equals: {why}." if marked else "")
    return SummaryTable(_heading(part, across, together=together), list(rows.values()), note)


def _why_equal(decided: tuple[str, str]) -> str:
    """Return what makes a metric an equal of the best, by the test that decides and its axis."""
    if decided == _INTERVALS:
        return "their intervals overlap"
    test, over = decided
    axis = "" if over == "replicates" else f" over {over}"
    return f"the test {test}{axis} shows no difference (p corrected as the experiment says)"


def _heading(part: pd.DataFrame, across: str, *, together: bool) -> str:
    first = part.iloc[0]
    corpus = corpus_words(first["corpus"], simulated=first["simulated"])
    n_subsets = part["subset"].nunique()
    references = "no references" if first["subset"] == NO_REFERENCES else f"references {first['subset']}"
    if together:
        number = f"{first['references']:g} reference{'' if first['references'] == 1 else 's'}"
        references = number if n_subsets == 1 else f"{number}, mean over {n_subsets} subsets"
    if across == "coefficient":
        words = f"{corpus}: correlation {across_words(first['average_by'])}, {references}, {_size(part)}"
    else:
        of = f"{corpus}, {first['criterion']}: mean {first['coefficient']} {across_words(first['average_by'])}"
        words = f"{of}, {references}, by document length"
        if across == "references":
            words = f"{of}, {_size(part)}, by number of references"
    return f"{first['panel']}. {words}" if first["panel"] else words


# Intervals of one coefficient, by their names in signatures.
_LIMITS = {"percentile": "bootstrap", "bca": "bootstrap (BCa)", "fisher": "formula (Fisher)"}


def _size(part: pd.DataFrame) -> str:
    sizes = sorted({int(length) for length in part["length"].dropna()})
    if not sizes:
        return "documents"
    return f"{sizes[0]} segments" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} segments"


def _equals(rankings: Sequence[Ranking]) -> _Equals:
    """Return the places of the top clusters, each with what decides: a test and its axis.

    A test decides wherever there is one, the first of several: two intervals that overlap do not show that the
    difference of their metrics is not significant.
    """
    decides: dict[tuple[Any, ...], tuple[str, str]] = {}
    for row in rankings:
        place = _place_of(record_of(row.key))
        if decides.get(place, _INTERVALS) == _INTERVALS:
            decides[place] = row.method, row.over
    return {
        place: decides[place]
        for row in rankings
        for place in [_place_of(record_of(row.key))]
        if row.top_cluster and (row.method, row.over) == decides[place]
    }


def _place_of(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in (*_PLACE, "subset"))


def _with_limits(row: dict[Any, Any], equals: _Equals) -> str:
    mark = EQUAL if _place_of(row) in equals else ""
    return f"{with_limits(row['mean'], row['lower'], row['upper'])}{mark}"


def summary_text(tables: Sequence[SummaryTable]) -> str:
    """Return the tables for a terminal."""
    return "\n\n".join(map(str, tables))
