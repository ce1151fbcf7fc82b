"""Names that have changed since version 0.1: old and new, by kind. An old name is an error that says so."""

from __future__ import annotations

from collections.abc import Mapping

RENAMED: Mapping[str, Mapping[str, str]] = {
    "metric": {"given": "precomputed"},
    "key": {
        "condition": "preprocessing",
        "conditions": "preprocessing",
        "grouping": "average_by",
    },
    "keyword": {
        "condition": "preprocessing",
        "conditions": "preprocessing",
        "grouping": "correlation={'average_by': ...}",
    },
    "file of a run": {
        "flips.json": "disagreements.json",
        "smallest_differences.tsv": "minimum_significant_differences.tsv",
    },
    "column": {"condition": "preprocessing"},
    "claims.quantity": {
        "smallest-difference": "minimum-significant-difference",
        "equals-of-best": "top-cluster",
    },
    "correlation.average_by": {"system": "item", "document": "system", "pooled": "none", "grid": "none"},
    "documents.kind": {"random": "pseudo"},
    "option of metaeval compare": {"--condition": "--preprocessing"},
    "option of metaeval metrics check": {"--condition": "--preprocessing"},
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
    if new is None:
        return ""
    values = next((names for key, names in RENAMED.items() if key.endswith(f".{new}")), {})
    told = f", with {', '.join(f'{other!r} for {one!r}' for one, other in values.items())}" if values else ""
    return f" Since version 0.2 it is called {new!r}{told}."
