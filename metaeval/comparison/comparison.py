"""Which metric correlates best with human judgments: one table and one sentence for each criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from metaeval.comparison.table import ALPHA, ComparisonTable, exact_rows
from metaeval.errors import UsageError, unknown
from metaeval.experiment.load import LoadedConfig, given_config, merged
from metaeval.kinds import COEFFICIENTS, DOCUMENTS, TESTS
from metaeval.names import parse_call
from metaeval.parameters import build, parameter
from metaeval.report.frames import Results
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import formatted
from metaeval.report.tabular import Tabular
from metaeval.sampling.documents import Pseudo, Single, Whole

LEVELS = ("system", "segment", "documents")


@dataclass(frozen=True)
class _PseudoDocuments:
    length: int = parameter(10, doc="segments in a document", minimum=1, maximum=1_000_000)
    count: int = parameter(1000, doc="documents", minimum=2, maximum=1_000_000)


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Tabular):
    """A comparison of metrics.

    Attributes
    ----------
    tables : tuple of ComparisonTable
        One for each corpus, preprocessing, reference subset and criterion.
    results : Results
        All behind them; a Run if they were written to a directory.
    """

    tables: tuple[ComparisonTable, ...]
    results: Results

    def to_frame(self) -> pd.DataFrame:
        """Return all tables as one new data frame with the numbers, a row for each metric of a table.

        Returns
        -------
        DataFrame
            ``corpus``, ``preprocessing``, ``subset``, ``criterion`` (text); ``simulated`` (bool), which says that
            nothing here is evidence; ``metric``, ``coefficient`` (text); ``value`` with ``lower`` and ``upper``;
            ``best_minus_this``, the difference to the best metric of the table, with ``difference_lower`` and
            ``difference_upper``; ``p`` and ``p_corrected``; ``cluster`` (Int64, from 1); ``fraction_of_ceiling`` with
            ``fraction_lower`` and ``fraction_upper``; ``ties``, the share of pairs of systems with equal scores;
            ``n_undefined`` (Int64); ``signature`` (text). Numbers are floats unless noted.
        """
        return pd.DataFrame(exact_rows(self.results.data)).astype({"cluster": "Int64", "n_undefined": "Int64"})

    def text(self, kind: str = "table") -> str:
        """Return all tables as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            For programs, ``tsv`` and ``json``, all are one table with exact numbers, as :meth:`to_frame` has it.

        Returns
        -------
        str
            The tables.
        """
        if kind in ("tsv", "json"):
            return formatted(exact_rows(self.results.data), kind)
        return "\n\n".join(table.text(kind) for table in self.tables)

    def _tables_for_people(self) -> list[SummaryTable]:
        return [one for table in self.tables for one in table._tables_for_people()]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Compared({len(self.tables)} tables, {self.results!r})"


def comparison_config(
    content: Mapping[str, Any],
    level: str,
    *,
    coefficient: str,
    resample: str,
    n_resamples: int | None,
    test: str,
    ceiling: int,
) -> LoadedConfig:
    """Return the experiment that compares metrics.

    Parameters
    ----------
    content : mapping
        Keys of a config: corpora, metrics and all that a comparison does not set itself.
    level : str
        ``system``: the system level; ``segment``: single segments; ``documents(length=10)``: pseudo-documents, of which
        ``count`` are drawn.
    coefficient : str
        How metric and human scores are correlated.
    resample : {"segments", "systems", "both"}
        What replicates draw anew.
    n_resamples : int, optional
        10,000 unless given, 1000 for pseudo-documents, which are drawn anew in each replicate.
    test : str
        Between every two metrics. A permutation exchanges what is resampled; any other has its first axis.
    ceiling : int
        Splits of the judgments for the noise ceiling; 0 for none.

    Returns
    -------
    LoadedConfig
        As if read from a file.

    Raises
    ------
    UsageError
        If a name or value is wrong.
    """
    settings = _settings(level)
    units = DOCUMENTS[settings["documents"]["kind"]]
    found = TESTS.named(test)
    if found.of_one_document and not units.is_whole:
        raise UsageError(f"the test {found.name!r} is for the level 'system'; got the level {level!r}.")
    correlation: dict[str, Any] = {"coefficients": [coefficient]}
    if COEFFICIENTS.named(coefficient).takes_grid:
        if not units.is_single:
            raise UsageError(f"the coefficient {coefficient!r} is for the level 'segment'; got the level {level!r}.")
        # It has no ceiling, and takes long in each replicate.
        ceiling, n_resamples = 0, n_resamples or 1000
    settings |= {
        "title": f"Comparison of metrics, level {level}",
        "judgments": {"ceiling": ceiling},
        "correlation": correlation,
        "uncertainty": {
            "method": "bootstrap",
            "resample": resample,
            "n_resamples": n_resamples or (1000 if units.is_drawn else 10_000),
        },
        "figures": [{"kind": "intervals"}],
    }
    if "tests" not in content:
        settings["tests"] = [_over_resampled(merged(settings, content), test)]
    return given_config("compare", settings, content)


def _over_resampled(content: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a test, over what is resampled where it can choose.

    Raises
    ------
    UsageError
        If it cannot be over that, on such documents.
    """
    test, uncertainty, documents = TESTS.named(text), content["uncertainty"], content["documents"]
    resampled = uncertainty.get("resample") if isinstance(uncertainty, Mapping) else None
    settings = {"method": text, "alpha": ALPHA}
    if not test.exchanges or resampled not in test.axes:
        return settings
    kind = documents.get("kind") if isinstance(documents, Mapping) else None
    if resampled != "systems" and isinstance(kind, str) and kind in DOCUMENTS and DOCUMENTS[kind].is_drawn:
        raise UsageError(
            f"the test {text!r} over {resampled} exchanges scores document by document, and pseudo-documents share "
            "segments; choose to resample 'systems', or the test 'bootstrap'."
        )
    return {**settings, "over": resampled}


def _settings(level: str) -> dict[str, Any]:
    call = parse_call(level)
    if call.name not in LEVELS or (call.arguments and call.name != "documents"):
        raise UsageError(unknown("level", level, (*LEVELS[:2], "documents(length=10)")))
    if call.name != "documents":
        return {"documents": {"kind": (Whole if call.name == "system" else Single).name}}
    drawn = build(_PseudoDocuments, call.arguments, subject="level 'documents'")
    return {"documents": {"kind": Pseudo.name, "lengths": [drawn.length], "count": drawn.count}}
