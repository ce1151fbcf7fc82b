"""Choice of the tables that show a run: the matrix of its tasks, those of a comparison, or its correlations."""

from __future__ import annotations

from metaeval.report.bands import band_tables
from metaeval.report.comparison_tables import comparison_tables
from metaeval.report.comparison_views import tables_for_people
from metaeval.report.correlation_tables import summary_tables
from metaeval.report.tables import SummaryTable
from metaeval.report.task_matrix import task_matrix
from metaeval.results.model import RunData

# What the facts of a run call the experiment of the verb `compare`.
COMPARISON = "compare"


def result_tables(run: RunData) -> list[SummaryTable]:
    """Return the tables of a run for people.

    Parameters
    ----------
    run : RunData
        With labels.
    """
    matrix = task_matrix(run)
    if matrix is not None:
        return [*matrix.tables(), *band_tables(run)]
    if run.facts.get("config") == COMPARISON:
        return [*tables_for_people(run, comparison_tables(run)), *band_tables(run)]
    return [*summary_tables(run), *band_tables(run)]
