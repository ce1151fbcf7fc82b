"""The public verbs of metaeval.

The command line calls these and nothing else. A file here bears no name of a verb: importing it would put the module in
the place of the verb.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from metaeval.api.citing import cite
from metaeval.api.corpora import describe_corpus, describe_format, list_formats, preset_lengths, simulate_corpus
from metaeval.api.experiments import compare, correlate, export_run, run
from metaeval.api.grids import grid
from metaeval.api.metrics import check_metric, describe_metric, list_metrics
from metaeval.api.runs import diff_runs, report_run
from metaeval.api.texts import score, score_files

if TYPE_CHECKING:
    from metaeval.corpora.catalogue import check_corpus, convert_corpus, fetch_corpus, list_corpora, load_corpus
    from metaeval.experiments.agreement import Agreement, agreement
    from metaeval.experiments.check_metric import MetricReport
    from metaeval.experiments.compare import Compared
    from metaeval.experiments.diff import RunsDiff
    from metaeval.experiments.results import Estimate, Results
    from metaeval.experiments.run import Run
    from metaeval.experiments.score import Scores
    from metaeval.records import Corpus
    from metaeval.report.grid import Grid

__all__ = [
    "Agreement",
    "Compared",
    "Corpus",
    "Estimate",
    "Grid",
    "MetricReport",
    "Results",
    "Run",
    "RunsDiff",
    "Scores",
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
    "preset_lengths",
    "report_run",
    "run",
    "score",
    "score_files",
    "simulate_corpus",
]


# What is public here and stands elsewhere. Each verb imports what it needs when it is called, because scoring a text
# must not wait for what an experiment needs.
_ELSEWHERE = {
    "Agreement": "metaeval.experiments.agreement",
    "Compared": "metaeval.experiments.compare",
    "Corpus": "metaeval.records",
    "Estimate": "metaeval.experiments.results",
    "Grid": "metaeval.report.grid",
    "MetricReport": "metaeval.experiments.check_metric",
    "Results": "metaeval.experiments.results",
    "Run": "metaeval.experiments.run",
    "RunsDiff": "metaeval.experiments.diff",
    "Scores": "metaeval.experiments.score",
    "agreement": "metaeval.experiments.agreement",
    "check_corpus": "metaeval.corpora.catalogue",
    "convert_corpus": "metaeval.corpora.catalogue",
    "fetch_corpus": "metaeval.corpora.catalogue",
    "list_corpora": "metaeval.corpora.catalogue",
    "load_corpus": "metaeval.corpora.catalogue",
}


def __getattr__(name: str) -> object:
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'metaeval.api' has no attribute {name!r}")
