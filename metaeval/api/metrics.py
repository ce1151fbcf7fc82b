"""The verbs that tell of metrics."""

from __future__ import annotations

from typing import Any

from metaeval import parameters


def list_metrics() -> list[dict[str, Any]]:
    """Return a row for each metric: name, title, direction, parameters."""
    from metaeval.metrics import METRICS

    return [
        {
            "name": name,
            "title": metric.title,
            "better": "higher" if metric.higher_is_better else "lower",
            "parameters": ", ".join(item.name for item in parameters.describe(metric)),
        }
        for name, metric in METRICS.items()
    ]


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
    from metaeval.metrics import get_metric

    metric = get_metric(name)
    facts = {
        "metric": metric.title,
        "is": (type(metric).__doc__ or "").strip(),
        "better": "higher" if metric.higher_is_better else "lower",
        "signature": str(metric.signature),
        "statistics": ", ".join(metric.statistic_names),
        "computed": metric.described,
        "source": "; ".join(str(find_source(key)).rstrip(".") for key in metric.sources),
    }
    rows = [
        {
            "parameter": item.name,
            "default": repr(item.default),
            "allowed": ", ".join(map(str, item.choices or ())),
            "meaning": item.doc,
        }
        for item in parameters.describe(type(metric))
    ]
    return facts, rows
