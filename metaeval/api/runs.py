"""The verbs that read finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metaeval.experiments.diff import RunsDiff
    from metaeval.experiments.run import Run


def diff_runs(old: str | Path | Run, new: str | Path | Run) -> RunsDiff:
    """Tell what differs between two runs, and by how much each number moved.

    Numbers are the same where their places mean the same, however conditions and metrics are written, and whether or
    not the runs have panels. What one run alone has is listed.

    Parameters
    ----------
    old, new : str, Path or Run
        The directories of the runs.

    Returns
    -------
    RunsDiff
        Inputs, keys of signatures, numbers, tests, claims and tables that differ, as data frames; it prints as text.

    Raises
    ------
    UsageError
        If a directory is none of a run.
    CorpusError
        If a file of a run cannot be read as what it is.
    """
    from metaeval.experiments.diff import diff_runs

    return diff_runs(_directory(old), _directory(new))


def report_run(run: str | Path | Run) -> Path:
    """Write a run as one page for a browser, from its tables.

    Parameters
    ----------
    run : str, Path or Run
        The directory of a run.

    Returns
    -------
    Path
        The page, ``report.html`` in the directory of the run.

    Raises
    ------
    UsageError
        If the directory is none of a run.
    CorpusError
        If a file of the run cannot be read as what it is.
    """
    from metaeval.experiments.report import write_report

    return write_report(_directory(run))


def _directory(run: str | Path | Run) -> Path:
    return Path(run) if isinstance(run, str | Path) else run.directory
