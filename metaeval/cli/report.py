"""The verb ``report``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "report",
        help="a run as one page for a browser",
        description="Writes report.html into the directory of a run: its numbers, tests and texts as one page that "
        "needs no network. A run writes it too; this makes it again from the tables.",
        epilog="example:\n  metaeval report runs/mine",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_argument("run", metavar="RUN", help="the directory of a run")
    verb.set_defaults(verb_function=_report)


def _report(options: argparse.Namespace) -> int:
    from metaeval.api import report_run

    print(report_run(options.run))
    return 0
