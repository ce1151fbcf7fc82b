"""The correlations of an experiment as tables that fit a page: metrics down, and criteria or lengths across."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metaeval.components.registries import INTERVALS
from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.report.phrases import across as across_words
from metaeval.report.phrases import (
    coefficient_words,
    corpus_words,
    estimand,
    grouped,
    named_in_sentence,
    preprocessing_columns,
    preprocessing_words,
    quoted_name,
    subset_words,
    taken,
)
from metaeval.report.rankings import STAR, RankedMetric, Ranking, ranked_rows, rankings_of, sortable
from metaeval.report.tables import Estimated, SummaryTable
from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation


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
        metrics down; criteria and coefficients across; bootstrap intervals where there are any. More than four
        reference subsets are averaged by their number of references. Metrics stand in the order of the first criterion
        and the last column, and where intervals are shown, have the stars of their ranking.
    """
    rows = run.tables.correlations
    across = _across(rows)
    is_averaged = averages_subsets(rows)

    def table_of(row: Correlation) -> tuple[object, ...]:
        key = row.key
        references: object = None
        if across != "references":
            references = row.n_references if is_averaged else key.subset
        of_lines = (key.criterion, key.coefficient) if across else ()
        return key.panel, key.corpus, references, key.average_by, *of_lines

    ranked = {
        row.key: ranked_metric
        for row, ranked_metric in zip(rows, ranked_rows(run), strict=True)
        if ranked_metric is not None
    }
    rankings = {ranking.key: ranking for ranking in rankings_of(run)}
    return [
        _table(
            part,
            _heading(part, across, run, is_averaged=is_averaged),
            across,
            (ranked, rankings),
            is_averaged=is_averaged,
        )
        for part in grouped(rows, table_of).values()
    ]


def _across(rows: Sequence[Correlation]) -> str:
    """Return the variable across the tables of some rows: length, references, or "" for coefficients."""
    if any(len(_lengths(line)) > 1 for line in grouped(rows, lambda row: _place(row.key)).values()):
        return "length"
    lines = grouped(rows, lambda row: _place(row.key).with_names(subset="")).values()
    return "references" if any(len({row.n_references for row in line}) > 2 for line in lines) else ""


def averages_subsets(rows: Sequence[Correlation]) -> bool:
    """Return whether tables of some rows average the reference subsets of one size, as there are many."""
    panels = grouped(rows, lambda row: row.key.panel).values()
    return _across(rows) == "references" or any(len({row.key.subset for row in panel}) > 4 for panel in panels)


def _lengths(rows: Sequence[Correlation]) -> list[int]:
    return sorted({row.key.length for row in rows if row.key.length is not None})


def _place(key: Key) -> Key:
    """Return the key of a number without its documents and judges."""
    return key.with_names(documents=DocumentKind(), judges="")


def _treatments(part: Sequence[Correlation]) -> list[str]:
    """Return the preprocessing of some rows; judges have none."""
    return list(dict.fromkeys(row.key.preprocessing for row in part if row.key.preprocessing))


def _table(
    part: Sequence[Correlation],
    heading: str,
    across: str,
    rankings: tuple[Mapping[Key, RankedMetric], Mapping[Key, Ranking]],
    *,
    is_averaged: bool,
) -> SummaryTable:
    """Return the table of some rows; the columns are lengths, numbers of references, or coefficients."""
    treatments = _treatments(part)
    several = len(treatments) > 1
    treatment_words, _ = preprocessing_columns(treatments) if several else ({}, "")
    shown = [row for row in part if INTERVALS[row.interval].is_of_new and row.key.preprocessing]
    made_by = dict.fromkeys(INTERVALS[row.interval]().made_by(row.resampled) for row in shown)
    with_limits = not across and not is_averaged and made_by and any(not math.isnan(row.lower) for row in part)
    of_metric, of_place = rankings
    columns = column_names([row.key.coefficient for row in part])
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    means: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for row in part:
        labels = {} if across else {"criterion": row.key.criterion}
        labels |= {"metric": row.key.metric} | (
            {"preprocessing": treatment_words.get(row.key.preprocessing, "")} if several else {}
        )
        key = tuple(labels.values())
        column = columns[row.key.coefficient]
        if across:
            length = math.nan if row.key.length is None else row.key.length
            column = f"{length if across == 'length' else row.n_references:g}"
        cells = rows.setdefault(key, labels)
        values = means.setdefault(key, {}).setdefault(column, [])
        values.append(row.mean)
        ranked = of_metric.get(row.key)
        mark = STAR if with_limits and ranked is not None and ranked.star else ""
        cells[column] = Estimated(row.mean, row.lower, row.upper, mark) if with_limits else sum(values) / len(values)
    note = ""
    if with_limits:
        starred = [ranking for row in part if (ranking := of_place.get(row.key.place)) and ranking.starred]
        starred.sort(key=lambda ranking: not ranking.is_tested)
        why = "; or, where there is no test, ".join(dict.fromkeys(ranking.star_words for ranking in starred))
        about = dict.fromkeys(filter(None, map(estimand, shown)))
        note = f"[ ] confidence intervals by {' and '.join(made_by)}." + (f" {STAR} {why}." if why else "")
        note += "".join(f" Estimated: {estimated}." for estimated in about)
    notes = filter(None, [note, _fewer_systems_words(part), in_part(part).strip()])
    return SummaryTable(heading, _in_order(rows, means), " ".join(notes))


def _in_order(
    rows: Mapping[tuple[str, ...], dict[str, Any]], means: Mapping[tuple[str, ...], Mapping[str, Sequence[float]]]
) -> list[dict[str, Any]]:
    """Return the rows of a table by criterion, and in the order of the last column of the first criterion."""
    if not rows:
        return []
    criteria = list(dict.fromkeys(cells.get("criterion", "") for cells in rows.values()))
    column = list(dict.fromkeys(name for of_row in means.values() for name in of_row))[-1]

    def last(key: tuple[str, ...]) -> float:
        values = means[key].get(column, [math.nan])
        return sortable(sum(values) / len(values))

    # The line of judges comes last.
    first = [key for key, cells in rows.items() if cells.get("criterion", "") == criteria[0] and not _is_judges(cells)]
    # A criterion is the first label of a row; the others name the metric.
    n_labels = 1 if criteria[0] else 0
    order = [key[n_labels:] for key in sorted(first, key=last, reverse=True)]
    order += [key[n_labels:] for key in rows if key[n_labels:] not in order]
    position = {name: number for number, name in enumerate(order)}
    keys = sorted(rows, key=lambda key: (criteria.index(rows[key].get("criterion", "")), position[key[n_labels:]]))
    return [rows[key] for key in keys]


def _is_judges(cells: Mapping[str, Any]) -> bool:
    return bool(cells["metric"] == INTER_JUDGE and not cells.get("preprocessing"))


def _fewer_systems_words(part: Sequence[Correlation]) -> str:
    """Name the metrics that lack systems that others have, so that their coefficients are across fewer; or nothing."""
    lacking: dict[str, str] = {}
    for place in grouped(part, lambda row: row.key.place).values():
        most = max(row.n_systems for row in place)
        lacking |= {row.key.metric: f"{row.n_systems} of {most}" for row in place if row.n_systems < most}
    named = ", ".join(f"{metric} ({systems})" for metric, systems in lacking.items())
    return f"Across fewer systems, and without a rank: {named}." if lacking else ""


def in_part(rows: Iterable[Correlation]) -> str:
    """Name the metrics that have scores of some texts alone, and of how many, at several places the least; or ""."""
    worst: dict[str, Correlation] = {}
    for row in rows:
        least = worst.get(row.key.metric, row)
        if row.scored_in_part and row.n_scored / row.n_segments <= least.n_scored / least.n_segments:
            worst[row.key.metric] = row
    named = [f"{quoted_name(metric)} ({row.scored_in_part} texts)" for metric, row in worst.items()]
    return f" Scored for a part of the texts, and measured on these: {named_in_sentence(named)}." if named else ""


def _heading(part: Sequence[Correlation], across: str, run: RunData, *, is_averaged: bool) -> str:
    key = part[0].key
    number = part[0].n_references
    corpus = corpus_words(key.corpus, simulated=key.corpus in run.simulated)
    references = subset_words(key.subset)
    if is_averaged:
        n_subsets = len({row.key.subset for row in part})
        references = f"{number:g} reference{'' if number == 1 else 's'}"
        references += f", mean over {n_subsets} subsets" if n_subsets > 1 else ""
    lengths = _lengths(part)
    size = f"{' to '.join(map(str, dict.fromkeys((lengths[0], lengths[-1]))))} segments" if lengths else "documents"
    size = "single segments" if lengths == [1] else size
    size = f"{key.documents.units.title} of {size}" if key.documents.units.is_drawn else size
    averaged = across_words(key.average_by, max(row.n_systems for row in part))
    # What differs has a column.
    treatments = _treatments(part)
    in_common = (
        preprocessing_columns(treatments)[1] if len(treatments) > 1 else "".join(map(preprocessing_words, treatments))
    )
    treated = f"; {in_common}" if in_common else ""
    subject = f"{corpus}, {key.criterion}: {taken(key.coefficient, averaged)}"
    words = {
        "length": f"{subject}; {references}{treated}; by document length",
        "references": f"{subject}, {size}{treated}; by number of references",
        "": f"{corpus}: correlation {averaged}, {size}; {references}{treated}",
    }[across]
    return f"{key.panel}. {words}" if key.panel else words


def column_names(coefficients: Sequence[str]) -> dict[str, str]:
    """Return the names of coefficients above columns; two that would be called the same are as they are written."""
    words = {name: coefficient_words(name) for name in dict.fromkeys(coefficients)}
    counts = Counter(words.values())
    return {name: word if counts[word] == 1 else name for name, word in words.items()}
