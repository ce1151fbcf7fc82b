"""MEASURE: segments become additive statistics, and pooled statistics become scores.

One file a metric. `METRICS` is the registry: a new metric is one file, one line here, and its gold in the tests.
"""

from __future__ import annotations

from metaeval.errors import UsageError, unknown
from metaeval.metrics.bleu import Bleu
from metaeval.metrics.contract import Metric
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.nist import Nist
from metaeval.metrics.per import Per
from metaeval.metrics.rouge_l import RougeL
from metaeval.metrics.rouge_s import RougeS
from metaeval.metrics.rouge_w import RougeW
from metaeval.metrics.ter import Ter
from metaeval.metrics.wer import Wer
from metaeval.names import parse_call
from metaeval.parameters import build

METRICS: dict[str, type[Metric]] = {
    "bleu": Bleu,
    "gtm": Gtm,
    "nist": Nist,
    "per": Per,
    "rouge-l": RougeL,
    "rouge-s": RougeS,
    "rouge-w": RougeW,
    "ter": Ter,
    "wer": Wer,
}


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
