"""Differences between two finished runs, as data frames and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from metaeval.errors import UsageError, unknown
from metaeval.report.conclusions import CONCLUSION, Change, find_conclusions
from metaeval.report.differences_text import differences_tables, differences_text, why_apart
from metaeval.report.places_in_words import Wording
from metaeval.report.results import frame
from metaeval.report.tables import SummaryTable, as_json, tsv
from metaeval.report.tabular import Tabular
from metaeval.results.differences import PARTS as OTHER_PARTS
from metaeval.results.differences import Differences, find_differences
from metaeval.results.row_matching import settings_named
from metaeval.results.store import read_run
from metaeval.results.tables import Record

PARTS = {"settings": OTHER_PARTS["settings"], "conclusions": CONCLUSION, **OTHER_PARTS}


@dataclass(frozen=True, eq=False, repr=False)
class RunsDiff(Tabular):
    """Differences between two runs, an old and a new one.

    Each part is a data frame of its own: changing it changes nothing else. What one run does not have is None there.

    ``settings`` has the columns setting, old and new. ``conclusions`` has the columns of the place, what (``order``,
    ``best`` or ``star``), metric (of a star), old, new, and starred (of the best: whether that of each run has a star
    in the other one too). ``inputs`` has the columns kind, key, old and new. ``signatures`` has these, by kind scores,
    correlations or tests, and n, how many numbers of that kind have the two values. ``numbers`` has the columns of the
    place (of a setting that was left out, both values), found (in which run), old, new, change, lower and upper (the
    old interval), new_lower and new_upper, outside (yes or no: whether the new mean has left the old interval; nothing
    where the old mean was not inside one, or a mean is undefined), differs (which columns do), and for sd and each
    count its value in both runs, such as old_sd and new_sd. ``tests`` has those whose corrected p-value crossed alpha,
    was defined in one run only, or that one run alone has. ``tables`` has the columns table, old, new (their rows; None
    without the file), differ (rows that have no equal in the other run), and only (``signatures`` where nothing else
    differs).

    Attributes
    ----------
    old, new : str
        The directories.
    across : tuple of str
        The settings that were left out of places, so that numbers were compared in spite of them.
    n_compared : int
        Rows of correlations.tsv that both runs have.
    n_claims : int
        Claims that both runs have.
    places : tuple of dict
        The places where both runs rank metrics: their columns, and what a star says there.
    apart : str
        Where no metric has a correlation in both runs, why, and what compares them; else "".
    parts : mapping of str to sequence of dict
        The rows of each part by its name, with None for what is absent.
    found : Differences
        The same differences as they were found: text for people is written from these.
    changes : tuple of Change
        What changed in conclusions, with each metric by itself.
    wording : Wording
        What text for people calls metrics, criteria, corpora and claims.
    """

    old: str
    new: str
    across: tuple[str, ...]
    n_compared: int
    n_claims: int
    places: tuple[Record, ...]
    apart: str
    parts: Mapping[str, Sequence[Record]]
    found: Differences
    changes: tuple[Change, ...]
    wording: Wording

    settings = frame("Settings that were left out of places, with their values in both runs.")
    conclusions = frame("Places where the order of metrics, the best metric or a star is not the same.")
    inputs = frame("Keys of the config, facts of corpora, versions, and the seed.")
    signatures = frame("Keys of signatures, of numbers that both runs have.")
    numbers = frame(
        "Rows of correlations.tsv that are not the same, those in both runs first, by the size of the change."
    )
    tests = frame("Comparisons of two metrics that crossed alpha.")
    claims = frame("Claims with other verdicts, or that one run alone has.")
    tables = frame("All tables that are not the same.")

    def _frame(self, part: str) -> pd.DataFrame:
        # As objects, so that None, text and numbers in one column stay what they are.
        rows = list(self.parts[part])
        return pd.DataFrame(rows, columns=list(rows[0] if rows else PARTS[part]), dtype=object)

    @property
    def is_empty(self) -> bool:
        """True if the runs do not differ in any compared part."""
        return not any(self.parts.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Why no metric is compared, where that is so."""
        return (why_apart(self),) if self.apart else ()

    def rows(self, part: str) -> list[Record]:
        """Return the rows of one of the data frames.

        Parameters
        ----------
        part : str
            The name of the data frame: ``settings``, ``conclusions``, ``inputs``, ``signatures``, ``numbers``,
            ``tests``, ``claims`` or ``tables``.

        Returns
        -------
        list of dict of str to object
            The rows, with None for what is absent.

        Raises
        ------
        UsageError
            If there is no such part.
        """
        if part not in PARTS:
            raise UsageError(unknown("part", part, PARTS))
        return [dict(row) for row in self.parts[part]]

    def to_frame(self) -> pd.DataFrame:
        """Return all parts as one new data frame.

        Returns
        -------
        DataFrame
            The name of the part in the column ``part``, and the columns of all parts, as objects: None where a part
            has not the column, or a run not the value.
        """
        return pd.DataFrame(self._all_rows(), dtype=object)

    def _all_rows(self) -> list[Record]:
        rows = [{"part": part, **row} for part, of_part in self.parts.items() for row in of_part]
        columns = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in columns} for row in rows]

    def text(self, kind: str = "table", width: int | None = None, *, verbose: bool = False) -> str:
        """Return the differences as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json"}, default "table"
            For people, in words; as one table; or as an object with a list for each part.
        width : int, optional
            Letters of a line for people, in brief: the first rows of each table. Everything, in lines as long as they
            are, unless given.
        verbose : bool, default False
            Whether lines of a width have all rows too.

        Returns
        -------
        str
            The differences.
        """
        if kind == "tsv":
            return tsv(self._all_rows(), ("part",) if self.is_empty else None).rstrip("\n")
        if kind == "json":
            facts = {name: getattr(self, name) for name in ("old", "new", "across", "n_compared", "n_claims", "apart")}
            parts = {part: json.loads(as_json(rows)) for part, rows in self.parts.items()}
            return json.dumps({**facts, "n_places": len(self.places), **parts}, indent=1, ensure_ascii=False)
        return differences_text(self, width, brief=width is not None and not verbose)

    def _tables_for_people(self) -> list[SummaryTable]:
        return differences_tables(self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(rows)} {part}" for part, rows in self.parts.items())
        return f"RunsDiff({self.old!r}, {self.new!r}: {counts})"


def diff_runs(old: Path, new: Path, across: Sequence[str] = ()) -> RunsDiff:
    """Compare two finished runs.

    Rows of tables are those of one number where their places mean the same: a preprocessing, metric or coefficient may
    be written in another way, and the column of panels may be there or not. A table that a run lacks counts as empty.

    Parameters
    ----------
    old, new : Path
        Directories of runs.
    across : sequence of str
        Settings that are left out of places. The one setting that alone keeps all places apart is left out anyway.

    Returns
    -------
    RunsDiff
        All that differs.

    Raises
    ------
    UsageError
        If a directory is none of a run, a name is none of a setting, or places are the same without the settings.
    CorpusError
        If a file of a run cannot be read as what it is.
    """
    settings = settings_named(across)
    runs = read_run(old), read_run(new)
    differences = find_differences(runs, (old, new), settings)
    places, changes = find_conclusions(runs, differences.across)
    rows = {"conclusions": [change.row() for change in changes], **differences.parts}
    return RunsDiff(
        str(old),
        str(new),
        differences.across,
        differences.n_compared,
        differences.n_claims,
        tuple(places),
        differences.separation.sentence() if differences.separation else "",
        {name: rows[name] for name in PARTS},
        found=differences,
        changes=tuple(changes),
        wording=Wording.from_runs(*runs),
    )
