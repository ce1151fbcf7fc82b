"""What an experiment found, as records and data frames."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from metaeval.experiments.compute import Computed
from metaeval.records import FloatArray
from metaeval.report.summary import SummaryTable, summary_tables
from metaeval.report.tables import as_json
from metaeval.report.tabular import Tabular


@dataclass(frozen=True, eq=False)
class Estimate:
    """How well a metric agrees with people: one number, and all that is known of it.

    Attributes
    ----------
    panel, corpus, preprocessing, subset, metric, criterion, average_by, coefficient : str
        What was related to what, and how. The preprocessing of judges is "", and so is the panel where there are none.
    length : int or None
        Segments in a document; None where that varies.
    value : float
        The mean coefficient, from -1 to 1 for a correlation; ``nan`` if none is defined. Positive means that metric and
        people agree, whichever direction is better, unless the orientation is ``raw``.
    sd : float
        The standard deviation of the coefficients over documents (n - 1); ``nan`` for fewer than two.
    lower, upper : float
        Limits of the interval; ``nan`` where there is none.
    n_used, n_undefined : int
        Coefficients in the mean, and coefficients without a value.
    undefined_because : str
        Why these have none, with numbers.
    no_limits_because : str
        Why the value has no limits, where a bootstrap finds none.
    replicates : (replicates,) float array, or None
        The value in bootstrap replicates; ``nan`` where undefined. None where there are none.
    replicates_undefined : int or None
        How many are undefined.
    signature : str
        All that determined the value.
    """

    panel: str
    corpus: str
    preprocessing: str
    subset: str
    metric: str
    criterion: str
    average_by: str
    coefficient: str
    length: int | None
    value: float
    sd: float
    lower: float
    upper: float
    n_used: int
    n_undefined: int
    undefined_because: str
    no_limits_because: str
    replicates: FloatArray | None
    replicates_undefined: int | None
    signature: str

    def to_dict(self, *, replicates: bool = False) -> dict[str, Any]:
        """Return the record as plain values.

        Parameters
        ----------
        replicates : bool, default False
            Whether to add the replicates, as a list.

        Returns
        -------
        dict of str to object
            The attributes by their names.
        """
        values = asdict(self)
        if replicates:
            values["replicates"] = None if self.replicates is None else self.replicates.tolist()
        else:
            del values["replicates"]
        return values


@dataclass(frozen=True, eq=False, repr=False)
class Results(Tabular):
    """What an experiment found.

    The data frames are yours: changing one changes this record alone. They have the columns of the files of a run, in
    which an undefined number is ``nan``.

    Attributes
    ----------
    correlations : DataFrame
        A mean coefficient with its interval for each corpus, preprocessing, reference subset, metric, criterion and
        length.
    tests : DataFrame
        A comparison of two metrics each.
    rankings : DataFrame
        Which metrics are as good as the best, by intervals and by each test, and in which cluster.
    minimum_significant_differences : DataFrame
        From which difference on all pairs are significant, by test.
    influence : DataFrame
        Coefficients across whole systems without some of them.
    ceiling : DataFrame
        How well people agree with people, and which share of that the metrics reach.
    claims : DataFrame
        The claims of the paper, each with a verdict and what decides it.
    examples : DataFrame
        The worked examples of the paper, beside ours.
    published : DataFrame
        The printed numbers of the paper, beside ours.
    arrays : mapping of str to array
        Documents, scores, coefficients and replicates behind the tables, by a path-like name.
    warnings : tuple of str
        What a reader of the numbers must know.
    failures : tuple of str
        Of metrics that were left out because they failed, and of figures that have no room; also among the messages.
    seconds : mapping of str to float
        Wall time of each stage.
    """

    correlations: pd.DataFrame
    tests: pd.DataFrame
    rankings: pd.DataFrame
    minimum_significant_differences: pd.DataFrame
    influence: pd.DataFrame
    ceiling: pd.DataFrame
    claims: pd.DataFrame
    examples: pd.DataFrame
    published: pd.DataFrame
    arrays: Mapping[str, Any]
    warnings: tuple[str, ...]
    failures: tuple[str, ...]
    seconds: Mapping[str, float]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The rows of `correlations` as records, with their replicates: a new tuple of Estimate."""
        records = []
        for row in self.correlations.to_dict("records"):
            length, undefined = (
                None if _is_missing(row[key]) else int(row[key]) for key in ("length", "replicates_undefined")
            )
            panel = row.get("panel", "")
            cell = f"{panel}/" if panel else ""
            cell += f"{row['corpus']}/{row['subset']}/{row['criterion']}/{'documents' if length is None else length}"
            line = f"{row['preprocessing']}/{row['metric']}" if row["preprocessing"] else row["metric"]
            values: dict[str, Any] = {key: row[key] for key in _SHARED}
            values |= {
                "panel": panel,
                "value": row["mean"],
                "length": length,
                "replicates": self.arrays.get(f"{cell}/{line}/{row['coefficient']}/replicates"),
                "replicates_undefined": undefined,
            }
            records.append(Estimate(**values))
        return tuple(records)

    def to_frame(self) -> pd.DataFrame:
        """Return the table of correlations as a new data frame, a row a number.

        Returns
        -------
        DataFrame
            The columns of `correlations`. Numbers are floats but for ``n_used`` and ``n_undefined`` (int64), ``length``
            (Int64; missing where documents differ in length), ``replicates_used`` and ``replicates_undefined`` (Int64;
            missing without replicates); all others are text.
        """
        whole = ("length", "replicates_used", "replicates_undefined")
        return self.correlations.astype({name: "Int64" for name in whole if name in self.correlations})

    def to_json(self, *, replicates: bool = False) -> str:
        """Return the estimates and the tests as JSON.

        Parameters
        ----------
        replicates : bool, default False
            Whether to add the replicates of each estimate.

        Returns
        -------
        str
            An object with the lists ``estimates`` and ``tests``; an undefined number is null.
        """
        estimates = [one.to_dict(replicates=replicates) for one in self.estimates]
        tests = json.loads(as_json([_plain(row) for row in self.tests.to_dict("records")]))
        return json.dumps({"estimates": json.loads(as_json(estimates)), "tests": tests}, indent=1, ensure_ascii=False)

    def _tables_for_people(self) -> list[SummaryTable]:
        return summary_tables(self.correlations, self.rankings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.correlations)} correlations, {len(self.tests)} tests)"


def fields_of(computed: Computed) -> dict[str, Any]:
    """Return the values of the attributes of :class:`Results`.

    Parameters
    ----------
    computed : Computed
        What an experiment gave.

    Returns
    -------
    dict of str to object
        By the names of the attributes.
    """
    tables = computed.tables
    names = [item.name for item in fields(Results) if item.name in tables]
    return {
        **{name: pd.DataFrame(tables[name]) for name in names},
        "arrays": computed.related.arrays,
        "warnings": tuple(computed.warnings),
        "failures": tuple(computed.failures),
        "seconds": dict(computed.seconds),
    }


_SHARED = (
    "corpus",
    "preprocessing",
    "subset",
    "metric",
    "criterion",
    "average_by",
    "coefficient",
    "sd",
    "lower",
    "upper",
    "n_used",
    "n_undefined",
    "undefined_because",
    "no_limits_because",
    "signature",
)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): None if _is_missing(value) else value for key, value in row.items()}
