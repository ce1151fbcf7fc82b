"""Reference subsets: which references a score may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import UsageError, unknown


@dataclass(frozen=True)
class ReferenceSubset:
    """The names of the references used for a score, in the order of the corpus or of the request."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "+".join(self.names)


def reference_subsets(request: str | Sequence[str], known: Sequence[str]) -> tuple[ReferenceSubset, ...]:
    """Return the reference subsets of a request.

    Parameters
    ----------
    request : "all", "each", or sequence of str
        ``all`` references together; ``each`` single one; or a list with a subset in each place, whose names are joined
        by ``+``, such as ``["ref1", "ref1+ref2+ref3"]``.
    known : sequence of str
        The references of the corpus.

    Raises
    ------
    UsageError
        If a reference is unknown or stands twice in a subset, or the corpus has none.
    """
    if not known:
        raise UsageError("the corpus has no references; add references/NAME.txt.")
    if request == "all":
        return (ReferenceSubset(tuple(known)),)
    if request == "each":
        return tuple(ReferenceSubset((name,)) for name in known)
    if isinstance(request, str):
        raise UsageError(f"`references.subsets` must be 'all', 'each' or a list of names; got {request!r}.")
    subsets = []
    for text in request:
        names = (text,) if text in known else tuple(name.strip() for name in text.split("+"))
        for name in names:
            if name not in known:
                raise UsageError(unknown("reference", name, known))
        if len(set(names)) < len(names):
            raise UsageError(f"a reference stands twice in the subset {text!r}.")
        subsets.append(ReferenceSubset(names))
    if len({str(subset) for subset in subsets}) < len(subsets):
        raise UsageError(f"a reference subset stands twice in {list(request)!r}.")
    return tuple(subsets)
