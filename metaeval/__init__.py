"""metaeval meta-evaluates MT and NLG metrics against human judgments.

>>> import metaeval
>>> corpus = metaeval.load_corpus("demo")
>>> len(corpus.systems)
8

The names in ``metaeval.__all__`` are the public API. All else may change without notice, but for what authors of
metrics build on: `metaeval.metrics.contract`, `metaeval.metrics.text_metric`, `metaeval.parameters` and
`metaeval.records`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from metaeval.errors import CorpusError, FetchError, MetaevalError, MetricError, UsageError
from metaeval.version import VERSION

if TYPE_CHECKING:
    from metaeval.api import (
        Agreement,
        Block,
        Compared,
        ComparisonTable,
        Corpus,
        Criterion,
        Estimate,
        Finding,
        GivenScores,
        Grid,
        JudgeGroup,
        Judgments,
        Key,
        Lengths,
        MetricReport,
        Problem,
        Problems,
        Results,
        Run,
        RunsDiff,
        Scores,
        ScoreTable,
        Signature,
        Step,
        agreement,
        check_corpus,
        check_metric,
        cite,
        compare,
        convert_corpus,
        correlate,
        describe_corpus,
        describe_format,
        describe_metric,
        diff_runs,
        export_run,
        fetch_corpus,
        grid,
        list_corpora,
        list_formats,
        list_metrics,
        load_corpus,
        load_run,
        report_run,
        run,
        score,
        score_files,
        simulate_corpus,
    )

__version__ = VERSION

__all__ = [
    "Agreement",
    "Block",
    "Compared",
    "ComparisonTable",
    "Corpus",
    "CorpusError",
    "Criterion",
    "Estimate",
    "FetchError",
    "Finding",
    "GivenScores",
    "Grid",
    "JudgeGroup",
    "Judgments",
    "Key",
    "Lengths",
    "MetaevalError",
    "MetricError",
    "MetricReport",
    "Problem",
    "Problems",
    "Results",
    "Run",
    "RunsDiff",
    "ScoreTable",
    "Scores",
    "Signature",
    "Step",
    "UsageError",
    "__version__",
    "agreement",
    "check_corpus",
    "check_metric",
    "cite",
    "compare",
    "convert_corpus",
    "correlate",
    "describe_corpus",
    "describe_format",
    "describe_metric",
    "diff_runs",
    "export_run",
    "fetch_corpus",
    "grid",
    "list_corpora",
    "list_formats",
    "list_metrics",
    "load_corpus",
    "load_run",
    "report_run",
    "run",
    "score",
    "score_files",
    "simulate_corpus",
]


def __getattr__(name: str) -> object:
    """Import the public verbs when they are first used, so that the command line answers at once."""
    if name in __all__:
        found: object = getattr(importlib.import_module("metaeval.api"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'metaeval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
