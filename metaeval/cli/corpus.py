"""The verbs of ``corpus``: parsing and printing only."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from metaeval.cli.shared import add_format, positive, print_facts, print_rows, tell


def add(verbs: Any) -> None:
    """Add the verbs to those there are."""
    group = verbs.add_parser("corpus", help="show or check a corpus", description="Corpora.", allow_abbrev=False)
    group.set_defaults(group_parser=group)
    inner = group.add_subparsers(title="verbs", metavar="VERB")
    for name, function, text in (
        ("list", _corpus_list, "the corpora known by name"),
        ("formats", _corpus_formats, "the formats that can be read, or one of them with its parameters"),
        ("show", _corpus_show, "what a corpus holds"),
        ("check", _corpus_check, "all that is wrong or remarkable in the files of a corpus"),
    ):
        verb = inner.add_parser(name, help=text, description=text.capitalize() + ".", allow_abbrev=False)
        if name == "formats":
            verb.add_argument("name", metavar="NAME", nargs="?", help="tell of this format what its parameters mean")
        if name in ("show", "check"):
            verb.add_argument("corpus", metavar="NAME|SOURCE", nargs="+", help="a corpus, or files of any known format")
            _add_source_format(verb, "--source-format")
        add_format(verb)
        verb.set_defaults(verb_function=function)

    verb = inner.add_parser(
        "convert",
        help="bring files of any known format into the neutral layout",
        description="Bring files of any known format into the neutral layout, and report all that is remarkable.",
        epilog="example:\n  metaeval corpus convert texts.sgm assessments.csv my-corpus --format sgml "
        '--format \'table(columns=["document=docid","segment=segid"],criteria=["adequacy","fluency"])\'',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_argument("sources", metavar="SOURCE", nargs="+", help="files, directories or archives of one corpus")
    verb.add_argument("directory", metavar="DIR", help="a directory that does not exist yet, or is empty")
    _add_source_format(verb, "--format")
    verb.set_defaults(verb_function=_corpus_convert)

    verb = inner.add_parser(
        "fetch",
        help="download a public corpus",
        description="Download a public corpus, check it, and convert it.",
        allow_abbrev=False,
    )
    verb.add_argument("name", help="`metaeval corpus list` names them")
    verb.add_argument(
        "--from", dest="origin", metavar="DIR|URL", help="a copy of the owners' files, on disk or a mirror"
    )
    verb.set_defaults(verb_function=_corpus_fetch)

    verb = inner.add_parser(
        "simulate",
        help="make a simulated corpus with a known truth",
        description="Make a simulated corpus with a known truth, shaped like one of the papers'.",
        allow_abbrev=False,
    )
    verb.add_argument("preset", help="mtc-arabic, mtc-chinese, mtc-arabic-2003, nist2003-chinese or btec")
    verb.add_argument("directory", metavar="DIR", help="a directory that does not exist yet, or is empty")
    verb.add_argument("--seed", type=int, default=1, metavar="N", help="the same seed gives the same bytes (1)")
    for name in ("systems", "segments", "references", "judges"):
        verb.add_argument(f"--{name}", type=positive, metavar="N", help=f"another number of {name}")
    verb.add_argument("--closeness", type=float, metavar="X", help="how near the systems lie to one another")
    verb.set_defaults(verb_function=_corpus_simulate)


def _add_source_format(verb: argparse.ArgumentParser, option: str) -> None:
    verb.add_argument(
        option,
        dest="source_formats",
        action="append",
        default=[],
        metavar="FORMAT",
        help="of the source, with its parameters; recognised if not given; once for all sources or once for each "
        "(`metaeval corpus formats`)",
    )


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
            print(f"{item.severity}: {item}")
        print(f"{' '.join(options.corpus)}: {problems.summary()}")
    return 3 if problems.errors else 0


def _corpus_convert(options: argparse.Namespace) -> int:
    from metaeval.api import convert_corpus

    corpus, problems = convert_corpus(options.sources, options.directory, options.source_formats)
    for item in problems.found:
        print(f"{item.severity}: {item}", file=sys.stderr)
    print(
        f"{options.directory}: {len(corpus.systems)} systems, {corpus.n_segments} segments, "
        f"{len(corpus.references)} references, {len(corpus.judgments)} judgments on {len(corpus.criteria)} criteria"
    )
    return 0


def _corpus_fetch(options: argparse.Namespace) -> int:
    from metaeval.api import fetch_corpus

    directory = fetch_corpus(options.name, options.origin, progress=tell)
    print(f"{options.name}: {directory}")
    return 0


def _corpus_simulate(options: argparse.Namespace) -> int:
    from metaeval.api import preset_lengths, simulate_corpus

    wanted = {"references, wanted": preset_lengths(options.preset)}
    lengths = simulate_corpus(
        options.preset,
        options.directory,
        seed=options.seed,
        systems=options.systems,
        segments=options.segments,
        references=options.references,
        judges=options.judges,
        closeness=options.closeness,
        progress=tell,
    )
    rows = [
        {"words": name, "mean": mean, "sd": sd, "shortest": shortest, "longest": longest}
        for name, (mean, sd, shortest, longest) in {**wanted, **lengths}.items()
    ]
    print_rows(rows, "table")
    print(f"\nSimulated corpus: {options.directory}")
    return 0
