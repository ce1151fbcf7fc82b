"""The scores of segments, real documents and systems: what scores.tsv holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.experiment.cells import document_scores
from metaeval.experiment.measure import Measured, MeasuredReference
from metaeval.metrics.text_metric import TextMetric
from metaeval.pooling import pool, whole
from metaeval.records import Corpus, Documents, IntArray
from metaeval.results.keys import Key
from metaeval.results.model import ScoreBlock
from metaeval.sampling.documents import real, single
from metaeval.sampling.references import ReferenceGroup


def score_blocks(
    corpus: Corpus,
    groups: Sequence[ReferenceGroup],
    measured: Sequence[Measured],
    references: Sequence[MeasuredReference],
) -> Iterator[ScoreBlock]:
    """Give the scores of systems, real documents and segments.

    Only segments that have a reference of each subset count.
    Subsets whose scores are not averaged have rows of their own, of systems only where there are many of them.
    A reference that a subset leaves out is scored like a system, for the whole corpus; its kind is ``reference``.
    """
    by_subset = {(item.preprocessing, item.named, item.subset): item for item in measured}
    lines = list(dict.fromkeys((item.preprocessing, item.named) for item in measured))
    for group in groups:
        together = len(group.subsets) == 1 or group.combine == "scores"
        parts = [group] if together else [ReferenceGroup(str(subset), (subset,)) for subset in group.subsets]
        for part in parts:
            for preprocessing, named in lines:
                items = [by_subset[preprocessing, named, subset] for subset in part.subsets]
                yield from _blocks(corpus, part, items, corpus.systems, "system", all_levels=together)
    for reference in references:
        group = ReferenceGroup(str(reference.measured.subset), (reference.measured.subset,))
        yield from _blocks(corpus, group, [reference.measured], (reference.name,), "reference", all_levels=False)


def _blocks(
    corpus: Corpus,
    group: ReferenceGroup,
    measured: Sequence[Measured],
    names: Sequence[str],
    kind: str,
    *,
    all_levels: bool,
) -> Iterator[ScoreBlock]:
    absent = [np.isnan(item.statistics.values) for item in measured]
    defined = np.ones(corpus.n_segments, dtype=bool)
    for one in absent:
        if one.any():  # which is soon known
            defined &= ~one.any(axis=(0, 2))
    scorable: IntArray = np.flatnonzero(defined)
    if not len(scorable):
        return
    first = measured[0]
    signature = str(
        first.named.kind.signature.with_pairs(first.preprocessing_signature.items).with_pairs(
            [*corpus.signature_items, ("refs", group)]
        )
    )
    levels: list[tuple[str, Documents]] = [("system", whole(len(scorable)))]
    metric = first.named.kind
    if isinstance(metric, TextMetric) and metric.of_whole_systems(corpus):
        all_levels = False
    if all_levels and corpus.documents is not None:
        levels.append(("document", real([corpus.documents[segment] for segment in scorable])))
    if all_levels:
        levels.append(("segment", single(corpus.numbers[scorable].tolist())))
    for level, documents in levels:
        values = [item.statistics.values for item in measured]
        (scores,) = document_scores(measured[0].named.kind.score, values, group.combine, scorable, documents)
        sizes = pool(np.ones((1, len(scorable), 1)), documents)[:, 0, 0]
        yield ScoreBlock(
            key=Key(
                corpus=corpus.name, preprocessing=first.preprocessing, subset=str(group), metric=first.named.written
            ),
            level=level,
            kind=kind,
            units=tuple(documents.labels),
            sizes=sizes.astype(np.int64),
            names=tuple(names),
            values=scores,
            n_references=len(group.subsets[0].names),
            signature=signature,
        )
