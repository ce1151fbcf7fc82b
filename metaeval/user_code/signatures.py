"""The meaning of the parameters and attributes of a user's function, and the kind of metric that an object is."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from metaeval.user_code.adapters import needs_adapter
from metaeval.user_code.returned import UnusableError

# Names of the parameters of a function of one segment, and of a function of all segments at once.
SINGULAR_NAMES = {
    "candidate": ("candidate", "hyp", "hypothesis", "mt", "translation", "output"),
    "references": ("references", "refs", "reference", "ref"),
    "source": ("source", "src"),
}
PLURAL_NAMES = {
    "candidate": ("candidates", "hyps", "hypotheses", "mts", "translations", "outputs"),
    "references": ("references", "refs"),
    "source": ("sources", "srcs"),
}
KNOWN_NAMES = "; ".join(
    f"{text}: {', '.join(SINGULAR_NAMES[text])}; of all segments {', '.join(PLURAL_NAMES[text])}"
    for text in SINGULAR_NAMES
)
# A parameter of these names gets one reference, not the list of all.
SINGLE = ("reference", "ref")
# Values of the attributes of a function.
ATTRIBUTES = {"references": ("mean", "max", "min"), "level": ("segment", "corpus"), "batch": ("system", "all")}


@dataclass(frozen=True, kw_only=True)
class FunctionSignature:
    """The declaration of a function by its parameters and attributes.

    Attributes
    ----------
    is_batch : bool
        Whether it is called with all segments of a system at once.
    texts : mapping of str to str
        Its parameters that stand for texts, by ``candidate``, ``references`` and ``source``.
    positional : tuple of str
        Those of its parameters that cannot be given by name.
    single : bool
        Whether it takes one reference for each segment.
    combined : {"mean", "max", "min"}
        How the scores of single references are combined.
    mean_is_assumed : bool
        Whether the function does not say how.
    whole : bool
        Whether it returns one number for a whole system.
    together : bool
        Whether it gets all systems in one call.
    parallel : bool
        Whether it may run in several processes at once.
    source : {"", "wanted", "needed"}
        Whether it takes sources, and cannot do without.
    parameters : mapping of str to str
        Its other parameters with their defaults, as text.
    required : tuple of str
        Those of them that have no default.
    higher_is_better : bool or None
        None if it does not say.
    title : str
        "" if it has none.
    sources : tuple of str
        What to cite.
    doc : str
        Its docstring.
    """

    is_batch: bool
    texts: Mapping[str, str]
    positional: tuple[str, ...]
    single: bool
    combined: str
    mean_is_assumed: bool
    whole: bool
    together: bool
    parallel: bool
    source: str
    parameters: Mapping[str, str]
    required: tuple[str, ...]
    higher_is_better: bool | None
    title: str
    sources: tuple[str, ...]
    doc: str

    @classmethod
    def from_function(cls, function: Any) -> FunctionSignature:
        """Return the signature of a function that is a metric.

        Raises
        ------
        UnusableError
            If its parameters or attributes contradict each other, or one is wrong.
        """
        is_batch = kind_of(function) == "batch"
        parameters = inspect.signature(function).parameters
        texts = texts_of(parameters, PLURAL_NAMES if is_batch else SINGULAR_NAMES)
        settings = {}
        for name, parameter in parameters.items():
            if name in texts.values() or parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                raise UnusableError(f"it must name its parameters; it has *{name}")
            settings[name] = parameter
        source = ""
        if "source" in texts:
            is_needed = parameters[texts["source"]].default is inspect.Parameter.empty
            source = "needed" if is_needed else "wanted"
        level = _attribute(function, "level")
        batch = _attribute(function, "batch")
        combined = _attribute(function, "references")
        if (level == "corpus") + (batch == "all") > is_batch:
            raise UnusableError(
                'its attributes `level = "corpus"` (one number for a system) and `batch = "all"` (all systems in one '
                "call) exclude each other, and are for a function of all segments at once: def metric(candidates, "
                "references)"
            )
        single = texts.get("references") in SINGLE or (is_batch and combined is not None)
        if combined is not None and not (single and "references" in texts):
            raise UnusableError(
                f"its attribute `references` = {combined!r} combines the scores of single references, so it must get "
                f"one: call the parameter `reference` instead of {texts.get('references', 'leaving it out')!r}"
            )
        higher = getattr(function, "higher_is_better", None)
        if higher not in (None, True, False):
            raise UnusableError(f"its attribute `higher_is_better` must be True or False; got {higher!r}")
        required = tuple(name for name, parameter in settings.items() if parameter.default is parameter.empty)
        return cls(
            is_batch=is_batch,
            texts=texts,
            positional=tuple(
                name for name, parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_ONLY
            ),
            single=single,
            combined=combined or "mean",
            mean_is_assumed=single and combined is None,
            whole=level == "corpus",
            together=batch == "all",
            parallel=getattr(function, "parallel", None) is True,
            source=source,
            parameters={
                name: "" if name in required else _shown(parameter.default) for name, parameter in settings.items()
            },
            required=required,
            higher_is_better=None if higher is None else bool(higher),
            title=" ".join(str(getattr(function, "title", None) or "").split()),
            sources=_sources_of(function),
            doc=inspect.getdoc(function) or "",
        )


def find_object(module: ModuleType, name: str) -> Any:
    """Return the object of a dotted name in a module.

    Raises
    ------
    AttributeError
        If there is none.
    """
    item: Any = module
    for part in name.split("."):
        item = getattr(item, part)
    return item


def metrics_in(module: ModuleType) -> list[str]:
    """Return the names of all that could be a metric: what the module itself defines."""
    names = []
    for name, item in vars(module).items():
        if name.startswith("_") or inspect.ismodule(item):
            continue
        is_own = getattr(item, "__module__", None) == module.__name__
        with contextlib.suppress(UnusableError):
            if (needs_adapter(item) or kind_of(item)) and (
                is_own or not (inspect.isclass(item) or inspect.isroutine(item))
            ):
                names.append(name)
    return names


def kind_of(item: Any, name: str = "") -> str:
    """Return the kind of an object: ``segment``, ``batch``, ``token``, ``text`` or ``sacrebleu``.

    Parameters
    ----------
    item : object
    name : str
        What a user typed for it, such as ``my_metric.py:name``; "" for an object of Python.

    Raises
    ------
    UnusableError
        If it is no metric.
    """
    sacrebleu = sys.modules.get("sacrebleu.metrics.base")
    if sacrebleu is not None and isinstance(item, sacrebleu.Metric):
        return "sacrebleu"
    if hasattr(item, "statistics") and hasattr(item, "score"):
        return "token"
    if hasattr(item, "measure") and hasattr(item, "score"):
        return "text"
    if inspect.isclass(item) or not callable(item):
        raise UnusableError(_why_no_metric(item, name))
    parameters = inspect.signature(item).parameters
    if inspect.isfunction(item) and next(iter(parameters), "") == "self" and "." in item.__qualname__:
        cls, method = item.__qualname__.split(".")[-2:]
        if cls.isidentifier():  # else it is a function inside another one
            line = _line_for_object(cls, _arguments_of(item.__globals__.get(cls)), name, f".{method}")
            raise UnusableError(f"it is a method of the class {cls!r}: {line}")
    if "candidate" in texts_of(parameters, PLURAL_NAMES):
        return "batch"
    if "candidate" in texts_of(parameters, SINGULAR_NAMES):
        return "segment"
    raise UnusableError(
        "it must be a function with the parameters candidate, references and, if it needs it, source; or candidates, "
        f"references and sources for all segments of a system at once; it has ({', '.join(parameters)}). Write "
        f"`def {getattr(item, '__name__', 'metric')}(candidate, references):`, or other names ({KNOWN_NAMES})"
    )


def _why_no_metric(item: Any, name: str) -> str:
    """Explain that a class, or an object that cannot be called, is no metric, and what to write instead."""
    is_class = inspect.isclass(item)
    cls = item if is_class else type(item)
    problem = f"it is {'the class' if is_class else 'an object of the class'} {cls.__name__!r}, which is not a metric"
    method = _scoring_method(cls)
    if method and is_class:
        can = "an object of it is one" if method == "__call__" else f"the method `{method}` of an object of it is one"
        behind = "" if method == "__call__" else f".{method}"
        return f"{problem}, but {can}: {_line_for_object(cls.__name__, _arguments_of(cls), name, behind)}"
    if method:
        return f"{problem}, but its method `{method}` is one: {f'name {name}.{method}' if name else 'give that'}"
    return (
        f"{problem}: write a function around it, such as `def mine(hyps, refs): return [...]`, or name one of its "
        "methods that is one; or give it the methods of metaeval.metrics.contract.Metric or "
        "metaeval.metrics.text_metric.TextMetric"
    )


def _arguments_of(cls: Any) -> str:
    """Return the arguments with which an object of a class is made: "" for none, else ``...``, also if unknown."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return "..."
    needed = [one for one in parameters if one.default is one.empty]
    return "..." if any(one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in needed) else ""


def _line_for_object(cls: str, arguments: str, name: str, behind: str) -> str:
    """Return the line to write below a class, so that an object of it can be named, and what to name then."""
    made = f"my_{cls}" if cls == cls.lower() else cls.lower()
    file = name.rpartition(":")[0]
    if not file:
        return f"give that of an object, {cls}({arguments}){behind}"
    return f"write `{made} = {cls}({arguments})` in {file}, and name {file}:{made}{behind}"


def _scoring_method(cls: type) -> str:
    """Return the method of a class that takes texts as a metric does, ``__call__`` before others; "" if none does."""
    methods = inspect.getmembers(cls, inspect.isfunction)
    for method, function in sorted(methods, key=lambda pair: pair[0] != "__call__"):
        if method.startswith("_") and method != "__call__":
            continue
        parameters = inspect.signature(function).parameters
        with contextlib.suppress(UnusableError):
            if any("candidate" in texts_of(parameters, names) for names in (PLURAL_NAMES, SINGULAR_NAMES)):
                return method
    return ""


def texts_of(parameters: Mapping[str, inspect.Parameter], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Find the parameters that stand for texts: their names by those of the texts.

    Raises
    ------
    UnusableError
        If two stand for the same text.
    """
    parameter_of = {}
    for text, accepted in names.items():
        # The first name always does, and then no other. Another with a default is a setting; but sources may be absent.
        free = (inspect.Parameter.empty, *([None] if text == "source" else []))
        first, *others = accepted
        if first in parameters:
            matching = [first]
        else:
            present = [name for name in others if name in parameters]
            matching = [name for name in present if any(parameters[name].default is default for default in free)]
        if len(matching) > 1:
            raise UnusableError(
                f"its parameters {matching[0]} and {matching[1]} both stand for the {text}; keep one of them"
            )
        if matching:
            parameter_of[text] = matching[0]
    return parameter_of


def _sources_of(function: Any) -> tuple[str, ...]:
    """Return what a function says is to be cited; nothing where its attribute holds no values, such as None."""
    cited = getattr(function, "sources", ())
    if isinstance(cited, str):
        return (cited,)
    if not isinstance(cited, Iterable):
        return ()
    texts = map(str, cited)
    # The order of a set is another one in each process.
    return tuple(sorted(texts) if isinstance(cited, Set) else texts)


def _attribute(function: Any, name: str) -> str | None:
    """Return an attribute of a function; None if it has none, or one that is not text and so means something else."""
    value = getattr(function, name, None)
    if not isinstance(value, str):
        return None
    if value not in ATTRIBUTES[name]:
        allowed = ", ".join(map(repr, ATTRIBUTES[name]))
        raise UnusableError(f"its attribute `{name}` must be one of {allowed}; got {value!r}")
    return value


def _shown(value: Any) -> str:
    """Return a default as text that is the same in every process."""
    try:
        if ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    return str(getattr(value, "__name__", type(value).__name__))
