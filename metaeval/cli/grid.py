"""The verb ``grid``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import MANY, add_output, add_treatment, number
from metaeval.cli.terminal import tell
from metaeval.errors import UsageError


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "grid",
        help="the bitext grid of a segment, with the runs that GTM matches",
        description="Shows the bitext grid of a segment, with the runs that GTM matches and the score they make.",
        examples=['metaeval grid -c "the cat sat" -r "the cat sat down" --output grid.svg'],
    )
    option = verb.add_argument
    option("-c", "--candidate", metavar="TEXT", required=True, help="the text of the candidate")
    option("-r", "--reference", metavar="TEXT", required=True, help="the texts of its references", **MANY)
    add_treatment(verb)
    option("--exponent", type=number, default=2, metavar="E", help="how much long runs are rewarded (default: 2)")
    option(
        "--search",
        choices=("greedy", "exact"),
        default="greedy",
        help="longest runs first, or the true maximum (default: greedy)",
    )
    option(
        "--cap",
        choices=("float", "whole"),
        default="float",
        help="whether the cap may leave a fraction of a hit (default: float, which may)",
    )
    add_output(verb, "FILE", "also write a picture: .svg, .pdf or .png")
    verb.set_defaults(verb_function=_grid)


def _grid(options: argparse.Namespace) -> int:
    from metaeval.api import grid

    found = grid(
        options.candidate,
        options.reference,
        exponent=options.exponent,
        search=options.search,
        cap=options.cap,
        tokenizer=options.tokenize,
        lowercase=options.lowercase,
        stem=options.stem is not None,
    )
    # The picture first: if its name is wrong, that is all that is told.
    try:
        path = found.save(options.output) if options.output else None
    except OSError as error:
        raise UsageError(f"--output {options.output}: cannot be written: {error.strerror}.") from error
    print(found)
    if path is not None:
        tell(f"the picture is in {path}.")
    return 0
