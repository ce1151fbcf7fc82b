"""The bitext grid of a segment: hits, runs, and matchings of candidate and reference tokens.

The grid has a row for each candidate token and a column for each reference token; a hit is a cell whose tokens are
equal. A run is a diagonal sequence of hits. A matching uses each row and each column at most once; its size grows with
the length of its runs: (sum of length**exponent) ** (1/exponent). Several references stand side by side with a barrier
column between them, which no run crosses.

Sources
-------
Melamed, Green, Turian (2003): Precision and recall of machine translation. HLT-NAACL.
Turian, Shen, Melamed (2003): Evaluation of machine translation and its evaluation. MT Summit IX.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.kernels import greedy_matching as kernels
from metaeval.kernels.segment_pairs import Ids, Offsets

# A matching problem with more pieces of runs than this is not tried: building it would outlast any patience.
_MAX_PIECES = 300_000


class Run(NamedTuple):
    """A diagonal sequence of hits: `length` cells from row `candidate` and column `reference` on."""

    length: int
    candidate: int
    reference: int


class KeptRun(NamedTuple):
    """A run of a matching after the cap: `hits` of its cells count, from the first on; a fraction is part of one."""

    run: Run
    hits: float


class Matching(NamedTuple):
    """The best matching that a search found.

    Attributes
    ----------
    power_sum : float
        Sum of length**exponent over the runs kept, after the cap.
    proven : bool
        Whether no matching is larger.
    runs : list of KeptRun
        The runs that make the sum, and those of which the cap leaves nothing.
    """

    power_sum: float
    proven: bool
    runs: list[KeptRun]


def column_positions(references: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Return the columns of each token id, the references side by side with a barrier column after each."""
    columns: dict[int, list[int]] = {}
    start = 0
    for tokens in references:
        for column, token in enumerate(tokens, start):
            columns.setdefault(token, []).append(column)
        start += len(tokens) + 1
    return columns


def maximal_runs(candidate: Sequence[int], columns: Mapping[int, Sequence[int]]) -> list[Run]:
    """Return the runs that cannot be made longer; every hit is in one of them.

    Parameters
    ----------
    candidate : sequence of int
        Token ids.
    columns : mapping
        As from :func:`column_positions`.
    """
    runs: list[Run] = []
    open_runs: dict[int, int] = {}  # column of the last hit: row of the first
    for row, token in enumerate(candidate):
        going_on = {column: open_runs.pop(column - 1, row) for column in columns.get(token, ())}
        runs.extend(Run(row - first, first, last - (row - first) + 1) for last, first in open_runs.items())
        open_runs = going_on
    end = len(candidate)
    runs.extend(Run(end - first, first, last - (end - first) + 1) for last, first in open_runs.items())
    return runs


def greedy_matching(runs: Sequence[Run]) -> list[Run]:
    """Return a matching that takes the longest free run first.

    Of runs of equal length, the one that begins last in the candidate comes first, then the one that begins last in the
    references: the order of the General Text Matcher 1.4.

    Parameters
    ----------
    runs : sequence of Run
        All maximal runs of a grid.

    Returns
    -------
    list of Run
        In the order in which they were taken, so never a longer one after a shorter one.
    """
    used_rows = bytearray(max((run.candidate + run.length for run in runs), default=0))
    used_columns = bytearray(max((run.reference + run.length for run in runs), default=0))
    # By length: the runs that were free once. One that is no longer free when its turn comes is cut into its free
    # pieces, which are shorter, so their turn is still to come.
    waiting: dict[int, list[tuple[int, int]]] = {}
    for length, row, column in runs:
        waiting.setdefault(length, []).append((row, column))
    taken = []
    for length in range(max(waiting, default=0), 0, -1):
        for row, column in sorted(waiting.pop(length, ()), reverse=True):
            rows, columns = used_rows[row : row + length], used_columns[column : column + length]
            if 1 not in rows and 1 not in columns:
                used_rows[row : row + length] = used_columns[column : column + length] = b"\x01" * length
                taken.append(Run(length, row, column))
            elif length > 1:
                start = 0
                for step in range(length + 1):
                    if step == length or rows[step] or columns[step]:
                        if step > start:
                            waiting.setdefault(step - start, []).append((row + start, column + start))
                        start = step + 1
    return taken


def keep_hits(runs: Sequence[Run], cap: float) -> list[KeptRun]:
    """Return the hits of each run that stay under a cap; they are deleted from the shortest runs first.

    Parameters
    ----------
    runs : sequence of Run
        Of a matching, by descending length.
    cap : float
        The number of hits that may stay; with a fraction, the last run keeps a fraction of a hit.
    """
    kept_runs, left = [], float(cap)
    for run in runs:
        kept_runs.append(KeptRun(run, min(float(run.length), left)))
        left -= kept_runs[-1].hits
    return kept_runs


def capped_power_sum(lengths: Sequence[int], cap: float, exponent: float) -> float:
    """Return the sum of length**exponent with at most `cap` hits, deleted from the shortest runs first.

    Parameters
    ----------
    lengths : sequence of int
        Lengths of the runs of a matching, descending.
    cap : float
        The number of hits that may stay; with a fraction, the last run is cut to a fraction of a hit.
    exponent : float
    """
    total, left = 0.0, float(cap)
    for length in lengths:
        if length >= left:
            return float(total + left**exponent)
        total += float(length) ** exponent
        left -= length
    return float(total)


def matching_size(lengths: Sequence[int], cap: float, exponent: float) -> float:
    """Return (sum of length**exponent) ** (1 / exponent) of the runs of a matching, after the cap.

    Parameters are those of :func:`capped_power_sum`.
    """
    return float(capped_power_sum(lengths, cap, exponent) ** (1.0 / exponent))


def greedy_sizes(
    candidates: Segments, references: tuple[Ids, Offsets], caps: FloatArray, exponent: float
) -> FloatArray | None:
    """Return the size of the greedy matching of each segment by a compiled kernel, or None without it.

    Parameters
    ----------
    candidates : Segments
        Of all systems, one after the other: a multiple of the references' segments.
    references : tuple of arrays
        As from :func:`side_by_side`.
    caps : (segments,) float array
        The number of hits that may stay, ``nan`` where nothing is to be matched.
    exponent : float

    Returns
    -------
    (segments,) float array
        Equal to :func:`matching_size` of :func:`greedy_matching`; ``nan`` where the cap is.
    """
    ids, offsets = references
    longest = int(min(candidates.lengths.max(initial=0), np.diff(offsets).max(initial=0)))
    # These are Python's powers and not those of numpy, which differ in the last digit on some machines.
    weights = np.array([float(length) ** exponent for length in range(longest + 1)])
    runs = kernels.greedy_matching(candidates.ids, candidates.offsets, ids, offsets, caps, weights)
    if runs is None:
        return None
    root = 1.0 / exponent
    sums = zip(*(part.tolist() for part in runs), strict=True)
    return np.array([(whole + rest**exponent) ** root for whole, rest in sums])


def side_by_side(references: Sequence[Segments], barrier: int) -> tuple[Ids, Offsets]:
    """Return the references of each segment one after the other, with a barrier after each, as one text.

    Parameters
    ----------
    references : sequence of Segments
        An absent segment is an empty one: there is a barrier more, which changes no matching.
    barrier : int
        An id that no text has, not those of the candidate either.

    Returns
    -------
    ids : (columns,) int32 array
    offsets : (segments + 1,) int64 array
    """
    widths = np.stack([texts.lengths for texts in references]) + 1
    ends = np.cumsum(widths, axis=0)
    offsets = np.zeros(widths.shape[1] + 1, dtype=np.int64)
    np.cumsum(ends[-1], out=offsets[1:])
    ids = np.full(offsets[-1], barrier, dtype=np.int32)
    for texts, starts in zip(references, offsets[:-1] + ends - widths, strict=True):
        moved = np.repeat(starts - texts.offsets[:-1], texts.lengths)
        ids[moved + np.arange(len(texts.ids))] = texts.ids
    return ids, offsets


def exact_matching(runs: Sequence[Run], exponent: float, cap: float, time_limit: float) -> Matching:
    """Return the largest matching with at most `cap` hits, by integer programming.

    Every piece of every run is a variable: choose pieces so that each row and column is in at most one of them, no more
    than `cap` hits are chosen, and the sum of length**exponent is largest. Where the cap has a fraction, one piece more
    may be chosen whose last hit counts that fraction.

    Parameters
    ----------
    runs : sequence of Run
        All maximal runs of a grid.
    exponent : float
        At least 1; below 1, pieces of one run would be worth more than the run.
    cap : float
        At least 0.
    time_limit : float
        Seconds for the solver.

    Returns
    -------
    Matching
        Where `proven` is false, the best matching found: never smaller than the greedy one.
    """
    greedy = greedy_matching(runs)
    power_sum = capped_power_sum([run.length for run in greedy], cap, exponent)
    kept_runs = keep_hits(greedy, cap)
    if power_sum >= _bound(runs, exponent, cap) * (1 - 1e-12):
        return Matching(power_sum, True, kept_runs)
    if sum(run.length * (run.length + 1) // 2 for run in runs) > _MAX_PIECES:
        return Matching(power_sum, False, kept_runs)
    solved = _solve(runs, exponent, cap, time_limit)
    return solved if solved.power_sum > power_sum else Matching(power_sum, solved.proven, kept_runs)


def _bound(runs: Sequence[Run], exponent: float, cap: float) -> float:
    """Return a size that no matching exceeds: all hits that rows and columns allow, in runs of the greatest length."""
    rows = {run.candidate + step for run in runs for step in range(run.length)}
    columns = {run.reference + step for run in runs for step in range(run.length)}
    longest = max((run.length for run in runs), default=0)
    hits = min(len(rows), len(columns), cap)
    if not longest:
        return 0.0
    full, rest = divmod(hits, longest)
    return float(full * longest**exponent + rest**exponent)


def _solve(runs: Sequence[Run], exponent: float, cap: float, time_limit: float) -> Matching:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    pieces = np.array(
        [
            (length, run.candidate + start, run.reference + start)
            for run in runs
            for start in range(run.length)
            for length in range(1, run.length - start + 1)
        ]
    )
    lengths, firsts = pieces[:, 0], pieces[:, 1:]
    fraction = cap - math.floor(cap)
    weights, hits = lengths.astype(float) ** exponent, lengths.astype(float)
    counted = hits
    if fraction:
        # The same pieces again, the last hit counting a fraction: it occupies its row and column all the same.
        weights = np.concatenate([weights, (lengths - 1 + fraction) ** exponent])
        hits, counted = np.concatenate([hits, hits - 1]), np.concatenate([hits, hits - 1 + fraction])
        lengths, firsts = np.concatenate([lengths, lengths]), np.concatenate([firsts, firsts])
    n_pieces, n_rows = len(lengths), int((firsts[:, 0] + lengths).max())
    variables = np.repeat(np.arange(n_pieces), lengths)
    steps = np.arange(len(variables)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cells = np.concatenate([firsts[variables, 0] + steps, n_rows + firsts[variables, 1] + steps])
    ones = np.ones(len(cells))
    once = csr_array((ones, (cells, np.concatenate([variables, variables]))), shape=(int(cells.max()) + 1, n_pieces))
    constraints = [LinearConstraint(once, ub=1), LinearConstraint(hits[None, :], ub=math.floor(cap))]
    if fraction:
        cut = np.arange(n_pieces) >= n_pieces // 2
        constraints.append(LinearConstraint(cut[None, :].astype(float), ub=1))
    result = milp(
        -weights,
        integrality=np.ones(n_pieces),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    if result.x is None:
        return Matching(0.0, False, [])
    chosen = np.flatnonzero(np.round(result.x) > 0)
    runs_of = zip(lengths[chosen].tolist(), firsts[chosen].tolist(), counted[chosen].tolist(), strict=True)
    kept_runs = [KeptRun(Run(length, *first), n_hits) for length, first, n_hits in runs_of]
    kept_runs.sort(key=lambda kept_run: (-kept_run.hits, -kept_run.run.candidate, -kept_run.run.reference))
    return Matching(float(weights[chosen].sum()), result.status == 0, kept_runs)
