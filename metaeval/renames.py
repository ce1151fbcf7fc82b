"""Names that have changed since version 0.1: old and new, by kind. An old name is an error that says so."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any


@functools.cache
def renamed() -> Mapping[str, Mapping[str, Any]]:
    """Return the new names by the old ones, by kind: what it is a name of, the key of a config, or an option's verb."""
    import tomllib  # help must not wait for it

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def new_name(kind: str, name: object) -> str:
    """Return the sentence that gives the present name of something; "" where it was never called so.

    Parameters
    ----------
    kind : str
        A key of `renamed`.
    name : object
        What was given.
    """
    new = renamed().get(kind, {}).get(str(name))
    if new is None:
        return ""
    if isinstance(new, Mapping):
        return f" It is now {new['name']!r} with {new['with']}."
    values = next((names for key, names in renamed().items() if key.endswith(f".{new}")), {})
    told = f", with {', '.join(f'{other!r} for {one!r}' for one, other in values.items())}" if values else ""
    return f" Since version 0.2 it is called {new!r}{told}."
