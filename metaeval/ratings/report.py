"""Report on automatic judges: a short answer, text tables and data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import UsageError, counted
from metaeval.parameters.fields import build
from metaeval.ratings.cells import as_distance, as_percentages, interval_cell, interval_columns
from metaeval.ratings.dependence import LENGTH, Dependence, Severity
from metaeval.ratings.judge_comparison import JudgedJudge, JudgeFindings, LabelUse
from metaeval.ratings.means import Interval
from metaeval.ratings.position import Position
from metaeval.ratings.sentences import (
    ORDER_UNKNOWN,
    alternative_words,
    answer_of,
    below_the_table,
    first_share_words,
    holds,
    measured,
    with_ends,
)
from metaeval.ratings.table import Ratings, as_sentences
from metaeval.report.letter_widths import in_lines
from metaeval.report.methods.paragraph import HasMethods, Methods
from metaeval.report.phrases import named_in_sentence
from metaeval.report.tables import WIDTH, SummaryTable, as_json, fixed, tsv
from metaeval.report.tabular import Noted, table_name
from metaeval.report.terminal_table import fitted, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Record = dict[str, Any]
# The tables of frames, and why one may be missing.
TABLES = {
    "judges": "",
    "people": "no judge is compared with single persons",
    "labels": "the ratings are no labels or preferences",
    "pairs": "there is one judge",
    "position": "no judge was asked in both orders of a pair",
    "first": "in which one order pairs were shown is not known, or they were shown in both",
    "severity": "the ratings are preferences, or more than two labels, which have no order",
    "dependence": "the table has no lengths, and no system was named as a judge's own",
    "alt-test": "that rule was not asked for",
}
# Heads of columns of the table of judges.
_AGREEMENT_HEAD = "agree with\npeople (%)"
_DISTANCE_HEAD = "distance\nfrom people"
_DIFFERENCE_HEAD = "judge less\none person"
_WORTH_HEAD = "worth\n(persons)"
_MARGIN_HEAD = "as good\nto within"
_ACCURACY_HEAD = "right (%)"
# The columns that stay where a terminal is narrow.
_FIRST_COLUMNS = (
    _AGREEMENT_HEAD,
    _ACCURACY_HEAD,
    _DISTANCE_HEAD,
    _DIFFERENCE_HEAD,
    _WORTH_HEAD,
    "rank",
    "kappa",
    "offset",
)
# More labels than this stand only where all tables are asked for.
_MAX_LABELS = 5


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(Noted, HasMethods):
    """Report on automatic judges, compared with one person and with a constant answer.

    Attributes
    ----------
    ratings : Ratings
        The table, as it was read.
    findings : JudgeFindings
        Each number with its interval: of judges, people, labels, pairs of judges, and orders of outputs.
    truth : str
        The rater that is right by definition; "" where judges are compared with people.
    margin : float or None
        The loss of agreement that was named as acceptable.
    warnings : tuple of str
        What can mislead a reader.
    failures : tuple of str
        Always empty.
    """

    ratings: Ratings
    findings: JudgeFindings
    truth: str = ""
    margin: float | None = None
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """The answer: a line for each judge."""
        return answer_of(self.findings, self.ratings, truth=self.truth, margin=self.margin)

    @property
    def reading(self) -> str:
        """Summary of how the table was read: kind of ratings, people, judges, and what was left out."""
        return self.ratings.description(self.truth) + as_sentences(self.ratings.notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings that do not stand in the answer."""
        reasons = [judged.nothing_to_validate or judged.difference.missing_because for judged in self.findings.judges]
        in_answer = [reason for reason in reasons if reason and reason in self.answer]
        return tuple(note for note in super().notes if not any(reason in note for reason in in_answer))

    @property
    def margin_holds(self) -> bool | None:
        """True if every judge is at most the margin worse than a person; None without a margin."""
        if self.margin is None:
            return None
        return all(holds(judged, self.margin) for judged in self.findings.judges)

    @cached_property
    def tables(self) -> Mapping[str, tuple[Record, ...]]:
        """The rows of each table as plain values by the names of columns, without tables that have no row."""
        findings = self.findings
        made: dict[str, list[Record]] = {
            "judges": [self._judge_row(row) for row in findings.judges],
            "people": [
                {
                    "judge": row.judge, "person": row.person, "items": row.items,
                    **interval_columns(self._level_name, self._as_shown(row.agreement)),
                    **interval_columns("difference", row.difference), "p": row.difference.p,
                    **interval_columns("person_equivalents", row.equivalents),
                }
                for row in findings.people
            ],
            "labels": [asdict(row) for row in findings.labels],
            "pairs": [
                {
                    "judge_a": row.judge_a, "judge_b": row.judge_b, "items": row.items,
                    **interval_columns("difference", row.difference),
                    "p": row.difference.p, "p_corrected": row.p_corrected,
                }
                for row in findings.pairs
            ],
            "position": [_position_row(row) for row in findings.positions],
            "first": [
                {
                    "judge": row.judge, "decided": row.decided, "ties": row.ties, "lost": row.lost,
                    **interval_columns("first", row.first), "first_of_people": row.people,
                    "missing_because": row.first.missing_because,
                }
                for row in findings.first_shares
            ],
            "severity": [
                {
                    "judge": row.judge, "system": row.system, "items": row.difference.items,
                    **interval_columns("severity", row.difference), "p": row.difference.p,
                    "p_corrected": row.p_corrected, "missing_because": row.difference.missing_because,
                }
                for row in findings.severities
            ],
            "dependence": [
                {
                    "judge": row.judge, "on": row.on, "systems": ", ".join(row.systems), "items": row.slope.items,
                    "clusters": row.slope.clusters, **interval_columns("slope", row.slope), "p": row.slope.p,
                    "p_corrected": row.p_corrected, "scale": row.scale, "scale_assumed": row.is_scale_assumed,
                    "missing_because": row.slope.missing_because,
                }
                for row in findings.dependences
            ],
            "alt-test": [
                {
                    "judge": row.judge, "epsilon": row.epsilon, "winning_rate": row.winning_rate,
                    "advantage_probability": row.advantage, "passed": row.passed, "people": len(row.people),
                    "missing_because": row.missing_because,
                }
                for row in findings.alternative
            ],
        }  # fmt: skip
        return {name: tuple(rows) for name, rows in made.items() if rows}

    @property
    def _level_name(self) -> str:
        return "distance" if self.ratings.is_ordered else "agreement"

    def _as_shown(self, likeness: Interval) -> Interval:
        """Return a likeness as tables for programs have it: a share, or a distance, which is positive."""
        return as_distance(likeness) if self.ratings.is_ordered else likeness

    def _judge_row(self, judged: JudgedJudge) -> Record:
        """Return all numbers of a judge: agreement as a share, or as a distance, which is positive."""
        name = self._level_name
        best, worst = self.findings.ranks[judged.judge]
        return {
            "judge": judged.judge,
            "items": judged.items,
            "clusters": judged.clusters,
            "clusters_are": f"{self.ratings.cluster_noun}s",
            "people": judged.people,
            "people_per_item": judged.people_per_item,
            "without_verdict": judged.without_verdict,
            **interval_columns(name, self._as_shown(judged.agreement)),
            **interval_columns(f"{name}_of_person", self._as_shown(judged.person)),
            **interval_columns(f"{name}_of_constant", self._as_shown(judged.constant)),
            "constant_answer": judged.constant_answer,
            **interval_columns("difference", judged.difference),
            "p": judged.difference.p,
            "bound": judged.difference.bound,
            "smallest_margin": judged.smallest_margin,
            "margin": self.margin,
            "margin_holds": None if self.margin is None else holds(judged, self.margin),
            **interval_columns("difference_without_offset", judged.difference_without_offset),
            **interval_columns("difference_for_people_like_these", judged.population),
            "people_like_these_missing_because": judged.population.missing_because,
            **interval_columns("over_constant", judged.over_constant),
            **interval_columns("person_equivalents", judged.equivalents),
            "person_equivalents_missing_because": judged.equivalents.missing_because,
            **interval_columns("offset", judged.offset),
            **interval_columns("kappa", judged.kappa),
            **interval_columns("kappa_of_person", judged.person_kappa),
            "items_needed": judged.items_needed,
            "best_rank": best,
            "worst_rank": worst,
            "missing_because": judged.nothing_to_validate or judged.difference.missing_because,
        }

    def to_frame(self, table: str = "judges") -> pd.DataFrame:
        """Return one table as a new data frame.

        Parameters
        ----------
        table : {"judges", "people", "labels", "pairs", "position", "first", "severity", "dependence", "alt-test"}
            By default ``judges``.

        Returns
        -------
        DataFrame
            A row for each judge, or for each judge and person, label or other judge. An interval has the names of its
            value and the same with ``_lower`` and ``_upper``. Agreement is a share; of grades and numbers a distance
            in the units of the ratings. A difference is positive where the judge is the better one.

        Raises
        ------
        UsageError
            If the table is unknown, or there is none of this name.
        """
        import pandas as pd  # scoring must not wait for it

        return pd.DataFrame(list(self.tables[table_name(table, TABLES, self.tables)]))

    def _methods(self) -> Methods:
        from metaeval.ratings.methods import methods_of_judges

        return methods_of_judges(self.findings, self.ratings, truth=self.truth, margin=self.margin)

    def figure(self, **settings: Any) -> Figure:
        """Draw judges, people and the constant answer on one axis, with intervals.

        Parameters
        ----------
        **settings
            How it looks, as keys of ``[[figures]]``: ``width="acl"``, ``font_size=9``, ``title=True``.

        Returns
        -------
        matplotlib.figure.Figure
            To be changed further, and saved with ``savefig``.

        Raises
        ------
        UsageError
            If a key is unknown or a value is not allowed.
        """
        from metaeval.ratings.figure import draw_judges
        from metaeval.report.figures.settings import Look

        look = build(Look, settings, subject="the figure of judges", noun="key")
        return draw_judges(self.findings, self.ratings, look, truth=self.truth)

    def save_figure(self, path: str | Path, **settings: Any) -> Path:
        """Write the figure; the same ratings give the same bytes.

        Parameters
        ----------
        path : str or Path
            A file that ends with .svg, .pdf or .png.
        **settings
            As for `figure`.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UsageError
            If the name of the file ends with something else, or as for `figure`.
        """
        from metaeval.report.figures.drawing import figure_bytes
        from metaeval.report.figures.settings import Look
        from metaeval.report.grid import checked_picture

        checked = checked_picture(path)
        figure = self.figure(**settings)
        checked.write_bytes(figure_bytes(figure, checked.suffix[1:], build(Look, settings, subject="the figure")))
        return checked

    def to_page(self) -> str:
        """Return all of it as one page of HTML: the answer, tables, the figure, limits and methods.

        Returns
        -------
        str
            It needs no network and no other file, and the same ratings give the same text.
        """
        from metaeval.ratings.figure import draw_judges
        from metaeval.ratings.methods import methods_of_judges
        from metaeval.ratings.page import render_judges
        from metaeval.report.figures.settings import Look

        methods = methods_of_judges(self.findings, self.ratings, truth=self.truth, margin=self.margin)
        return render_judges(
            self.findings,
            self.ratings,
            answer=self.answer,
            reading=self.reading,
            tables=self._summary_tables(verbose=True),
            notes=self.notes,
            methods=methods,
            figure=draw_judges(self.findings, self.ratings, Look(width="page"), truth=self.truth),
            truth=self.truth,
            margin=self.margin,
        )

    def save_page(self, path: str | Path) -> Path:
        """Write all of it as one page of HTML.

        Parameters
        ----------
        path : str or Path
            A file that ends with .html.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UsageError
            If the name of the file ends with something else.
        """
        checked = checked_page(path)
        checked.write_text(self.to_page(), encoding="utf-8", newline="\n")
        return checked

    def text(self, form: str = "table", width: int | None = None, *, verbose: bool = False) -> str:
        """Return the answer and its tables as text.

        Parameters
        ----------
        form : {"table", "tsv", "json", "md", "latex"}, default "table"
            For reading, or for programs: ``tsv`` has the table of the judges, ``json`` all tables.
        width : int, optional
            Letters of a line of ``table``; 120 unless given.
        verbose : bool, default False
            Whether all tables are shown.

        Returns
        -------
        str
            The text.
        """
        if form == "tsv":
            return tsv(self.tables["judges"]).rstrip("\n")
        if form == "json":
            tables = {name: json.loads(as_json(rows)) for name, rows in self.tables.items()}
            return json.dumps({"answer": self.answer, "reading": self.reading, **tables}, indent=1, ensure_ascii=False)
        if form != "table":
            return self._text_in(form)
        letters = WIDTH if width is None else width
        parts = [wrapped(self.answer, letters), wrapped(self.reading, letters)]
        for table in self._summary_tables(verbose=verbose).values():
            head = [table.heading] if table.heading else []
            note = [line for sentence in table.note.splitlines() for line in in_lines(sentence, letters)]
            shown = fitted(table.rows, letters, table.columns, first=_FIRST_COLUMNS)
            parts.append("\n".join([*head, *shown, *note]))
        return "\n\n".join(parts)

    def _summary_tables(self, *, verbose: bool) -> dict[str, SummaryTable]:
        """Return the tables for people by their names, the first of which is the answer in numbers."""
        findings, ratings = self.findings, self.ratings
        below = below_the_table(findings, ratings, truth=self.truth, n_people=len(ratings.people))
        below += [first_share_words(row, truth=self.truth) for row in findings.first_shares]
        if verbose and ratings.kind == "preference" and not findings.positions and not findings.first_shares:
            below.append(ORDER_UNKNOWN)
        below += [alternative_words(row) for row in findings.alternative]
        tables = {"judges": SummaryTable("", self._rows(), "\n".join(below))}
        labels = {row.label for row in findings.labels}
        is_short = len(findings.judges) == 1 and len(labels) <= _MAX_LABELS and ratings.kind == "label"
        if labels and (verbose or is_short):
            tables["labels"] = SummaryTable("", [self._label_row(row) for row in findings.labels])
        if findings.positions:
            n_lost = counted(sum(row.lost for row in findings.positions), "pair")
            note = f"Without a verdict in one of the orders, and left out here: {n_lost}."
            rows = [_shown_position(row) for row in findings.positions]
            tables["position"] = SummaryTable("", rows, note if any(row.lost for row in findings.positions) else "")
        if not verbose:
            return tables
        by_system = [row for row in findings.severities if row.system]
        others = {
            "people": ("Judge and person, both compared with the others", self._people_rows()),
            "pairs": ("Judges in pairs", self._pair_rows()),
            "severity": ("Judge less people, by system", [self._severity_row(row) for row in by_system]),
            "dependence": (
                "What a judge gives beyond people",
                [self._dependence_row(row) for row in findings.dependences],
            ),
        }
        return tables | {name: SummaryTable(heading, rows) for name, (heading, rows) in others.items() if rows}

    def _rows(self) -> list[Record]:
        """Return the judges, one person and the constant answer, a row each."""
        findings, ratings = self.findings, self.ratings
        rows = [self._shown_judge(row) for row in findings.judges]
        first = findings.compared_judge
        if not math.isnan(first.person.value):
            worth = [row.equivalents for row in findings.people if row.judge == first.judge]
            # Without an upper end of its interval an estimate may be anything.
            known = [row.value for row in worth if row.has_ends and not math.isinf(row.upper)]
            rows.append(
                {
                    "rater": "one person",
                    **self._shown_level(first.person, first.person_kappa),
                    _WORTH_HEAD: f"{min(known):.2f} to {max(known):.2f}" if known else None,
                }
            )
        if not math.isnan(first.constant.value):
            answer = first.constant_answer if ratings.is_ordered else f'"{first.constant_answer}"'
            rows.append({"rater": f"always {answer}", **self._shown_level(first.constant, Interval(math.nan))})
        return rows

    def _shown_level(self, level: Interval, kappa: Interval) -> Record:
        """Return the likeness of a rater to people, as cells."""
        if self.ratings.is_ordered:
            digits = 2 if self.ratings.kind == "grade" else 3
            return {_DISTANCE_HEAD: interval_cell(as_distance(level), digits)}
        return {
            _ACCURACY_HEAD if self.truth else _AGREEMENT_HEAD: interval_cell(as_percentages(level), 1),
            "kappa": None if math.isnan(kappa.value) else fixed(kappa.value, 2),
        }

    def _shown_judge(self, judged: JudgedJudge) -> Record:
        """Return the row of a judge."""
        ratings = self.ratings
        row: Record = {"rater": judged.judge, **self._shown_level(judged.agreement, judged.kappa)}
        if ratings.is_ordered:
            row["offset"] = measured(judged.offset.value, ratings, signed=True)
        if judged.nothing_to_validate:
            row |= {_DIFFERENCE_HEAD: "--", _WORTH_HEAD: "--"}
        elif not math.isnan(judged.difference.value):
            row |= {
                _DIFFERENCE_HEAD: with_ends(judged.difference, ratings, noun=False),
                _WORTH_HEAD: _persons(judged.equivalents),
            }
        if len(self.findings.judges) > 1:
            if not math.isnan(judged.difference.value):
                row[_MARGIN_HEAD] = measured(judged.smallest_margin, ratings)
            best, worst = self.findings.ranks[judged.judge]
            row["rank"] = f"{best}" if best == worst else f"{best}-{worst}"
        return row

    def _label_row(self, label: LabelUse) -> Record:
        several = {"judge": label.judge} if len(self.findings.judges) > 1 else {}
        whose = "the truth" if self.truth else "people"
        shares = {
            "share of\nthe judge": label.judge_share, f"share of\n{whose}": label.people_share,
            "also given\nby the judge": label.judge_too, "also given\nby a person": label.person_too,
        }  # fmt: skip
        known = {name: None if math.isnan(share) else share for name, share in shares.items()}
        return {**several, "answer": label.label, **known}

    def _people_rows(self) -> list[Record]:
        return [
            {
                "judge": row.judge, "person": row.person, "items": row.items,
                "judge less\nthis person": with_ends(row.difference, self.ratings, noun=False),
                "person worth\n(persons)": _persons(row.equivalents),
            }
            for row in self.findings.people
        ]  # fmt: skip

    def _pair_rows(self) -> list[Record]:
        return [
            {
                "judge": pair.judge_a,
                "less": pair.judge_b,
                "items": pair.items,
                "difference": with_ends(pair.difference, self.ratings, noun=False),
                "p (Holm)": _p_cell(pair.p_corrected),
            }
            for pair in self.findings.pairs
        ]

    def _severity_row(self, severity: Severity) -> Record:
        return {
            "judge": severity.judge,
            "system": severity.system,
            "items": severity.difference.items,
            "difference": with_ends(severity.difference, self.ratings, noun=False),
            "p (Holm)": _p_cell(severity.p_corrected),
        }

    def _dependence_row(self, dependence: Dependence) -> Record:
        return {
            "judge": dependence.judge,
            "gives": "for twice the length"
            if dependence.on == LENGTH
            else f"to {named_in_sentence(dependence.systems)}",
            "items": dependence.slope.items,
            "beyond people": with_ends(dependence.slope, self.ratings, noun=False),
            "judge's units for\none of people": "--" if math.isnan(dependence.scale) else fixed(dependence.scale, 2),
            "p (Holm)": _p_cell(dependence.p_corrected),
        }

    def _tables_for_people(self) -> list[SummaryTable]:
        first, *others = self._summary_tables(verbose=True).values()
        return [SummaryTable("", first.rows, first.note, answers=(self.answer, self.reading)), *others]

    def __repr__(self) -> str:
        return f"JudgeReport({', '.join(judged.judge for judged in self.findings.judges)}: {self.ratings.source})"


def checked_page(path: str | Path) -> Path:
    """Return the path of a page.

    Raises
    ------
    UsageError
        If its name does not end with .html.
    """
    path = Path(path)
    if path.suffix not in (".html", ".htm"):
        raise UsageError(f"a page must be named .html; got {str(path)!r}.")
    return path


def _p_cell(p: float) -> str:
    if math.isnan(p):
        return "--"
    return "< 0.001" if p < 0.001 else fixed(p, 3)


def _persons(interval: Interval) -> str:
    """Return person equivalents as a cell; where the interval has no upper end, how many there are at least."""
    if math.isnan(interval.value):
        return "--"
    if not interval.has_ends:
        return f"{interval.value:.2f}"
    if math.isinf(interval.upper):
        return "open" if interval.lower <= 0 else f"at least {interval.lower:.2f}"
    return f"{interval.value:.2f} [{interval.lower:.2f}, {interval.upper:.2f}]"


def _position_row(position: Position) -> Record:
    return {
        "judge": position.judge,
        "items": position.items,
        "lost": position.lost,
        **interval_columns("consistent", position.consistent),
        **interval_columns("first_twice", position.first_twice),
        **interval_columns("second_twice", position.second_twice),
        **interval_columns("tie_once", position.tie_once),
        **interval_columns("preference_for_first", position.preference_for_first),
        "p": position.p,
        "first_of_decided": position.first_of_decided,
        "accuracy_first_order": position.accuracy_first,
        "accuracy_swapped": position.accuracy_swapped,
    }


def _shown_position(position: Position) -> Record:
    return {
        "in both orders": position.judge,
        "the same\nboth times": interval_cell(position.consistent, 3),
        "first\ntwice": position.first_twice.value,
        "second\ntwice": position.second_twice.value,
        "prefers the first\n(-1 to 1)": interval_cell(position.preference_for_first, 2),
        "p": _p_cell(position.p),
    }
