"""The verbs of ``metrics``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import add_format, add_preprocessing, add_quiet, print_facts, print_rows, print_text
from metaeval.cli.terminal import shown_progress

_OUTCOMES = {"^ok(?=  )": "green", "^note(?=  )": "yellow", "^fails(?=  )": "red"}


def add(verbs: Any) -> None:
    """Add the verbs to those there are."""
    group = verbs.add_parser(
        "metrics",
        help="list, show or check the metrics",
        description="Tells which metrics there are, what they compute, and whether a new one does what is relied on.",
    )
    group.set_defaults(group_parser=group)
    inner = group.add_subparsers(title="verbs", metavar="VERB")

    listed = inner.add_parser(
        "list",
        help="all metrics",
        description="Lists all metrics: those that come with metaeval, those of installed packages, and how to name "
        "others.",
        examples=["metaeval metrics list"],
    )
    add_format(listed)
    listed.set_defaults(verb_function=_metrics_list)

    shown = inner.add_parser(
        "show",
        help="a metric and its parameters",
        description="Tells what a metric computes, with which parameters, and where it comes from.",
        examples=["metaeval metrics show gtm", 'metaeval metrics show "bleu(order=2)"'],
    )
    metric = shown.add_argument("metric", metavar="METRIC", help='such as bleu or "bleu(order=2)"')
    completed_by(metric, completers.metrics, completers.own_metrics)
    add_format(shown)
    shown.set_defaults(verb_function=_metrics_show)

    checked = inner.add_parser(
        "check",
        help="does a new metric do what is relied on?",
        description="Tries metrics on texts that are rare and happen, and tells what their authors must know or mend.",
        examples=["metaeval metrics check my_metric.py:score --corpus demo"],
    )
    metric = checked.add_argument("metric", metavar="METRIC", nargs="+", help="such as my_metric.py:score or bleu")
    completed_by(metric, completers.metrics, completers.own_metrics)
    corpus = checked.add_argument(
        "--corpus",
        metavar="NAME|DIR",
        help="try it also on the first thirty segments of a corpus; `metaeval corpus list` names those known",
    )
    completed_by(corpus, completers.corpora, completers.directories)
    add_preprocessing(checked)
    add_format(checked, ("table", "tsv", "json", "md"))
    add_quiet(checked)
    checked.set_defaults(verb_function=_metrics_check)


def _metrics_list(options: argparse.Namespace) -> int:
    from metaeval.api import list_metrics

    print_rows(list_metrics(), options.format)
    return 0


def _metrics_show(options: argparse.Namespace) -> int:
    from metaeval.api import describe_metric

    print_facts(*describe_metric(options.metric), "parameters", options.format)
    return 0


def _metrics_check(options: argparse.Namespace) -> int:
    from metaeval.api import check_metric

    with shown_progress(quiet=options.quiet) as progress:
        reports = [
            check_metric(name, options.corpus, preprocessing=options.preprocessing, progress=progress)
            for name in options.metric
        ]
    if options.format == "table":
        print_text("\n\n".join(report.text() for report in reports), words=_OUTCOMES)
    else:
        print_rows([row for report in reports for row in report.rows], options.format)
    return 1 if any(report.failures for report in reports) else 0
