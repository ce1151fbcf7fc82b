"""Tests between the metrics of an experiment, and what follows: clusters, and minimum significant differences."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.correlation.coefficients import get_coefficient
from metaeval.correlation.families import clusters, correct, minimum_significant_difference, top_cluster_by_intervals
from metaeval.correlation.significance import Comparison, Evidence, compare, get_test
from metaeval.errors import UsageError
from metaeval.experiments.cells import Cell, Line, Row, resampling_items, why_undefined
from metaeval.experiments.config import Experiment, TestSettings
from metaeval.experiments.humans import human_scores
from metaeval.experiments.resample import Replicates
from metaeval.names import Signature
from metaeval.randomness import generator
from metaeval.records import FloatArray
from metaeval.sampling.documents import single
from metaeval.sampling.resamples import draw_swaps

# Coefficients of lines in their cell, by the position of the line and the name of the coefficient.
Key = tuple[int, str]


@dataclass(frozen=True)
class CellLines:
    """A cell with its lines, their scores and coefficients, and the replicates of these if there are any."""

    cell: Cell
    lines: Sequence[Line]
    scores: Sequence[FloatArray]
    coefficients: Mapping[Key, FloatArray]
    replicates: Replicates | None

    def numbers(self, preprocessing: str) -> list[int]:
        """Return the positions of the lines of a preprocessing."""
        return [number for number, line in enumerate(self.lines) if line.preprocessing == preprocessing]

    def mean(self, number: int, text: str) -> float:
        """Return the mean coefficient of a line, as it is reported."""
        values = self.counted(number, text)
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if len(defined) else float("nan")

    def reasons(self, number: int, text: str) -> str:
        """Return why coefficients of a line are undefined, with their numbers; nothing if all are defined."""
        values = self.coefficients[number, text]
        average_by = self.cell.experiment.correlation.average_by
        return why_undefined(self.scores[number], self.cell.scores.human, np.isnan(values), average_by)

    def counted(self, number: int, text: str) -> FloatArray:
        """Return the coefficients of a line, an undefined one as 0 where the experiment wants it so."""
        values = self.coefficients[number, text]
        return np.nan_to_num(values, nan=0.0) if self.cell.experiment.correlation.undefined == "zero" else values


def compare_cell(one: CellLines, preprocessing: str) -> list[Row]:
    """Test every two metrics of a cell against each other; the pairs are the family of the correction.

    Tests that pair several cells are left to :func:`compare_cells`.
    """
    rows: list[Row] = []
    for text in one.lines[0].relations:
        for settings in one.cell.experiment.tests:
            if settings.axis not in ("lengths", "subsets", "cells"):
                pairs = list(itertools.combinations(one.numbers(preprocessing), 2))
                results = [_compare(one, first, second, text, settings) for first, second in pairs]
                names = [(one.lines[first].name, one.lines[second].name) for first, second in pairs]
                rows.extend(
                    _rows(one.cell, preprocessing, text, settings, names, results, one.cell.keys(preprocessing, text))
                )
    return rows


def compare_cells(cells: Sequence[CellLines]) -> list[Row]:
    """Test metrics over the cells of one corpus, of which there is one at least: lengths, reference subsets, or both.

    The cells of each criterion are compared by themselves.
    """
    rows: list[Row] = []
    experiment = cells[0].cell.experiment
    treatments = list(dict.fromkeys(line.preprocessing for line in cells[0].lines))
    for settings in experiment.tests:
        if settings.axis not in ("lengths", "subsets", "cells"):
            continue
        for preprocessing, text in itertools.product(treatments, cells[0].lines[0].relations):
            for part in _paired_cells(cells, settings.axis):
                rows.extend(_across(part, preprocessing, text, settings))
    return rows


def _paired_cells(cells: Sequence[CellLines], axis: str) -> list[list[CellLines]]:
    """Return the groups of cells that differ on the axis alone."""
    groups: dict[tuple[str, ...], list[CellLines]] = {}
    for one in cells:
        subset, length = str(one.cell.judged.group), str(one.cell.scores.length)
        fixed = {"lengths": (subset,), "subsets": (length,), "cells": ()}[axis]
        groups.setdefault((one.cell.judged.criterion.name, *fixed), []).append(one)
    return list(groups.values())


def _across(part: Sequence[CellLines], preprocessing: str, text: str, settings: TestSettings) -> list[Row]:
    cell = part[0].cell
    if len(part) < 2:
        raise UsageError(
            f"the test {settings.method!r} over {settings.axis} needs several of them; {cell.corpus.name}, "
            f"{cell.judged.criterion.name} has one."
        )
    test = get_test(settings.method)
    numbers = part[0].numbers(preprocessing)
    means = {number: np.array([one.mean(number, text) for one in part]) for number in numbers}
    pairs = list(itertools.combinations(numbers, 2))
    results = []
    for first, second in pairs:
        differences = means[first] - means[second]
        evidence = Evidence(
            coefficients_a=means[first],
            coefficients_b=means[second],
            difference=float("nan") if np.isnan(differences).all() else float(np.nanmean(differences)),
            scores_a=part[0].scores[first][0],
            scores_b=part[0].scores[second][0],
            human=cell.scores.human,
            coefficient=get_coefficient(text),
            average_by=cell.experiment.correlation.average_by,
        )
        results.append(compare(test, evidence))
    names = [(part[0].lines[first].name, part[0].lines[second].name) for first, second in pairs]
    keys = cell.keys(preprocessing, text)
    if settings.axis in ("lengths", "cells"):
        keys["length"] = None
    if settings.axis in ("subsets", "cells"):
        keys["subset"] = ""
    return _rows(cell, preprocessing, text, settings, names, results, keys)


def _compare(one: CellLines, first: int, second: int, text: str, settings: TestSettings) -> Comparison:
    test, cell = get_test(settings.method), one.cell
    experiment = cell.experiment
    scores_a, scores_b, human = _oriented(one, first, second, test.name)
    average_by = experiment.correlation.average_by
    swaps = None
    if test.name == "permutation":
        if experiment.documents.kind == "all" and settings.axis != "systems":
            scores_a, scores_b, human = _segment_scores(one, first, second, settings)
            average_by = "averages"
        swaps = draw_swaps(
            settings.axis,
            len(human),
            human.shape[1],
            experiment.uncertainty.n_resamples,
            rng=generator(experiment.seed, "permutation", settings.axis),
        )
    found = one.replicates
    replicates = (None, None) if found is None else found.of_pair(first, second, text)
    values_a, values_b = one.counted(first, text), one.counted(second, text)
    both = ~(np.isnan(values_a) | np.isnan(values_b))
    difference = float((values_a[both] - values_b[both]).mean()) if both.any() else float("nan")
    return compare(
        test,
        Evidence(
            coefficients_a=values_a,
            coefficients_b=values_b,
            difference=difference,
            scores_a=scores_a,
            scores_b=scores_b,
            human=human,
            coefficient=get_coefficient(text),
            average_by=average_by,
            replicates_a=replicates[0],
            replicates_b=replicates[1],
            n_units=units_drawn(cell, int(both.sum())),
            weights=found.weights if found is not None else None,
            confidence_level=experiment.uncertainty.confidence_level,
            swaps=swaps,
        ),
    )


def units_drawn(cell: Cell, n_documents: int) -> int:
    """Return the fewest units that a bootstrap draws from: segments, documents with both coefficients, or systems."""
    resample, average_by = cell.experiment.uncertainty.resample, cell.experiment.correlation.average_by
    n_systems, n_segments = len(cell.corpus.systems), len(cell.scores.segments)
    of_text = n_segments
    if cell.experiment.documents.kind != "all" and average_by == "item":
        of_text = min(n_segments, n_documents)
    elif cell.experiment.documents.kind == "real":
        of_text = len(cell.scores.documents)
    return {"segments": of_text, "systems": n_systems}.get(resample, min(of_text, n_systems))


def _oriented(one: CellLines, first: int, second: int, test: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the scores of two metrics and of people, (documents, systems), high where they mean good."""
    scores = [one.scores[number] for number in (first, second)]
    if test in ("williams", "permutation") and any(len(found) > 1 for found in scores):
        raise UsageError(
            f"the test {test!r} needs one score of a metric for each document, and with references.combine = "
            '"correlations" there is one for each reference subset; choose "scores".'
        )
    defined = np.isfinite(scores[0][0]).all(axis=1) & np.isfinite(scores[1][0]).all(axis=1)
    signs = [one.lines[number].signs for number in (first, second)]
    human = one.cell.scores.human[defined] * signs[0][1]
    return scores[0][0][defined] * signs[0][0], scores[1][0][defined] * signs[1][0], human


def _segment_scores(
    one: CellLines, first: int, second: int, settings: TestSettings
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the scores of single segments, (segments, systems), of which the corpus scores are the means.

    Raises
    ------
    UsageError
        If a corpus score is something else than the mean of the segments' scores.
    """
    cell, scores = one.cell, one.cell.scores
    segments = single(range(len(scores.segments)))
    names = ("judgments of segments", cell.judged.criterion.name)
    human, _ = human_scores(scores.items, segments, cell.experiment, cell.corpus.systems, names, two=False)
    of_segments = replace(scores, documents=segments, human=human)
    lines = [one.lines[first], one.lines[second]]
    found = [line.scores_of(of_segments)[0] for line in lines]
    wholes = [one.scores[first][0][0], one.scores[second][0][0], scores.human[0]]
    for name, values, whole in zip((lines[0].name, lines[1].name, "people"), (*found, human), wholes, strict=True):
        if not np.allclose(values.mean(axis=0), whole, rtol=1e-9, atol=1e-9 * float(np.abs(whole).max(initial=0.0))):
            raise UsageError(
                f"the test {settings.method!r} over {settings.axis} exchanges scores of segments, and the corpus score "
                f"of {name} is not the mean of these; choose over = 'systems', or the test 'bootstrap'."
            )
    return found[0] * lines[0].signs[0], found[1] * lines[1].signs[0], human * lines[0].signs[1]


def _rows(
    cell: Cell,
    preprocessing: str,
    text: str,
    settings: TestSettings,
    names: Sequence[tuple[str, str]],
    results: Sequence[Comparison],
    keys: Row,
) -> list[Row]:
    test = get_test(settings.method)
    corrected = correct([result.p for result in results], settings.correction)
    tested = test.signature.with_items(over=settings.axis, correction=settings.correction, family=len(results))
    chance: tuple[tuple[str, object], ...] = ()
    if test.name == "bootstrap":
        chance = resampling_items(cell.experiment)
    elif test.name == "permutation":
        chance = (("resamples", cell.experiment.uncertainty.n_resamples),)
    signature: Signature = cell.signature(tested.with_pairs(chance), get_coefficient(text))
    return [
        {
            **keys,
            "metric_a": first,
            "metric_b": second,
            "test": settings.method,
            "over": settings.axis,
            "difference": result.difference,
            "lower": result.lower,
            "upper": result.upper,
            "statistic": result.statistic,
            "p": result.p,
            "p_corrected": float(p),
            "n_used": result.n_used,
            "n_zero": result.n_zero,
            "n_undefined": result.n_undefined,
            "signature": str(signature.with_items(distribution=result.distribution)),
        }
        for (first, second), result, p in zip(names, results, corrected, strict=True)
    ]


_CELL = ("corpus", "preprocessing", "subset", "criterion", "average_by", "length", "coefficient")


def ranking_rows(experiment: Experiment, correlations: Sequence[Row], tests: Sequence[Row]) -> list[Row]:
    """Rank the metrics of cells, and tell which are as good as the best and which form clusters.

    Parameters
    ----------
    experiment : Experiment
    correlations : sequence of rows
        Of metrics, as in correlations.tsv.
    tests : sequence of rows
        Of the same cells, as in tests.tsv.

    Returns
    -------
    list of rows
        For each cell and metric, from the best to the worst: by ``intervals`` (Lin and Och: overlapping with that of
        the best) where there are any, and by each test.
    """
    cells: dict[tuple[object, ...], list[Row]] = {}
    for row in correlations:
        cells.setdefault(tuple(row[key] for key in _CELL), []).append(row)
    tested: dict[tuple[object, ...], list[Row]] = {}
    for row in tests:
        tested.setdefault(tuple(row[key] for key in _CELL), []).append(row)
    rows: list[Row] = []
    for cell, metrics in cells.items():
        ranked = sorted((row for row in metrics if not np.isnan(row["mean"])), key=_mean_of, reverse=True)
        without = [row for row in metrics if np.isnan(row["mean"])]
        if not all(np.isnan(row["lower"]) for row in ranked):
            equal = top_cluster_by_intervals(*([row[key] for row in ranked] for key in ("mean", "lower", "upper")))
            rows.extend(_ranking(cell, ranked, without, "intervals", None, None, equal.tolist()))
        for settings in experiment.tests:
            of_test = [
                row for row in tested.get(cell, []) if (row["test"], row["over"]) == (settings.method, settings.axis)
            ]
            if of_test:
                p = _matrix(ranked, of_test)
                found = clusters(range(len(ranked)), p, settings.alpha).tolist()
                equal_to_best = [bool(place == 0 or not p[0, place] < settings.alpha) for place in range(len(ranked))]
                rows.extend(_ranking(cell, ranked, without, settings.method, settings.axis, found, equal_to_best))
    return rows


def _mean_of(row: Row) -> float:
    return float(row["mean"])


def _matrix(ranked: Sequence[Row], tests: Sequence[Row]) -> FloatArray:
    """Return the p-values that the metric of a row is better than that of a column; 1 where it is not."""
    place = {row["metric"]: number for number, row in enumerate(ranked)}
    p = np.full((len(ranked), len(ranked)), np.nan)
    for row in tests:
        if row["metric_a"] not in place or row["metric_b"] not in place:
            continue  # a metric without any coefficient has no rank
        first, second = place[row["metric_a"]], place[row["metric_b"]]
        better, worse = (first, second) if row["difference"] > 0 else (second, first)
        p[better, worse], p[worse, better] = row["p_corrected"], 1.0
    return p


def _ranking(
    cell: tuple[object, ...],
    ranked: Sequence[Row],
    without: Sequence[Row],
    method: str,
    over: str | None,
    found: Sequence[int] | None,
    equal: Sequence[bool],
) -> list[Row]:
    head = {**dict(zip(_CELL, cell, strict=True)), "method": method, "over": over}
    rows: list[Row] = [
        {
            **head,
            "rank": place + 1,
            "metric": row["metric"],
            "mean": row["mean"],
            "cluster": None if found is None else found[place],
            "top_cluster": "yes" if equal[place] else "no",
        }
        for place, row in enumerate(ranked)
    ]
    nothing = {"rank": None, "cluster": None, "top_cluster": "no"}
    return rows + [{**head, **nothing, "metric": row["metric"], "mean": row["mean"]} for row in without]


def minimum_difference_rows(experiment: Experiment, tests: Sequence[Row]) -> list[Row]:
    """Tell from which difference on all compared pairs are significant (Melamed, Turian), over all lengths together."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    keys = tuple(key for key in _CELL if key != "length")
    for row in tests:
        groups.setdefault((*(row[key] for key in keys), row["test"], row["over"]), []).append(row)
    alpha = {(settings.method, settings.axis): settings.alpha for settings in experiment.tests}
    rows = []
    for values, part in groups.items():
        level = alpha[str(values[-2]), str(values[-1])]
        p = [row["p_corrected"] for row in part]
        differences = [row["difference"] for row in part]
        found = minimum_significant_difference(differences, p, level)
        sizes = [(abs(size), one) for size, one in zip(differences, p, strict=True) if not np.isnan([size, one]).any()]
        rows.append(
            {
                **dict(zip((*keys, "test", "over"), values, strict=True)),
                "alpha": level,
                "minimum_significant_difference": found,
                "largest_not_significant": max((size for size, one in sizes if not one < level), default=np.nan),
                "largest_difference": max((size for size, _ in sizes), default=np.nan),
                "n_pairs": len(part),
                "n_significant": int(sum(one < level for one in p)),
            }
        )
    return rows
