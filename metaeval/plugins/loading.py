"""From the name of a user's own metric to the metric; `metaeval.metrics.get_metric` calls this.

Functions run in a process of their own (`metaeval.plugins.functions`); objects that follow one of our contracts run
here, behind guards (`metaeval.plugins.guards`).
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from typing import Any, cast

from metaeval.errors import listing
from metaeval.metrics import AnyMetric
from metaeval.metrics.plugin_names import Target
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from metaeval.names import Call, Signature
from metaeval.parameters import build
from metaeval.plugins.functions import PluginFunction
from metaeval.plugins.guards import Guard, GuardedTexts, GuardedTokens
from metaeval.plugins.loaded import Loaded, load
from metaeval.plugins.sentences import refuse
from metaeval.plugins.worker import find_object, load_module
from metaeval.resources import written_of

_COMMON = ("name", "title", "higher_is_better", "statistic_names", "signature", "score")
_NEEDED = {"token": (*_COMMON, "prepare", "statistics"), "text": (*_COMMON, "uses_references", "measure")}


def get_plugin(text: str, target: Target, call: Call) -> AnyMetric:
    """Return the metric of a function or an object of a user, with its parameters.

    Raises
    ------
    UsageError
        If there is no such object, it is no metric or lacks a part of its contract, or a parameter is wrong.
    MetricError
        If its code cannot be loaded.
    """
    subject = f"metric {written_of(text).strip()!r}"
    loaded = load(target, subject)
    if loaded.facts["kind"] in ("segment", "batch"):
        return PluginFunction.of(loaded, call, subject)
    return _guarded(loaded, call, text, subject)


def _guarded(loaded: Loaded, call: Call, text: str, subject: str) -> AnyMetric:
    target, kind = loaded.target, loaded.facts["kind"]
    guard = Guard(subject)
    with guard.watching("loading it"):
        item = load_here(target)
    if isinstance(item, type):
        declared = _declares_parameters(item, call, subject)
        with guard.watching("making it"):
            item = build(item, call.arguments, subject=subject) if declared else item()
    else:
        refuse(call.arguments, "is_instance", subject=subject, name=target.name)
    return guarded(item, kind, text, guard, target, loaded.origin, loaded.packages)


def guarded(
    item: Any,
    kind: str,
    text: str,
    guard: Guard,
    target: Target,
    origin: tuple[tuple[str, str], ...],
    packages: Sequence[str] = (),
) -> AnyMetric:
    """Return the metric of an object that follows one of our contracts, or of one of sacreBLEU.

    Parameters
    ----------
    item : object
    kind : {"token", "text", "sacrebleu"}
        What it follows.
    text : str
        Its name.
    guard : Guard
    target : Target
        Where it is from.
    origin : tuple of (str, str)
        What its signature says of that.
    packages : sequence of str
        What its code uses, with versions.

    Raises
    ------
    UsageError
        If it lacks a part of the contract.
    MetricError
        If its code fails.
    """
    subject = guard.subject
    if kind == "sacrebleu":
        with guard.watching("asking what it counts"):
            item = EngineMetric.of(target.name, item)
    else:
        with guard.watching("asking what it is"):
            lacking = [name for name in _NEEDED[kind] if not hasattr(item, name)]
        refuse(lacking, "metric_lacks", subject=subject, names=listing(lacking))
    refuse(not isinstance(item.higher_is_better, bool), "metric_direction", subject=subject, item=item)
    with guard.watching("asking for its signature"):
        signature = item.signature
    refuse(not isinstance(signature, Signature), "metric_signature", subject=subject, given=signature)
    cls = GuardedTokens if kind == "token" else GuardedTexts
    return cast("AnyMetric", cls(text, signature.with_pairs(origin), item, guard, target, packages))


def load_here(target: Target) -> Any:
    """Return the object of a file or a package, loaded in this process."""
    before = list(sys.path)
    if target.file:
        sys.path.insert(0, os.path.dirname(target.file))
    try:
        return find_object(load_module(target.file or None, target.module), target.name)
    finally:
        sys.path[:] = before


def _declares_parameters(cls: type, call: Call, subject: str) -> bool:
    """Return whether a class is a dataclass, whose parameters must be declared as ours are."""
    if not dataclasses.is_dataclass(cls):
        refuse(call.arguments, "is_no_dataclass", subject=subject, cls=cls)
        return False
    plain = [item.name for item in dataclasses.fields(cls) if item.init and "doc" not in item.metadata]
    refuse(plain, "field_undeclared", subject=subject, names=listing(plain), cls=cls)
    return True
