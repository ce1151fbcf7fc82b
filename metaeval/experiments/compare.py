"""Which metric agrees best with people, and how sure is that: one table and one sentence for each criterion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metaeval.correlation.coefficients import get_coefficient, takes_grid
from metaeval.correlation.significance import axes_of, get_test
from metaeval.errors import UsageError, unknown
from metaeval.experiments.comparison_table import ComparisonTable, heading_of
from metaeval.experiments.compute import compute_experiment
from metaeval.experiments.config import Experiment
from metaeval.experiments.load import LoadedConfig, Panel, Printed
from metaeval.experiments.results import Results, fields_of
from metaeval.experiments.run import run_experiment
from metaeval.experiments.warnings import is_smallest_p, notes_on_table
from metaeval.names import parse_call
from metaeval.parameters import build, parameter
from metaeval.progress import Progress
from metaeval.records import INTER_JUDGE, FloatArray
from metaeval.report.summary import SummaryTable
from metaeval.report.tables import formatted
from metaeval.report.tabular import Tabular
from metaeval.report.words import SIMULATED, signed, with_limits

LEVELS = ("system", "segment", "documents")
ALPHA = 0.05


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
            ``n_undefined`` (Int64); ``signature`` (text). Numbers are floats if not told otherwise.
        """
        rows = [row for table in comparison_tables(self.results, exact=True) for row in table.rows]
        return pd.DataFrame(rows).astype({"cluster": "Int64", "n_undefined": "Int64"})

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
            rows = [row for table in comparison_tables(self.results, exact=True) for row in table.rows]
            return formatted(rows, kind)
        return "\n\n".join(table.text(kind) for table in self.tables)

    def _tables_for_people(self) -> list[SummaryTable]:
        return [one for table in self.tables for one in table._tables_for_people()]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Compared({len(self.tables)} tables, {self.results!r})"


def compare_metrics(
    content: Mapping[str, Any],
    level: str,
    *,
    coefficient: str,
    resample: str,
    n_resamples: int | None,
    test: str,
    ceiling: int,
    output: Path | None,
    jobs: int,
    progress: Progress,
) -> Compared:
    """Compare metrics.

    Parameters
    ----------
    content : mapping
        Keys of a config: corpora, metrics and all that a comparison does not set itself.
    level : str
        ``system``: whole systems; ``segment``: single segments; ``documents(length=10)``: pseudo-documents, of which
        ``count`` are drawn.
    coefficient : str
        What relates metric and human scores.
    resample : {"segments", "systems", "both"}
        What replicates draw anew.
    n_resamples : int, optional
        10,000 unless given, 1000 for pseudo-documents, which are drawn anew in each replicate.
    test : str
        Between every two metrics. A permutation exchanges what is resampled; any other has its first axis.
    ceiling : int
        Splits of the judgments for the noise ceiling; 0 for none.
    output : Path, optional
        The directory of a run to write.
    jobs : int
        How many measure or resample at once.
    progress : callable
        Told a :class:`~metaeval.progress.Step` at the beginning of each stage and as its work is done.

    Returns
    -------
    Compared
        Tables with sentences, and the results behind them.

    Raises
    ------
    UsageError
        If a name or value is wrong, or the metrics cannot be compared on the corpora.
    """
    settings = _settings(level)
    kind = settings["documents"]["kind"]
    if get_test(test).name == "williams" and kind != "all":
        raise UsageError(f"the test 'williams' compares whole systems, level 'system'; got the level {level!r}.")
    correlation: dict[str, Any] = {"coefficients": [coefficient]}
    if takes_grid(get_coefficient(coefficient)):
        if kind != "segments":
            raise UsageError(
                f"the coefficient {coefficient!r} takes segments, level 'segment'; got the level {level!r}."
            )
        # It has no ceiling, and takes long in each replicate.
        ceiling, n_resamples = 0, n_resamples or 1000
    settings |= {
        "title": f"Comparison of metrics, level {level}",
        "judgments": {"ceiling": ceiling},
        "correlation": correlation,
        "uncertainty": {
            "method": "bootstrap",
            "resample": resample,
            "n_resamples": n_resamples or (1000 if kind == "pseudo" else 10_000),
        },
        "figures": [{"kind": "intervals"}],
    }
    whole = {**settings, **content}
    for key, table in settings.items():
        if isinstance(table, dict) and isinstance(whole[key], Mapping):
            whole[key] = {**table, **whole[key]}
    if "tests" not in content:
        whole["tests"] = [_over_resampled(whole, test)]
    experiment = build(Experiment, whole, subject="compare", noun="key")
    config = LoadedConfig("compare", (Panel("", experiment),), Printed(), whole)
    if output is not None:
        results: Results = run_experiment(config, output, jobs=jobs, progress=progress)
    else:
        results = Results(**fields_of(compute_experiment(config.experiment, jobs=jobs, progress=progress)))
    return Compared(tuple(comparison_tables(results)), results)


def _over_resampled(content: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a test, over what is resampled where it can choose.

    Raises
    ------
    UsageError
        If it cannot be over that, on such documents.
    """
    test, uncertainty, documents = get_test(text), content["uncertainty"], content["documents"]
    resampled = uncertainty.get("resample") if isinstance(uncertainty, Mapping) else None
    settings = {"method": text, "alpha": ALPHA}
    if test.name != "permutation" or resampled not in axes_of(test):
        return settings
    if resampled != "systems" and isinstance(documents, Mapping) and documents.get("kind") == "pseudo":
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
        return {"documents": {"kind": "all" if call.name == "system" else "segments"}}
    drawn = build(_PseudoDocuments, call.arguments, subject="level 'documents'")
    return {"documents": {"kind": "pseudo", "lengths": [drawn.length], "count": drawn.count}}


def comparison_tables(results: Results, *, exact: bool = False) -> list[ComparisonTable]:
    """Return the tables of a comparison.

    Parameters
    ----------
    results : Results
        Of an experiment with one coefficient, a bootstrap, and one test.
    exact : bool
        Whether limits have columns of their own, for programs, instead of standing beside their number.

    Returns
    -------
    list of ComparisonTable
        One for each corpus, preprocessing, reference subset, criterion and length.
    """
    keys = ["corpus", "preprocessing", "subset", "criterion", "length"]
    correlations = results.correlations[results.correlations["metric"] != INTER_JUDGE]
    tables = []
    for values, part in correlations.groupby(keys, sort=False, dropna=False):
        place = dict(zip(keys, values, strict=True))
        tests = _where(results.tests, place)
        ceiling = _where(results.ceiling, place)
        clusters = _where(results.rankings, place)
        clusters = clusters[clusters["method"] != "intervals"] if len(clusters) else clusters
        ranked = part.sort_values("mean", ascending=False, kind="stable", na_position="last").to_dict("records")
        ties = {str(row["metric"]): _ties(results, row) for row in ranked}
        rows = [_row(row, ranked[0], tests, clusters, ceiling, ties[row["metric"]], exact=exact) for row in ranked]
        sentence = _sentence(str(place["criterion"]), ranked, tests)
        simulated = signed(ranked[0]["signature"], "simulated") == "yes"
        if simulated:
            sentence += f" {SIMULATED.capitalize()}."
        note = (
            ""
            if exact
            else _note(rows, ranked, ceiling, notes_on_table(ranked, tests, _human(results, ranked[0]), ties))
        )
        if exact:
            head = {**{key: place[key] for key in keys[:-1]}, "simulated": simulated}
            rows = [{**head, **row} for row in rows]
        tables.append(ComparisonTable(heading_of(ranked[0]), str(place["criterion"]), tuple(rows), sentence, note))
    return tables


def _where(table: pd.DataFrame, place: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows of a table that belong to a place; some leave out the preprocessing where it plays no part."""
    for key, value in place.items():
        if not len(table):
            return table
        same = table[key].isna() if _is_nan(value) else table[key] == value
        if key == "preprocessing":
            same |= table[key] == ""
        table = table[same]
    return table


def _is_nan(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _note(
    rows: Sequence[Mapping[str, Any]], ranked: Sequence[Mapping[Any, Any]], ceiling: pd.DataFrame, notes: Sequence[str]
) -> str:
    """Return how to read a table, a note a line, and why it has no fraction of a ceiling where it has none."""
    if not len(ceiling) or any(row.get("fraction of ceiling") for row in rows):
        return "\n".join(notes)
    if (ceiling["items_used"].fillna(1) == 0).any():
        why = "no item has two judgments"
    elif not (ceiling["kind"] == "fraction of ceiling").any():
        why = "it is not known for this coefficient"
    else:
        reasons = dict.fromkeys(row["undefined_because"] for row in ranked if _is_nan(row["mean"]))
        why = f"no coefficient is defined ({'; '.join(reasons)})" if reasons else "people do not agree beyond chance"
    return "\n".join([*notes, f"No fraction of the noise ceiling: {why}."])


def _row(
    row: Mapping[Any, Any],
    best: Mapping[Any, Any],
    tests: pd.DataFrame,
    clusters: pd.DataFrame,
    ceiling: pd.DataFrame,
    ties: float,
    *,
    exact: bool,
) -> dict[str, Any]:
    test = _against(tests, best["metric"], row["metric"])
    own = [one["cluster"] for one in clusters.to_dict("records") if one["metric"] == row["metric"]]
    number = None if not own or _is_nan(own[0]) else int(own[0])
    shares = [
        (one["value"], one["lower"], one["upper"])
        for one in ceiling.to_dict("records")
        if (one["metric"], one["kind"]) == (row["metric"], "fraction of ceiling")
    ]
    limits = shares[0] if shares else (math.nan,) * 3
    name = row["coefficient"].partition("(")[0]
    if exact:
        return {
            "metric": row["metric"],
            "coefficient": row["coefficient"],
            "value": row["mean"],
            "lower": row["lower"],
            "upper": row["upper"],
            "best_minus_this": test["difference"],
            "difference_lower": test["lower"],
            "difference_upper": test["upper"],
            "p": test["p"],
            "p_corrected": test["p_corrected"],
            "cluster": number,
            "fraction_of_ceiling": limits[0],
            "fraction_lower": limits[1],
            "fraction_upper": limits[2],
            "ties": ties,
            "n_undefined": row["n_undefined"],
            "signature": row["signature"],
        }
    is_best = row["metric"] == best["metric"]
    return {
        "metric": row["metric"],
        name: _bracketed(row["mean"], row["lower"], row["upper"]),
        "best minus this": "" if is_best else _bracketed(test["difference"], test["lower"], test["upper"]),
        "p (Holm)": "" if is_best else _p(test),
        "cluster": number,
        "fraction of ceiling": _bracketed(*limits),
        "ties": ties,
        "documents": row["n_used"],
    }


def _against(tests: pd.DataFrame, best: str, other: str) -> dict[str, float]:
    """Return the test of the best against another metric, turned so that the best comes first."""
    for row in tests.to_dict("records"):
        if {row["metric_a"], row["metric_b"]} != {best, other}:
            continue
        found = {key: row[key] for key in ("difference", "lower", "upper", "p", "p_corrected")}
        if row["metric_a"] == other:
            found |= {"difference": -row["difference"], "lower": -row["upper"], "upper": -row["lower"]}
        return found | {"is_smallest": is_smallest_p(row)}
    nothing = 0.0 if best == other else math.nan
    p = 1.0 if best == other else math.nan
    return {"difference": nothing, "lower": nothing, "upper": nothing, "p": p, "p_corrected": p, "is_smallest": False}


def _bracketed(value: float, lower: float, upper: float) -> str:
    if math.isnan(value):
        return ""
    return with_limits(value, lower, upper)


def _p(test: Mapping[str, float]) -> str:
    """Return a corrected p for a table; a number by itself has no sign."""
    return "nan" if math.isnan(test["p_corrected"]) else _compared(test).removeprefix("= ")


def _compared(test: Mapping[str, float]) -> str:
    """Return a corrected p with its sign: ``<=`` where the replicates can give no smaller one."""
    p = test["p_corrected"]
    return "< 0.001" if p < 0.001 else f"{'<=' if test['is_smallest'] and p < 1 else '='} {p:.3f}"


def _cell(row: Mapping[Any, Any]) -> str:
    length = "documents" if _is_nan(row["length"]) else int(row["length"])
    return f"{row['corpus']}/{row['subset']}/{row['criterion']}/{length}"


def _human(results: Results, row: Mapping[Any, Any]) -> FloatArray:
    return np.asarray(results.arrays[f"{_cell(row)}/human"], dtype=np.float64)


def _ties(results: Results, row: Mapping[Any, Any]) -> float:
    """Return the share of pairs of systems, within documents, to which a metric gives equal scores."""
    path = f"{_cell(row)}/{row['preprocessing']}/{row['metric']}"
    scores: FloatArray = np.asarray(results.arrays[path], dtype=np.float64)
    scores = scores.reshape(-1, scores.shape[-1])
    scores = np.sort(scores[np.isfinite(scores).all(axis=1)], axis=-1)
    if not len(scores):
        return float("nan")
    n = scores.shape[-1]
    # In sorted order, equal scores stand together: the k-th of a run makes k pairs with those before it.
    places = np.arange(n)
    starts = np.concatenate([np.ones((len(scores), 1), bool), scores[:, 1:] != scores[:, :-1]], axis=1)
    runs = places - np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    return float(runs.sum() / (len(scores) * n * (n - 1) / 2))


def _sentence(criterion: str, ranked: Sequence[Mapping[Any, Any]], tests: pd.DataFrame) -> str:
    """Say in plain words what the tests show of the best metric."""
    best, *others = ranked
    if _is_nan(best["mean"]):
        return f"No metric has a coefficient with {criterion}."
    if not others:
        return f"{best['metric']} is the only metric."
    better: list[str] = []
    unclear: list[str] = []
    without: list[str] = []
    for row in others:
        test = _against(tests, best["metric"], row["metric"])
        against = _two(best["mean"], row["mean"])
        if math.isnan(test["p_corrected"]):
            without.append(row["metric"])
        elif test["p_corrected"] < ALPHA:
            better.append(f"{row['metric']} ({against}, p {_compared(test)})")
        else:
            unclear.append(f"{row['metric']} ({against}, p {_compared(test)})")
    parts = []
    if better:
        parts.append(f"{best['metric']} agrees better with {criterion} than {_listed(better)}")
    if unclear:
        whom = f"{best['metric']} and {'any of ' if len(unclear) > 1 else ''}{_listed(unclear)}"
        parts.append(f"with {criterion} no difference can be shown between {whom}")
    if without:
        parts.append(f"nothing can be said of {_listed(without)}, for want of coefficients")
    sentence = "; ".join(parts) + "."
    # A name keeps its spelling at the beginning of a sentence.
    return sentence if better else sentence[0].upper() + sentence[1:]


def _two(best: float, other: float) -> str:
    """Return two coefficients with two digits, or three where two cannot tell them apart."""
    digits = 2 if f"{best:.2f}" != f"{other:.2f}" else 3
    return f"{best:.{digits}f} against {other:.{digits}f}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
