"""metaeval meta-evaluates MT and NLG metrics: how well they correlate with human judgments.

>>> import metaeval
>>> corpus = metaeval.load_corpus("demo")
>>> len(corpus.systems)
8

The names in ``metaeval.__all__`` are the public API. All else may change without notice, but for what authors of
metrics build on: `metaeval.metrics.contract`, `metaeval.metrics.text_metric`, `metaeval.parameters` and
`metaeval.datamodel.corpus`.
"""

from __future__ import annotations

from pathlib import Path

from metaeval.components.registry import exported, load
from metaeval.version import VERSION

__version__ = VERSION

# Type checkers read the names in the same file.
_PLACES = exported(Path(__file__).with_suffix(".pyi"))
__all__ = sorted([*_PLACES, "__version__"])


def __getattr__(name: str) -> object:
    """Import the public verbs when they are first used, so that the command line answers at once."""
    if name in _PLACES:
        found: object = load(_PLACES[name])
        globals()[name] = found
        return found
    raise AttributeError(f"module 'metaeval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
