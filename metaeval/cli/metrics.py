"""The verbs of ``metrics``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import add_format, print_facts, print_rows


def add(verbs: Any) -> None:
    """Add the verbs to those there are."""
    group = verbs.add_parser("metrics", help="list or show the metrics", description="Metrics.", allow_abbrev=False)
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


def _metrics_list(options: argparse.Namespace) -> int:
    from metaeval.api import list_metrics

    print_rows(list_metrics(), options.format)
    return 0


def _metrics_show(options: argparse.Namespace) -> int:
    from metaeval.api import describe_metric

    print_facts(*describe_metric(options.metric), "parameters", options.format)
    return 0
