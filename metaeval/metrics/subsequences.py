"""Find what two sequences of token ids share in order: subsequences, weighted by their runs, and skip-bigrams.

Sources
-------
Lin, Och (2004): Automatic evaluation of machine translation quality using longest common subsequence and skip-bigram
statistics. ACL (the dynamic programme of WLCS, skip-bigrams).
ROUGE-1.5.5.pl: which of several longest common subsequences is taken, where a pair may stand.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from metaeval.metrics.ngrams import NgramCounts

Weight = Callable[[int], float]


def lcs_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the longest common subsequence: tokens in the same order, with any gaps between them."""
    above = [0] * (len(second) + 1)
    for token in first:
        here = [0]
        for column, other in enumerate(second):
            here.append(above[column] + 1 if token == other else max(above[column + 1], here[column]))
        above = here
    return above[-1]


def weighted_lcs(first: Sequence[int], second: Sequence[int], weight: Weight) -> float:
    """Return WLCS of Lin and Och: the weight of the runs of a common subsequence.

    A run is consecutive in both sequences. As in the paper, two equal tokens are always matched, so the sum is not
    always the largest that a common subsequence can have.

    Parameters
    ----------
    first, second : sequence of int
        Token ids; which of them comes first does not matter.
    weight : callable
        The weight of a run of k tokens, k at least 1.

    Returns
    -------
    float
        At most the weight of the shorter sequence, if longer runs weigh more than their parts.
    """
    # For each place: the weight so far, the length of the run that ends there, and the weight before that run. Adding
    # weight(run) to the latter is the paper's step, weight(run) - weight(run - 1), without its rounding errors.
    above, runs_above, before_above = [0.0] * (len(second) + 1), [0] * (len(second) + 1), [0.0] * (len(second) + 1)
    for token in first:
        here, runs, before = [0.0], [0], [0.0]
        for column, other in enumerate(second):
            run, start = 0, 0.0
            if token == other:
                run = runs_above[column] + 1
                start = before_above[column] if run > 1 else above[column]
                here.append(start + weight(run))
            else:
                here.append(max(above[column + 1], here[column]))
            runs.append(run)
            before.append(start)
        above, runs_above, before_above = here, runs, before
    return above[-1]


def runs_in_reference(reference: Sequence[int], candidate: Sequence[int], weight: Weight) -> list[int]:
    """Return the runs that ROUGE-1.5.5 finds: lengths of stretches of the reference that are matched.

    The script goes back through the table of WLCS, marks the tokens of the reference that are matched, and counts
    neighbours in the reference as one run, however far apart their partners are in the candidate.
    """
    # The steps and their rounding are the script's, because they settle ties and so the way back.
    best = [[0.0] * (len(candidate) + 1) for _ in range(len(reference) + 1)]
    runs = [[0] * (len(candidate) + 1) for _ in range(len(reference) + 1)]
    for i, token in enumerate(reference, 1):
        for j, other in enumerate(candidate, 1):
            if token == other:
                run = runs[i - 1][j - 1]
                best[i][j] = best[i - 1][j - 1] + weight(run + 1) - weight(run)
                runs[i][j] = run + 1
            else:
                best[i][j] = max(best[i - 1][j], best[i][j - 1])
    matched = [False] * len(reference)
    i, j = len(reference), len(candidate)
    while i and j:
        if runs[i][j]:
            i, j = i - 1, j - 1
            matched[i] = True
        elif best[i - 1][j] >= best[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return [len(list(stretch)) for is_matched, stretch in itertools.groupby(matched) if is_matched]


def count_skip_bigrams(ids: Sequence[int], skip: int | None) -> NgramCounts:
    """Count each ordered pair of tokens.

    Parameters
    ----------
    ids : sequence of int
    skip : int or None
        The largest number of tokens between the two; None: any number.
    """
    farthest = len(ids) - 1 if skip is None else min(skip, len(ids)) + 1
    pairs = (zip(ids, ids[distance:], strict=False) for distance in range(1, farthest + 1))
    return Counter(itertools.chain.from_iterable(pairs))
