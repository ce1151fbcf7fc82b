"""The verbs that tell of metrics."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import parameters

if TYPE_CHECKING:
    from metaeval.experiments.check_metric import MetricReport


def list_metrics() -> list[dict[str, Any]]:
    """Return a row for each metric: name, title, direction, parameters, package.

    Of the metrics of installed packages nothing is loaded, so that title, direction and parameters are empty. The ways
    to bring scores (``scores``, ``given``, ``program``) take title and direction from what they are told.
    """
    from metaeval.metrics import METRICS, OUTSIDE
    from metaeval.metrics.plugin_names import installed_metrics
    from metaeval.version import VERSION

    own = f"metaeval {VERSION}"
    rows = [
        {
            "name": name,
            "title": str(metric.title),
            "better": "higher" if metric.higher_is_better else "lower",
            "parameters": ", ".join(item.name for item in parameters.describe(metric)),
            "package": own,
        }
        for name, metric in METRICS.items()
    ]
    rows += [
        {
            "name": name,
            "title": (metric.__doc__ or "").strip().partition(":")[0].rstrip("."),
            "better": "",
            "parameters": ", ".join(item.name for item in parameters.describe(metric)),
            "package": own,
        }
        for name, metric in OUTSIDE.items()
    ]
    empty = {"title": "", "better": "", "parameters": ""}
    rows += [{"name": name, **empty, "package": package} for name, package in installed_metrics().items()]
    return rows


def describe_metric(name: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return what there is to know of a metric, and a row for each parameter.

    Parameters
    ----------
    name : str
        With parameters or without: ``bleu``, ``bleu(order=2)``.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown.
    """
    from metaeval.bibliography import find_source
    from metaeval.metrics import OUTSIDE, get_metric, parameters_of, told_of

    if name in OUTSIDE:  # no metric yet, but something to tell
        told = {"metric": name, "is": inspect.cleandoc(OUTSIDE[name].__doc__ or "")}
        return told, _rows(parameters.describe(OUTSIDE[name]))
    metric = get_metric(name)
    facts = {
        "metric": metric.title,
        "is": inspect.cleandoc(told_of(metric)),
        "better": "higher" if metric.higher_is_better else "lower",
        "signature": str(metric.signature),
        "statistics": ", ".join(metric.statistic_names),
        "computed": metric.described,
        "source": "; ".join(str(find_source(key)).rstrip(".") for key in metric.sources),
    }
    return facts, _rows(parameters_of(metric))


def _rows(described: Sequence[parameters.Description]) -> list[dict[str, Any]]:
    return [
        {
            "parameter": item.name,
            "default": "" if item.default is dataclasses.MISSING else repr(item.default),
            "allowed": ", ".join(map(str, item.choices or ())),
            "meaning": item.doc,
        }
        for item in described
    ]


def check_metric(
    name: str,
    corpus: str | Path | None = None,
    *,
    condition: str = 'case(tokenizer="13a")',
    progress: Callable[[str], None] = lambda line: None,
) -> MetricReport:
    """Check whether a metric does what metaeval and its users rely on; for the author of a new one.

    It is tried on small texts with all that is rare and happens: empty ones, one token, other scripts, an absent
    reference. Each finding is ``ok``, something to ``note``, or ``fails``, with an example that shows it.

    Parameters
    ----------
    name : str
        With parameters or without: ``bleu``, ``my_metric.py:name``, ``program(command="...")``.
    corpus : str or Path, optional
        A corpus of which the first thirty segments of the first four systems are tried too.
    condition : str
        How texts are treated before they are scored, if the metric reads tokens.
    progress : callable, optional
        Told a line at the beginning of each check.

    Returns
    -------
    MetricReport
        Its findings, `failures`, `rows` and ``text()``.

    Raises
    ------
    UsageError
        If the metric is unknown, or stands for scores that were computed before.
    CorpusError
        If the files of the corpus are wrong.
    MetricError
        If the code of a plug-in cannot be loaded.

    Examples
    --------
    >>> check_metric("wer").failures
    ()
    """
    from metaeval.experiments.check_metric import check_named_metric

    if corpus is None:
        return check_named_metric(name, None, condition, progress)
    from metaeval.corpora.catalogue import load_corpus

    return check_named_metric(name, load_corpus(corpus), condition, progress)
