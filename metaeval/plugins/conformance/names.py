"""The names of a metric with other values of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import MISSING

from metaeval.errors import MetaevalError
from metaeval.metrics import AnyMetric, get_metric, parameters_of
from metaeval.metrics.plugin_names import file_target, is_file, short_call
from metaeval.names import Call, parse_call
from metaeval.parameters import Description
from metaeval.plugins.functions import Shown


def other_names(written: str, metric: AnyMetric) -> Iterator[tuple[str, str, AnyMetric]]:
    """Give a metric with one parameter changed, in turn: the parameter, the name, and the metric.

    Every choice of a parameter is tried; of a number or a truth value, one other value. Those that the metric does not
    allow, and texts without choices, are left out.
    """
    if is_file(written):
        target, call = file_target(written)
        head = f"{target.place}:{target.name}"
    else:
        call = short_call(written) or parse_call(written)
        head = call.name
    for item in parameters_of(metric):
        now = call.arguments.get(item.name, _default(item))
        for value in _others(item, now):
            name = str(Call(head, {**call.arguments, item.name: value}, ""))
            try:
                other = get_metric(name)
            except MetaevalError:
                continue
            yield item.name, name, other
            if not item.choices:
                break


def _default(item: Description) -> object:
    """Return the default of a parameter; of a function in another process, what that process has shown of it."""
    if not isinstance(item.default, Shown):
        return None if item.default is MISSING else item.default
    try:
        value: object = ast.literal_eval(str(item.default))
    except (ValueError, SyntaxError):
        return None
    return value


def _others(item: Description, now: object) -> list[object]:
    if item.choices:
        return [choice for choice in item.choices if choice != now]
    if isinstance(now, bool):
        return [not now]
    if isinstance(now, int):
        return [now + 1, now - 1]
    if isinstance(now, float):
        return [now * 2 + 1, now / 2]
    return []
