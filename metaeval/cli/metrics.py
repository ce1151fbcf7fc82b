"""The verbs of ``metrics``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import add_format, print_facts, print_rows, tell


def add(verbs: Any) -> None:
    """Add the verbs to those there are."""
    group = verbs.add_parser(
        "metrics", help="list, show or check the metrics", description="Metrics.", allow_abbrev=False
    )
    group.set_defaults(group_parser=group)
    inner = group.add_subparsers(title="verbs", metavar="VERB")
    listed = inner.add_parser("list", help="all metrics", description="All metrics.", allow_abbrev=False)
    add_format(listed)
    listed.set_defaults(verb_function=_metrics_list)
    shown = inner.add_parser(
        "show", help="a metric and its parameters", description="A metric and its parameters.", allow_abbrev=False
    )
    shown.add_argument("metric", help="such as bleu")
    add_format(shown)
    shown.set_defaults(verb_function=_metrics_show)
    checked = inner.add_parser(
        "check",
        help="does a new metric do what is relied on?",
        description="Tries metrics on texts that are rare and happen, and tells what their authors must know or mend.",
        epilog="example:\n  metaeval metrics check my_metric.py:score --corpus demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    checked.add_argument("metric", nargs="+", help="such as my_metric.py:score or bleu")
    checked.add_argument("--corpus", metavar="NAME|DIR", help="try it also on the first thirty segments of a corpus")
    checked.add_argument(
        "--condition", default='case(tokenizer="13a")', help='treatment of texts (case(tokenizer="13a"))'
    )
    checked.add_argument(
        "--format", choices=("table", "tsv", "json", "md"), default="table", help="of the output (table)"
    )
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

    reports = [
        check_metric(name, options.corpus, condition=options.condition, progress=tell) for name in options.metric
    ]
    if options.format == "table":
        print("\n\n".join(report.text() for report in reports))
    else:
        print_rows([row for report in reports for row in report.rows], options.format)
    return 1 if any(report.failures for report in reports) else 0
