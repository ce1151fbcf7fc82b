"""What the verbs of the command line share: options, which are told in the same words, and how things are printed."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.terminal import for_people

# An option that takes several values, and may be repeated.
MANY: Mapping[str, Any] = {"nargs": "+", "action": "extend"}


def whole(text: str, least: int | None = None) -> int:
    """Return a whole number, as the type of an option.

    Parameters
    ----------
    text : str
    least : int, optional
        The smallest that is allowed.
    """
    try:
        number = int(text) if text.isascii() else None
    except ValueError:
        number = None
    if number is None or (least is not None and number < least):
        beyond = "" if least is None else f" from {least} on"
        raise argparse.ArgumentTypeError(f"must be a whole number{beyond}; got {text!r}")
    return number


def positive(text: str) -> int:
    """Return a whole number from 1 on, as the type of an option."""
    return whole(text, 1)


def not_negative(text: str) -> int:
    """Return a whole number from 0 on, as the type of an option."""
    return whole(text, 0)


def number(text: str) -> float:
    """Return a number, whole where it is written so, as the type of an option."""
    try:
        found = int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}")
    return found


def add_metrics(verb: argparse.ArgumentParser, what: str, **settings: Any) -> None:
    """Add the option ``--metric``, which names metrics.

    Parameters
    ----------
    verb : ArgumentParser
    what : str
        What it does with them.
    **settings
        As for :meth:`argparse.ArgumentParser.add_argument`.
    """
    action = verb.add_argument("-m", "--metric", dest="metrics", metavar="METRIC", help=what, **{**MANY, **settings})
    completed_by(action, completers.metrics, completers.own_metrics)


def add_source_format(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--source-format``, which names the formats of corpora."""
    action = verb.add_argument(
        "--source-format",
        dest="source_formats",
        action="append",
        default=[],
        metavar="FORMAT",
        help="of a corpus, with its parameters; of several once for all or once for each, where neutral is our own; "
        "`metaeval corpus formats` lists them (default: it is recognised)",
    )
    completed_by(action, completers.source_formats)


def add_criteria(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--criterion``, which names criteria of the corpus."""
    action = verb.add_argument(
        "--criterion", dest="criteria", metavar="NAME", default=[], help="what was judged (default: all)", **MANY
    )
    completed_by(action, completers.criteria)


def add_judges(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--judges``, which names those whose judgments are taken."""
    action = verb.add_argument(
        "--judges",
        metavar="NAME",
        default=[],
        help="a judge group, names or patterns such as 'expert*', or all (default: the corpus's default group, or all)",
        **MANY,
    )
    completed_by(action, completers.judge_groups)


def add_preprocessing(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--preprocessing``, the treatment of texts."""
    action = verb.add_argument(
        "--preprocessing",
        metavar="NAME",
        default='case(tokenizer="13a")',
        help='how texts are treated: case, nocase or stem, with a tokenizer (default: case(tokenizer="13a"))',
    )
    completed_by(action, completers.preprocessing)


def add_treatment(verb: argparse.ArgumentParser) -> None:
    """Add the options that say how texts are cut into tokens."""
    action = verb.add_argument(
        "--tokenize",
        default="none",
        metavar="NAME",
        help="none, which is white space, 13a, intl, rouge-1.5.5, ... (default: none)",
    )
    completed_by(action, completers.tokenizers)
    verb.add_argument("--lowercase", action="store_true", help="lower-case everything")
    verb.add_argument("--stem", choices=("porter",), help="lower-case and stem")


def add_seed(verb: argparse.ArgumentParser, what: str = "all chance comes from it") -> None:
    """Add the option ``--seed``."""
    verb.add_argument("--seed", type=not_negative, default=1, metavar="N", help=f"{what} (default: 1)")


def add_jobs(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--jobs``."""
    verb.add_argument(
        "--jobs",
        type=positive,
        default=1,
        metavar="N",
        help="how many measure or resample at once; changes no number (default: 1)",
    )


def add_output(verb: argparse.ArgumentParser, metavar: str, what: str) -> None:
    """Add the option ``--output``.

    Parameters
    ----------
    verb : ArgumentParser
    metavar : {"DIR", "FILE"}
    what : str
        What is written there.
    """
    action = verb.add_argument("--output", metavar=metavar, help=what)
    completed_by(action, completers.directories if metavar == "DIR" else completers.paths)


def add_format(verb: argparse.ArgumentParser, choices: Sequence[str] = ("table", "tsv", "json")) -> None:
    """Add the option ``--format`` of what is printed.

    Parameters
    ----------
    verb : ArgumentParser
    choices : sequence of str
        The first is the default.
    """
    verb.add_argument(
        "--format", choices=choices, default=choices[0], help=f"of what is printed (default: {choices[0]})"
    )


def add_quiet(verb: argparse.ArgumentParser) -> None:
    """Add the option ``--quiet``."""
    verb.add_argument("--quiet", action="store_true", help="show no progress; notes are still told")


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
