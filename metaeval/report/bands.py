"""Coefficients among good systems: a table of each place, and in sentences where the order of two metrics changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metaeval.components.registries import CORRECTIONS
from metaeval.report.phrases import (
    across,
    coefficient_words,
    corpus_words,
    grouped,
    named_in_sentence,
    preprocessing_words,
    subset_words,
    taken,
)
from metaeval.report.rankings import sortable
from metaeval.report.tables import Estimated, SummaryTable
from metaeval.results.keys import Key
from metaeval.results.model import RunData
from metaeval.results.rows import ALL_SYSTEMS, BEST_SYSTEMS, GOOD_SEGMENTS, Band, BandName, BandTest

# Behind a coefficient that a narrower range does not explain.
BELOW = "<"
# Columns of a table with exact numbers, behind the name of a band, with the attributes of `Band`.
_COLUMNS = {
    "": "value",
    "_lower": "lower",
    "_upper": "upper",
    "_range_alone": "range_alone",
    "_range_alone_lower": "range_alone_lower",
    "_range_alone_upper": "range_alone_upper",
}
# Changes of order in one sentence; band_tests.tsv has all.
_MAX_CHANGES = 4


def band_tables(run: RunData) -> list[SummaryTable]:
    """Return a table for each place where coefficients were computed in bands, with its sentences.

    Parameters
    ----------
    run : RunData
        With labels.
    """
    rows_by_place = grouped(run.tables.bands, lambda row: row.key.place)
    tests_by_place = grouped(run.tables.band_tests, lambda row: row.key)
    return [
        SummaryTable(
            _heading(run, key, rows),
            _rows(rows),
            _note(rows),
            answers=[f"{label}: {sentence}" for sentence in _sentences(rows, tests_by_place.get(key, []))],
        )
        for (key, rows), label in zip(rows_by_place.items(), _labels(list(rows_by_place)), strict=True)
    ]


def band_answers(run: RunData) -> list[str]:
    """Return the findings of the bands of a run, a sentence each, with their place.

    Parameters
    ----------
    run : RunData
        With labels.
    """
    return [answer for table in band_tables(run) for answer in table.answers]


def band_columns(run: RunData, key: Key) -> dict[str, float]:
    """Return the coefficients of a metric in the bands of a run as columns of a table with exact numbers.

    Parameters
    ----------
    run : RunData
    key : Key
        Of the metric at its place.
    """
    names = dict.fromkeys(row.name for row in run.tables.bands if not row.name.is_whole)
    rows_of_metric = {row.name: row for row in run.tables.bands if row.key == key}
    columns = {}
    for name in names:
        prefix = str(name).replace(" ", "_")
        for column, attribute in _COLUMNS.items():
            columns[f"{prefix}{column}"] = (
                getattr(rows_of_metric[name], attribute) if name in rows_of_metric else math.nan
            )
    return columns


def _labels(keys: Sequence[Key]) -> list[str]:
    """Return the words that tell each place apart, and its criterion and coefficient."""
    varied = [
        name for name in ("panel", "corpus", "preprocessing", "subset") if len({getattr(key, name) for key in keys}) > 1
    ]
    words = {"preprocessing": preprocessing_words, "subset": subset_words}
    # A panel of one coefficient has it in its title.
    in_title = "panel" in varied and len({(key.panel, key.coefficient) for key in keys}) == len({k.panel for k in keys})
    labels = []
    for key in keys:
        parts = [*(words.get(name, str)(getattr(key, name)) for name in varied), key.criterion]
        labels.append(", ".join(parts if in_title else [*parts, coefficient_words(key.coefficient)]))
    return labels


def _heading(run: RunData, key: Key, rows: Sequence[Band]) -> str:
    corpus = corpus_words(key.corpus, simulated=key.corpus in run.simulated)
    kinds = {row.name.band for row in rows}
    if GOOD_SEGMENTS in kinds:
        where = f"{across(key.average_by)}, segments that people score well"
    else:
        where = "among the best systems" if BEST_SYSTEMS in kinds else "on pairs of close systems"
    words = [taken(key.coefficient, where), subset_words(key.subset), preprocessing_words(key.preprocessing)]
    return f"{corpus}, {key.criterion}: {'; '.join(words)}"


def _bands(rows: Sequence[Band]) -> dict[BandName, list[Band]]:
    return grouped(rows, lambda row: row.name)


def _most(rows: Sequence[Band]) -> Band:
    """Return the row of the metric that scored most systems."""
    return max(rows, key=lambda row: row.n_systems)


def _named(rows: Sequence[Band]) -> str:
    """Return the name of a band, with the number of its systems or pairs."""
    row = _most(rows)
    if row.name.is_whole:
        return f"all {row.n_systems}" if row.key.documents.units.is_whole else f"all ({row.n_items})"
    if row.name.band == GOOD_SEGMENTS:
        return f"{row.name} ({row.n_items})"
    if row.name.band != BEST_SYSTEMS:
        return f"{row.name} ({row.n_pairs})"
    return str(row.name) if row.name.limit == row.n_systems else f"{row.name} ({row.n_systems} systems)"


def _rows(rows: Sequence[Band]) -> list[dict[str, Any]]:
    bands = _bands(rows)
    names = {band: _named(of_band) for band, of_band in bands.items()}
    most = {band: _most(of_band).n_systems for band, of_band in bands.items()}
    by_metric = grouped(rows, lambda row: row.key.metric)
    whole = {row.key.metric: row.value for row in rows if row.name.is_whole}
    shown = []
    for metric in sorted(by_metric, key=lambda metric_name: -sortable(whole.get(metric_name, math.nan))):
        cells: dict[str, Any] = {"metric": metric}
        for row in by_metric[metric]:
            mark = BELOW if row.is_below_range_alone else ""
            cells[names[row.name]] = Estimated(row.value, row.lower, row.upper, mark)
            if not row.name.is_whole and row.name.band != GOOD_SEGMENTS:
                alone = Estimated(row.range_alone, row.range_alone_lower, row.range_alone_upper)
                cells[f"{names[row.name]},\nrange alone"] = alone
        fewer = [f"{names[row.name]}: {row.n_systems}" for row in by_metric[metric] if row.n_systems < most[row.name]]
        cells["systems scored"] = "; ".join(fewer)
        shown.append(cells)
    return shown


def _note(rows: Sequence[Band]) -> str:
    """Describe the systems, what intervals are about, and what a narrower range alone is."""
    lines = []
    best = [_most(of_band) for name, of_band in _bands(rows).items() if name.band == BEST_SYSTEMS]
    for number, row in enumerate(best):
        first = f"the first {row.n_systems} of these" if number else row.systems
        lines.append(f"The {row.name} by people: {first}.")
    drawn = next((row.resampled for row in rows if row.resampled), "")
    if any(not math.isnan(row.lower) for row in rows):
        level = f"{100 * (rows[0].confidence_level or 0):g} %"
        lines.append(
            f"[ ]: {level} confidence interval over {drawn}, for exactly these systems; they stay the same in every "
            "replicate."
            if best
            else f"[ ]: {level} confidence interval over {drawn}, for these systems."
        )
    if any(row.name.band == GOOD_SEGMENTS for row in rows):
        lines.append(
            "In brackets: how many segments of systems count. A narrower range by itself lowers any coefficient; what "
            "it does to segments is not simulated."
        )
    reasons = dict.fromkeys(row.no_interval_because for row in rows if row.no_interval_because)
    lines += [f"Without an interval: {reason}." for reason in reasons]
    if any(not math.isnan(row.range_alone) for row in rows):
        lines.append(
            "Range alone: the coefficient to expect if the metric agreed equally well among good and bad systems "
            f"(median and middle 95 % of simulated metrics). {BELOW}: lower than this range."
        )
    return "\n".join(lines)


def _sentences(rows: Sequence[Band], tests: Sequence[BandTest]) -> list[str]:
    """Describe the changes in the order of two metrics, and the metrics that fall by more than the range explains."""
    sentences = []
    bands = _bands(rows)
    others = [band for band in bands if not band.is_whole]
    tested = [row for row in tests if not math.isnan(row.p)]
    if tested:
        changes = _changes(tests)
        title = CORRECTIONS[tests[0].correction].title
        corrected = f"{title} over all {tests[0].family} pairs and bands" if title else "uncorrected"
        how = f"p < {tests[0].alpha:g} each, {corrected}"
        everywhere = _where(bands[BandName(ALL_SYSTEMS)])
        for band, pairs in grouped(changes, lambda change: change[0]).items():
            orders = [f"{first} agrees better than {second}" for _, first, second in pairs[:_MAX_CHANGES]]
            reversed_orders = [f"{second} better than {first}" for _, first, second in pairs[:_MAX_CHANGES]]
            more = (
                f" ({len(pairs) - _MAX_CHANGES} more such pairs: band_tests.tsv)" if len(pairs) > _MAX_CHANGES else ""
            )
            where = _where(bands[band])
            among_all = f"{everywhere}, {named_in_sentence(orders)}"
            in_band = f"{where} {named_in_sentence(reversed_orders)}{more}"
            sentences.append(f"{among_all}, and {in_band} ({how}).")
        if not changes:
            where = named_in_sentence([_where(bands[band]) for band in others], "or")
            sentences.append(f"no two metrics change their order significantly {where} ({how}).")
    for band in others:
        below = [row for row in bands[band] if row.is_below_range_alone]
        if below:
            names = named_in_sentence([row.key.metric for row in sorted(below, key=lambda row: row.value)])
            sentences.append(
                f"{_where(bands[band])}, the narrower range does not explain how low {names} lie"
                f"{'s' if len(below) == 1 else ''}."
            )
    return sentences


def _where(rows: Sequence[Band]) -> str:
    name = rows[0].name
    if name.is_whole:
        return f"among {_named(rows)}" if rows[0].key.documents.units.is_whole else "on all segments"
    return f"among the {_named(rows)}" if name.band == BEST_SYSTEMS else f"on {_named(rows)}"


def _changes(tests: Sequence[BandTest]) -> list[tuple[BandName, str, str]]:
    """Return the bands in which two metrics change their order, with the metric that is better among all first."""
    better = {(row.name, row.metric_a, row.metric_b): row.better for row in tests}
    changes = []
    for (band, first, second), winner in better.items():
        whole = better.get((BandName(ALL_SYSTEMS), first, second), "")
        if not band.is_whole and winner and whole and winner != whole:
            changes.append((band, whole, winner))
    return changes
