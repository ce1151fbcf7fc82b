"""The scores of segments, real documents and systems: what scores.tsv holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np

from metaeval.experiments.cells import Row, document_scores
from metaeval.experiments.measure import Measured, MeasuredReference
from metaeval.experiments.simulated import corpus_items
from metaeval.metrics.text_metric import TextMetric
from metaeval.pooling import pool
from metaeval.records import Corpus, Documents, FloatArray, IntArray
from metaeval.report.tables import tsv
from metaeval.sampling.documents import real, single, whole
from metaeval.sampling.references import ReferenceGroup


@dataclass(frozen=True)
class ScoreBlock:
    """The scores of one metric on one level, which can be very many.

    Attributes
    ----------
    head : Row
        The columns that tell what was scored: panel where there are some, corpus, preprocessing, subset, metric.
    level, kind : str
        ``system``, ``document`` or ``segment``; whether systems were scored, or references.
    units : tuple of str
        A segment number, the name of a document, or ``all``.
    sizes : (units,) int array
        How many segments a unit has.
    names : tuple of str
        Of the systems or references.
    values : (units, names) float array
    signature : str
    """

    head: Row
    level: str
    kind: str
    units: tuple[str, ...]
    sizes: IntArray
    names: tuple[str, ...]
    values: FloatArray
    signature: str

    def in_panel(self, title: str) -> ScoreBlock:
        """Return the same scores as those of a panel."""
        return replace(self, head={"panel": title, **self.head})

    def rows(self) -> Iterator[Row]:
        """Give a row for each score."""
        for unit, size, of_names in zip(self.units, self.sizes.tolist(), self.values.tolist(), strict=True):
            for name, score in zip(self.names, of_names, strict=True):
                place = {"level": self.level, "unit": unit, "segments": size, "kind": self.kind, "system": name}
                yield {**self.head, **place, "score": score, "signature": self.signature}

    def write(self, file: TextIO) -> None:
        """Write the scores as lines of scores.tsv, as :func:`~metaeval.report.tables.tsv` would, but faster.

        The signature stands in the rows of whole systems alone: in the many rows of segments it would be most of the
        file.
        """
        head = "\t".join([*map(str, self.head.values()), self.level])
        for unit, size, of_names in zip(self.units, self.sizes.tolist(), self.values.tolist(), strict=True):
            place = f"{head}\t{unit}\t{size}\t{self.kind}\t"
            file.writelines(f"{place}{name}\t{score!r}\t\n" for name, score in zip(self.names, of_names, strict=True))


def write_scores(blocks: Sequence[ScoreBlock], file: TextIO) -> None:
    """Write scores.tsv: whole systems first."""
    file.write(tsv(system_rows(blocks)))
    for block in blocks:
        if block.level != "system":
            block.write(file)


def system_rows(blocks: Sequence[ScoreBlock]) -> list[Row]:
    """Return the rows of whole systems."""
    return [row for block in blocks if block.level == "system" for row in block.rows()]


def score_blocks(
    corpus: Corpus,
    groups: Sequence[ReferenceGroup],
    measured: Sequence[Measured],
    references: Sequence[MeasuredReference],
) -> Iterator[ScoreBlock]:
    """Give the scores of whole systems, real documents and segments.

    Only segments that have a reference of each subset count.
    Subsets whose scores are not averaged have rows of their own, for whole systems alone where there are many of them.
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
    defined = np.logical_and.reduce([~np.isnan(item.statistics.values).any(axis=(0, 2)) for item in measured])
    scorable: IntArray = np.flatnonzero(defined)
    if not len(scorable):
        return
    first = measured[0]
    signature = str(
        first.named.metric.signature.with_pairs(first.preprocessing_signature.items).with_pairs(
            [*corpus_items(corpus), ("refs", group)]
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
        yield ScoreBlock(
            head={
                "corpus": corpus.name,
                "preprocessing": first.preprocessing,
                "subset": str(group),
                "metric": first.named.written,
            },
            level=level,
            kind=kind,
            units=tuple(documents.labels),
            sizes=sizes.astype(np.int64),
            names=tuple(names),
            values=scores,
            signature=signature,
        )
