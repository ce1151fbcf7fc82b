"""Facts about a run beside its numbers: its config by name, its seed, and the versions that made it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from metaeval.bibliography import find_source
from metaeval.experiment.config_file import LoadedConfig
from metaeval.parameters.named_objects import Held
from metaeval.runtime.platform_fingerprint import fingerprint
from metaeval.version import VERSION

# Packages whose versions a run records.
_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "sacrebleu", "snowballstemmer")


def facts_of(config: LoadedConfig) -> dict[str, Any]:
    """Return the facts of a run of a config, as its manifest has them.

    Parameters
    ----------
    config : LoadedConfig
    """
    return {
        "config": config.name,
        "title": config.experiment.title,
        **({"source": str(find_source(config.experiment.source))} if config.experiment.source else {}),
        "seed": config.experiment.seed,
        "metaeval": VERSION,
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "numpy_bit_generator": type(np.random.PCG64()).__name__,
        **({"objects": [*map(str, objects)]} if (objects := [*objects_in(config.content)]) else {}),
        "fingerprint": fingerprint(),
    }


def objects_in(content: Any) -> Iterator[Held]:
    """Yield the names in a config that stand for Python objects."""
    if isinstance(content, Held):
        yield content
    elif isinstance(content, Mapping | list | tuple):
        yield from chain.from_iterable(map(objects_in, content.values() if isinstance(content, Mapping) else content))
