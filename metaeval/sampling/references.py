"""Reference subsets: which references a score may use, and which subsets make one line of results."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import NO_REFERENCES, Corpus, IntArray
from metaeval.errors import UsageError, listing, unknown

KINDS = ("all", "each", "leave-one-out", "every", "random")
# Each is scored separately; 12 references have 4,095 subsets, and 16 have 65,535.
MAX_SUBSETS = 10_000
COMBINATIONS = ("separate", "documents", "scores", "correlations")


@dataclass(frozen=True)
class ReferenceSubset:
    """The names of the references used for a score, in the order of the corpus or of the request.

    There are none where a corpus has no references.
    """

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "+".join(self.names) or NO_REFERENCES


@dataclass(frozen=True)
class ReferenceGroup:
    """Reference subsets that make one line of results.

    Attributes
    ----------
    label : str
        As tables show it: the subset, where there is only one.
    subsets : tuple of ReferenceSubset
    combine : {"separate", "documents", "scores", "correlations"}
        How several make one: document d uses subset d modulo their number; the scores of a document are averaged over
        them, or its coefficients. ``separate`` where there is one.
    left_out : tuple of str
        The reference that each subset leaves out, for the jackknife; otherwise nothing.
    """

    label: str
    subsets: tuple[ReferenceSubset, ...]
    combine: str = "separate"
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.label


def names_of(label: str) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a group of subsets and the names in its label: ``leave-one-out``, and ``("r1", "r2")``.

    The kind of a single subset is "", and a label that gives a size has no names.
    """
    match = re.fullmatch(r"([a-z-]+)\((.+)\)", label)
    kind, names = match.groups() if match else ("", label)
    return kind, () if "=" in names else tuple(names.split("+"))


def reference_groups(
    request: str | Sequence[str],
    known: Sequence[str],
    *,
    sizes: Sequence[int] = (),
    count: int = 100,
    combine: str | None = None,
    rng_of: Callable[[int], np.random.Generator] | None = None,
) -> tuple[ReferenceGroup, ...]:
    """Return the reference subsets of a request, in groups.

    Parameters
    ----------
    request : "all", "each", "leave-one-out", "every", "random", or sequence of str
        ``all`` references together; ``each`` single one; all but one (Lin and Och's jackknife; a single reference is
        taken as it is); ``every`` or ``random`` subsets of a size; or a list with a subset in each place, whose names
        are joined by ``+``, such as ``["ref1", "ref1+ref2+ref3"]``.
    known : sequence of str
        The references of the corpus.
    sizes : sequence of int
        For ``every`` and ``random``: a group for each size, from 1 to the number of references.
    count : int
        For ``random``: different subsets of each size. Where there are no more, every one is taken.
    combine : str, optional
        One of `COMBINATIONS`. By default the jackknife averages scores, every and random subsets are spread over the
        documents, and all others are separate: a group each.
    rng_of : callable
        For ``random``: the generator for a size.

    Raises
    ------
    UsageError
        If a reference is unknown or stands twice in a subset, a size is impossible, there would be more than
        `MAX_SUBSETS` subsets, or subsets are asked for of a corpus that has no references.
    """
    if not known:
        if request != "all" or sizes:
            raise UsageError(
                "the corpus has no references, so no subsets can be made of them; add references/NAME.txt, or leave "
                'out `references` (subsets = "all") and take metrics that read none.'
            )
        return (ReferenceGroup(NO_REFERENCES, (ReferenceSubset(()),)),)
    if request in ("every", "random"):
        if not sizes:
            raise UsageError(f"`references.subsets` {request!r} needs `references.sizes`, such as [1, 2, 4].")
        possible = [math.comb(len(known), size) for size in sizes if size > 0]
        number = sum(possible if request == "every" else (min(count, n_possible) for n_possible in possible))
        if number > MAX_SUBSETS:
            raise UsageError(
                f"`references.subsets` {request!r} makes {number:,} subsets of {len(known)} references in the sizes "
                f"{listing(sizes)}; at most {MAX_SUBSETS:,} can be taken. Some random ones of each size: "
                'references.subsets = "random" with references.count = 100.'
            )
        of_sizes = (_subsets_of_size(str(request), known, size, count, combine, rng_of) for size in sizes)
        return tuple(itertools.chain.from_iterable(of_sizes))
    if sizes:
        names = repr(request) if isinstance(request, str) else str(list(request)).replace("'", '"')
        raise UsageError(
            f"`references.sizes` belongs to the subsets 'every' and 'random'; got {names}. To replace all that a "
            f"config says of references, set all of it: references = {{subsets = {names}}}."
        )
    if request == "leave-one-out" and len(known) > 1:
        subsets = tuple(ReferenceSubset(tuple(other for other in known if other != name)) for name in known)
        label = f"leave-one-out({'+'.join(known)})"
        return _grouped(label, subsets, combine or "scores", left_out=tuple(known))
    subsets = _listed(request, known)
    used = [name for name in known if any(name in subset.names for subset in subsets)]
    label = f"{request if isinstance(request, str) else 'listed'}({'+'.join(used)})"
    return _grouped(label, subsets, combine or "separate")


def _grouped(
    label: str, subsets: tuple[ReferenceSubset, ...], combine: str, left_out: tuple[str, ...] = ()
) -> tuple[ReferenceGroup, ...]:
    if combine == "separate" or len(subsets) == 1:
        left_out_names = [left_out[at : at + 1] for at in range(len(subsets))]
        pairs = zip(subsets, left_out_names, strict=True)
        return tuple(ReferenceGroup(str(subset), (subset,), left_out=names) for subset, names in pairs)
    return (ReferenceGroup(label, subsets, combine, left_out),)


def _subsets_of_size(
    request: str,
    known: Sequence[str],
    size: int,
    count: int,
    combine: str | None,
    rng_of: Callable[[int], np.random.Generator] | None,
) -> tuple[ReferenceGroup, ...]:
    """Return the groups of subsets of one size: every subset, or some drawn at random."""
    if size > len(known):
        most = f"at most {len(known)}, the references of the corpus"
        raise UsageError(f'`references.sizes` must be {most}; got {size}. Choose other sizes, or "all".')
    number = math.comb(len(known), size)
    if request == "every" or count >= number:
        chosen = list(itertools.combinations(range(len(known)), size))
    else:
        assert rng_of is not None
        rng = rng_of(size)
        drawn = dict[tuple[int, ...], None]()
        while len(drawn) < count:
            drawn[tuple(sorted(rng.permutation(len(known))[:size].tolist()))] = None
        chosen = list(drawn)
    subsets = tuple(ReferenceSubset(tuple(known[position] for position in positions)) for positions in chosen)
    kind = "every" if len(subsets) == number else "random"
    return _grouped(f"{kind}(size={size},count={len(subsets)})", subsets, combine or "documents")


def _listed(request: str | Sequence[str], known: Sequence[str]) -> tuple[ReferenceSubset, ...]:
    """Return the subsets of a request that names them."""
    if request in ("all", "leave-one-out"):
        return (ReferenceSubset(tuple(known)),)
    if request == "each":
        return tuple(ReferenceSubset((name,)) for name in known)
    if isinstance(request, str):
        raise UsageError(f"`references.subsets` must be one of {', '.join(KINDS)} or a list of names; got {request!r}.")
    subsets = []
    for text in request:
        names = (text,) if text in known else tuple(name.strip() for name in text.split("+"))
        for name in names:
            if name not in known:
                raise UsageError(unknown("reference", name, known))
        if len(set(names)) < len(names):
            raise UsageError(f"a reference is listed twice in the subset {text!r}.")
        subsets.append(ReferenceSubset(names))
    if len({str(subset) for subset in subsets}) < len(subsets):
        raise UsageError(f"a reference subset is listed twice in {list(request)!r}.")
    return tuple(subsets)


def count_references(corpus: Corpus, subset: ReferenceSubset) -> IntArray:
    """Count the references of a subset that each segment has: (segments,)."""
    counts = np.zeros(corpus.n_segments, dtype=np.int64)
    for name in subset.names:
        texts = corpus.references[name]
        counts += True if all(texts) else np.array([text is not None for text in texts])
    return counts
