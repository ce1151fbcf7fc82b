"""Arguments of verbs that are keys of a config: what they mean, and what is allowed, stands in the schema."""

import dataclasses
from typing import Any

from metaeval.api.verbs import Argument
from metaeval.config.schema import Experiment


def setting(key: str, *given: Any, **others: Any) -> Argument:
    """Return the declaration of an argument that is a key of a config: its doc, choices and minimum are the key's.

    Parameters
    ----------
    key : str
        Such as ``uncertainty.n_resamples``.
    *given, **others
        What else there is to say, as for :class:`Argument`.
    """
    *tables, name = key.split(".")
    cls: Any = Experiment
    for table in tables:
        cls = _field(cls, table).default_factory
    facts = _field(cls, name).metadata
    declared = {"doc": facts["doc"], "choices": tuple(facts["choices"] or ()), "minimum": facts["minimum"]}
    return Argument(*given, **{**declared, **others})


def _field(cls: Any, name: str) -> Any:
    return next(field for field in dataclasses.fields(cls) if field.name == name)
