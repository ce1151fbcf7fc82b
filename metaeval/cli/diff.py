"""The verb ``diff``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import add_format, print_text


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "diff",
        help="what differs between two runs, and by how much",
        description="Tells what differs between two runs: their inputs, the keys of their signatures, by how much each "
        "number moved and whether it left its old interval, tests that crossed alpha, and verdicts that changed. The "
        "exit code is 0 whether the runs differ or not.",
        examples=["metaeval diff runs/before runs/after"],
    )
    for which in ("old", "new"):
        run = verb.add_argument(which, metavar=which.upper(), help=f"the directory of the {which} run")
        completed_by(run, completers.directories)
    add_format(verb)
    verb.set_defaults(verb_function=_diff)


def _diff(options: argparse.Namespace) -> int:
    from metaeval.api import diff_runs

    print_text(diff_runs(options.old, options.new).text(options.format), options.format)
    return 0
