"""The verb ``export``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import positive


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "export",
        help="everything behind the figures of a run, as a tidy table",
        description="Writes everything behind the figures of a run as a tidy table.",
        epilog="example:\n  metaeval export runs/mine --metric bleu --length 10 --output bleu10.tsv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    verb.add_argument("run", metavar="RUN", help="the directory of a run")
    verb.add_argument(
        "--what",
        choices=("scores", "coefficients"),
        default="scores",
        help="scores of each document and system with the human score, or the coefficients of each document (scores)",
    )
    verb.add_argument(
        "-m", "--metric", dest="metrics", metavar="METRIC", help="only these, as written in the run", **many
    )
    verb.add_argument("--criterion", dest="criteria", metavar="NAME", help="only these", **many)
    verb.add_argument(
        "--length", dest="lengths", type=positive, metavar="N", help="only documents of so many segments", **many
    )
    verb.add_argument("--format", choices=("tsv", "jsonl"), default="tsv", help="of the output (tsv)")
    verb.add_argument("--output", metavar="FILE", help="write to a file instead of the terminal")
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
