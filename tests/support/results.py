"""Rows and runs made by hand, for what reads them: each names what matters, the rest is filled in."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.results.keys import DocumentKind, Key
from metaeval.results.model import CorpusFacts, RunData, Tables
from metaeval.results.rows import (
    Claim,
    Correlation,
    MetricRank,
    MinimumDifference,
    TaskAverage,
    TaskScore,
    TaskTest,
    TestResult,
    Undefined,
)

NAN = float("nan")


def signed(directory: Path) -> Path:
    """Put the digests of the files of a run into its manifest as they are now, as somebody who forges it would."""
    path = directory / "manifest.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    names = [one for one in sorted(directory.rglob("*")) if one.is_file() and one.name not in (path.name, "times.json")]
    told["files"] = {one.relative_to(directory).as_posix(): sha256(one.read_bytes()).hexdigest() for one in names}
    path.write_text(json.dumps(told), encoding="utf-8")
    return directory


_OF_KEY = {item.name for item in fields(Key)} | {"length", "kind"}


def key_of(**names: Any) -> Key:
    """Return a key: adequacy of the corpus c, Pearson across systems, pseudo-documents of 9 segments, one reference."""
    kind = DocumentKind(names.pop("kind", "pseudo"), names.pop("length", 9))
    plain = {
        "corpus": "c",
        "preprocessing": "case",
        "subset": "r1",
        "criterion": "adequacy",
        "judges": "all",
        "average_by": "item",
        "coefficient": "pearson",
        "metric": "bleu",
    }
    return Key(**{"documents": kind, **plain, **names})


def _split(values: dict[str, Any], key: Key | None) -> tuple[Key, dict[str, Any]]:
    of_key = {name: values.pop(name) for name in list(values) if name in _OF_KEY}
    if key is None:
        return key_of(**of_key), values
    kind = DocumentKind(of_key.pop("kind", key.documents.kind), of_key.pop("length", key.documents.length))
    return replace(key, documents=kind, **of_key), values


def correlation(mean: float = 0.5, *, key: Key | None = None, **values: Any) -> Correlation:
    """Return a row of correlations; names of the key are taken too."""
    key, values = _split(values, key)
    plain: dict[str, Any] = {
        "sd": 0.1,
        "lower": mean - 0.1,
        "upper": mean + 0.1,
        "interval": "normal",
        "confidence_level": 0.95,
        "resampled": "",
        "n_used": 1,
        "n_undefined": 0,
        "undefined": Undefined(),
        "no_interval_because": "",
        "replicates_used": None,
        "replicates_undefined": None,
        "n_systems": 8,
        "n_documents": 9,
        "n_segments": 7,
        "n_items": 0,
        "n_judged": 0,
        "n_references": float(1 + key.subset.count("+")),
        "signature": "M|version:1",
    }
    own = {**plain, **values}
    return Correlation(key=key, mean=mean, **{"n_scored": own["n_segments"] * own["n_systems"], **own})


def ranking(*, key: Key | None = None, **values: Any) -> MetricRank:
    """Return a row of rankings: the best by intervals."""
    key, values = _split(values, key)
    plain = {"method": "intervals", "over": "", "rank": 1, "mean": 0.5, "cluster": None, "top_cluster": True}
    return MetricRank(key=key, **{**plain, **values})


def test_result(metric_a: str, metric_b: str, p: float = 0.5, *, key: Key | None = None, **values: Any) -> TestResult:  # noqa: PT028
    """Return a row of tests: a bootstrap of two metrics."""
    key, values = _split(values, key)
    plain: dict[str, Any] = {
        "test": "bootstrap",
        "over": "replicates",
        "alternative": "two-sided",
        "difference": 0.1,
        "lower": NAN,
        "upper": NAN,
        "statistic": NAN,
        "p": p,
        "p_corrected": p,
        "is_smallest_p": False,
        "n_used": 100,
        "n_zero": 0,
        "n_undefined": 0,
        "resampled": "segments",
        "untested_because": "",
        "signature": "bootstrap|version:1",
    }
    return TestResult(key=key.place, metric_a=metric_a, metric_b=metric_b, **{**plain, **values})


test_result.__test__ = False  # type: ignore[attr-defined]


def minimum_difference(*, key: Key | None = None, **values: Any) -> MinimumDifference:
    """Return a row of minimum significant differences: of a Wilcoxon test over documents."""
    key, values = _split(values, key)
    plain: dict[str, Any] = {
        "test": "wilcoxon",
        "over": "documents",
        "alpha": 0.05,
        "minimum_significant_difference": NAN,
        "largest_not_significant": NAN,
        "largest_difference": NAN,
        "n_pairs": 1,
        "n_significant": 0,
        "n_references": float(1 + key.subset.count("+")),
    }
    key = replace(key, metric="", documents=DocumentKind(key.documents.kind))
    return MinimumDifference(key=key, **{**plain, **values})


def claim(number: int, statement: str, verdict: str, **values: Any) -> Claim:
    """Return a row of claims: everywhere, of correlations, without any comparison."""
    plain: dict[str, Any] = {
        "corpus": "c",
        "paper": "words of the paper",
        "chosen": "",
        "over": "everywhere",
        "quantity": "correlation",
        "reading": False,
        "why": "",
        "compared": "",
        "notes": "",
        "difference": NAN,
        "lower": NAN,
        "upper": NAN,
        "margin": 0.0,
        "evidence": "none",
        "n_comparisons": 0,
        "n_for": 0,
        "n_against": 0,
        "n_open": 0,
        "label": "",
    }
    return Claim(claim=number, statement=statement, verdict=verdict, **{**plain, **values})


def task_score(task: str, metric: str, value: float = 0.5, **values: Any) -> TaskScore:
    """Return a row of tasks: the system-level Pearson of en-de; ranked, unless something is missing."""
    plain: dict[str, Any] = {
        "corpora": "en-de",
        "level": "system",
        "coefficient": "pearson",
        "average_by": "item",
        "weight": 0.5,
        "lower": NAN,
        "upper": NAN,
        "rank": None if values.get("missing") else 1,
        "cluster": None,
        "rank_joint": None,
        "cluster_joint": None,
        "n": 9,
        "missing": "",
    }
    return TaskScore(task=task, metric=metric, value=value, **{**plain, **values})


def task_average(metric: str, average_correlation: float = NAN, **values: Any) -> TaskAverage:
    """Return a row of averages, without clusters."""
    plain: dict[str, Any] = {
        "lower": NAN,
        "upper": NAN,
        "average_rank": NAN,
        "cluster": None,
        "rank_joint": None,
        "cluster_joint": None,
        "n_tasks": 1,
        "missing": "",
    }
    return TaskAverage(metric=metric, average_correlation=average_correlation, **{**plain, **values})


def task_test(task: str, better: str, worse: str, p: float = NAN, p_joint: float = NAN) -> TaskTest:
    """Return a row of the tests of tasks."""
    return TaskTest(task=task, better=better, worse=worse, difference=0.1, p=p, p_joint=p_joint)


def many_tasks(n_metrics: int, n_tasks: int, names: Sequence[str] = ()) -> RunData:
    """Return a run of many tasks, two for each corpus, whose metrics are in one order, in clusters of three."""
    metrics = names or [f"metric-{number}" for number in range(1, n_metrics + 1)]
    scores, tests = [], []
    for task in range(n_tasks):
        corpus, level = f"en-c{task // 2}", ("system", "segment")[task % 2]
        for place, metric in enumerate(metrics):
            settings = {"corpora": corpus, "level": level, "rank": place + 1, "cluster": place // 3 + 1}
            scores.append(task_score(f"{corpus}, {level}", metric, 0.9 - place / 50 - task / 100, **settings))
    for task in ("", "en-c0, system"):
        for a, b in itertools.combinations(range(n_metrics), 2):
            tests.append(task_test(task, metrics[a], metrics[b], 0.2 / 3 ** (b - a), 0.5 / 2 ** (b - a)))
    averages = [
        task_average(metric, 0.9 - place / 50, average_rank=place // 3 + 1.0, cluster=place // 3 + 1, rank=place + 1)
        for place, metric in enumerate(metrics)
    ]
    ranking = {"baselines": metrics[-1:], "permutations": 1000, "alpha": 0.05, "alpha_joint": 0.05}
    run = run_of(tasks=scores, averages=averages, task_tests=tests)
    run.facts["ranking"] = ranking
    return run


def facts_of(name: str = "c", **values: Any) -> CorpusFacts:
    """Return what a run tells of a corpus that is not simulated."""
    plain: dict[str, Any] = {
        "title": "",
        "source": "",
        "citation": "",
        "digest": "0" * 64,
        "systems": 8,
        "segments": 7,
        "references": ("r1",),
        "judgments": 9,
        "simulated": False,
        "signatures": {},
    }
    return CorpusFacts(name=name, **{**plain, **values})


def run_of(*correlations: Correlation, **values: Any) -> RunData:
    """Return a run with these correlations; other tables and attributes by their names."""
    tables = {item.name: values.pop(item.name) for item in fields(Tables) if item.name in values}
    facts = {"config": "x", "title": "x", "seed": 1, "metaeval": "0.2.0"}
    corpora = [facts_of(name) for name in dict.fromkeys(row.key.corpus for row in correlations)]
    plain = {"corpora": corpora, "facts": facts}
    return RunData(tables=Tables(correlations=list(correlations), **tables), **{**plain, **values})


def array(*values: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return numbers as an array."""
    return np.array(values, dtype=np.float64)
