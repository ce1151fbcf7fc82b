"""The public verbs of metaeval, and the records that they give.

The command line calls these and nothing else. A file here bears no name of a verb: importing it would put the module in
the place of the verb.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from metaeval.api.citing import cite
from metaeval.api.corpora import (
    FormatParameterRow,
    FormatRow,
    Lengths,
    describe_corpus,
    describe_format,
    list_formats,
    simulate_corpus,
)
from metaeval.api.experiments import compare, correlate, run
from metaeval.api.grids import grid
from metaeval.api.metrics import MetricRow, ParameterRow, check_metric, describe_metric, list_metrics
from metaeval.api.runs import diff_runs, export_run, load_run, report_run
from metaeval.api.texts import score, score_files

if TYPE_CHECKING:
    from metaeval.comparison.comparison import Compared
    from metaeval.comparison.table import ComparisonTable
    from metaeval.corpora.catalogue import (
        CorpusRow,
        check_corpus,
        convert_corpus,
        fetch_corpus,
        list_corpora,
        load_corpus,
    )
    from metaeval.corpora.describe import CriterionRow
    from metaeval.corpora.problems import Problem, Problems
    from metaeval.experiment.score import Scores, ScoreTable
    from metaeval.inter_annotator.judges import Agreement, agreement
    from metaeval.names import Signature
    from metaeval.plugins.check import Finding
    from metaeval.progress import Step
    from metaeval.records import Corpus, Criterion, GivenScores, JudgeGroup, Judgments
    from metaeval.report.conformance import MetricReport
    from metaeval.report.diff import RunsDiff
    from metaeval.report.frames import Estimate, Results, Run
    from metaeval.report.grid import Block, Grid
    from metaeval.results.keys import Key

__all__ = [
    "Agreement",
    "Block",
    "Compared",
    "ComparisonTable",
    "Corpus",
    "CorpusRow",
    "Criterion",
    "CriterionRow",
    "Estimate",
    "Finding",
    "FormatParameterRow",
    "FormatRow",
    "GivenScores",
    "Grid",
    "JudgeGroup",
    "Judgments",
    "Key",
    "Lengths",
    "MetricReport",
    "MetricRow",
    "ParameterRow",
    "Problem",
    "Problems",
    "Results",
    "Run",
    "RunsDiff",
    "ScoreTable",
    "Scores",
    "Signature",
    "Step",
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


# What is public here and stands elsewhere. Each verb imports what it needs when it is called, because scoring a text
# must not wait for what an experiment needs.
_ELSEWHERE = {
    "Agreement": "metaeval.inter_annotator.judges",
    "Block": "metaeval.report.grid",
    "Compared": "metaeval.comparison.comparison",
    "ComparisonTable": "metaeval.comparison.table",
    "Corpus": "metaeval.records",
    "CorpusRow": "metaeval.corpora.catalogue",
    "Criterion": "metaeval.records",
    "CriterionRow": "metaeval.corpora.describe",
    "Estimate": "metaeval.report.frames",
    "Finding": "metaeval.plugins.check",
    "GivenScores": "metaeval.records",
    "Grid": "metaeval.report.grid",
    "JudgeGroup": "metaeval.records",
    "Judgments": "metaeval.records",
    "Key": "metaeval.results.keys",
    "MetricReport": "metaeval.report.conformance",
    "Problem": "metaeval.corpora.problems",
    "Problems": "metaeval.corpora.problems",
    "Results": "metaeval.report.frames",
    "Run": "metaeval.report.frames",
    "RunsDiff": "metaeval.report.diff",
    "ScoreTable": "metaeval.experiment.score",
    "Scores": "metaeval.experiment.score",
    "Signature": "metaeval.names",
    "Step": "metaeval.progress",
    "agreement": "metaeval.inter_annotator.judges",
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
