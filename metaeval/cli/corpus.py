"""The verbs of ``corpus``: parsing and printing only."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from metaeval.cli import completers
from metaeval.cli.completers import completed_by
from metaeval.cli.shared import (
    add_format,
    add_quiet,
    add_seed,
    add_source_format,
    number,
    positive,
    print_facts,
    print_rows,
    print_text,
)
from metaeval.cli.terminal import for_people, shown_progress

_SEVERITIES = {"^error(?=: )": "red", "^warning(?=: )": "yellow"}
_NEW_DIRECTORY = "a directory that does not exist yet, or is empty"


def add(verbs: Any) -> None:
    """Add the verbs to those there are."""
    group = verbs.add_parser(
        "corpus",
        help="list, show, check, fetch, convert or simulate corpora",
        description="Tells which corpora there are, what is in one and whether it is in order, and makes new ones.",
    )
    group.set_defaults(group_parser=group)
    inner = group.add_subparsers(title="verbs", metavar="VERB")

    verb = inner.add_parser(
        "list",
        help="the corpora known by name",
        description="Lists the corpora known by name: those that ship, that can be simulated, and that can be fetched.",
        examples=["metaeval corpus list"],
    )
    add_format(verb)
    verb.set_defaults(verb_function=_corpus_list)

    verb = inner.add_parser(
        "show",
        help="what a corpus holds",
        description="Tells what a corpus holds.",
        examples=["metaeval corpus show demo"],
    )
    _add_sources(verb)
    add_format(verb)
    verb.set_defaults(verb_function=_corpus_show)

    verb = inner.add_parser(
        "check",
        help="all that is wrong or remarkable in the files of a corpus",
        description="Tells all that is wrong or remarkable in the files of a corpus. The exit code is 3 if there are "
        "errors.",
        examples=["metaeval corpus check demo"],
    )
    _add_sources(verb)
    add_format(verb)
    verb.set_defaults(verb_function=_corpus_check)

    verb = inner.add_parser(
        "fetch",
        help="download a public corpus",
        description="Downloads a public corpus, checks every byte, and converts it; it is then known by its name.",
        examples=["metaeval corpus fetch summeval"],
    )
    name = verb.add_argument("name", metavar="NAME", help="`metaeval corpus list` names those known")
    completed_by(name, completers.public)
    origin = verb.add_argument(
        "--from",
        dest="origin",
        metavar="DIR|URL",
        help="where a copy of the files is, on disk or on the web (default: their owners' site)",
    )
    completed_by(origin, completers.directories)
    add_quiet(verb)
    verb.set_defaults(verb_function=_corpus_fetch)

    verb = inner.add_parser(
        "convert",
        help="bring files of any known format into the neutral layout",
        description="Brings files of any known format into the neutral layout, and reports all that is remarkable.",
        examples=[
            "metaeval corpus convert texts.sgm my-corpus --source-format sgml",
        ],
    )
    sources = verb.add_argument(
        "sources", metavar="SOURCE", nargs="+", help="files, directories or archives of one corpus"
    )
    completed_by(sources, completers.paths)
    directory = verb.add_argument("directory", metavar="DIR", help=_NEW_DIRECTORY)
    completed_by(directory, completers.directories)
    add_source_format(verb)
    verb.set_defaults(verb_function=_corpus_convert)

    verb = inner.add_parser(
        "formats",
        help="the formats that can be read, or one of them with its parameters",
        description="Lists the formats that can be read, or tells what the parameters of one of them mean.",
        examples=["metaeval corpus formats", "metaeval corpus formats table"],
    )
    name = verb.add_argument("name", metavar="NAME", nargs="?", help="a format (default: all are listed)")
    completed_by(name, completers.source_formats)
    add_format(verb)
    verb.set_defaults(verb_function=_corpus_formats)

    verb = inner.add_parser(
        "simulate",
        help="make a simulated corpus with a known truth",
        description="Makes a simulated corpus with a known truth, shaped like one of the papers'.",
        examples=["metaeval corpus simulate btec my-simulation --segments 100 --seed 7"],
    )
    preset = verb.add_argument(
        "preset", metavar="PRESET", help="mtc-arabic, mtc-chinese, mtc-arabic-2003, nist2003-chinese or btec"
    )
    completed_by(preset, completers.presets)
    directory = verb.add_argument("directory", metavar="DIR", help=_NEW_DIRECTORY)
    completed_by(directory, completers.directories)
    for what in ("systems", "segments", "references", "judges"):
        verb.add_argument(f"--{what}", type=positive, metavar="N", help=f"how many {what} (default: the preset's)")
    verb.add_argument(
        "--closeness",
        type=number,
        metavar="X",
        help="how near the systems lie to one another (default: the preset's)",
    )
    add_seed(verb, "the same seed gives the same bytes")
    add_quiet(verb)
    verb.set_defaults(verb_function=_corpus_simulate)


def _add_sources(verb: argparse.ArgumentParser) -> None:
    corpus = verb.add_argument(
        "corpus", metavar="NAME|SOURCE", nargs="+", help="a corpus by name, or its files in any known format"
    )
    completed_by(corpus, completers.corpora, completers.paths)
    add_source_format(verb)


def _corpus_list(options: argparse.Namespace) -> int:
    from metaeval.api import list_corpora

    print_rows(list_corpora(), options.format)
    return 0


def _corpus_formats(options: argparse.Namespace) -> int:
    from metaeval.api import describe_format, list_formats

    if options.name is None:
        print_rows(list_formats(), options.format)
    else:
        print_facts(*describe_format(options.name), "parameters", options.format)
    return 0


def _corpus_show(options: argparse.Namespace) -> int:
    from metaeval.api import describe_corpus, load_corpus

    corpus = load_corpus(options.corpus, options.source_formats)
    print_facts(*describe_corpus(corpus), "criteria", options.format)
    return 0


def _corpus_check(options: argparse.Namespace) -> int:
    from metaeval.api import check_corpus

    _, problems = check_corpus(options.corpus, options.source_formats)
    if options.format != "table":
        rows = [{"severity": item.severity, "place": item.place, "message": item.message} for item in problems.found]
        print_rows(rows, options.format)
    else:
        for item in problems.found:
            print_text(f"{item.severity}: {item}", words=_SEVERITIES)
        print(f"{' '.join(options.corpus)}: {problems.summary()}")
    return 3 if problems.errors else 0


def _corpus_convert(options: argparse.Namespace) -> int:
    from metaeval.api import convert_corpus

    corpus, problems = convert_corpus(options.sources, options.directory, options.source_formats)
    for item in problems.found:
        print(for_people(f"{item.severity}: {item}", _SEVERITIES, sys.stderr), file=sys.stderr)
    print(
        f"{options.directory}: {len(corpus.systems)} systems, {corpus.n_segments} segments, "
        f"{len(corpus.references)} references, {len(corpus.judgments)} judgments on {len(corpus.criteria)} criteria"
    )
    return 0


def _corpus_fetch(options: argparse.Namespace) -> int:
    from metaeval.api import fetch_corpus

    with shown_progress(quiet=options.quiet) as progress:
        directory = fetch_corpus(options.name, options.origin, progress=progress)
    print(f"{options.name}: {directory}")
    return 0


def _corpus_simulate(options: argparse.Namespace) -> int:
    from metaeval.api import simulate_corpus

    with shown_progress(quiet=options.quiet) as progress:
        lengths = simulate_corpus(
            options.preset,
            options.directory,
            seed=options.seed,
            systems=options.systems,
            segments=options.segments,
            references=options.references,
            judges=options.judges,
            closeness=options.closeness,
            progress=progress,
        )
    print_rows([{"words": name, **one._asdict()} for name, one in lengths.items()], "table")
    print(f"\nSimulated corpus: {options.directory}")
    return 0
