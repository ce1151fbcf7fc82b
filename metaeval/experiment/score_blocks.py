"""The scores of segments, real documents and systems: the rows of scores.tsv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.datamodel.corpus import Corpus, Documents, IntArray
from metaeval.datamodel.pooling import StatisticsTable, pool, whole
from metaeval.experiment.measure import MeasuredReference
from metaeval.experiment.scorers import pooled_scores
from metaeval.experiment.statistics_by_metric import Measured
from metaeval.metrics.text_metric import TextMetric
from metaeval.results.keys import Key
from metaeval.results.model import ScoreBlock
from metaeval.sampling.documents import real, single
from metaeval.sampling.references import ReferenceGroup


def score_blocks(
    corpus: Corpus,
    groups: Sequence[ReferenceGroup],
    measured: Sequence[Measured],
    references: Sequence[MeasuredReference],
    *,
    panel: str = "",
) -> Iterator[ScoreBlock]:
    """Yield the scores of systems, real documents and segments, with the title of the panel, if any, in their keys.

    Only segments that have a reference of each subset count.
    Subsets whose scores are not averaged have rows of their own; where there are many, for systems only.
    A reference that a subset leaves out is scored like a system, for the whole corpus; its kind is ``reference``.
    """
    by_subset = {(item.preprocessing, item.named, item.subset): item for item in measured}
    metrics = list(dict.fromkeys((item.preprocessing, item.named) for item in measured))
    key = Key(panel=panel, corpus=corpus.name)
    for group in groups:
        together = len(group.subsets) == 1 or group.combine == "scores"
        parts = [group] if together else [ReferenceGroup(str(subset), (subset,)) for subset in group.subsets]
        for part in parts:
            items = [[by_subset[(*line, subset)] for subset in part.subsets] for line in metrics]
            yield from _blocks(key, corpus, part, items, corpus.systems, "system", all_levels=together)
    for reference in references:
        group = ReferenceGroup(str(reference.measured.subset), (reference.measured.subset,))
        names = (reference.name,)
        yield from _blocks(key, corpus, group, [[reference.measured]], names, "reference", all_levels=False)


def _blocks(
    key: Key,
    corpus: Corpus,
    group: ReferenceGroup,
    metrics: Sequence[Sequence[Measured]],
    names: Sequence[str],
    kind: str,
    *,
    all_levels: bool,
) -> Iterator[ScoreBlock]:
    """Yield the scores of each metric from its statistics for each subset; `key` has panel and corpus."""
    has_holes: dict[StatisticsTable, bool] = {}
    together: dict[tuple[bytes, bool], list[int]] = {}
    for number, measured in enumerate(metrics):
        defined = np.ones(corpus.n_segments, dtype=bool)
        for item in measured:
            for table in item.statistics.tables:
                if table not in has_holes:
                    has_holes[table] = bool(np.isnan(table.values.sum()))  # faster than looking at each
            if any(has_holes[table] for table in item.statistics.tables):
                defined &= ~np.isnan(item.statistics.values).any(axis=(0, 2))
        metric = measured[0].named.kind
        is_whole = isinstance(metric, TextMetric) and metric.of_whole_systems(corpus)
        together.setdefault((defined.tobytes(), all_levels and not is_whole), []).append(number)
    blocks_of: dict[int, list[ScoreBlock]] = {}
    for (defined_bytes, levels_too), numbers in together.items():
        scorable: IntArray = np.flatnonzero(np.frombuffer(defined_bytes, dtype=bool))
        if len(scorable):
            some = [metrics[number] for number in numbers]
            blocks = zip(*_levels(key, corpus, group, some, names, kind, scorable, all_levels=levels_too), strict=True)
            blocks_of |= zip(numbers, map(list, blocks), strict=True)
    for number in range(len(metrics)):
        yield from blocks_of.get(number, ())


def _levels(
    key: Key,
    corpus: Corpus,
    group: ReferenceGroup,
    metrics: Sequence[Sequence[Measured]],
    names: Sequence[str],
    kind: str,
    scorable: IntArray,
    *,
    all_levels: bool,
) -> Iterator[list[ScoreBlock]]:
    """Yield, for each level, the scores of each metric."""
    levels: list[tuple[str, Documents]] = [("system", whole(len(scorable)))]
    if all_levels and corpus.documents is not None:
        levels.append(("document", real([corpus.documents[segment] for segment in scorable])))
    if all_levels:
        levels.append(("segment", single(corpus.numbers[scorable].tolist())))
    statistics = [(of_subsets[0].named.kind.score, [item.statistics for item in of_subsets]) for of_subsets in metrics]
    for level, documents in levels:
        of_metrics = pooled_scores(statistics, group.combine, scorable, documents)
        sizes = pool(np.ones((1, len(scorable), 1)), documents)[:, 0, 0].astype(np.int64)
        blocks = []
        for (first, *_), (scores,) in zip(metrics, of_metrics, strict=True):
            signature = first.named.kind.signature.with_pairs(first.preprocessing_signature.items)
            blocks.append(
                ScoreBlock(
                    key=key.with_names(
                        preprocessing=first.preprocessing, subset=str(group), metric=first.named.written
                    ),
                    level=level,
                    kind=kind,
                    units=tuple(documents.labels),
                    sizes=sizes,
                    names=tuple(names),
                    values=scores,
                    n_references=len(group.subsets[0].names),
                    signature=str(signature.with_pairs([*corpus.signature_items, ("refs", group)])),
                )
            )
        yield blocks
