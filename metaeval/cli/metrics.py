"""The verbs of ``metrics``: printing only."""

from collections.abc import Iterable
from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, Form, Group, command, printed_as
from metaeval.cli.shared import print_facts, print_rows, print_text

_OUTCOMES = {"^ok(?=  )": "green", "^note(?=  )": "yellow", "^fails(?=  )": "red"}


@command(name="list", calls="list_metrics", summary="all metrics", examples=["metaeval metrics list"])
def _list(call: Call, *, form: Form = "table") -> None:
    """List all metrics.

    Those are the metrics that come with metaeval, those of installed packages, and the ways to name others.
    """
    print_rows(call(), form)


@command(
    name="show",
    calls="describe_metric",
    summary="a metric and its parameters",
    examples=["metaeval metrics show gtm", 'metaeval metrics show "bleu(order=2)"'],
)
def _show(call: Call, *, form: Form = "table") -> None:
    """Show what a metric computes, with which parameters, and where it comes from."""
    facts, parameters = call()
    print_facts(facts, parameters, "parameters", form)


@command(
    name="check",
    calls="check_metric",
    summary="test a new metric on difficult texts",
    examples=["metaeval metrics check my_metric.py:score --corpus demo"],
)
def _check(
    call: Call,
    name: Annotated[Iterable[str], Argument("METRIC", complete="metrics own_metrics")],
    *,
    form: Annotated[str, printed_as("table", "tsv", "json", "md")] = "table",
) -> int:
    """Try metrics on difficult texts that occur in practice, and list what their authors must know or fix.

    Parameters
    ----------
    name
        Metrics with or without parameters, such as my_metric.py:score or bleu.
    """
    reports = [call(name=metric) for metric in name]
    if form == "table":
        print_text("\n\n".join(report.text() for report in reports), words=_OUTCOMES)
    else:
        print_rows([row for report in reports for row in report.rows], form)
    return 1 if any(report.failures for report in reports) else 0


GROUP = Group(
    "metrics",
    "list, show or check the metrics",
    "Lists the metrics, shows what they compute, and tests new ones on difficult texts.",
    (_list, _show, _check),
)
