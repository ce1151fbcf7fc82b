"""metaeval measures how good evaluation metrics are: how well they agree with people.

>>> import metaeval
>>> corpus = metaeval.load_corpus("demo")
>>> len(corpus.systems)
8
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from metaeval.errors import CorpusError, FetchError, MetaevalError, UsageError
from metaeval.version import VERSION

if TYPE_CHECKING:
    from metaeval.api import (
        Agreement,
        Compared,
        Corpus,
        Estimate,
        Grid,
        MetricReport,
        Results,
        Run,
        RunsDiff,
        Scores,
        agreement,
        check_corpus,
        check_metric,
        cite,
        compare,
        convert_corpus,
        correlate,
        diff_runs,
        fetch_corpus,
        grid,
        load_corpus,
        report_run,
        run,
        score,
        score_files,
        simulate_corpus,
    )

__version__ = VERSION

__all__ = [
    "Agreement",
    "Compared",
    "Corpus",
    "CorpusError",
    "Estimate",
    "FetchError",
    "Grid",
    "MetaevalError",
    "MetricReport",
    "Results",
    "Run",
    "RunsDiff",
    "Scores",
    "UsageError",
    "__version__",
    "agreement",
    "check_corpus",
    "check_metric",
    "cite",
    "compare",
    "convert_corpus",
    "correlate",
    "diff_runs",
    "fetch_corpus",
    "grid",
    "load_corpus",
    "report_run",
    "run",
    "score",
    "score_files",
    "simulate_corpus",
]


def __getattr__(name: str) -> object:
    """Import the public verbs when they are first used, so that the command line answers at once."""
    if name in __all__:
        return getattr(importlib.import_module("metaeval.api"), name)
    raise AttributeError(f"module 'metaeval' has no attribute {name!r}")
