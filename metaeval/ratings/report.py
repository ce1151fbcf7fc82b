"""Report on automatic judges: a short answer, text tables and data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import UsageError, counted, unknown
from metaeval.parameters.fields import build
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
from metaeval.ratings.table import Ratings
from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import named_in_sentence
from metaeval.report.tables import WIDTH, Estimated, SummaryTable, as_json, fixed, tsv
from metaeval.report.tabular import Noted
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
class JudgeReport(Noted):
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
        notes = [*self.ratings.notes]
        return self.ratings.description(self.truth) + "".join(f" {note[:1].upper()}{note[1:]}." for note in notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings that do not stand in the answer."""
        reasons = [one.nothing_to_validate or one.difference.missing_because for one in self.findings.judges]
        in_answer = [reason for reason in reasons if reason and reason in self.answer]
        return tuple(note for note in super().notes if not any(reason in note for reason in in_answer))

    @property
    def margin_holds(self) -> bool | None:
        """True if every judge is at most the margin worse than a person; None without a margin."""
        if self.margin is None:
            return None
        return all(holds(one, self.margin) for one in self.findings.judges)

    @cached_property
    def tables(self) -> Mapping[str, tuple[Record, ...]]:
        """The rows of each table as plain values by the names of columns, without tables that have no row."""
        found = self.findings
        made: dict[str, list[Record]] = {
            "judges": [self._judge_row(one) for one in found.judges],
            "people": [
                {
                    "judge": one.judge, "person": one.person, "items": one.items,
                    **_interval_columns(self._level_name, self._as_told(one.agreement)),
                    **_interval_columns("difference", one.difference), "p": one.difference.p,
                    **_interval_columns("person_equivalents", one.equivalents),
                }
                for one in found.people
            ],
            "labels": [asdict(one) for one in found.labels],
            "pairs": [
                {
                    "judge_a": one.judge_a, "judge_b": one.judge_b, "items": one.items,
                    **_interval_columns("difference", one.difference),
                    "p": one.difference.p, "p_corrected": one.p_corrected,
                }
                for one in found.pairs
            ],
            "position": [_position_row(one) for one in found.positions],
            "first": [
                {
                    "judge": one.judge, "decided": one.decided, "ties": one.ties, "lost": one.lost,
                    **_interval_columns("first", one.first), "first_of_people": one.people,
                    "missing_because": one.first.missing_because,
                }
                for one in found.first_shares
            ],
            "severity": [
                {
                    "judge": one.judge, "system": one.system, "items": one.difference.items,
                    **_interval_columns("severity", one.difference), "p": one.difference.p,
                    "p_corrected": one.p_corrected, "missing_because": one.difference.missing_because,
                }
                for one in found.severities
            ],
            "dependence": [
                {
                    "judge": one.judge, "on": one.on, "systems": ", ".join(one.systems), "items": one.slope.items,
                    "clusters": one.slope.clusters, **_interval_columns("slope", one.slope), "p": one.slope.p,
                    "p_corrected": one.p_corrected, "scale": one.scale, "scale_assumed": one.is_scale_assumed,
                    "missing_because": one.slope.missing_because,
                }
                for one in found.dependences
            ],
            "alt-test": [
                {
                    "judge": one.judge, "epsilon": one.epsilon, "winning_rate": one.winning_rate,
                    "advantage_probability": one.advantage, "passed": one.passed, "people": len(one.people),
                    "missing_because": one.missing_because,
                }
                for one in found.alternative
            ],
        }  # fmt: skip
        return {name: tuple(rows) for name, rows in made.items() if rows}

    @property
    def _level_name(self) -> str:
        return "distance" if self.ratings.is_ordered else "agreement"

    def _as_told(self, one: Interval) -> Interval:
        """Return a likeness as tables for programs have it: a share, or a distance, which is positive."""
        return _as_distance(one) if self.ratings.is_ordered else one

    def _judge_row(self, one: JudgedJudge) -> Record:
        """Return all numbers of a judge: agreement as a share, or as a distance, which is positive."""
        name, turned = self._level_name, self._as_told
        best, worst = self.findings.ranks[one.judge]
        return {
            "judge": one.judge, "items": one.items, "clusters": one.clusters,
            "clusters_are": f"{self.ratings.cluster_noun}s", "people": one.people,
            "people_per_item": one.people_per_item, "without_verdict": one.without_verdict,
            **_interval_columns(name, turned(one.agreement)),
            **_interval_columns(f"{name}_of_person", turned(one.person)),
            **_interval_columns(f"{name}_of_constant", turned(one.constant)), "constant_answer": one.constant_answer,
            **_interval_columns("difference", one.difference), "p": one.difference.p, "bound": one.difference.bound,
            "smallest_margin": one.smallest_margin, "margin": self.margin,
            "margin_holds": None if self.margin is None else holds(one, self.margin),
            **_interval_columns("difference_without_offset", one.difference_without_offset),
            **_interval_columns("difference_for_people_like_these", one.population),
            "people_like_these_missing_because": one.population.missing_because,
            **_interval_columns("over_constant", one.over_constant),
            **_interval_columns("person_equivalents", one.equivalents),
            "person_equivalents_missing_because": one.equivalents.missing_because,
            **_interval_columns("offset", one.offset), **_interval_columns("kappa", one.kappa),
            **_interval_columns("kappa_of_person", one.person_kappa), "items_needed": one.items_needed,
            "best_rank": best, "worst_rank": worst,
            "missing_because": one.nothing_to_validate or one.difference.missing_because,
        }  # fmt: skip

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

        if table not in TABLES:
            raise UsageError(unknown("table", table, TABLES))
        if table not in self.tables:
            raise UsageError(f"there is no table {table!r}, because {TABLES[table]}.")
        return pd.DataFrame(list(self.tables[table]))

    def methods(self, kind: str = "text", width: int | None = None) -> str:
        """Return a paragraph for the methods section of a paper: what was rated by whom, compared and tested how.

        Parameters
        ----------
        kind : {"text", "latex", "bibtex"}, default "text"
            Text with a list of references; LaTeX for the package natbib; or the entries of BibTeX that this cites.
        width : int, optional
            Letters of a line of text; lines as long as they are unless given.

        Returns
        -------
        str
            The paragraph, or the entries.
        """
        from metaeval.ratings.methods import methods_of_judges

        found = methods_of_judges(self.findings, self.ratings, truth=self.truth, margin=self.margin)
        return found.written(kind, width)

    def to_figure(self, **settings: Any) -> Figure:
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
            As for `to_figure`.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UsageError
            If the name of the file ends with something else, or as for `to_figure`.
        """
        from metaeval.report.figures.drawing import figure_bytes
        from metaeval.report.figures.settings import Look
        from metaeval.report.grid import checked_picture

        checked = checked_picture(path)
        figure = self.to_figure(**settings)
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
            note = [line for one in table.note.splitlines() for line in in_lines(one, letters)]
            shown = fitted(table.rows, letters, table.columns, first=_FIRST_COLUMNS)
            parts.append("\n".join([*head, *shown, *note]))
        return "\n\n".join(parts)

    def _summary_tables(self, *, verbose: bool) -> dict[str, SummaryTable]:
        """Return the tables for people by their names, the first of which is the answer in numbers."""
        found, ratings = self.findings, self.ratings
        below = below_the_table(found, ratings, truth=self.truth, n_people=len(ratings.people))
        below += [first_share_words(one, truth=self.truth) for one in found.first_shares]
        if verbose and ratings.kind == "preference" and not found.positions and not found.first_shares:
            below.append(ORDER_UNKNOWN)
        below += [alternative_words(one) for one in found.alternative]
        tables = {"judges": SummaryTable("", self._rows(), "\n".join(below))}
        labels = {one.label for one in found.labels}
        is_short = len(found.judges) == 1 and len(labels) <= _MAX_LABELS and ratings.kind == "label"
        if labels and (verbose or is_short):
            tables["labels"] = SummaryTable("", [self._label_row(one) for one in found.labels])
        if found.positions:
            n_lost = counted(sum(one.lost for one in found.positions), "pair")
            note = f"Without a verdict in one of the orders, and left out here: {n_lost}."
            rows = [_shown_position(one) for one in found.positions]
            tables["position"] = SummaryTable("", rows, note if any(one.lost for one in found.positions) else "")
        if not verbose:
            return tables
        by_system = [one for one in found.severities if one.system]
        others = {
            "people": ("Judge and person, both compared with the others", self._people_rows()),
            "pairs": ("Judges in pairs", self._pair_rows()),
            "severity": ("Judge less people, by system", [self._severity_row(one) for one in by_system]),
            "dependence": (
                "What a judge gives beyond people",
                [self._dependence_row(one) for one in found.dependences],
            ),
        }
        return tables | {name: SummaryTable(heading, rows) for name, (heading, rows) in others.items() if rows}

    def _rows(self) -> list[Record]:
        """Return the judges, one person and the constant answer, a row each."""
        found, ratings = self.findings, self.ratings
        rows = [self._shown_judge(one) for one in found.judges]
        first = found.judges[0]
        if not math.isnan(first.person.value):
            worth = [one.equivalents for one in found.people if one.judge == first.judge]
            # Without an upper end of its interval an estimate may be anything.
            known = [one.value for one in worth if one.has_ends and not math.isinf(one.upper)]
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
        """Return how alike a rater is to people, as cells."""
        if self.ratings.is_ordered:
            digits = 2 if self.ratings.kind == "grade" else 3
            return {_DISTANCE_HEAD: _cell(_as_distance(level), digits)}
        return {
            _ACCURACY_HEAD if self.truth else _AGREEMENT_HEAD: _cell(
                Interval(100 * level.value, 100 * level.lower, 100 * level.upper), 1
            ),
            "kappa": None if math.isnan(kappa.value) else fixed(kappa.value, 2),
        }

    def _shown_judge(self, one: JudgedJudge) -> Record:
        """Return the row of a judge."""
        ratings = self.ratings
        row: Record = {"rater": one.judge, **self._shown_level(one.agreement, one.kappa)}
        if ratings.is_ordered:
            row["offset"] = measured(one.offset.value, ratings, signed=True)
        if one.nothing_to_validate:
            row |= {_DIFFERENCE_HEAD: "--", _WORTH_HEAD: "--"}
        elif not math.isnan(one.difference.value):
            row |= {
                _DIFFERENCE_HEAD: with_ends(one.difference, ratings, noun=False),
                _WORTH_HEAD: _persons(one.equivalents),
            }
        if len(self.findings.judges) > 1:
            if not math.isnan(one.difference.value):
                row[_MARGIN_HEAD] = measured(one.smallest_margin, ratings)
            best, worst = self.findings.ranks[one.judge]
            row["rank"] = f"{best}" if best == worst else f"{best}-{worst}"
        return row

    def _label_row(self, one: LabelUse) -> Record:
        several = {"judge": one.judge} if len(self.findings.judges) > 1 else {}
        whose = "the truth" if self.truth else "people"
        shares = {
            "share of\nthe judge": one.judge_share, f"share of\n{whose}": one.people_share,
            "also given\nby the judge": one.judge_too, "also given\nby a person": one.person_too,
        }  # fmt: skip
        known = {name: None if math.isnan(share) else share for name, share in shares.items()}
        return {**several, "answer": one.label, **known}

    def _people_rows(self) -> list[Record]:
        return [
            {
                "judge": one.judge, "person": one.person, "items": one.items,
                "judge less\nthis person": with_ends(one.difference, self.ratings, noun=False),
                "person worth\n(persons)": _persons(one.equivalents),
            }
            for one in self.findings.people
        ]  # fmt: skip

    def _pair_rows(self) -> list[Record]:
        return [
            {
                "judge": one.judge_a, "less": one.judge_b, "items": one.items,
                "difference": with_ends(one.difference, self.ratings, noun=False), "p (Holm)": _p_cell(one.p_corrected),
            }
            for one in self.findings.pairs
        ]  # fmt: skip

    def _severity_row(self, one: Severity) -> Record:
        return {
            "judge": one.judge, "system": one.system, "items": one.difference.items,
            "difference": with_ends(one.difference, self.ratings, noun=False), "p (Holm)": _p_cell(one.p_corrected),
        }  # fmt: skip

    def _dependence_row(self, one: Dependence) -> Record:
        return {
            "judge": one.judge,
            "gives": "for twice the length" if one.on == LENGTH else f"to {named_in_sentence(one.systems)}",
            "items": one.slope.items,
            "beyond people": with_ends(one.slope, self.ratings, noun=False),
            "judge's units for\none of people": "--" if math.isnan(one.scale) else fixed(one.scale, 2),
            "p (Holm)": _p_cell(one.p_corrected),
        }

    def _tables_for_people(self) -> list[SummaryTable]:
        first, *others = self._summary_tables(verbose=True).values()
        return [SummaryTable("", first.rows, first.note, answers=(self.answer, self.reading)), *others]

    def __repr__(self) -> str:
        return f"JudgeReport({', '.join(one.judge for one in self.findings.judges)}: {self.ratings.source})"


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


def _interval_columns(name: str, one: Interval) -> Record:
    return {name: one.value, f"{name}_lower": one.lower, f"{name}_upper": one.upper}


def _as_distance(one: Interval) -> Interval:
    return Interval(-one.value, -one.upper, -one.lower, one.missing_because)


def _p_cell(p: float) -> str:
    if math.isnan(p):
        return "--"
    return "< 0.001" if p < 0.001 else fixed(p, 3)


def _as_percentages(one: Interval) -> Interval:
    return Interval(100 * one.value, 100 * one.lower, 100 * one.upper)


def _cell(one: Interval, digits: int) -> str:
    if math.isnan(one.value):
        return "--"
    return Estimated(one.value, one.lower, one.upper).written(lambda value: fixed(value, digits))


def _persons(one: Interval) -> str:
    """Return person equivalents as a cell; where the interval has no upper end, how many there are at least."""
    if math.isnan(one.value):
        return "--"
    if not one.has_ends:
        return f"{one.value:.2f}"
    if math.isinf(one.upper):
        return "open" if one.lower <= 0 else f"at least {one.lower:.2f}"
    return f"{one.value:.2f} [{one.lower:.2f}, {one.upper:.2f}]"


def _position_row(one: Position) -> Record:
    return {
        "judge": one.judge, "items": one.items, "lost": one.lost, **_interval_columns("consistent", one.consistent),
        **_interval_columns("first_twice", one.first_twice), **_interval_columns("second_twice", one.second_twice),
        **_interval_columns("tie_once", one.tie_once),
        **_interval_columns("preference_for_first", one.preference_for_first),
        "p": one.p, "first_of_decided": one.first_of_decided, "accuracy_first_order": one.accuracy_first,
        "accuracy_swapped": one.accuracy_swapped,
    }  # fmt: skip


def _shown_position(one: Position) -> Record:
    return {
        "in both orders": one.judge,
        "the same\nboth times": _cell(one.consistent, 3),
        "first\ntwice": one.first_twice.value,
        "second\ntwice": one.second_twice.value,
        "prefers the first\n(-1 to 1)": _cell(one.preference_for_first, 2),
        "p": _p_cell(one.p),
    }
