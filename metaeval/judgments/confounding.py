"""Find whether judges and systems are confounded: whether the same judges judged the systems that are compared.

Judges are blocks of an experiment, and systems (and human texts) its treatments. N[text, judge] counts judgments, and n
and m are its row and column sums. Centring by judge turns the qualities q of the texts into the means

    (I - diag(1/n) N diag(1/m) N') q,

because each score loses the mean of all that its judge scored. The eigenvalues of this matrix are the canonical
efficiency factors of the design (James and Wilkinson 1971), each the share of some difference between texts that is
kept. Differences between groups of systems that no judge connects have 0. Where every judge judged every system equally
often, all differences have 1, whatever segments a judge had.

Correlations depend on the shape of the differences alone, so what counts is the kept share: the lowest factor divided
by the highest one. By Kantorovich's inequality the centred means of systems with equally many judgments correlate with
q by at least 2 sqrt(s) / (1 + s) where s is this share: 0.94 where it is 1/2, 0.8 where it is 1/4, 0 where it is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray, Judgments


@dataclass(frozen=True)
class SystemGroup:
    """Systems that were judged by much the same judges.

    Attributes
    ----------
    systems : (systems,) int array
        Their positions in the corpus.
    judges : (judges,) int array
        Those who judged these systems alone, or mostly.
    n_items : int
        The judged segments of the systems.
    share : float
        Of the judgments of the systems, that by these judges; 1 where no judge connects the groups.
    """

    systems: IntArray
    judges: IntArray
    n_items: int
    share: float


@dataclass(frozen=True)
class JudgeDesign:
    """The design of the judgments on one criterion: groups of systems, and how well judges connect them.

    Attributes
    ----------
    kept_share : float
        The share of a difference between the groups that centring by judge keeps, divided by the share of the
        difference that it keeps best: 0 where no judge connects the groups, 1 where every judge judged every system
        equally often.
    groups : tuple of SystemGroup
        Those that no judge connects; where all are connected, the two with the lowest `kept_share`. Empty where
        there is one judge or one system.
    """

    kept_share: float
    groups: tuple[SystemGroup, ...] = ()


def find_design(judgments: Judgments, human_texts: Judgments) -> JudgeDesign:
    """Return the design of some judgments.

    Parameters
    ----------
    judgments : Judgments
        Of systems, on one criterion.
    human_texts : Judgments
        Of human texts on the same criterion; `judge` counts the same judges. Two judges meet in a human text too.
    """
    systems, system = np.unique(judgments.system, return_inverse=True)
    judges, judge = np.unique(judgments.judge, return_inverse=True)
    if len(systems) < 2 or len(judges) < 2:
        return JudgeDesign(1.0)
    # Judges of human texts only do not connect systems.
    human_texts = human_texts.where(np.isin(human_texts.judge, judges))
    texts, text = np.unique(human_texts.system, return_inverse=True)
    shape = (len(systems) + len(texts), len(judges))
    cells = (
        np.concatenate([system, len(systems) + text]),
        np.concatenate([judge, np.searchsorted(judges, human_texts.judge)]),
    )
    counts = np.bincount(np.ravel_multi_index(cells, shape), minlength=shape[0] * shape[1]).reshape(shape)
    of_system, of_judge = _unconnected(counts, len(systems))
    kept_share = 0.0
    if not of_system.any():
        kept_share, contrast = _least_kept_share(counts.astype(float), len(systems))
        # Over all judgments the contrast has the sum 0, so there are judges on both sides, as there are systems.
        of_system = (contrast < 0).astype(np.int64)
        of_judge = (contrast @ counts[: len(systems)] < 0).astype(np.int64)
    groups = []
    for number in range(of_system.max() + 1):
        of_group = of_system[system] == number
        items = np.unique(np.stack([system[of_group], judgments.segment[of_group]]), axis=1)
        share = float((of_judge[judge[of_group]] == number).mean())
        groups.append(SystemGroup(systems[of_system == number], judges[of_judge == number], items.shape[1], share))
    return JudgeDesign(kept_share, tuple(groups))


def _unconnected(counts: IntArray, n_systems: int) -> tuple[IntArray, IntArray]:
    """Return the number of the connected group of each system and of each judge."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    text, judge = np.nonzero(counts)
    n_texts = len(counts)
    size = sum(counts.shape)
    links = coo_array((np.ones(len(text)), (text, n_texts + judge)), shape=(size, size))
    labels = connected_components(links, directed=False)[1]
    # Every judge has judged a system, so the systems have all numbers; these go by the first system of each group.
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[numbers]
    return numbers[:n_systems], numbers[n_texts:]


def _least_kept_share(counts: FloatArray, n_systems: int) -> tuple[float, FloatArray]:
    """Return the least share of a difference that z-scores keep, relative to the largest, and its contrast."""
    # Human texts may have any quality: they are eliminated as the judges are.
    information = np.diag(counts.sum(axis=1)) - (counts / counts.sum(axis=0)) @ counts.T
    of_systems = information[:n_systems, :n_systems]
    of_texts = information[n_systems:, n_systems:]
    between = information[:n_systems, n_systems:]
    of_systems = of_systems - between @ np.linalg.solve(of_texts, between.T)
    scale = np.sqrt(counts[:n_systems].sum(axis=1))
    factors, contrasts = np.linalg.eigh(of_systems / np.outer(scale, scale))
    contrast = contrasts[:, 1] / scale  # the first one is the constant
    # Simple designs have simple shares, such as 1/2, which no rounding may move across a limit.
    return round(max(float(factors[1] / factors[-1]), 0.0), 9), contrast if contrast[0] > 0 else -contrast
