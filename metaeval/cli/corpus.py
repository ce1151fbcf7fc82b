"""The verbs of ``corpus``: printing only."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Group, command
from metaeval.cli.console import for_people
from metaeval.cli.shared import print_facts, print_rows, print_text
from metaeval.errors import counted

_SEVERITIES = {"^error(?=: )": "red", "^warning(?=: )": "yellow"}


@command(name="list", calls="list_corpora", summary="the corpora known by name", examples=["metaeval corpus list"])
def _list(call: Call, *, form: Form = "table") -> None:
    """List the corpora known by name: those that ship, that can be simulated, and that can be fetched."""
    print_rows(call(), form, ("systems", "segments", "references", "judges", "criteria", "on_disk", "license"))


@command(name="show", calls="load_corpus", summary="what a corpus holds", examples=["metaeval corpus show demo"])
def _show(call: Call, *, form: Form = "table") -> None:
    """Show what a corpus holds."""
    from metaeval.api.corpora import describe_corpus

    facts, criteria = describe_corpus(call())
    rows: list[Mapping[str, Any]] = [*criteria]
    if form == "table":
        rows = [
            {"judgments per item" if key == "judgments_an_item" else key: value for key, value in row.items()}
            for row in criteria
        ]
    print_facts(facts, rows, "criteria", form)


@command(
    name="check",
    calls="check_corpus",
    summary="list errors and peculiarities in the files of a corpus",
    examples=["metaeval corpus check demo"],
)
def _check(call: Call, *, sources: Sequence[str], form: Form = "table") -> int:
    """List errors and peculiarities in the files of a corpus; the exit code is 3 if there are errors."""
    _, problems = call()
    if form != "table":
        rows = [
            {"severity": item.severity, "place": item.location, "message": item.message} for item in problems.entries
        ]
        print_rows(rows, form)
    else:
        for item in problems.entries:
            print_text(f"{item.severity}: {item}", words=_SEVERITIES)
        print(f"{' '.join(sources)}: {problems.summary()}")
    return 3 if problems.errors else 0


@command(
    name="fetch", calls="fetch_corpus", summary="download a public corpus", examples=["metaeval corpus fetch summeval"]
)
def _fetch(call: Call, *, name: str) -> None:
    """Download a public corpus and check every byte; it is then known by its name."""
    directory = call()
    from metaeval.corpora.download.public import public_corpora

    corpus = public_corpora()[name]
    print(f"{name}: {directory}\nlicense: {corpus.license}\ncitation: {corpus.citation}")


@command(
    name="convert",
    calls="convert_corpus",
    summary="bring files of any known format into the neutral layout",
    examples=["metaeval corpus convert texts.sgm my-corpus --source-format sgml"],
)
def _convert(call: Call, *, directory: str) -> None:
    """Bring files of any known format into the neutral layout, and report all that is remarkable."""
    from metaeval.corpora.write_native import has_line_feeds

    corpus, problems = call()
    for item in problems.entries:
        print(for_people(f"{item.severity}: {item}", _SEVERITIES, sys.stderr), file=sys.stderr)
    if has_line_feeds(corpus):
        print("The texts are in texts.jsonl, because some have several lines.", file=sys.stderr)
    print(
        f"{directory}: {len(corpus.systems)} systems, {corpus.n_segments} segments, "
        f"{counted(len(corpus.references), 'reference')}, {counted(len(corpus.judgments), 'judgment')} on "
        f"{counted(len(corpus.criteria), 'criterion', 'criteria')}"
    )


@command(
    name="formats",
    calls="",
    summary="the formats that can be read, or one of them with its parameters",
    examples=["metaeval corpus formats", "metaeval corpus formats table"],
)
def _formats(
    call: Call, name: Annotated[str, Argument("NAME", complete="formats")] = "", *, form: Form = "table"
) -> None:
    """List the formats that can be read, or show what the parameters of one of them mean.

    Parameters
    ----------
    name
        A format to show; all are listed unless given.
    """
    from metaeval.api.corpora import describe_format, list_formats

    if name:
        facts, parameters = describe_format(name)
        print_facts(facts, parameters, "parameters", form)
    else:
        print_rows(list_formats(), form)


@command(
    name="simulate",
    calls="simulate_corpus",
    summary="make a simulated corpus with a known truth",
    examples=["metaeval corpus simulate btec my-simulation --segments 100 --seed 7"],
)
def _simulate(call: Call, *, directory: str) -> None:
    """Make a simulated corpus with a known truth, shaped like one of the papers'."""
    lengths = call()
    print_rows([{"words": name, **summary._asdict()} for name, summary in lengths.items()], "table")
    print(f"\nSimulated corpus: {directory}")


GROUP = Group(
    "corpus",
    "list, show, check, fetch, convert or simulate corpora",
    "Lists corpora, shows and checks their content, and makes new ones.",
    (_list, _show, _check, _fetch, _convert, _formats, _simulate),
)
