"""The verb ``grid``: parsing and printing only."""

from __future__ import annotations

import argparse
from typing import Any

from metaeval.cli.shared import tell


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "grid",
        help="the bitext grid of a segment, with the runs that GTM matches",
        description="Shows the bitext grid of a segment, with the runs that GTM matches and the score they make.",
        epilog='example:\n  metaeval grid -c "police killed the gunman" -r "the gunman police killed" --output g.svg',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    option = verb.add_argument
    option("-c", "--candidate", metavar="TEXT", required=True, help="the text of the candidate")
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "required": True}
    option("-r", "--reference", metavar="TEXT", help="the texts of its references", **many)
    option("--exponent", type=_number, default=2, metavar="E", help="how much long runs are rewarded (2)")
    option("--search", choices=("greedy", "exact"), default="greedy", help="longest runs first, or the true maximum")
    option("--cap", choices=("float", "whole"), default="float", help="may the cap leave a fraction of a hit? (float)")
    option("--tokenize", default="none", metavar="NAME", help="none (white space), 13a, intl, rouge-1.5.5, ... (none)")
    option("--lowercase", action="store_true", help="lower-case everything")
    option("--stem", choices=("porter",), help="lower-case and stem")
    option("--output", metavar="FILE", help="also write a picture: .svg, .pdf or .png")
    verb.set_defaults(verb_function=_grid)


def _number(text: str) -> float:
    """Return a number, whole where it is written so, as the type of an option."""
    try:
        return int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}") from error


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
    path = found.save(options.output) if options.output else None
    print(found)
    if path is not None:
        tell(f"picture in {path}")
    return 0
