"""Objects of this process as metrics: functions, objects that follow a contract of ours, and those of other packages.

An object of sacreBLEU counts and scores itself; one that has COMET's `predict` or the `compute` of Hugging Face's
evaluate is called as a function of all segments.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import itertools
import sys
import sysconfig
import time
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from metaeval.errors import UsageError
from metaeval.metrics import AnyMetric
from metaeval.metrics.naming import Target
from metaeval.parameters.named_objects import Held
from metaeval.runtime.files import file_digest
from metaeval.user_code.adapters import as_function, needs_adapter
from metaeval.user_code.function_metric import FunctionMetric
from metaeval.user_code.guards import Guard
from metaeval.user_code.metric_from_name import guarded
from metaeval.user_code.returned import UnusableError
from metaeval.user_code.signatures import FunctionSignature, kind_of

PLACE_WORDS = "this process"
# What Python adds to a class.
_ATTRIBUTES_OF_PYTHON = ("__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__")
_PACKAGE_FOLDERS = (*map(sysconfig.get_path, ("stdlib", "purelib", "platlib")), str(Path(__file__).parents[1]))


def held_metric(item: Any, name: str = "") -> Held:
    """Return an object that scores texts as the name of a metric.

    Parameters
    ----------
    item : object
        A function, or another object that scores.
    name : str
        What to call it; by default its own name, or that of its class.

    Raises
    ------
    UsageError
        If it is no metric.
    MetricError
        If its code fails.
    """
    name = name or name_of(item)
    metric = _metric_of(item, name)
    return Held(name, hashlib.sha256(str(metric.signature).encode()).hexdigest(), metric)


def name_of(item: Any) -> str:
    """Return the name of a function or an object: its own, or that of its class."""
    if isinstance(item, functools.partial):
        return name_of(item.func)
    for key in ("__name__", "name"):
        name = getattr(item, key, None)
        if isinstance(name, str):
            return name.strip("<>") or type(item).__name__
    return type(item).__name__


def _metric_of(item: Any, name: str) -> AnyMetric:
    subject = f"metric {name!r}"
    if isinstance(item, type):
        raise UsageError(
            f"{subject}: it is a class, which does not score; give an object of it: {getattr(item, '__name__', '')}()."
        )
    function = as_function(item, Guard(subject)) if needs_adapter(item) else item
    target = Target(PLACE_WORDS, "", "", name)
    try:
        kind = kind_of(function)
        declared = FunctionSignature.from_function(function) if kind in ("segment", "batch") else None
    except UnusableError as error:
        raise UsageError(f"{subject}: {error}.") from error
    except (TypeError, ValueError) as error:  # a compiled function without a signature
        raise UsageError(f"{subject}: {error}; write a function around it: def mine(candidate, references).") from error
    # The signature of sacreBLEU says all that there is to say of its objects.
    digest = "" if kind == "sacrebleu" else digest_of(item)
    origin = (("code", digest[:8]),) if digest else ()
    if declared is None:
        return guarded(item, kind, name, Guard(subject), target, origin)
    return FunctionMetric(
        name=name,
        arguments=(),
        digest=digest,
        origin=origin,
        function=function,
        declared=declared,
        guard=Guard(subject),
        target=target,
    )


def digest_of(item: Any) -> str:
    """Return a digest of an object: of its code, and of all values that this uses, to the last closure.

    What cannot be taken apart is another object each time, so that two numbers never seem to have one origin.
    """
    digest = _Digest()
    try:
        digest.add(item)
    except RecursionError:
        digest.put(id(item), time.time_ns())
    return digest.total.hexdigest()


# Functions that return the parts of objects of Python itself, by type.
_PARTS_BY_TYPE: tuple[tuple[Any, Callable[[Any], list[Any]]], ...] = (
    ((list, tuple), list),
    (Mapping, lambda value: list(itertools.chain.from_iterable(value.items()))),
    ((set, frozenset), lambda value: sorted(map(repr, value))),
    (
        types.CodeType,
        lambda value: [value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_consts],
    ),
    (types.MethodType, lambda value: [value.__func__, value.__self__]),
    (functools.partial, lambda value: [value.func, value.args, value.keywords]),
    ((staticmethod, classmethod), lambda value: [value.__func__]),
    (property, lambda value: [value.fget]),
)


class _Digest:
    """A digest in the making."""

    def __init__(self) -> None:
        self.total = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # with the objects, so that no other gets their numbers

    def put(self, *texts: object) -> None:
        for text in texts:
            content = repr(text).encode("utf-8", "backslashreplace")
            self.total.update(b"%d:" % len(content) + content)

    def add(self, value: Any) -> None:
        """Add a value."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return self.put(type(value).__name__, value)
        if id(value) in self.seen:
            return self.put("again", self.seen[id(value)][0])
        self.seen[id(value)] = len(self.seen), value
        parts: list[Any] | None = next(
            (parts_of(value) for kind, parts_of in _PARTS_BY_TYPE if isinstance(value, kind)), None
        )
        if isinstance(value, types.ModuleType | type | types.FunctionType):
            parts = [_installed(value), getattr(value, "__qualname__", value.__name__)]
            if isinstance(value, types.FunctionType) and not parts[0]:
                parts = [value.__code__, value.__defaults__, value.__kwdefaults__, vars(value), *_used(value)]
            elif isinstance(value, type) and not parts[0]:
                members = [member for key, member in sorted(vars(value).items()) if key not in _ATTRIBUTES_OF_PYTHON]
                parts = [value.__qualname__, *value.__bases__, *members]
        elif parts is None and not _installed(type(value)) and hasattr(value, "__dict__"):
            parts = [type(value), vars(value)]
        self.put(type(value).__name__, _state(value) if parts is None else len(parts))
        for part in parts or ():
            self.add(part)
        return None


def _used(function: types.FunctionType) -> list[Any]:
    """Return the values that a function uses from around it: of its closure, and of its module."""
    cells = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # it has no value yet
            cells.append(cell.cell_contents)
    codes = [function.__code__]
    names = dict[str, None]()
    for code in codes:
        names |= dict.fromkeys(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return cells + [function.__globals__[name] for name in names if name in function.__globals__]


def _installed(value: Any) -> str:
    """Return the package that something is from, with its version; "" of a user's own class or function."""
    name = str(value.__name__ if isinstance(value, types.ModuleType) else value.__module__)
    module = sys.modules.get(name)
    top = name.partition(".")[0]
    file = str(getattr(module, "__file__", None) or "")
    if module is None or name == "__main__" or (file and not file.startswith(_PACKAGE_FOLDERS)):
        # Of a module, which has no code of its own, its file is.
        is_module = isinstance(value, types.ModuleType) and file
        return file_digest(Path(file)) if is_module else ""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return f"{top} {importlib.metadata.version(top)}"
    return top


def _state(value: Any) -> str:
    """Return a digest of the state of an object of others' code."""
    import joblib

    try:
        return str(joblib.hash(value))
    except Exception:  # it cannot be taken apart
        return f"{type(value).__qualname__} {id(value)} {time.time_ns()}"
