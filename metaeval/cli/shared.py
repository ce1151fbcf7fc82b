"""How the verbs of the command line print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.cli.terminal import for_people


def print_text(text: str, kind: str = "table", words: Mapping[str, str] | None = None) -> None:
    """Print a text to stdout, with colours if it is for people and goes to a terminal.

    Parameters
    ----------
    text : str
    kind : str
        The format of the text; ``table`` is for people.
    words : mapping of str to str, optional
        As for :func:`metaeval.cli.terminal.for_people`.
    """
    print(for_people(text, words) if kind == "table" else text)


def print_rows(rows: Sequence[Mapping[str, Any]], kind: str) -> None:
    """Print a table as `kind`: table, tsv, json, md or latex."""
    from metaeval.report.tables import formatted

    print_text(formatted(rows, kind), kind)


def print_facts(facts: Mapping[str, str], rows: Sequence[Mapping[str, Any]], title: str, kind: str) -> None:
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
