"""The scores of segments, real documents and systems, as rows of scores.tsv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.experiments.cells import document_scores
from metaeval.experiments.measure import Measured, MeasuredReference
from metaeval.metrics.text_metric import TextMetric
from metaeval.pooling import pool
from metaeval.records import Corpus, Documents, IntArray
from metaeval.sampling.documents import real, single, whole
from metaeval.sampling.references import ReferenceGroup

Row = dict[str, object]


def score_rows(
    corpus: Corpus,
    groups: Sequence[ReferenceGroup],
    measured: Sequence[Measured],
    references: Sequence[MeasuredReference],
) -> Iterator[Row]:
    """Give a row for each score, with the columns of :func:`_rows`.

    The unit is a segment number, a document name or ``all``. Only segments that have a reference of each subset count.
    Subsets whose scores are not averaged have rows of their own, for whole systems alone where there are many of them.
    A reference that a subset leaves out is scored like a system, for the whole corpus; its kind is ``reference``.
    """
    by_subset = {(item.condition, item.named, item.subset): item for item in measured}
    lines = list(dict.fromkeys((item.condition, item.named) for item in measured))
    for group in groups:
        together = len(group.subsets) == 1 or group.combine == "scores"
        parts = [group] if together else [ReferenceGroup(str(subset), (subset,)) for subset in group.subsets]
        for part in parts:
            for condition, named in lines:
                items = [by_subset[condition, named, subset] for subset in part.subsets]
                yield from _rows(corpus, part, items, corpus.systems, "system", all_levels=together)
    for reference in references:
        group = ReferenceGroup(str(reference.measured.subset), (reference.measured.subset,))
        yield from _rows(corpus, group, [reference.measured], (reference.name,), "reference", all_levels=False)


def _rows(
    corpus: Corpus,
    group: ReferenceGroup,
    measured: Sequence[Measured],
    names: Sequence[str],
    kind: str,
    *,
    all_levels: bool,
) -> Iterator[Row]:
    defined = np.logical_and.reduce([~np.isnan(item.statistics.values).any(axis=(0, 2)) for item in measured])
    scorable: IntArray = np.flatnonzero(defined)
    if not len(scorable):
        return
    first = measured[0]
    signature = str(
        first.named.metric.signature.with_pairs(first.condition_signature.items).with_pairs(
            [("corpus", f"{corpus.name}@{corpus.digest[:8]}"), ("refs", group)]
        )
    )
    levels: list[tuple[str, Documents]] = [("system", whole(len(scorable)))]
    metric = first.named.metric
    if isinstance(metric, TextMetric) and metric.of_whole_systems(corpus):
        all_levels = False
    if all_levels and corpus.documents is not None:
        levels.append(("document", real([corpus.documents[segment] for segment in scorable])))
    if all_levels:
        levels.append(("segment", single([int(segment) + 1 for segment in scorable])))
    for level, documents in levels:
        (scores,) = document_scores(measured, group, scorable, documents)
        sizes = pool(np.ones((1, len(scorable), 1)), documents)[:, 0, 0]
        for unit, size, of_systems in zip(documents.labels, sizes, scores, strict=True):
            for name, score in zip(names, of_systems, strict=True):
                yield {
                    "corpus": corpus.name,
                    "condition": first.condition,
                    "subset": str(group),
                    "metric": first.named.written,
                    "level": level,
                    "unit": unit,
                    "segments": int(size),
                    "kind": kind,
                    "system": name,
                    "score": float(score),
                    "signature": signature,
                }
