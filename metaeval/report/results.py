"""Results of an experiment for users: records, and tables as data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.datamodel.corpus import FloatArray
from metaeval.report.display_names import labelled, labels_in_messages, messages_with_labels
from metaeval.report.drawable import Drawable
from metaeval.report.folded_messages import names_of
from metaeval.report.methods import methods_of
from metaeval.report.methods.paragraph import HasMethods, Methods
from metaeval.report.rankings import rank_columns
from metaeval.report.run_view import run_text
from metaeval.report.tables import SummaryTable, formatted
from metaeval.report.tabular import Noted
from metaeval.report.task_matrix import task_matrix
from metaeval.report.views import result_tables
from metaeval.results.grid import Grid
from metaeval.results.model import RunData
from metaeval.results.rows import Correlation
from metaeval.results.store import read_run

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.report.figures.run_frames import FigureData


@dataclass(frozen=True, eq=False)
class Estimate(Correlation):
    """Agreement of a metric with people: one coefficient with its interval and settings.

    Attributes
    ----------
    key : Key
        What was related to what, and how.
    mean, value : float
        The mean coefficient, from -1 to 1 for a correlation; ``nan`` if none is defined. Positive means that metric and
        people agree, whichever direction is better, unless the orientation is ``raw``.
    metric, criterion, coefficient : str
        Of the key.
    length : int or None
        Segments in a document; None where that varies.
    sd : float
        The standard deviation of the coefficients over documents (n - 1); ``nan`` for fewer than two.
    lower, upper : float
        The confidence interval; ``nan`` where there is none.
    interval : str
        ``denoised``, ``t``, ``standard-error`` or ``jackknife``, the defaults for kinds of documents,
        ``normal``, ``percentile``, ``bca``, ``fisher`` or ``none``.
    confidence_level : float or None
        Of the interval.
    resampled : str
        What a bootstrap draws again, such as ``segments``; "" without one.
    n_used, n_undefined : int
        Coefficients in the mean, and coefficients without a value.
    undefined : Undefined
        Why these have none: numbers by the cause.
    no_interval_because : str
        Why a bootstrap finds no interval.
    replicates_used, replicates_undefined : int or None
        Replicates with a value and without; None where there are none.
    n_systems, n_documents, n_segments : int
        Systems, documents, and the segments that documents are made of.
    n_items, n_judged, n_scored : int
        Segments of systems; those that somebody judged; and of the systems scored, those that the metric scored.
    n_references : float
        References of the subset.
    signature : str
        All that determined the value.
    replicates : (replicates,) float array, or None
        The value in bootstrap replicates; ``nan`` where undefined. None where there are none.
    """

    replicates: FloatArray | None = field(default=None, metadata={"column": None})

    @property
    def value(self) -> float:
        """The mean coefficient."""
        return self.mean

    @property
    def metric(self) -> str:
        """The metric, as the experiment writes it."""
        return self.key.metric

    @property
    def criterion(self) -> str:
        """Criterion that was judged."""
        return self.key.criterion

    @property
    def coefficient(self) -> str:
        """Coefficient that relates metric and human scores."""
        return self.key.coefficient

    @property
    def length(self) -> int | None:
        """Segments in a document; None where that varies."""
        return self.key.length


def frame(doc: str) -> cached_property[pd.DataFrame]:
    """Return a property of a record: a data frame, made once, by the method ``_frame`` from its name."""

    def make(record: Any) -> pd.DataFrame:
        table: pd.DataFrame = record._frame(property_.attrname)
        return table

    property_ = cached_property(make)
    property_.__doc__ = doc
    return property_


@dataclass(frozen=True, eq=False, repr=False)
class Results(Noted, Drawable, HasMethods):
    """Results of an experiment.

    Each table is a data frame of its own: changing it changes nothing else. It has the columns of the file of a run. An
    undefined number is ``nan``.

    Attributes
    ----------
    data : RunData
        All of it, as typed records and grids of arrays (`metaeval.results`).
    """

    data: RunData

    correlations = frame("A mean coefficient with its interval for each place and metric.")
    tests = frame("A comparison of two metrics each.")
    rankings = frame(
        "The rank of each metric, by intervals and by each test: its cluster, and whether it is in the top one."
    )
    minimum_significant_differences = frame("From which difference on all pairs are significant, by test.")
    influence = frame("Coefficients across whole systems without some of them.")
    bands = frame("Coefficients among the best systems, or on pairs of close systems, beside those of all.")
    band_tests = frame("The tests between metrics in these bands, corrected for all pairs and bands of a place.")
    ceiling = frame("How well people agree with people, and which fraction of that the metrics reach.")
    claims = frame("The claims of the paper, each with a verdict and what decides it.")
    examples = frame("The worked examples of the paper, beside ours.")
    filtered = frame("What was left out of each corpus, by rule.")
    published = frame("The printed numbers of the paper, beside ours.")
    tasks = frame("Of a shared task, the value and the rank of each metric in each task.")
    task_tests = frame("The tests between metrics in each task, and on the average, where the task is empty.")
    averages = frame("The metrics of a shared task, ranked by the average of all tasks.")

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The scores, coefficients and replicates behind the tables: a `Grid` of arrays for each setting."""
        return tuple(self.data.grids)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the numbers."""
        return tuple(self.data.warnings)

    @property
    def failures(self) -> tuple[str, ...]:
        """Of metrics left out because they failed, and of figures that have no room; also among the warnings."""
        return tuple(self.data.failures)

    @property
    def seconds(self) -> Mapping[str, float]:
        """Wall time of each stage."""
        return dict(self.data.seconds)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The rows of `correlations` as records, with their replicates: a new tuple of Estimate."""
        return tuple(
            Estimate(**vars(row), replicates=self.data.replicates(row.key)) for row in self.data.tables.correlations
        )

    def _names(self) -> set[str]:
        return names_of(self.data)

    def _for_people(self, messages: Iterable[str]) -> list[str]:
        return messages_with_labels(messages, labels_in_messages(self.data))

    def _frame(self, name: str) -> pd.DataFrame:
        import pandas as pd  # what is only printed must not wait for it

        return pd.DataFrame(self.data.tables.records(name))

    def to_frame(self) -> pd.DataFrame:
        """Return the table of correlations as a new data frame, a row a number.

        Returns
        -------
        DataFrame
            The columns of `correlations`, and of each metric its ``rank`` (Int64; missing where it has none), ``star``
            (bool), whether it is not significantly worse than the best of its place, and ``p_worse``, the p-value that
            no other metric is better, on which the star rests. Numbers are floats but for counts (int64), ``length``
            (Int64; missing where documents differ in length), ``replicates_used`` and ``replicates_undefined`` (Int64;
            missing without replicates); all others are text.
        """
        whole = ("length", "replicates_used", "replicates_undefined", "rank")
        table = self._frame("correlations").assign(**rank_columns(self.data))
        return table.astype({name: "Int64" for name in whole if name in table})

    def text(self, kind: str = "table", width: int | None = None, *, verbose: bool = False) -> str:
        """Return the correlations as text; of a shared task, the matrix of its tasks.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            For programs, ``tsv`` and ``json``, it is one table with exact numbers.
        width : int, optional
            Letters of a line of ``table``, in brief, as the command line shows it: the answer first, then the best of
            long tables, and which claims of the paper fail. All tables unless given.
        verbose : bool, default False
            Whether lines of a width have all rows, claims and examples too.

        Returns
        -------
        str
            The tables.
        """
        if kind in ("tsv", "json"):
            matrix = task_matrix(self.data)
            return formatted(_ranked_records(self.data) if matrix is None else matrix.exact_rows(), kind)
        if kind == "table" and width is not None:
            # Names in its texts, of which there are many, are not looked for.
            return run_text(labelled(replace(self.data, disagreements={})), width, verbose=verbose)
        return self._text_in(kind)

    def _methods(self) -> Methods:
        return methods_of(self.data)

    def _tables_for_people(self) -> list[SummaryTable]:
        return result_tables(labelled(self.data))

    def _figure_data(self, labels: Mapping[str, str]) -> Iterator[tuple[str, FigureData]]:
        from metaeval.report.figures.run_frames import figure_data, run_style_numbers

        run = replace(self.data, labels={**self.data.labels, **labels})
        # A shared task is drawn whole; its panels are its tasks.
        panels = [] if self.data.tables.tasks else [row.key.panel for row in self.data.tables.correlations]
        numbers = run_style_numbers(run)
        for title in dict.fromkeys(panels) or {"": None}:
            yield title, figure_data(run.of_panel(title), numbers, run)

    def __repr__(self) -> str:
        counts = len(self.data.tables.correlations), len(self.data.tables.tests)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"{type(self).__name__}({counts[0]} correlations, {counts[1]} tests{failed})"


@dataclass(frozen=True, eq=False, repr=False)
class Run(Results):
    """A finished run, which lies in a directory; it has all that :class:`Results` have.

    Attributes
    ----------
    directory : Path
        Where everything was written.
    """

    directory: Path

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, directory={str(self.directory)!r})"


def _ranked_records(run: RunData) -> list[dict[str, Any]]:
    """Return the table of correlations with rank, star and p_worse of each metric."""
    columns = rank_columns(run)
    return [
        {**record, **{name: values[row] for name, values in columns.items()}}
        for row, record in enumerate(run.tables.records("correlations"))
    ]


def load_run(directory: Path) -> Run:
    """Read a finished run from its directory.

    Raises
    ------
    UsageError
        If the directory is none of a run, or of one by version 0.1.
    CorpusError
        If a file of it is not what a run writes.
    """
    return Run(read_run(directory), directory=directory)
