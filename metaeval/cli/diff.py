"""The verb ``diff``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import add_format


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "diff",
        help="what differs between two runs, and by how much each number moved",
        description="Tells what differs between two runs: their inputs, the keys of their signatures, by how much each "
        "number moved and whether it left its old interval, tests that crossed alpha, and verdicts that changed. The "
        "exit code is 0 whether the runs differ or not.",
        epilog="example:\n  metaeval diff runs/before runs/after --format json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_argument("old", metavar="RUN", help="the directory of the old run")
    verb.add_argument("new", metavar="RUN", help="the directory of the new run")
    add_format(verb)
    verb.set_defaults(verb_function=_diff)


def _diff(options: argparse.Namespace) -> int:
    from metaeval.api import diff_runs

    print(diff_runs(options.old, options.new).text(options.format))
    return 0
