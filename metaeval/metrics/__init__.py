"""SCORE: segments become additive statistics, and pooled statistics become scores.

One file a metric. `metaeval.components.registries.METRICS` is the registry: a new metric is one file, one line there,
and its gold in the tests. `METRICS_WITH_INPUT` are the ways to bring a metric or its scores; `metaeval.metrics.naming`
has the names of files and packages.
"""

from __future__ import annotations

from typing import TypeAlias

from metaeval.components.registries import METRICS, METRICS_WITH_INPUT
from metaeval.components.registry import load
from metaeval.errors import UsageError, unknown
from metaeval.metrics.contract import Metric
from metaeval.metrics.naming import Target, file_target, installed, installed_target, is_file, short_call
from metaeval.metrics.sacrebleu_signatures import is_signature, read_signature
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.arguments import held
from metaeval.parameters.calls import parse_call
from metaeval.parameters.fields import Description, build, describe

AnyMetric: TypeAlias = Metric | TextMetric

# What makes a metric of a user's code; named here and imported for those who bring some.
PLUGIN_LOADER = "metaeval.user_code.metric_from_name:get_plugin"

# Parts of names of metrics that need a model.
_NEURAL = ("comet", "kiwi", "bleurt", "bertscore", "metricx", "gemba", "unite", "prism", "yisi", "bartscore", "laser")

# The classes that come with metaeval, whatever is registered later.
_BUILT_IN = frozenset(METRICS.places)


def is_built_in(metric: AnyMetric) -> bool:
    """Return whether a metric comes with metaeval, so that every process has its code."""
    return f"{type(metric).__module__}:{type(metric).__qualname__}" in _BUILT_IN


def get_metric_class(name: str) -> type[AnyMetric]:
    """Return the class of a built-in metric.

    Raises
    ------
    UsageError
        If there is no metric of that name.
    """
    if name in METRICS:
        return METRICS[name]
    if name in METRICS_WITH_INPUT:
        return METRICS_WITH_INPUT[name]
    known = (*METRICS, *METRICS_WITH_INPUT, *installed())
    if any(part in name.lower() for part in _NEURAL):
        raise UsageError(
            f"unknown metric {name!r}: neural metrics do not come with metaeval. Write a function around the model and "
            "name it my_metric.py:name, or name a file of its scores scores:FILE (docs/neural-metrics.md)."
        )
    raise UsageError(
        f"{unknown('metric', name, known)} A metric of your own is named my_metric.py:name, a file "
        "of scores scores:FILE."
    )


def is_metric(text: str) -> bool:
    """Return whether a text begins as the name of a metric does; nothing is loaded."""
    head = text.partition("(")[0].strip()
    known = head in METRICS or head in METRICS_WITH_INPUT or head in installed()
    return known or is_file(text) or is_signature(text) or text.lstrip().startswith(("scores:", "precomputed:"))


def get_metric(text: str) -> AnyMetric:
    """Return the metric of a name such as ``bleu``, ``bleu(order=2)`` or ``my_metric.py:name``, or of a signature.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown, or a value is not allowed.
    MetricError
        If the code of a plug-in cannot be loaded.
    """
    target: Target | None
    if (given := held(text, "metrics")) is not None:
        held_metric: AnyMetric = given
        return held_metric
    if is_file(text):
        target, call = file_target(text)
    elif stated := read_signature(text):
        metric: AnyMetric = build(METRICS[stated.call.name], stated.call.arguments, subject=f"metric {stated.text!r}")
        object.__setattr__(metric, "stated", stated)
        return metric
    elif text.strip().casefold() == "chrf++":
        raise UsageError(f"unknown metric {text!r}: chrF++ is chrf(word_order=2).")
    else:
        call = short_call(text) or parse_call(text)
        target = None if call.name in METRICS or call.name in METRICS_WITH_INPUT else installed_target(call.name)
    if target is None:
        return build(get_metric_class(call.name), call.arguments, subject=f"metric {call.name!r}")
    plugin: AnyMetric = load(PLUGIN_LOADER)(text, target, call)
    return plugin


def parameters_of(metric: AnyMetric) -> tuple[Description, ...]:
    """Return the parameters of a metric, built in or a user's own."""
    parameters: tuple[Description, ...] | None = getattr(metric, "parameters", None)
    return describe(type(metric)) if parameters is None else parameters


def docstring_of(metric: AnyMetric) -> str:
    """Return the description of a metric by its author."""
    docstring: str | None = getattr(metric, "docstring", None)
    return (type(metric).__doc__ or "").strip() if docstring is None else docstring
