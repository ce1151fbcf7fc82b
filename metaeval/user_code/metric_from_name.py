"""From the name of a user's own metric to the metric; `metaeval.metrics.get_metric` calls this."""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, cast

from metaeval.errors import MetaevalError, MetaevalWarning, MetricError, UsageError, listing
from metaeval.metrics import AnyMetric
from metaeval.metrics.naming import Target
from metaeval.metrics.sacrebleu_metrics import EngineMetric
from metaeval.parameters.calls import Call, Signature
from metaeval.parameters.fields import build
from metaeval.parameters.named_objects import written_of
from metaeval.user_code.adapters import as_function, needs_adapter
from metaeval.user_code.function_metric import FunctionMetric
from metaeval.user_code.guards import Guard, GuardedTexts, GuardedTokens
from metaeval.user_code.importing import Imported, imported, imported_before, origin
from metaeval.user_code.returned import UnusableError
from metaeval.user_code.signatures import FunctionSignature, find_object, kind_of, metrics_in

_COMMON_ATTRIBUTES = ("name", "title", "higher_is_better", "statistic_names", "signature", "score")
_REQUIRED_ATTRIBUTES = {
    "token": (*_COMMON_ATTRIBUTES, "prepare", "statistics"),
    "text": (*_COMMON_ATTRIBUTES, "uses_references", "measure"),
}
_TIMEOUT_VARIABLE = "METAEVAL_METRIC_TIMEOUT"


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
    if os.environ.get(_TIMEOUT_VARIABLE):
        _warn_of_timeout()
    module, item = load(target, subject, metrics_in)
    guard = guard_of(module, subject)
    if needs_adapter(item):
        return _adapted_metric(module, item, target, call.arguments, guard)
    try:
        with guard.running("loading it", (MetricError, UnusableError)):
            kind = kind_of(item, f"{target.place}:{target.name}")
            declared = FunctionSignature.from_function(item) if kind in ("segment", "batch") else None
    except UnusableError as error:
        raise UsageError(f"{subject}: {error}.") from None
    if declared is None:
        return _object_metric(module, item, kind, target, guard, call, text)
    return _function_metric(module, item, declared, target, call.arguments, guard)


def get_function(target: Target, arguments: Mapping[str, Any], subject: str, digest: str) -> FunctionMetric:
    """Return the metric of a function that another process has named: see `FunctionMetric`.

    Raises
    ------
    MetricError
        If its files have changed since.
    """
    imported_before(target, subject, digest)
    module, item = load(target, subject, metrics_in)
    if needs_adapter(item):
        return _adapted_metric(module, item, target, arguments, guard_of(module, subject))
    return _function_metric(
        module, item, FunctionSignature.from_function(item), target, arguments, guard_of(module, subject)
    )


# Functions of objects with `predict` or `compute`, by what determines them: to make a model again can take minutes.
_ADAPTED: dict[tuple[str, str, str], Any] = {}


def _adapted_metric(
    module: Imported, item: Any, target: Target, arguments: Mapping[str, Any], guard: Guard
) -> FunctionMetric:
    """Return the metric of an object with `predict` or `compute`, or of a class of such, which is made here."""
    key = (module.digest, target.place, f"{target.name}({sorted(arguments.items())})")
    if key not in _ADAPTED:
        if arguments and not isinstance(item, type):
            raise UsageError(
                f"{guard.subject}: {target.name} is an object, which takes no parameters; name its class for these."
            )
        with guard.running("making it"):
            made = item(**arguments) if isinstance(item, type) else item
        _ADAPTED[key] = as_function(made, guard)
    function = _ADAPTED[key]
    declared = replace(FunctionSignature.from_function(function), parameters=dict.fromkeys(arguments, ""))
    return _function_metric(module, function, declared, target, arguments, guard)


def _function_metric(
    module: Imported, item: Any, declared: FunctionSignature, target: Target, arguments: Mapping[str, Any], guard: Guard
) -> FunctionMetric:
    from metaeval.user_code.packages import packages_used  # only plug-ins have to wait for it

    return FunctionMetric(
        name=target.name,
        arguments=tuple(sorted(arguments.items())),
        digest=module.digest,
        origin=origin(target, module.digest),
        packages=packages_used(module.digests, target.module),
        function=item,
        declared=declared,
        guard=guard,
        target=target,
    )


def load(target: Target, subject: str, known_in: Callable[[ModuleType], Sequence[str]]) -> tuple[Imported, Any]:
    """Return the object of a file or of an installed package, and its module.

    Parameters
    ----------
    target : Target
        Where it is.
    subject : str
        What messages begin with.
    known_in : callable
        Finds the names of all objects of a module that could be meant.

    Raises
    ------
    UsageError
        If there is none of the name.
    MetricError
        If its code cannot be loaded.
    """
    module = imported(target, subject)
    if not target.name:
        names = known_in(module.module)
        raise UsageError(
            f"{subject}: name an object of the file, as in {target.place}:{(names or ['name'])[0]}; it has "
            f"{listing(names)}."
        )
    try:
        return module, find_object(module.module, target.name)
    except AttributeError:
        names = known_in(module.module)
        there = ", ".join(names) or f"nothing that could be a {target.use}"
        raise UsageError(f"{subject}: there is no {target.name!r} in it; there is {there}.") from None


def guard_of(module: Imported, subject: str) -> Guard:
    """Return the guard of an object of a module, which counts what the module has printed."""
    guard = Guard(subject, module.surroundings)
    guard.output.printed = module.output.printed
    guard.output.sample = module.output.sample
    return guard


@functools.cache
def _warn_of_timeout() -> None:
    warnings.warn(
        f"{_TIMEOUT_VARIABLE} is set and has no effect any more: functions run in metaeval's own process and have no "
        "limit of time. Ctrl-C ends one that hangs; unset the variable.",
        MetaevalWarning,
        stacklevel=2,
    )


def _object_metric(
    module: Imported, item: Any, kind: str, target: Target, guard: Guard, call: Call, text: str
) -> AnyMetric:
    if isinstance(item, type):
        declared = _declares_parameters(item, call, guard.subject)
        with guard.running("making it", (MetaevalError,)):
            item = build(item, call.arguments, subject=guard.subject) if declared else item()
    elif call.arguments:
        raise UsageError(f"{guard.subject}: {target.name} is already an instance, so it takes no parameters.")
    from metaeval.user_code.packages import packages_used

    packages = packages_used(module.digests, target.module)
    return guarded(item, kind, text, guard, target, origin(target, module.digest), packages)


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
        with guard.running("asking what it counts"):
            item = EngineMetric.from_engine(target.name, item)
    else:
        with guard.running("asking what it is"):
            lacking = [name for name in _REQUIRED_ATTRIBUTES[kind] if not hasattr(item, name)]
        if lacking:
            raise UsageError(f"{subject}: it lacks what a metric must have: {listing(lacking)}.")
    with guard.running("asking what it is"):
        higher = item.higher_is_better
    if not isinstance(higher, bool):
        raise UsageError(f"{subject}: `higher_is_better` must be True or False; got {higher!r}.")
    with guard.running("asking for its signature"):
        signature = item.signature
    if not isinstance(signature, Signature):
        raise UsageError(f"{subject}: `signature` must be a metaeval.parameters.calls.Signature; got {signature!r}.")
    cls = GuardedTokens if kind == "token" else GuardedTexts
    return cast("AnyMetric", cls(text, signature.with_pairs(origin), item, guard, target, packages))


def _declares_parameters(cls: type, call: Call, subject: str) -> bool:
    """Return whether a class is a dataclass, whose parameters must be declared as ours are."""
    if not dataclasses.is_dataclass(cls):
        if call.arguments:
            raise UsageError(f"{subject}: {cls.__name__} is not a dataclass, so it takes no parameters.")
        return False
    plain = [item.name for item in dataclasses.fields(cls) if item.init and "doc" not in item.metadata]
    if plain:
        raise UsageError(
            f"{subject}: the fields {listing(plain)} of {cls.__name__} must be declared as parameters, with "
            "metaeval.parameters.fields.parameter(default, doc=...)."
        )
    return True
