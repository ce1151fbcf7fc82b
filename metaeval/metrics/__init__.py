"""MEASURE: segments become additive statistics, and pooled statistics become scores.

One file a metric. `METRICS` is the registry: a new metric is one file, one line here, and its gold in the tests.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping

from metaeval.errors import UsageError, unknown
from metaeval.metrics.contract import Metric
from metaeval.names import parse_call
from metaeval.parameters import build


class Registry(MutableMapping[str, type[Metric]]):
    """Metric classes by name. A class is imported when it is first asked for: scoring with one needs no other."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._found: dict[str, type[Metric] | str] = dict(places)

    def __getitem__(self, name: str) -> type[Metric]:
        found = self._found[name]
        if isinstance(found, str):
            module, _, cls = found.partition(":")
            found = self._found[name] = getattr(importlib.import_module(module), cls)
        return found

    def __setitem__(self, name: str, metric: type[Metric]) -> None:
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
        "gtm": "metaeval.metrics.gtm:Gtm",
        "nist": "metaeval.metrics.nist:Nist",
        "per": "metaeval.metrics.per:Per",
        "rouge-l": "metaeval.metrics.rouge_l:RougeL",
        "rouge-s": "metaeval.metrics.rouge_s:RougeS",
        "rouge-w": "metaeval.metrics.rouge_w:RougeW",
        "ter": "metaeval.metrics.ter:Ter",
        "wer": "metaeval.metrics.wer:Wer",
    }
)


def get_metric_class(name: str) -> type[Metric]:
    """Return the class of a metric.

    Raises
    ------
    UsageError
        If there is no metric of that name.
    """
    if name not in METRICS:
        raise UsageError(unknown("metric", name, METRICS))
    return METRICS[name]


def get_metric(text: str) -> Metric:
    """Return the metric of a name such as ``bleu`` or ``bleu(order=2)``.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown, or a value is not allowed.
    """
    call = parse_call(text)
    return build(get_metric_class(call.name), call.arguments, subject=f"metric {call.name!r}")
