"""MEASURE: segments become additive statistics, and pooled statistics become scores.

One file a metric. `metaeval.kinds.METRICS` is the registry: a new metric is one file, one line there, and its gold in
the tests. `OUTSIDE` are the ways to bring a metric or its scores; `metaeval.metrics.plugin_names` has the names of
files and packages.
"""

from __future__ import annotations

from typing import TypeAlias

from metaeval.errors import UsageError, unknown
from metaeval.kinds import METRICS, OUTSIDE
from metaeval.metrics.contract import Metric
from metaeval.metrics.plugin_names import (
    Target,
    file_target,
    installed_metrics,
    installed_target,
    is_file,
    short_call,
)
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Call, parse_call
from metaeval.parameters import Description, build, describe

AnyMetric: TypeAlias = Metric | TextMetric


# The classes that come with metaeval, whatever is registered later.
_BUILT_IN = frozenset(METRICS.places)


def is_built_in(metric: AnyMetric) -> bool:
    """Return whether a metric comes with metaeval, so that every process has its code."""
    return f"{type(metric).__module__}:{type(metric).__qualname__}" in _BUILT_IN


def get_metric_class(name: str) -> type[AnyMetric]:
    """Return the class of a metric of ours.

    Raises
    ------
    UsageError
        If there is no metric of that name.
    """
    if name in METRICS:
        return METRICS[name]
    if name in OUTSIDE:
        return OUTSIDE[name]
    known = (*METRICS, *OUTSIDE, *installed_metrics())
    raise UsageError(
        f"{unknown('metric', name, known, limit=len(known))} A metric of your own is named my_metric.py:name, a file "
        "of scores scores:FILE."
    )


def is_metric(text: str) -> bool:
    """Return whether a text begins as the name of a metric does; nothing is loaded."""
    head = text.partition("(")[0].strip()
    known = head in METRICS or head in OUTSIDE or head in installed_metrics()
    return known or is_file(text) or text.lstrip().startswith(("scores:", "precomputed:"))


def get_metric(text: str) -> AnyMetric:
    """Return the metric of a name such as ``bleu``, ``bleu(order=2)`` or ``my_metric.py:name``.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown, or a value is not allowed.
    MetricError
        If the code of a plug-in cannot be loaded.
    """
    if is_file(text):
        return _plugin(text, *file_target(text))
    call = short_call(text) or parse_call(text)
    if call.name not in METRICS and call.name not in OUTSIDE:
        target = installed_target(call.name)
        if target is not None:
            return _plugin(text, target, call)
    return build(get_metric_class(call.name), call.arguments, subject=f"metric {call.name!r}")


def parameters_of(metric: AnyMetric) -> tuple[Description, ...]:
    """Return the parameters of a metric, also of one that somebody has brought."""
    own: tuple[Description, ...] | None = getattr(metric, "parameters", None)
    return describe(type(metric)) if own is None else own


def told_of(metric: AnyMetric) -> str:
    """Return what the author of a metric says that it is."""
    own: str | None = getattr(metric, "told", None)
    return (type(metric).__doc__ or "").strip() if own is None else own


def _plugin(text: str, target: Target, call: Call) -> AnyMetric:
    # What plug-ins need is imported for those who have some.
    from metaeval.plugins.guards import load_guarded
    from metaeval.plugins.loading import PluginFunction, load

    subject = f"metric {text.strip()!r}"
    loaded = load(target, subject)
    if loaded.facts["kind"] in ("segment", "batch"):
        return PluginFunction.of(loaded, call, subject)
    return load_guarded(loaded, call, text)
