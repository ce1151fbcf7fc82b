"""Users' functions as coefficients: ``my.py:ccc``, or a function that is given in Python.

A function takes the scores of a metric and those of people, two arrays of one axis, and returns a number from -1 to 1,
or ``nan`` where it is undefined. It runs in this process, once for each vector, of replicates too: some thousand times.
"""

from __future__ import annotations

import functools
import math
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray
from metaeval.errors import MetricError, UsageError
from metaeval.metrics.naming import file_target, is_file
from metaeval.parameters.named_objects import HELD, Held, written_of
from metaeval.runtime.files import file_digest
from metaeval.user_code.guards import Guard
from metaeval.user_code.importing import Surroundings, imported
from metaeval.user_code.metric_from_object import digest_of, name_of
from metaeval.user_code.signatures import find_object


@dataclass(frozen=True)
class OwnCoefficient(Coefficient, name="function"):
    """A user's function of the scores of a metric and of people.

    Attributes
    ----------
    written : str
        As tables have it: ``my.py:ccc``, or ``python:ccc`` for a function that was given in Python.
    path : str
        The same, with the absolute path of the file.
    given : callable, optional
        The function, where it was given in Python. Without one, and without its file, as in a run that was made
        elsewhere, a coefficient cannot be computed.
    """

    is_user_function: ClassVar[bool] = True
    # Which is not known of a function, and so not used.
    is_odd: ClassVar[bool] = False

    written: str
    path: str = field(default="", compare=False)
    given: Callable[..., Any] | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """The name of the function."""
        return self.written.removeprefix(HELD).rpartition(":")[2].partition("(")[0].partition("@")[0]

    @property
    def described(self) -> str:
        """The name of the function, and that it is the user's."""
        return f"{self.title}, a coefficient of our own"

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The function, and a digest of its code."""
        return (("function", self.written), ("code", self._digest[:8]))

    @property
    def changes_with_scale(self) -> bool:
        """The attribute of the function; true if it has none."""
        declared = getattr(self.function, "changes_with_scale", True)
        if not isinstance(declared, bool):
            raise UsageError(
                f"coefficient {self.written!r}: the attribute `changes_with_scale` of the function must be True or "
                f"False; got {declared!r}."
            )
        return declared

    @property
    def function(self) -> Callable[[FloatArray, FloatArray], Any]:
        """The function; from a file, it is loaded when it is first asked for.

        Raises
        ------
        UsageError
            If there is no such file or function, its code fails, or a parameter is wrong.
        """
        return self._loaded[0]

    @functools.cached_property
    def _loaded(self) -> tuple[Callable[[FloatArray, FloatArray], Any], Surroundings]:
        """The function, and what belongs to its file while it runs."""
        if self.given is not None:
            return self.given, Surroundings("")
        if not is_file(self.path):
            raise UsageError(
                f"coefficient {self.written!r} was a function of a Python session, which a run does not hold. Give it "
                f"again in Python: metaeval.compare(..., coefficient={self.title})."
            )
        target, call = file_target(self.path, "coefficient")
        try:
            module = imported(target, f"coefficient {self.written!r}")
        except MetricError as error:
            raise UsageError(str(error)) from error.__cause__
        try:
            function = find_object(module.module, target.name)
        except AttributeError:
            raise UsageError(
                f"coefficient {self.written!r}: there is no function {target.name!r} in {target.place}."
            ) from None
        if not callable(function) or isinstance(function, type):
            raise UsageError(
                f"coefficient {self.written!r} must be a function of two arrays, the scores of a metric and those of "
                f"people; it is of the type {type(function).__name__!r}."
            )
        return functools.partial(function, **call.arguments) if call.arguments else function, module.surroundings

    @functools.cached_property
    def _digest(self) -> str:
        if self.given is not None:
            return digest_of(self.given)
        return file_digest(Path(file_target(self.path, "coefficient")[0].file))

    def __reduce__(self) -> tuple[Any, ...]:
        # A function of a file is loaded again where it is needed: no other process has its module.
        return OwnCoefficient, (self.written, self.path, self.given)

    def check(self, design: Design) -> None:
        """Check that there is such a function."""
        self.function  # noqa: B018 - it is loaded

    def correlate(self, metric: FloatArray, human: FloatArray) -> FloatArray:
        """Call the function with each pair of vectors (..., n): (...); ``nan`` where n < 2.

        Raises
        ------
        UsageError
            If it fails, or returns something else than a number from -1 to 1 or ``nan``.
        """
        x, y = np.broadcast_arrays(metric, human)
        values = np.full(x.shape[:-1], np.nan)
        if x.shape[-1] > 1:
            # What it prints must not spoil ours, and it warns of replicates with equal scores thousands of times.
            guarded = Guard(f"coefficient {self.written!r}", self._loaded[1]).surrounded()
            with guarded, warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for index in np.ndindex(values.shape):
                    values[index] = self._value(x[index].copy(), y[index].copy())
        return values

    def _value(self, x: FloatArray, y: FloatArray) -> float:
        try:
            returned = self.function(x, y)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            if isinstance(error, TypeError) and error.__traceback__ is not None and not error.__traceback__.tb_next:
                raise UsageError(
                    f"coefficient {self.written!r} must be a function that can be called with two arrays, the scores "
                    f"of a metric and those of people: {error}."
                ) from error
            raise UsageError(
                f"coefficient {self.written!r} fails: {_failure(error)}, given {_shown(x)} and {_shown(y)}. Where it "
                "is undefined, return float('nan')."
            ) from error
        try:
            value = math.inf if isinstance(returned, str | bool) else float(returned)
        except (TypeError, ValueError):
            value = math.inf
        if not (math.isnan(value) or -1.0 - EQUAL <= value <= 1.0 + EQUAL):
            raise UsageError(
                f"coefficient {self.written!r} must return a number from -1 to 1, or float('nan') where it is "
                f"undefined; got {returned!r}, given {_shown(x)} and {_shown(y)}."
            )
        return value if math.isnan(value) else min(max(value, -1.0), 1.0)


def own_coefficient(text: str) -> OwnCoefficient | None:
    """Return the coefficient of a user's function by its name; None for a name of something else."""
    if isinstance(text, Held):
        return text.item if isinstance(text.item, OwnCoefficient) else None
    if text.startswith(HELD):
        return OwnCoefficient(text)
    return OwnCoefficient(written_of(text), str(text)) if is_file(text) else None


def check_name(name: object) -> str:
    """Return the name that a function is given, which must be a text of one line without a colon."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or ":" in name:
        raise UsageError(f"`coefficient`: a function is called by a text of one line without a colon; got {name!r}.")
    return name


def coefficient_names(given: object) -> list[str]:
    """Return coefficients as a config has them: names, beside which stand the functions that a caller gave.

    Parameters
    ----------
    given : object
        A name or a function, several of them, or a mapping from what they shall be called to functions.

    Raises
    ------
    UsageError
        If something is neither, or two functions have the same name.
    """
    from metaeval.parameters.arguments import names

    if callable(given):
        return [_held(given, name_of(given))]
    if isinstance(given, Mapping):
        return [_held(function, check_name(name)) for name, function in given.items()]
    if not isinstance(given, Iterable):
        raise UsageError(f"`coefficient` must be a name or a function, or a list of these; got {given!r}.")
    if isinstance(given, str):
        return names("coefficient", given)
    coefficients = [_held(item, name_of(item)) if callable(item) else item for item in given]
    written = Counter(item.written for item in coefficients if isinstance(item, Held))
    for name in [name for name, count in written.items() if count > 1]:
        title = name.removeprefix(HELD)
        raise UsageError(
            f"`coefficient`: two functions are called {title!r}; give each a name: "
            f'coefficient={{"{title}": ..., "{title}-2": ...}}.'
        )
    return names("coefficient", coefficients)


def _held(function: Any, name: str) -> Held:
    if isinstance(function, type) or not callable(function):
        raise UsageError(
            "`coefficient` must be a name, or a function of two arrays, the scores of a metric and those of people; "
            f"got {function!r}."
        )
    made = Held(name, digest_of(function), OwnCoefficient(f"{HELD}{name}", given=function))
    made.written = f"{HELD}{name}"
    return made


def _failure(error: BaseException) -> str:
    """Return an error and the line where it arose."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"


def _shown(scores: FloatArray) -> str:
    """Return the first scores of a vector."""
    first = ", ".join(f"{score:g}" for score in scores[:5])
    return f"[{first}{', ...' if len(scores) > 5 else ''}]"
