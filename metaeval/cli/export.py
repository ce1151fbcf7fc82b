"""The verb ``export``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import MANY, add_format, add_metrics, add_output, positive


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "export",
        help="everything behind the figures of a run, as a tidy table",
        description="Writes everything behind the figures of a run as a tidy table.",
        examples=["metaeval export runs/mine --metric bleu --length 10 --output bleu10.tsv"],
    )
    run = verb.add_argument("run", metavar="RUN", help="the directory of a run")
    completed_by(run, completers.directories)
    add_metrics(verb, "as written in the run (default: all)", default=[])
    verb.add_argument(
        "--criterion", dest="criteria", metavar="NAME", default=[], help="what was judged (default: all)", **MANY
    )
    verb.add_argument(
        "--length",
        dest="lengths",
        type=positive,
        metavar="N",
        default=[],
        help="segments of the documents (default: every length)",
        **MANY,
    )
    verb.add_argument(
        "--what",
        choices=("scores", "coefficients"),
        default="scores",
        help="scores of each document and system with the human score, or the coefficients of each document "
        "(default: scores)",
    )
    add_output(verb, "FILE", "where it is written (default: stdout)")
    add_format(verb, ("tsv", "jsonl"))
    verb.set_defaults(verb_function=_export)


def _export(options: argparse.Namespace) -> int:
    from metaeval.api import export_run

    export_run(
        options.run,
        what=options.what,
        metrics=options.metrics,
        criteria=options.criteria,
        lengths=options.lengths,
        form=options.format,
        output=options.output,
    )
    return 0
