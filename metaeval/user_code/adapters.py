"""Objects of other packages as functions of all segments: COMET's `predict`, and the `compute` of Hugging Face."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metaeval.errors import MetricError, UsageError, listing
from metaeval.user_code.guards import Guard
from metaeval.user_code.running import reason

# Three texts show whether `compute` gives a number for each or for all, and which; no table of n-grams has three rows.
_PROBE_TEXTS = ("the cat sat on the mat", "it rains", "a dog ran away")
_SCORE_KEYS = ("scores", "score")


def needs_adapter(item: Any) -> bool:
    """Return whether an object, or those of a class, score by `predict` or `compute`, and by nothing that we call."""
    has_contract = any(hasattr(item, method) for method in ("statistics", "measure", "corpus_score"))
    return not has_contract and any(callable(getattr(item, method, None)) for method in ("predict", "compute"))


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
    return _predict_function(item) if callable(getattr(item, "predict", None)) else _compute_function(item, guard)


def _predict_function(item: Any) -> Callable[..., Any]:
    """Return the function of an object that takes dicts of ``src``, ``mt`` and ``ref``, as COMET's models do."""

    def predict(candidates: Sequence[str], references: Sequence[str], sources: Sequence[str], **_: Any) -> Any:
        return ask(sources, candidates, references)

    def predict_alone(candidates: Sequence[str], sources: Sequence[str], **_: Any) -> Any:
        return ask(sources, candidates)

    def ask(*columns: Sequence[str]) -> Any:
        rows = zip(*columns, strict=True)
        prediction = item.predict([dict(zip(("src", "mt", "ref"), row, strict=False)) for row in rows])
        if isinstance(prediction, Mapping) and "scores" in prediction:
            return prediction["scores"]
        return getattr(prediction, "scores", prediction[0] if isinstance(prediction, tuple) else prediction)

    needs = getattr(item, "requires_references", None)
    if callable(needs) and not needs():
        return _with_attributes(item, predict_alone, batch="all")
    return _with_attributes(item, predict, batch="all", references="mean")


def _compute_function(item: Any, guard: Guard) -> Callable[..., Any]:
    """Return the function of an object that takes ``predictions`` and ``references``, as Hugging Face's metrics do."""
    declared = getattr(item, "features", None)
    variants = declared if isinstance(declared, list | tuple) else [declared]
    features = [variant for variant in variants if isinstance(variant, Mapping)]
    types = [variant.get("references") for variant in features]
    takes_lists = any(isinstance(type_, list) or hasattr(type_, "feature") for type_ in types)
    takes_sources = any("sources" in variant for variant in features)

    def compute(
        candidates: Sequence[str], references: Sequence[Any], sources: Sequence[str] | None = None, **_: Any
    ) -> Any:
        more = {"sources": list(sources)} if takes_sources and sources is not None else {}
        result = item.compute(predictions=list(candidates), references=list(references), **more)
        return result if key is None else result[key]

    key: str | None = None
    texts = [[text] for text in _PROBE_TEXTS] if takes_lists else _PROBE_TEXTS
    try:
        with guard.surrounded():
            result = compute(_PROBE_TEXTS, texts, _PROBE_TEXTS)
    except Exception as error:
        raise MetricError(
            f"{guard.subject}: compute(predictions=..., references=...) of three short texts: {reason(error)}. "
            f"{_advice('key')}"
        ) from error
    if isinstance(result, Mapping):
        key = _key_of(result, str(getattr(item, "name", "")), guard.subject)
        result = result[key]
    level = {} if _is_list(result) else {"level": "corpus"}
    return _with_attributes(item, compute, **level, **({} if takes_lists else {"references": "mean"}))


def _is_list(result: Any) -> bool:
    return hasattr(result, "__len__") and len(result) == len(_PROBE_TEXTS)


def _key_of(result: Mapping[str, Any], name: str, subject: str) -> str:
    """Find the scores among the values: one a segment before one of all, and the only ones before others."""
    lists = [key for key, value in result.items() if _is_list(value) and not isinstance(value, str)]
    single = [key for key, value in result.items() if isinstance(value, numbers.Real)]
    for keys in (lists, single):
        chosen = [key for key in (*_SCORE_KEYS, name) if key in keys] or (keys if len(keys) == 1 else [])
        if chosen:
            return chosen[0]
    raise UsageError(
        f"{subject}: compute gives {listing(result)}, and nothing says which are the scores. "
        f"{_advice(next(iter(result), 'key'))}"
    )


def _advice(key: str) -> str:
    return (
        "Write a function: def mine(candidates, reference): return it.compute(predictions=candidates, "
        f'references=reference)["{key}"].'
    )


def _with_attributes(item: Any, function: Callable[..., Any], **attributes: str) -> Callable[..., Any]:
    """Return a function with what the object says of itself, and what is known of it."""
    attributes_of_item = {
        key: getattr(item, key) for key in ("higher_is_better", "title", "sources") if hasattr(item, key)
    }
    for key, value in {**attributes_of_item, **attributes}.items():
        setattr(function, key, value)
    return function
