"""Names that have changed since version 0.1: old and new, by kind. An old name is an error that says so."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

RENAMED: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def new_name(kind: str, name: object) -> str:
    """Return the sentence that gives the present name of something; "" where it was never called so.

    Parameters
    ----------
    kind : str
        A key of `RENAMED`: what it is a name of, the key of a config whose value it is, or the verb of an option.
    name : object
        What was given.
    """
    new = RENAMED.get(kind, {}).get(str(name))
    if new is None:
        return ""
    values = next((names for key, names in RENAMED.items() if key.endswith(f".{new}")), {})
    told = f", with {', '.join(f'{other!r} for {one!r}' for one, other in values.items())}" if values else ""
    return f" Since version 0.2 it is called {new!r}{told}."
