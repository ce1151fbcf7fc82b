"""From the name of a metric that somebody brings to the metric; `metaeval.metrics.get_metric` calls this."""

from __future__ import annotations

from metaeval.metrics import AnyMetric
from metaeval.metrics.plugin_names import Target
from metaeval.names import Call
from metaeval.plugins.functions import PluginFunction, load
from metaeval.plugins.guards import load_guarded


def get_plugin(text: str, target: Target, call: Call) -> AnyMetric:
    """Return the metric of a function or an object of somebody else, with the parameters of the user.

    Raises
    ------
    UsageError
        If there is no such object, it is no metric, or a parameter is wrong.
    MetricError
        If its code cannot be loaded.
    """
    subject = f"metric {text.strip()!r}"
    loaded = load(target, subject)
    if loaded.facts["kind"] in ("segment", "batch"):
        return PluginFunction.of(loaded, call, subject)
    return load_guarded(loaded, call, text)
