"""MEASURE: segments become additive statistics, and pooled statistics become scores.

One file a metric. `METRICS` is the registry: a new metric is one file, one line here, and its gold in the tests.
`OUTSIDE` are the ways to bring a metric or its scores; `metaeval.metrics.plugin_names` tells how files and packages are
named.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias

from metaeval.errors import UsageError, unknown
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
from metaeval.names import parse_call
from metaeval.parameters import Description, build, describe

AnyMetric: TypeAlias = Metric | TextMetric


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


class Registry(MutableMapping[str, type[AnyMetric]]):
    """Metric classes by name. A class is imported when it is first asked for: scoring with one needs no other."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = tuple(places.values())
        self._found: dict[str, type[AnyMetric] | str] = dict(places)

    def __getitem__(self, name: str) -> type[AnyMetric]:
        found = self._found[name]
        if isinstance(found, str):
            found = self._found[name] = _imported(found)
        return found

    def __setitem__(self, name: str, metric: type[AnyMetric]) -> None:
        self._found[name] = metric

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


METRICS = Registry(
    {
        "bleu": "metaeval.metrics.bleu:Bleu",
        "chrf": "metaeval.metrics.sacrebleu_metrics:Chrf",
        "gtm": "metaeval.metrics.gtm:Gtm",
        "nist": "metaeval.metrics.nist:Nist",
        "per": "metaeval.metrics.per:Per",
        "rouge-l": "metaeval.metrics.rouge_l:RougeL",
        "rouge-s": "metaeval.metrics.rouge_s:RougeS",
        "rouge-w": "metaeval.metrics.rouge_w:RougeW",
        "sacrebleu-bleu": "metaeval.metrics.sacrebleu_metrics:SacreBleu",
        "sacrebleu-ter": "metaeval.metrics.sacrebleu_metrics:SacreBleuTer",
        "ter": "metaeval.metrics.ter:Ter",
        "wer": "metaeval.metrics.wer:Wer",
    }
)
# These are metrics only with what they are told: a file, a name, a program.
OUTSIDE = Registry(
    {
        "precomputed": "metaeval.plugins.precomputed:CorpusScores",
        "program": "metaeval.plugins.program:Program",
        "scores": "metaeval.plugins.precomputed:FileScores",
    }
)


# What makes a metric of somebody else's code; named here and imported for those who bring some.
PLUGIN_LOADER = "metaeval.plugins.loading:get_plugin"

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
    target: Target | None
    if is_file(text):
        target, call = file_target(text)
    else:
        call = short_call(text) or parse_call(text)
        target = None if call.name in METRICS or call.name in OUTSIDE else installed_target(call.name)
    if target is None:
        return build(get_metric_class(call.name), call.arguments, subject=f"metric {call.name!r}")
    plugin: AnyMetric = _imported(PLUGIN_LOADER)(text, target, call)
    return plugin


def parameters_of(metric: AnyMetric) -> tuple[Description, ...]:
    """Return the parameters of a metric, also of one that somebody has brought."""
    own: tuple[Description, ...] | None = getattr(metric, "parameters", None)
    return describe(type(metric)) if own is None else own


def told_of(metric: AnyMetric) -> str:
    """Return what the author of a metric says that it is."""
    own: str | None = getattr(metric, "told", None)
    return (type(metric).__doc__ or "").strip() if own is None else own
