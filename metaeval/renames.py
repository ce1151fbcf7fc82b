"""What version 0.1 called otherwise: the old and the new name of each kind. An old name is an error that says so."""

from __future__ import annotations

from collections.abc import Mapping

RENAMED: Mapping[str, Mapping[str, str]] = {
    "metric": {"given": "precomputed"},
    "documents.kind": {"random": "pseudo"},
    "option of metaeval corpus convert": {"--format": "--source-format"},
}


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
    return "" if new is None else f" Since version 0.2 it is called {new!r}."
