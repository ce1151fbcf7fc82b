"""The figures of shared tasks: their tables, and the grids of scores that these are of."""

from __future__ import annotations

import csv
from functools import cache

import numpy as np

import metaeval
from metaeval.datamodel.corpus import Corpus, FloatArray
from tests.support.gold import of_others

OUTLIER = "OUT"


def table(name: str, folder: str = "gold/tasks/expected") -> list[dict[str, str]]:
    """Return the rows of a table; there is at least one."""
    with of_others(f"{folder}/{name}.tsv").open(encoding="utf-8", newline="\n") as file:
        found = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert found
    return found


def where(rows: list[dict[str, str]], **columns: str) -> list[dict[str, str]]:
    """Return the rows that have these values; there is at least one."""
    found = [row for row in rows if all(row[name] == value for name, value in columns.items())]
    assert found
    return found


@cache
def corpus(pair: str) -> Corpus:
    """Return a language pair of the synthetic test set."""
    return metaeval.load_corpus(of_others("gold/tasks/inputs/synth"), source_formats=f'mt-metrics-eval(pair="{pair}")')


@cache
def judged(one: Corpus, criterion: str) -> dict[str, FloatArray]:
    """Return the human scores of each system that has any, (segments,), by name; ``nan`` where missing."""
    wanted = [item.name for item in one.criteria].index(criterion)
    found: dict[str, FloatArray] = {}
    for names, given in ((one.systems, one.judgments), (one.judged_references, one.reference_judgments)):
        of_it = given.where(given.criterion == wanted)
        for system in np.unique(of_it.system).tolist():
            here = of_it.where(of_it.system == system)
            scores = np.full(len(one.segment_ids), np.nan)
            scores[here.segment] = here.score
            found[names[system]] = scores
    return dict(sorted(found.items()))


def human(pair: str, criterion: str, outliers: bool = False) -> tuple[list[str], FloatArray]:
    """Return systems by name and their human scores, (segments, systems); the metrics' reference is none."""
    found = {name: scores for name, scores in judged(corpus(pair), criterion).items() if name != "refA"}
    if not outliers:
        found.pop(OUTLIER, None)
    return list(found), np.stack(list(found.values()), axis=1)


def metric(pair: str, name: str, systems: list[str]) -> FloatArray:
    """Return the scores of a metric as tables have its name, (segments, systems): 0 where a system lacks them."""
    full = name.replace("[noref]", "-src") if "[" in name else f"{name}-refA"
    given = next(one for one in corpus(pair).scores if (one.name, one.level) == (full, "segment"))
    rows = dict(zip(given.systems, given.values, strict=True))
    absent = np.zeros(len(given.units))
    return np.stack([rows.get(system, absent) for system in systems], axis=1)
