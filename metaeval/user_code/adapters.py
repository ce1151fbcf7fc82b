"""Objects of other packages as functions of all segments: COMET's `predict`, and the `compute` of Hugging Face."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metaeval.errors import MetricError, UsageError, listing
from metaeval.user_code.guards import Guard
from metaeval.user_code.running import reason

# Three texts show whether `compute` gives a number for each or for all, and which; no table of n-grams has three rows.
_PROBE = ("the cat sat on the mat", "it rains", "a dog ran away")
_KEYS = ("scores", "score")


def needs_adapter(item: Any) -> bool:
    """Return whether an object, or those of a class, score by `predict` or `compute`, and by nothing that we call."""
    has_contract = any(hasattr(item, one) for one in ("statistics", "measure", "corpus_score"))
    return not has_contract and any(callable(getattr(item, one, None)) for one in ("predict", "compute"))


def as_function(item: Any, guard: Guard) -> Callable[..., Any]:
    """Return the function of an object with `predict` or `compute`; it takes any settings, and has no use for them.

    Parameters
    ----------
    item : object
    guard : Guard
        Runs its code.

    Raises
    ------
    MetricError
        If its code fails.
    UsageError
        If nothing says which of several values are its scores.
    """
    return _of_predict(item) if callable(getattr(item, "predict", None)) else _of_compute(item, guard)


def _of_predict(item: Any) -> Callable[..., Any]:
    """Return the function of an object that takes dicts of ``src``, ``mt`` and ``ref``, as COMET's models do."""

    def predict(candidates: Sequence[str], references: Sequence[str], sources: Sequence[str], **_: Any) -> Any:
        return ask(sources, candidates, references)

    def predict_alone(candidates: Sequence[str], sources: Sequence[str], **_: Any) -> Any:
        return ask(sources, candidates)

    def ask(*columns: Sequence[str]) -> Any:
        rows = zip(*columns, strict=True)
        found = item.predict([dict(zip(("src", "mt", "ref"), row, strict=False)) for row in rows])
        if isinstance(found, Mapping) and "scores" in found:
            return found["scores"]
        return getattr(found, "scores", found[0] if isinstance(found, tuple) else found)

    needs = getattr(item, "requires_references", None)
    if callable(needs) and not needs():
        return _saying(item, predict_alone, batch="all")
    return _saying(item, predict, batch="all", references="mean")


def _of_compute(item: Any, guard: Guard) -> Callable[..., Any]:
    """Return the function of an object that takes ``predictions`` and ``references``, as Hugging Face's metrics do."""
    given = getattr(item, "features", None)
    features = [one for one in (given if isinstance(given, list | tuple) else [given]) if isinstance(one, Mapping)]
    of_references = [one.get("references") for one in features]
    takes_lists = any(isinstance(one, list) or hasattr(one, "feature") for one in of_references)
    takes_sources = any("sources" in one for one in features)

    def compute(
        candidates: Sequence[str], references: Sequence[Any], sources: Sequence[str] | None = None, **_: Any
    ) -> Any:
        more = {"sources": list(sources)} if takes_sources and sources is not None else {}
        found = item.compute(predictions=list(candidates), references=list(references), **more)
        return found if key is None else found[key]

    key: str | None = None
    texts = [[one] for one in _PROBE] if takes_lists else _PROBE
    try:
        with guard.surrounded():
            found = compute(_PROBE, texts, _PROBE)
    except Exception as error:
        raise MetricError(
            f"{guard.subject}: compute(predictions=..., references=...) of three short texts: {reason(error)}. "
            f"{_write_around('key')}"
        ) from error
    if isinstance(found, Mapping):
        key = _key_of(found, str(getattr(item, "name", "")), guard.subject)
        found = found[key]
    whole = {} if _is_list(found) else {"level": "corpus"}
    return _saying(item, compute, **whole, **({} if takes_lists else {"references": "mean"}))


def _is_list(found: Any) -> bool:
    return hasattr(found, "__len__") and len(found) == len(_PROBE)


def _key_of(found: Mapping[str, Any], name: str, subject: str) -> str:
    """Return which of the values are the scores: one a segment before one of all, and the only ones before others."""
    lists = [key for key, value in found.items() if _is_list(value) and not isinstance(value, str)]
    single = [key for key, value in found.items() if isinstance(value, numbers.Real)]
    for keys in (lists, single):
        chosen = [key for key in (*_KEYS, name) if key in keys] or (keys if len(keys) == 1 else [])
        if chosen:
            return chosen[0]
    raise UsageError(
        f"{subject}: compute gives {listing(found)}, and nothing says which are the scores. "
        f"{_write_around(next(iter(found), 'key'))}"
    )


def _write_around(key: str) -> str:
    return (
        "Write a function: def mine(candidates, reference): return it.compute(predictions=candidates, "
        f'references=reference)["{key}"].'
    )


def _saying(item: Any, function: Callable[..., Any], **attributes: str) -> Callable[..., Any]:
    """Return a function with what the object says of itself, and what is known of it."""
    own = {key: getattr(item, key) for key in ("higher_is_better", "title", "sources") if hasattr(item, key)}
    for key, value in {**own, **attributes}.items():
        setattr(function, key, value)
    return function
