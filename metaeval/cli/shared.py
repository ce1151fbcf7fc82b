"""What the verbs of the command line share: options, and how things are printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any


def positive(text: str) -> int:
    """Return a whole number from 1 on, as the type of an option."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on; got {text!r}")
    return number


def add_format(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--format`` of tables."""
    verb.add_argument("--format", choices=("table", "tsv", "json"), default="table", help="of the output (table)")


def tell(line: str) -> None:
    """Print a line of progress, or a note, to stderr."""
    print(f"metaeval: {line}", file=sys.stderr)


def print_rows(rows: Sequence[dict[str, Any]], kind: str) -> None:
    """Print a table as `kind`: table, tsv or json."""
    from metaeval.report.tables import formatted

    print(formatted(rows, kind))


def print_facts(facts: dict[str, str], rows: Sequence[dict[str, Any]], title: str, kind: str) -> None:
    """Print what there is to know of a thing: facts, then a table."""
    if kind == "json":
        import json

        print(json.dumps({**facts, title: list(rows)}, indent=1, ensure_ascii=False))
        return
    for name, value in facts.items():
        print(f"{name}\t{value}" if kind == "tsv" else _hanging(f"{name + ':':<16} ", value))
    print("" if kind == "tsv" else f"\n{title}")
    print_rows(rows, kind)


def _hanging(name: str, value: str) -> str:
    """Return a fact in lines of readable length, all but the first indented."""
    import textwrap

    lines = textwrap.wrap(value, 120 - len(name), break_long_words=False, break_on_hyphens=False)
    return name + ("\n" + " " * len(name)).join(lines)
