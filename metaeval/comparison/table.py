"""The tables of a comparison of metrics, each with a sentence on what the tests show of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.comparison.notes import legend_of, note_on_influence, reading_of, warnings_of
from metaeval.kinds import COEFFICIENTS, CORRECTIONS
from metaeval.records import NO_REFERENCES
from metaeval.report.answer import sentence_of
from metaeval.report.labels import labelled
from metaeval.report.places import Place, places_of
from metaeval.report.summary import in_part
from metaeval.report.tables import Estimated, SummaryTable, formatted
from metaeval.report.tabular import Tabular
from metaeval.report.words import SIMULATED, corpus_words
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import FRACTION, Correlation
from metaeval.results.tables import fields_of

if TYPE_CHECKING:
    import pandas as pd


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
        metric; coefficient with its interval, and a star where it is not significantly worse than the best; difference
        to best, with p and interval corrected for all pairs; cluster; where they differ, systems and texts
        scored; fraction of the noise ceiling; ties: the share of pairs of systems with equal scores. They are text for
        reading; :meth:`Compared.to_frame` has the numbers.
    sentence : str
        What the tests show of the best.
    note : str
        How to read the table, and what in its data misleads: a line each.
    legend : str
        How to read the table, in one line.
    warnings : tuple of str
        What in its data misleads.
    """

    heading: str
    criterion: str
    rows: tuple[Mapping[str, Any], ...]
    sentence: str
    note: str = ""
    legend: str = ""
    warnings: tuple[str, ...] = ()

    def text(self, kind: str = "table") -> str:
        """Return the table as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            ``table``, ``md`` and ``latex`` have the sentence and the heading above the table, and the note below.

        Returns
        -------
        str
            The table.
        """
        return formatted(self.rows, kind) if kind in ("tsv", "json") else self._text_in(kind)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a new data frame, formatted for reading.

        Returns
        -------
        DataFrame
            The columns of `rows`: text, but for ``cluster`` and ``documents`` (Int64) and ``ties`` (float). The numbers
            are in :meth:`Compared.to_frame`.
        """
        import pandas as pd  # what is only printed must not wait for it

        return pd.DataFrame(list(self.rows)).astype({"cluster": "Int64", "documents": "Int64"})

    def _tables_for_people(self) -> list[SummaryTable]:
        return [SummaryTable(f"{self.sentence}\n{self.heading}", self.rows, self.note)]

    def __repr__(self) -> str:
        return f"ComparisonTable({self.heading!r})"


def _references(subset: str) -> str:
    """Return what the reference subset is called in a heading; many names are a number."""
    if subset == NO_REFERENCES:
        return "no references"
    number = subset.count("+") + 1
    return f"references {subset}" if number <= 4 else f"{number} references"


def _what(key: Key) -> str:
    """Return which coefficient was taken, across what, and over what it is a mean."""
    units, coefficient = key.documents.units, COEFFICIENTS.named(key.coefficient)
    title = coefficient.title
    name = key.coefficient if title in (coefficient.name, key.coefficient) else f"{title}, {key.coefficient},"
    if units.is_whole:
        return f"{name} across systems, {units.title}"
    documents = f"{units.title} of {key.length} segments" if units.is_drawn else units.title
    if coefficient.takes_grid:
        return f"{name} over pairs of systems, on {documents}"
    return {
        "item": f"{name} across systems, mean over {documents}",
        "system": f"{name} across {documents}, mean over systems",
        "none": f"{name} across {documents} of all systems together",
    }[key.average_by]


def comparison_tables(run: RunData) -> list[ComparisonTable]:
    """Return the tables of a comparison, for reading.

    Parameters
    ----------
    run : RunData
        Of an experiment with one coefficient, a bootstrap, and one test.

    Returns
    -------
    list of ComparisonTable
        One for each corpus, preprocessing, reference subset, criterion and length.
    """
    tables = []
    for place in places_of(labelled(run)):
        rows = [_row(place, row) for row in place.rows]
        criterion = place.ranked[0].key.criterion
        sentence = sentence_of(place)
        if place.simulated:
            sentence += f" {SIMULATED.capitalize()}."
        warnings = [*warnings_of(place), *note_on_influence(place.ranked, place.influence), *_no_fraction(place)]
        note = "\n".join([*reading_of(place), *warnings])
        key, corpus = place.key, corpus_words(place.key.corpus, simulated=place.simulated)
        heading = f"{corpus}, {criterion}: {_what(key)}, {key.preprocessing}, {_references(key.subset)}"
        tables.append(
            ComparisonTable(heading, criterion, tuple(rows), sentence, note, legend_of(place), tuple(warnings))
        )
    return tables


def exact_rows(run: RunData) -> list[dict[str, Any]]:
    """Return the rows of all tables of a comparison, for programs: bounds of intervals have columns of their own."""
    found = []
    for place in places_of(run):
        for row in place.rows:
            key, test = row.key, place.against_best(row.key.metric)
            found.append(
                {
                    **fields_of(key, "corpus", "preprocessing", "subset", "criterion"),
                    "simulated": place.simulated,
                    "documents": key.documents.kind,
                    **fields_of(key, "length", "average_by", "metric", "coefficient"),
                    "value": row.mean,
                    **fields_of(row, "lower", "upper"),
                    "best_minus_this": test.difference,
                    "difference_lower": test.lower,
                    "difference_upper": test.upper,
                    **fields_of(test, "adjusted_lower", "adjusted_upper", "p", "p_corrected"),
                    "p_worse": place.metric(key.metric).p,
                    "needs_resamples": test.needs_resamples,
                    "cluster": place.metric(key.metric).cluster,
                    "fraction_of_ceiling": place.fraction(key.metric),
                    "ties": place.ties[key.metric],
                    "n_undefined": row.n_undefined,
                    "signature": row.signature,
                }
            )
    return found


def _no_fraction(place: Place) -> list[str]:
    """Return why a table has no fraction of a ceiling, where it has none."""
    if not place.ceiling or any(not math.isnan(place.fraction(row.key.metric)) for row in place.ranked):
        return []
    if any(row.items_used == 0 for row in place.ceiling):
        why = "no item has two judgments"
    elif not any(row.kind == FRACTION for row in place.ceiling):
        why = "it is not known for this coefficient"
    else:
        reasons = dict.fromkeys(str(row.undefined) for row in place.ranked if math.isnan(row.mean))
        without = all(math.isnan(row.value) for row in place.ceiling if row.kind == "split-half")
        why = "no document has two judgments of enough systems" if without else "the judges do not agree beyond chance"
        if reasons:
            why = f"no coefficient is defined ({'; '.join(reasons)})"
    return [f"No fraction of the noise ceiling: {why}."]


def _row(place: Place, row: Correlation) -> dict[str, Any]:
    metric = row.key.metric
    test, is_best, fraction = place.against_best(metric), metric == place.best, place.fraction(metric)
    by = CORRECTIONS[place.tests[0].correction].title if place.tests else "Holm"
    return {
        "metric": metric,
        COEFFICIENTS.named(row.key.coefficient).title: _bracketed(row.mean, row.lower, row.upper, place.mark(metric)),
        "difference to best": "" if is_best else _bracketed(test.difference, test.adjusted_lower, test.adjusted_upper),
        f"p ({by})" if by else "p": "" if is_best else test.cell,
        "cluster": place.metric(metric).cluster,
        **({"systems": row.n_systems} if len({one.n_systems for one in place.ranked}) > 1 else {}),
        **({"scored": row.scored_in_part or "all"} if in_part(place.ranked) else {}),
        "fraction of ceiling": "" if math.isnan(fraction) else fraction,
        "ties": place.ties[metric],
        "documents": row.n_used,
    }


def _bracketed(value: float, lower: float, upper: float, mark: str = "") -> str:
    return "" if math.isnan(value) else str(Estimated(value, lower, upper, mark))
