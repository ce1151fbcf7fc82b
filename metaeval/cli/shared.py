"""Printing of tables and texts, shared by the verbs of the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.cli.console import for_people, is_terminal, tell, width


def print_text(text: str, kind: str = "table", words: Mapping[str, str] | None = None) -> None:
    """Print a text to stdout, with colours if it is for people and goes to a terminal.

    Parameters
    ----------
    text : str
    kind : str
        The format of the text; ``table`` is for people.
    words : mapping of str to str, optional
        As for :func:`metaeval.cli.console.for_people`.
    """
    print(for_people(text, words) if kind == "table" else text)


def print_rows(rows: Sequence[Mapping[str, Any]], kind: str, first: Sequence[str] = ()) -> None:
    """Print a table as `kind`: table, tsv, json, md or latex; where a terminal is narrow, first of all some columns."""
    from metaeval.report.tables import formatted
    from metaeval.report.terminal_table import fitted

    print_text("\n".join(fitted(rows, width(), first=first)) if kind == "table" else formatted(rows, kind), kind)


def print_answer(text: str, words: Mapping[str, str] | None = None) -> None:
    """Print a text for people, with some words in colour: bold where it begins, up to an empty line."""
    answer, end, rest = text.partition("\n\n")
    print_text(answer, words={"^.+$": "bold", r"simulated data: no\s+evidence about\s+real\s+metrics": "yellow"})
    if end:
        print_text(end[1:] + rest, words={"^warning(?=: )": "yellow", **(words or {})})


def print_methods(results: Any, form: str = "table") -> None:
    """Print the paragraph on the methods of results below their tables."""
    if form == "latex":
        print(f"\n{results.methods('latex')}")
    else:
        print_text(f"\n{results.methods(width=width() if form == 'table' else None)}", form)


def tell_notes(results: Any, *, verbose: bool = False, quiet: bool = False) -> None:
    """Print the warnings of results to stderr: all of them, or few and how many more there are, or what is missing."""
    sys.stdout.flush()
    # Where the data mislead is a note of a table, which the run does not warn of; with `verbose` it stands below that.
    messages = results.left_out_notes if quiet else results.all_notes if verbose else results.notes
    if not messages:
        return
    from metaeval.report.folded_messages import brief
    from metaeval.report.terminal_table import wrapped

    before = "metaeval: "
    for message in messages if quiet or verbose else brief(messages):
        note = f"{before}note: {message}"
        # What is no terminal is searched for lines.
        tell((wrapped(note, width(), "  ") if is_terminal(sys.stderr) else note).removeprefix(before))


def print_facts(facts: Mapping[str, str], rows: Sequence[Mapping[str, Any]], title: str, kind: str) -> None:
    """Print what there is to know of a thing: facts, then a table."""
    if kind == "json":
        import json

        print(json.dumps({**facts, title: list(rows)}, indent=1, ensure_ascii=False))
        return
    for name, value in facts.items():
        print(f"{name}\t{value}" if kind == "tsv" else _hanging(f"{name}: ", value))
    print("" if kind == "tsv" else f"\n{title}")
    if kind == "table" and rows and "meaning" in rows[0]:
        for row in rows:
            of = f" ({row['allowed']})" if row.get("allowed") else ""
            print(_hanging(f"  {row['parameter']} = {row['default']}  ", f"{row['meaning']}{of}", 24))
    else:
        print_rows(rows, kind)


def _hanging(name: str, value: str, indent: int = 17) -> str:
    """Return a fact in lines of readable length, all but the first indented."""
    from metaeval.report.letter_widths import in_lines  # help must not wait for it

    text = f"{name:<{indent}}{value}".strip("\n")
    return "\n".join(in_lines(text, max(width(), 60), rest=" " * indent, break_long=True))
