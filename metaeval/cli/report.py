"""The verb ``report``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "report",
        help="a run as one page for a browser",
        description="Writes report.html into the directory of a run: its numbers, tests and texts as one page that "
        "needs no network. A run writes it too; this makes it again from the tables.",
        examples=["metaeval report runs/mine"],
    )
    run = verb.add_argument("run", metavar="RUN", help="the directory of a run")
    completed_by(run, completers.directories)
    verb.set_defaults(verb_function=_report)


def _report(options: argparse.Namespace) -> int:
    from metaeval.api import report_run

    print(report_run(options.run))
    return 0
