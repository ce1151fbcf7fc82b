"""The tables of a comparison of metrics, each with a sentence on what the tests show of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.components.registries import COEFFICIENTS
from metaeval.datamodel.corpus import NO_REFERENCES
from metaeval.report.answers import labelled_finding, labels_of
from metaeval.report.bands import band_columns
from metaeval.report.comparison_notes import legend_of, reading_of, warnings_of
from metaeval.report.comparisons_at import Place, places_of
from metaeval.report.correlation_tables import in_part
from metaeval.report.display_names import labelled
from metaeval.report.phrases import coefficient_words, corpus_words, preprocessing_words, reference_words, taken
from metaeval.report.rankings import RankedMetric
from metaeval.report.tables import Estimated, SummaryTable, fixed
from metaeval.report.tabular import Tabular
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
    cells : tuple of rows
        metric; coefficient with its interval, and a star where it is not significantly worse than the best; how far
        below the best it is; the p that the star rests on; where they differ, systems and texts scored; ties, the share
        of pairs of systems with equal scores, where some metric ties one pair in a hundred.
    rows : list of rows
        The same as text for reading; :meth:`Compared.to_frame` has the numbers.
    details : tuple of rows
        The same metrics: cluster, fraction of the noise ceiling, documents.
    sentence : str
        Which metrics lead, and how sure that is.
    note : str
        How to read the table, and what in its data misleads: a line each.
    legend : str
        How to read the table, in one line.
    warnings : tuple of str
        What in its data misleads.
    label : str
        What tells it apart from other tables of the comparison.
    """

    heading: str
    criterion: str
    cells: tuple[Mapping[str, Any], ...]
    details: tuple[Mapping[str, Any], ...]
    sentence: str
    note: str = ""
    legend: str = ""
    warnings: tuple[str, ...] = ()
    label: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a new data frame, formatted for reading.

        Returns
        -------
        DataFrame
            The columns of `rows` and `details`: text, but for ``cluster`` and ``documents`` (Int64), ``below the best``
            (a number, "" for the best itself) and ``ties`` (float). The numbers are in :meth:`Compared.to_frame`.
        """
        import pandas as pd  # what is only printed must not wait for it

        rows = [{**row, **details} for row, details in zip(self.rows, self.details, strict=True)]
        return pd.DataFrame(rows).astype({"cluster": "Int64", "documents": "Int64"})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as they are read: text, and numbers where there is no interval."""
        return [{name: _as_text(cell) for name, cell in row.items()} for row in self.cells]

    def _tables_for_people(self) -> list[SummaryTable]:
        return [SummaryTable(self.heading, self.cells, self.legend, answers=[self.sentence])]

    def __repr__(self) -> str:
        return f"ComparisonTable({self.heading!r})"


def _as_text(cell: object) -> object:
    if cell is None:
        return ""
    return str(cell) if isinstance(cell, Estimated) else cell


def _references(subset: str) -> str:
    """Return the number of references of a subset, and its name where it is one."""
    if subset == NO_REFERENCES:
        return "no references"
    number = subset.count("+") + 1
    return f"{number} references" if number > 1 else reference_words(subset)


def _coefficient_words(key: Key, n_documents: int, n_systems: int) -> str:
    """Describe the coefficient that was taken, across what, and over what it is a mean."""
    units = key.documents.units
    if units.is_whole:
        return taken(key.coefficient, f"across {n_systems} systems")
    title = units.title.removeprefix("single ")
    documents = f"{n_documents} {title if n_documents > 1 else title.removesuffix('s')}"
    documents += f" of {key.length} segments" if units.is_drawn else ""
    if COEFFICIENTS.named(key.coefficient).takes_grid:
        return taken(key.coefficient, f"over pairs of {n_systems} systems, on {documents}")
    where = {
        "item": f"across {n_systems} systems, mean over {documents}",
        "system": f"across {documents}, mean over {n_systems} systems",
        "none": f"across {documents} of all {n_systems} systems together",
    }[key.average_by]
    return taken(key.coefficient, where)


def comparison_tables(run: RunData) -> list[ComparisonTable]:
    """Return the tables of a comparison, for reading.

    Parameters
    ----------
    run : RunData
        Of an experiment with at most one test for each setting.

    Returns
    -------
    list of ComparisonTable
        One for each corpus, preprocessing, reference subset, criterion and length.
    """
    tables = []
    places = places_of(labelled(run))
    for place, label in zip(places, labels_of(places), strict=True):
        key = place.key
        criterion = place.key.criterion
        warnings = [*warnings_of(place), *_no_fraction(place)]
        note = "\n".join([*reading_of(place), *warnings])
        corpus = corpus_words(key.corpus, simulated=place.simulated)
        treated = f"{_references(key.subset)}, {preprocessing_words(key.preprocessing)}"
        best = place.ranked[0]
        heading = f"{corpus}, {criterion}: {_coefficient_words(key, best.n_documents, best.n_systems)}; {treated}"
        tables.append(
            ComparisonTable(
                heading=heading,
                criterion=criterion,
                cells=tuple(_row(place, row) for row in place.rows),
                details=tuple(_details(place, row) for row in place.rows),
                sentence=labelled_finding(place),
                note=note,
                legend=legend_of(place),
                warnings=tuple(warnings),
                label=", ".join(label),
            )
        )
    return tables


def exact_rows(run: RunData) -> list[dict[str, Any]]:
    """Return the rows of all tables of a comparison, for programs: bounds of intervals have columns of their own."""
    rows = []
    for place in places_of(run):
        for row in place.rows:
            key = row.key
            test = place.test_against_best(row.key.metric)
            ranked = place.metric(row.key.metric)
            rows.append(
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
                    "rank": ranked.rank,
                    "star": ranked.star,
                    "p_worse": ranked.p,
                    "needs_resamples": test.needs_resamples,
                    "cluster": ranked.cluster,
                    "fraction_of_ceiling": place.fraction(key.metric),
                    "ties": place.ties[key.metric],
                    "n_undefined": row.n_undefined,
                    **band_columns(run, key),
                    "signature": row.signature,
                }
            )
    return rows


def _no_fraction(place: Place) -> list[str]:
    """Explain why a table has no fraction of a ceiling, where it has none."""
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
    ranked = place.metric(metric)
    is_best = metric == place.best
    ties = place.shown_ties
    return {
        "metric": metric,
        coefficient_words(row.key.coefficient): Estimated(row.mean, row.lower, row.upper, place.mark(metric)),
        "below the best": None if is_best or math.isnan(ranked.difference) else ranked.difference,
        "p": "" if is_best else _p_cell(place, ranked),
        **({"systems": row.n_systems} if len({other.n_systems for other in place.ranked}) > 1 else {}),
        **({"scored": row.scored_in_part or "all"} if in_part(place.ranked) else {}),
        **({"ties": ties[row.key]} if ties else {}),
    }


def _p_cell(place: Place, ranked: RankedMetric) -> str:
    """Return the p that the star of a metric rests on."""
    if place.test_against_best(ranked.metric).needs_resamples is not None:
        return "undecided"
    if math.isnan(ranked.p):
        return ""
    return "< 0.001" if ranked.p < 0.001 else fixed(ranked.p)


def _details(place: Place, row: Correlation) -> dict[str, Any]:
    fraction = place.fraction(row.key.metric)
    return {
        "cluster": place.metric(row.key.metric).cluster,
        "fraction of ceiling": "" if math.isnan(fraction) else fraction,
        "documents": row.n_used,
    }
