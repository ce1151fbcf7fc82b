"""The public verbs of metaeval, and the records that they give.

The command line calls these and nothing else. What is public stands in one table, and is imported when it is first
used: scoring a text must not wait for what an experiment needs. A file here bears no name of a verb: importing it would
put the module in the place of the verb.
"""

from __future__ import annotations

from pathlib import Path

from metaeval.components.registry import exported, load

# What is exported, and the rows of what verbs list.
_PLACES = {
    **exported(Path(__file__).parents[1] / "__init__.pyi"),
    "CorpusRow": "metaeval.corpora.catalogue:CorpusRow",
    "CriterionRow": "metaeval.corpora.describe:CriterionRow",
    **{name: f"metaeval.api.corpora:{name}" for name in ("FormatParameterRow", "FormatRow")},
    **{name: f"metaeval.api.caches:{name}" for name in ("CacheRow", "FlawRow")},
    **{name: f"metaeval.api.metrics:{name}" for name in ("MetricRow", "ParameterRow")},
}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> object:
    if name in _PLACES:
        return load(_PLACES[name])
    raise AttributeError(f"module 'metaeval.api' has no attribute {name!r}")
