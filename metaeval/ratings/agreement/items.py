"""The judgments on one criterion by item, their pairs, and the design: who judged what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import Criterion, FloatArray, IntArray, Judgments
from metaeval.errors import judgments_per_item
from metaeval.results.agreement import Design


@dataclass(frozen=True)
class ItemJudgments:
    """The judgments on one criterion, sorted by item and then by judge; an item is a segment of a system.

    Attributes
    ----------
    criterion : Criterion
    judges, systems : tuple of str
        The names that `judge` and `system` point to; some judges may have no judgment.
    n_segments : int
        That `segment` counts.
    judge : (judgments,) int array
    score : (judgments,) float array
    position : (judgments,) int array
        The place of each judgment among those of its judge, in the order of the file, from 0.
    item : (judgments,) int array
        Indices into the judged items.
    system, segment : (items,) int arrays
        Of each judged item.
    starts, counts : (items,) int arrays
        Where the judgments of each item begin, and how many there are.
    """

    criterion: Criterion
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    n_segments: int
    judge: IntArray
    score: FloatArray
    position: IntArray
    item: IntArray
    system: IntArray
    segment: IntArray
    starts: IntArray
    counts: IntArray

    def __len__(self) -> int:
        return len(self.score)


def sort_by_item(judgments: Judgments, criterion: Criterion, systems: Sequence[str], n_segments: int) -> ItemJudgments:
    """Sort judgments on one criterion by item and judge.

    Parameters
    ----------
    judgments : Judgments
        Of one criterion, in the order of the file; a judge gives one score to an item.
    criterion : Criterion
    systems : sequence of str
    n_segments : int
    """
    by_judge = np.argsort(judgments.judge, kind="stable")
    _, starts_of_judges, counts_of_judges = np.unique(judgments.judge[by_judge], return_index=True, return_counts=True)
    position = np.empty(len(judgments), dtype=np.int64)
    position[by_judge] = np.arange(len(judgments)) - np.repeat(starts_of_judges, counts_of_judges)
    keys = np.ravel_multi_index((judgments.system, judgments.segment), (len(systems), n_segments))
    order = np.lexsort((judgments.judge, keys))
    item_keys, starts, item, counts = np.unique(keys[order], return_index=True, return_inverse=True, return_counts=True)
    system, segment = np.divmod(item_keys, n_segments)
    return ItemJudgments(
        criterion=criterion,
        judges=judgments.judges,
        systems=tuple(systems),
        n_segments=n_segments,
        judge=judgments.judge[order].astype(np.int64),
        score=judgments.score[order],
        position=position[order],
        item=item,
        system=system,
        segment=segment,
        starts=starts,
        counts=counts,
    )


def judgment_pairs(judgments: ItemJudgments) -> tuple[IntArray, IntArray]:
    """Return every two judgments of the same item: two (pairs,) arrays of places, the lower judge first."""
    first = [np.empty(0, dtype=np.int64)]
    second = [np.empty(0, dtype=np.int64)]
    for count in np.unique(judgments.counts[judgments.counts > 1]):
        places = judgments.starts[judgments.counts == count][:, None] + np.arange(count)
        first_of_pair, second_of_pair = np.triu_indices(count, 1)
        first.append(places[:, first_of_pair].ravel())
        second.append(places[:, second_of_pair].ravel())
    return np.concatenate(first), np.concatenate(second)


def is_sorted(judgments: ItemJudgments) -> bool:
    """Return whether every judge's judgments stand in the file by system or by segment, as a table that was sorted."""
    order = np.lexsort((judgments.position, judgments.judge))
    system = judgments.system[judgments.item[order]]
    segment = judgments.segment[judgments.item[order]]
    same = np.diff(judgments.judge[order]) == 0
    by_system = np.diff(system * judgments.n_segments + segment) > 0
    by_segment = np.diff(segment * len(judgments.systems) + system) > 0
    return bool(by_system[same].all() or by_segment[same].all())


def describe_design(judgments: ItemJudgments, *, possible_items: int, simulated: bool) -> Design:
    """Count judgments, items and judges, and see which judges are connected.

    Parameters
    ----------
    judgments : ItemJudgments
    possible_items : int
        Systems times segments of the corpus.
    simulated : bool
        Whether the corpus is.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    judges, code = np.unique(judgments.judge, return_inverse=True)
    n_judges = len(judges)
    first, second = judgment_pairs(judgments)
    keys, shared = np.unique(code[first] * n_judges + code[second], return_counts=True)
    links = coo_array((shared, np.divmod(keys, n_judges)), shape=(n_judges, n_judges))
    sizes = np.bincount(connected_components(links, directed=False)[1])
    numbers = zip(*np.unique(judgments.counts, return_counts=True), strict=True)
    return Design(
        criterion=judgments.criterion.name,
        judgments=len(judgments),
        judges=n_judges,
        items=len(judgments.counts),
        possible_items=possible_items,
        judgments_an_item=judgments_per_item({int(count): int(n) for count, n in numbers}),
        pairs=n_judges * (n_judges - 1) // 2,
        pairs_sharing=len(keys),
        median_shared=float(np.median(shared)) if len(shared) else np.nan,
        groups=len(sizes),
        largest_group=int(sizes.max()),
        simulated=simulated,
    )
