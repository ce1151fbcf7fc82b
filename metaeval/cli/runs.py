"""The verbs of finished runs, ``report``, ``figures``, ``diff`` and ``export``, and ``cite``: printing only."""

from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Methods, command
from metaeval.cli.console import width
from metaeval.cli.shared import print_answer, print_methods, print_text


@command(name="report", calls="report_run", summary="the HTML report of a run", examples=["metaeval report runs/mine"])
def report(call: Call, *, methods: Methods = False) -> None:
    """Write report.html into the directory of a run.

    It has the run's numbers, tests and texts as one page that needs no network. A run writes it too; this makes it
    again from the tables.
    """
    path = call()
    print(path)
    if methods:
        from metaeval.api.runs import load_run

        print_methods(load_run(path.parent))


@command(
    name="figures",
    calls="draw_run",
    summary="redraw the figures of a run: sizes, labels, kinds",
    examples=[
        "metaeval figures runs/mine intervals --width acl",
        "metaeval figures runs/mine heat-table --label bleu=BLEU-4 --format pdf",
    ],
)
def figures(call: Call) -> None:
    """Redraw the figures of a finished run, in another size, with other labels, or of other kinds.

    The figures are drawn from the tables of the run; nothing is computed again. The keys are those of [[figures]] in a
    config.
    """
    for path in call():
        print(path)


@command(
    name="diff",
    calls="diff_runs",
    summary="which conclusions and numbers differ between two runs",
    examples=["metaeval diff runs/before runs/after", "metaeval diff runs/before runs/after --across preprocessing"],
)
def diff(
    call: Call, *, verbose: Annotated[bool, Argument(doc="show all rows of all tables")] = False, form: Form = "table"
) -> None:
    """Compare two runs.

    Changes of conclusions come first: the order of metrics, which one is best, stars, and verdicts of claims. Then
    follow how much each number moved and whether it left its old interval, tests whose significance changed, and the
    inputs and keys of signatures that differ. The exit code is 0 whether the runs differ or not.
    """
    if form == "table":
        print_answer(call().text(form, width(), verbose=verbose))
    else:
        print_text(call().text(form), form)


@command(
    name="export",
    calls="export_run",
    summary="write the data behind the figures of a run as a tidy table",
    examples=["metaeval export runs/mine --metric bleu --length 10 --output bleu10.tsv"],
)
def export(call: Call) -> None:
    """Write the data behind the figures of a run as a tidy table."""
    call()


@command(
    name="cite",
    calls="cite",
    summary="how to cite metaeval and what was used with it",
    examples=["metaeval cite bleu turian2003-chinese runs/mine --format bibtex"],
)
def cite(call: Call) -> None:
    """Print how to cite metaeval, and the sources of whatever is named."""
    print(call())
