"""The verb ``cite``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import add_format


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "cite",
        help="how to cite metaeval and what was used with it",
        description="Prints how to cite metaeval, and the sources of whatever is named.",
        examples=["metaeval cite bleu turian2003-chinese runs/mine --format bibtex"],
    )
    names = verb.add_argument(
        "names",
        nargs="*",
        metavar="NAME|PATH",
        help="metrics, preprocessing, tokenizers, coefficients, tests, intervals, corrections, corpora, configs, "
        "directories of runs (default: metaeval itself)",
    )
    completed_by(
        names,
        completers.metrics,
        completers.preprocessing,
        completers.tokenizers,
        completers.coefficients,
        completers.tests,
        completers.corpora,
        completers.configs,
        completers.paths,
    )
    add_format(verb, ("text", "bibtex"))
    verb.set_defaults(verb_function=_cite)


def _cite(options: argparse.Namespace) -> int:
    from metaeval.api import cite

    print(cite(options.names, form=options.format))
    return 0
