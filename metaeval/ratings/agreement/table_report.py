"""Report on the agreement of the raters of a table: a short answer, text tables and data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from metaeval.errors import as_typed, counted
from metaeval.ratings.agreement.coefficients import COHEN
from metaeval.ratings.agreement.raters_of_table import (
    COEFFICIENTS,
    MAIN_ALPHA,
    MAIN_KAPPA,
    RatersAgreement,
    RatingsFindings,
)
from metaeval.ratings.cells import as_percentages, interval_cell, interval_columns
from metaeval.ratings.means import Interval
from metaeval.ratings.table import Ratings, as_sentences
from metaeval.report.agreement import agreement_text
from metaeval.report.letter_widths import in_lines
from metaeval.report.tables import WIDTH, SummaryTable, as_json, fixed
from metaeval.report.tabular import Noted, table_name
from metaeval.report.terminal_table import fitted, wrapped

if TYPE_CHECKING:
    import pandas as pd

Record = dict[str, Any]
# The tables, and why one may be missing.
TABLES = {
    "groups": "there are no three people, and no three judges, who rated the same items",
    "pairs": "no two raters rated the same items",
}
# More pairs than this stand only where all tables are asked for.
_MAX_PAIRS = 6
# Of more reasons why intervals are missing, none is shown.
_MAX_REASONS = 2
_RAW_HEAD = "the same\n(%)"
_DECIDED_HEAD = "items\ndecided"
_RAW_DECIDED_HEAD = "the same of\ndecided (%)"
_NAMES = {
    "kappa": "kappa",
    "kappa_linear": "kappa,\nlinear",
    "kappa_quadratic": "kappa,\nquadratic",
    "scott": "Scott's\npi",
    "ac1": "AC1",
    "brennan_prediger": "Brennan-\nPrediger",
    "alpha_nominal": "alpha,\nnominal",
    "alpha_ordinal": "alpha,\nordinal",
    "alpha_interval": "alpha,\ninterval",
}


@dataclass(frozen=True, eq=False, repr=False)
class RatersReport(Noted):
    """Report on the agreement of the raters of a table.

    Attributes
    ----------
    ratings : Ratings
        The table, as it was read.
    findings : RatingsFindings
        Each number with its interval: of all people, all judges, and every two raters.
    confidence_level : float
        Of all intervals.
    warnings : tuple of str
        What can mislead a reader.
    failures : tuple of str
        Always empty.
    """

    ratings: Ratings
    findings: RatingsFindings
    confidence_level: float = 0.95
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """The answer in a sentence: how well people agree, else judges, else the first two raters."""
        return _sentence(self.findings.main, self.ratings)

    @property
    def reading(self) -> str:
        """Summary of how the table was read: kind of ratings, people, judges, and what was left out."""
        return self.ratings.description() + as_sentences(self.ratings.notes)

    @cached_property
    def tables(self) -> Mapping[str, tuple[Record, ...]]:
        """The rows of each table as plain values by the names of columns, without tables that have no row."""
        made = {
            "groups": tuple(
                {"group": row.group, "raters": len(row.raters), **self._numbers(row)} for row in self.findings.groups
            ),
            "pairs": tuple(
                {"rater_a": row.raters[0], "rater_b": row.raters[1], **self._numbers(row)}
                for row in self.findings.pairs
            ),
        }
        return {name: rows for name, rows in made.items() if rows}

    def _numbers(self, agreement: RatersAgreement) -> Record:
        """Return all numbers of some raters."""
        row: Record = {
            "items": agreement.n_items,
            "clusters": agreement.clusters,
            "clusters_are": f"{self.ratings.cluster_noun}s",
            **interval_columns("raw", agreement.raw),
        }
        if self.ratings.kind == "preference":
            row |= {
                "items_without_ties": agreement.decided_items,
                **interval_columns("raw_without_ties", agreement.raw_decided),
            }
        for name in COEFFICIENTS:
            row |= interval_columns(name, agreement.coefficients[name])
        main = agreement.coefficients[MAIN_ALPHA[self.ratings.kind]]
        return {**row, "answers": self.findings.n_answers or None, "missing_because": main.missing_because}

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return one table, or both of them, as a new data frame.

        Parameters
        ----------
        table : {"groups", "pairs"}, optional
            Both unless given.

        Returns
        -------
        DataFrame
            A row for all people, all judges, or each two raters. An interval has the names of its value and the same
            with ``_lower`` and ``_upper``; what is not defined, or does not apply, is ``nan``. Of both tables: the name
            of each in the column ``table``, and what a table has not is missing.

        Raises
        ------
        UsageError
            If the table is unknown, or there is none of this name.
        """
        import pandas as pd  # scoring must not wait for it

        if table is not None:
            return pd.DataFrame(list(self.tables[table_name(table, TABLES, self.tables)]))
        return pd.DataFrame([{"table": name, **row} for name, rows in self.tables.items() for row in rows])

    def text(
        self, form: str = "table", tables: Sequence[str] = (), width: int | None = None, *, verbose: bool = False
    ) -> str:
        """Return the answer and its tables as text.

        Parameters
        ----------
        form : {"table", "tsv", "json", "md", "latex"}, default "table"
            For reading, or for programs.
        tables : sequence of str
            Names of `tables`, to be shown whole; if none are given, all there are, of which ``table`` cuts long ones.
        width : int, optional
            Letters of a line of ``table``; 120 unless given.
        verbose : bool, default False
            Whether all pairs and all coefficients are shown.

        Returns
        -------
        str
            The text.

        Raises
        ------
        UsageError
            If a table is unknown, or there is none of this name.
        """
        chosen = [table_name(table, TABLES, self.tables) for table in tables] or list(self.tables)
        if form == "tsv":
            return agreement_text({name: self.tables[name] for name in chosen}, form)
        if form == "json":
            as_objects = {name: json.loads(as_json(self.tables[name])) for name in chosen}
            content = {"answer": self.answer, "reading": self.reading, **as_objects}
            return json.dumps(content, indent=1, ensure_ascii=False)
        if form != "table":
            return self._text_in(form)
        letters = WIDTH if width is None else width
        parts = [wrapped(self.answer, letters), wrapped(self.reading, letters)]
        for table in self._summary_tables(chosen, whole=bool(tables) or verbose):
            note = [line for sentence in table.note.splitlines() for line in in_lines(sentence, letters)]
            head = [table.heading] if table.heading else []
            shown = fitted(table.rows, letters, table.columns, first=_first_heads(self.ratings))
            parts.append("\n".join([*head, *shown, *note]))
        return "\n\n".join(parts)

    def _summary_tables(self, chosen: Sequence[str], *, whole: bool) -> list[SummaryTable]:
        """Return the table of what is reported, and where all is asked for that of all coefficients."""
        findings = self.findings
        groups, pairs = (
            agreement if name in chosen else ()
            for name, agreement in (("groups", findings.groups), ("pairs", findings.pairs))
        )
        shown = pairs if whole else _first_pairs(pairs, self.ratings.people)
        rows = [self._shown(agreement) for agreement in (*groups, *shown)]
        below = _below_the_table(self, (*groups, *shown))
        if len(shown) < len(pairs):
            all_pairs = as_typed(terminal="--verbose", python="`verbose=True`")
            below.insert(0, f"... and {counted(len(pairs) - len(shown), 'pair')} more: {all_pairs} shows all.")
        tables = [SummaryTable("", rows, "\n".join(below))]
        if whole:
            others = [
                {
                    "raters": agreement.name,
                    **{_NAMES[name]: _plain(agreement.coefficients[name]) for name in COEFFICIENTS},
                }
                for agreement in (*groups, *pairs)
            ]
            defined = [name for name in others[0] if any(row[name] is not None for row in others)]
            tables.append(SummaryTable("All coefficients", [{name: row[name] for name in defined} for row in others]))
        return tables

    def _shown(self, agreement: RatersAgreement) -> Record:
        """Return the row of some raters for people."""
        kind = self.ratings.kind
        row: Record = {"raters": agreement.name, "items": agreement.n_items}
        if kind != "number":
            row[_RAW_HEAD] = interval_cell(as_percentages(agreement.raw), 1)
        if kind == "preference":
            row[_DECIDED_HEAD] = agreement.decided_items
            row[_RAW_DECIDED_HEAD] = interval_cell(as_percentages(agreement.raw_decided), 1)
        for name in _main_coefficients(self.ratings):
            row[_NAMES[name]] = interval_cell(agreement.coefficients[name], 2)
        return row

    def _tables_for_people(self) -> list[SummaryTable]:
        first, *others = self._summary_tables(list(self.tables), whole=True)
        return [SummaryTable("", first.rows, first.note, answers=(self.answer, self.reading)), *others]

    def __repr__(self) -> str:
        return f"RatersReport({self.ratings.source!r}, tables: {', '.join(self.tables)})"


def _main_coefficients(ratings: Ratings) -> tuple[str, ...]:
    """Return the coefficients that stand in the table for people."""
    main = (MAIN_KAPPA[ratings.kind], MAIN_ALPHA[ratings.kind])
    return main if ratings.is_ordered else (*main, "ac1")


def _first_heads(ratings: Ratings) -> tuple[str, ...]:
    """Return the columns that stay where a terminal is narrow, the first ones longest."""
    return (
        "items", _RAW_HEAD, _DECIDED_HEAD, _RAW_DECIDED_HEAD, _NAMES[MAIN_ALPHA[ratings.kind]],
        _NAMES[MAIN_KAPPA[ratings.kind]],
    )  # fmt: skip


def _first_pairs(pairs: Sequence[RatersAgreement], people: Sequence[str]) -> Sequence[RatersAgreement]:
    """Return the pairs that are shown: all of a few, else those of people, and of these those with most items."""
    if len(pairs) <= _MAX_PAIRS:
        return pairs
    return sorted(pairs, key=lambda pair: (len({*pair.raters} - {*people}), -pair.n_items))[:_MAX_PAIRS]


def _sentence(agreement: RatersAgreement, ratings: Ratings) -> str:
    """Describe the agreement of raters in a sentence that claims no more than the interval supports."""
    who = agreement.group or " and ".join(agreement.raters)
    first = f"{who[:1].upper()}{who[1:]}" if agreement.group else who
    alpha = agreement.coefficients[MAIN_ALPHA[ratings.kind]]
    level = MAIN_ALPHA[ratings.kind].removeprefix("alpha_")
    equal = ""
    if not math.isnan(agreement.raw.value):
        two = "two of them say" if agreement.group else "they say"
        share = as_percentages(agreement.raw)
        ends = f" [{fixed(share.lower, 1)}, {fixed(share.upper, 1)}]" if share.has_ends else ""
        equal = f"; {two} the same in {fixed(share.value, 1)} %{ends} of {counted(agreement.n_items, 'item')}"
    if agreement.always:
        return f"{first} always say {agreement.always!r}, so that agreement beyond chance is not defined{equal}."
    if math.isnan(alpha.value):
        return f"It is not known how well {who} agree: {alpha.missing_because}."
    numbers = f"Krippendorff's alpha {interval_cell(alpha, 2)} ({level}; 1 perfect, 0 chance){equal}"
    if not alpha.has_ends:
        return f"It cannot be said whether {who} agree beyond chance: {alpha.missing_because}; {numbers}."
    if alpha.lower > 0:
        return f"{first} agree beyond chance: {numbers}."
    beyond = "agree less than by chance" if alpha.upper < 0 else "are not shown to agree beyond chance"
    return f"{first} {beyond}: {numbers}."


def _below_the_table(report: RatersReport, shown: Sequence[RatersAgreement]) -> list[str]:
    """Return the lines below the table: what intervals are over, which are missing, and which answers count."""
    ratings, findings = report.ratings, report.findings
    names = _main_coefficients(ratings)
    lines = []
    if n := max((agreement.clusters for agreement in shown), default=0):
        level = f"{100 * report.confidence_level:.4g} % intervals"
        over = f"over {counted(n, ratings.cluster_noun)}, for these {counted(len(ratings.raters), 'rater')}"
        lines.append(f"{level} {over}.")
    if any(
        agreement.group and not math.isnan(agreement.coefficients[MAIN_KAPPA[ratings.kind]].value)
        for agreement in shown
    ):
        lines.append("Kappa of a group is the mean over its pairs, without interval.")
    missing = dict.fromkeys(
        agreement.coefficients[name].missing_because
        for agreement in shown
        for name in names
        if agreement.coefficients[name].missing_because and not (agreement.group and name in COHEN)
    )
    if len(missing) > _MAX_REASONS:
        all_reasons = as_typed(terminal="--format tsv", python="`to_frame()`")
        lines.append(f"Some have no interval; `missing_because` of {all_reasons} says why.")
    else:
        lines += [f"Without interval: {because}." for because in missing]
    if "ac1" not in names or findings.n_answers < 2:
        return lines
    if ratings.kind == "preference":
        answers = "first, second and neither" if findings.n_answers > 2 else "first and second"
        lines.append(f"AC1 is for the answers {answers}.")
    elif findings.is_stated:
        lines.append(f"AC1 is for {findings.n_answers} answers that could be given.")
    else:
        called = as_typed(terminal="--categories", python="`categories`")
        lines.append(
            f"AC1 is for the {findings.n_answers} answers that occur; if others could be given, name all: {called}."
        )
    return lines


def _plain(interval: Interval) -> str | None:
    return None if math.isnan(interval.value) else fixed(interval.value, 2)
