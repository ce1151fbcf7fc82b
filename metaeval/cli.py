"""The command line: the public verbs, parsing and printing only.

Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data.
Nothing heavy is imported before it is needed, so that help is there at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from metaeval.cli_agreement import add_agreement
from metaeval.errors import MetaevalError
from metaeval.version import VERSION

_FIRST_STEPS = """\
first steps:
  metaeval run turian2003-chinese           re-run an experiment on the corpus that ships; figures in runs/
  metaeval corpus check DIR                 is my corpus in order?
  metaeval metrics list                     which metrics are there?
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if none are given.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "verb_function"):
        (getattr(options, "group_parser", None) or parser).print_help()
        return 0
    try:
        code: int = options.verb_function(options)
        sys.stdout.flush()
    except MetaevalError as error:
        print(f"metaeval: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        return 0
    except (OSError, MemoryError) as error:
        print(f"metaeval: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("metaeval: interrupted", file=sys.stderr)
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metaeval",
        description="Measures how good evaluation metrics are: how well they agree with people.",
        epilog=_FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"metaeval {VERSION}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    _add_run(verbs)
    _add_score(verbs)
    add_agreement(verbs, _add_format)
    _add_corpus(verbs)
    _add_metrics(verbs)
    _add_cite(verbs)
    return parser


def _add_run(verbs: Any) -> None:
    verb = verbs.add_parser("run", help="run an experiment", description="Run an experiment.", allow_abbrev=False)
    verb.add_argument("config", help="a config that ships, such as turian2003-chinese, or a TOML file")
    verb.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="NAME|DIR",
        help="use this corpus instead of the config's; may be repeated",
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="another value for a key of the config, in TOML: documents.count=200, 'criteria=[\"Fluency\"]'",
    )
    verb.add_argument("--jobs", type=_positive, default=1, metavar="N", help="how many measure at once (1)")
    verb.add_argument("--output", metavar="DIR", help="the directory of the run (runs/NAME of the config)")
    verb.add_argument("--quiet", action="store_true", help="no progress on stderr")
    verb.set_defaults(verb_function=_run)


def _add_score(verbs: Any) -> None:
    verb = verbs.add_parser(
        "score",
        help="score text files",
        description="Score text files with one segment a line.",
        epilog='example:\n  metaeval score -m bleu "gtm(exponent=2)" -c system.txt -r ref1.txt ref2.txt',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = verb.add_argument
    many: dict[str, Any] = {"nargs": "+", "action": "extend", "required": True}
    add("-m", "--metric", metavar="METRIC", help='such as bleu or "gtm(exponent=2)"; `metaeval metrics list`', **many)
    add("-c", "--candidate", metavar="FILE", help="texts to score", **many)
    add(
        "-r",
        "--reference",
        metavar="FILE|DIR",
        help="references, an empty line being an empty one; of a directory all .txt files",
        **many,
    )
    add("--tokenize", default="none", metavar="NAME", help="none (white space), 13a, intl, rouge-1.5.5, ... (none)")
    add("--lowercase", action="store_true", help="lower-case everything")
    add("--stem", choices=("porter",), help="lower-case and stem")
    add("--level", choices=("segment", "corpus"), default="corpus", help="one score a segment or a file (corpus)")
    add("--statistics", action="store_true", help="also what the scores are computed from, a table for each metric")
    add("--signature", action="store_true", help="also what determined each score")
    _add_format(verb)
    verb.set_defaults(verb_function=_score)


def _add_corpus(verbs: Any) -> None:
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
        _add_format(verb)
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
        verb.add_argument(f"--{name}", type=_positive, metavar="N", help=f"another number of {name}")
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


def _add_metrics(verbs: Any) -> None:
    group = verbs.add_parser("metrics", help="list or show the metrics", description="Metrics.", allow_abbrev=False)
    group.set_defaults(group_parser=group)
    inner = group.add_subparsers(title="verbs", metavar="VERB")
    listed = inner.add_parser("list", help="all metrics", description="All metrics.", allow_abbrev=False)
    _add_format(listed)
    listed.set_defaults(verb_function=_metrics_list)
    shown = inner.add_parser(
        "show", help="a metric and its parameters", description="A metric and its parameters.", allow_abbrev=False
    )
    shown.add_argument("metric", help="such as bleu")
    _add_format(shown)
    shown.set_defaults(verb_function=_metrics_show)


def _add_cite(verbs: Any) -> None:
    verb = verbs.add_parser(
        "cite",
        help="how to cite metaeval and what was used with it",
        description="Prints how to cite metaeval, and the sources of whatever is named.",
        epilog="example:\n  metaeval cite bleu 'stem(tokenizer=\"13a\")' turian2003-chinese runs/mine --format bibtex",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_argument(
        "names", nargs="*", metavar="NAME|PATH", help="metrics, conditions, tokenizers, corpora, configs, runs"
    )
    verb.add_argument("--format", choices=("text", "bibtex"), default="text", help="of the output (text)")
    verb.set_defaults(verb_function=_cite)


def _add_format(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--format", choices=("table", "tsv", "json"), default="table", help="of the output (table)")


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on; got {text!r}")
    return number


def _run(options: argparse.Namespace) -> int:
    from metaeval.api import run
    from metaeval.report.summary import summary_tables, summary_text

    def progress(line: str) -> None:
        if not options.quiet:
            print(f"metaeval: {line}", file=sys.stderr)

    result = run(
        options.config,
        corpora=options.corpus,
        overrides=options.set,
        output=options.output,
        jobs=options.jobs,
        progress=progress,
    )
    for message in result.messages:
        print(f"metaeval: note: {message}", file=sys.stderr)
    times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in result.seconds.items())
    progress(f"done     {sum(result.seconds.values()):.2f} s ({times})")
    print(summary_text(summary_tables(result.correlations, result.rankings)))
    print(f"\nTables and figures: {result.directory}")
    return 0


def _score(options: argparse.Namespace) -> int:
    from metaeval.api import score_files

    results = score_files(
        options.metric,
        options.candidate,
        options.reference,
        tokenizer=options.tokenize,
        lowercase=options.lowercase,
        stem=options.stem is not None,
        level=options.level,
        progress=lambda message: print(f"metaeval: note: {message}", file=sys.stderr),
    )
    blocks = [list(result.rows(statistics=options.statistics, signature=options.signature)) for result in results]
    if options.format == "json" or not options.statistics:
        # Only the statistics of metrics differ in their columns.
        blocks = [[row for rows in blocks for row in rows]]
    for number, rows in enumerate(blocks):
        if number:
            print()
        _print_rows(rows, options.format)
    for result in results:
        for sentence in result.unfinished:
            print(f"metaeval: note: {result.metric}: {sentence}", file=sys.stderr)
    return 0


def _print_rows(rows: Sequence[dict[str, Any]], kind: str) -> None:
    from metaeval.report.tables import formatted

    print(formatted(rows, kind))


def _corpus_list(options: argparse.Namespace) -> int:
    from metaeval.api import list_corpora

    _print_rows(list_corpora(), options.format)
    return 0


def _corpus_formats(options: argparse.Namespace) -> int:
    from metaeval.api import describe_format, list_formats

    if options.name is None:
        _print_rows(list_formats(), options.format)
    else:
        _print_facts(*describe_format(options.name), "parameters", options.format)
    return 0


def _corpus_show(options: argparse.Namespace) -> int:
    from metaeval.api import describe_corpus, load_corpus

    corpus = load_corpus(options.corpus, options.source_formats)
    _print_facts(*describe_corpus(corpus), "criteria", options.format)
    return 0


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

    directory = fetch_corpus(
        options.name, options.origin, progress=lambda line: print(f"metaeval: {line}", file=sys.stderr)
    )
    print(f"{options.name}: {directory}")
    return 0


def _print_facts(facts: dict[str, str], rows: Sequence[dict[str, Any]], title: str, kind: str) -> None:
    """Print what there is to know of a thing: facts, then a table."""
    if kind == "json":
        import json

        print(json.dumps({**facts, title: list(rows)}, indent=1, ensure_ascii=False))
        return
    for name, value in facts.items():
        print(f"{name}\t{value}" if kind == "tsv" else _hanging(f"{name + ':':<16} ", value))
    print("" if kind == "tsv" else f"\n{title}")
    _print_rows(rows, kind)


def _hanging(name: str, value: str) -> str:
    """Return a fact in lines of readable length, all but the first indented."""
    import textwrap

    lines = textwrap.wrap(value, 120 - len(name), break_long_words=False, break_on_hyphens=False)
    return name + ("\n" + " " * len(name)).join(lines)


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
        progress=lambda line: print(f"metaeval: {line}", file=sys.stderr),
    )
    rows = [
        {"words": name, "mean": mean, "sd": sd, "shortest": shortest, "longest": longest}
        for name, (mean, sd, shortest, longest) in {**wanted, **lengths}.items()
    ]
    _print_rows(rows, "table")
    print(f"\nSimulated corpus: {options.directory}")
    return 0


def _corpus_check(options: argparse.Namespace) -> int:
    from metaeval.api import check_corpus

    _, problems = check_corpus(options.corpus, options.source_formats)
    if options.format != "table":
        rows = [{"severity": item.severity, "place": item.place, "message": item.message} for item in problems.found]
        _print_rows(rows, options.format)
    else:
        for item in problems.found:
            print(f"{item.severity}: {item}")
        print(f"{' '.join(options.corpus)}: {problems.summary()}")
    return 3 if problems.errors else 0


def _metrics_list(options: argparse.Namespace) -> int:
    from metaeval.api import list_metrics

    _print_rows(list_metrics(), options.format)
    return 0


def _metrics_show(options: argparse.Namespace) -> int:
    from metaeval.api import describe_metric

    _print_facts(*describe_metric(options.metric), "parameters", options.format)
    return 0


def _cite(options: argparse.Namespace) -> int:
    from metaeval.api import cite

    print(cite(options.names, form=options.format))
    return 0
