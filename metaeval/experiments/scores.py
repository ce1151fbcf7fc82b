"""The scores of segments, real documents and systems, as rows of scores.tsv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.experiments.measure import Measured
from metaeval.pooling import pool
from metaeval.records import Corpus, Documents, FloatArray
from metaeval.sampling.documents import real, single, whole


def score_rows(corpus: Corpus, measured: Sequence[Measured]) -> Iterator[dict[str, object]]:
    """Give a row for each score: corpus, condition, subset, metric, level, unit, segments, system, score, signature.

    The unit is a segment number, a document name or ``all``. Only segments that have a reference of the subset count.
    """
    for item in measured:
        scorable = np.flatnonzero(~np.isnan(item.statistics.values).any(axis=(0, 2)))
        values = item.statistics.values[:, scorable]
        if not len(scorable):
            continue
        signature = item.named.metric.signature.with_pairs(item.condition_signature.items).with_pairs(
            [("corpus", f"{corpus.name}@{corpus.digest[:8]}"), ("refs", item.subset)]
        )
        levels: list[tuple[str, Documents]] = [("system", whole(len(scorable)))]
        if corpus.documents is not None:
            levels.append(("document", real([corpus.documents[segment] for segment in scorable])))
        levels.append(("segment", single([int(segment) + 1 for segment in scorable])))
        for level, documents in levels:
            scores: FloatArray = item.named.metric.score(pool(values, documents))
            sizes = pool(np.ones((1, len(scorable), 1)), documents)[:, 0, 0]
            for unit, size, of_systems in zip(documents.labels, sizes, scores, strict=True):
                for system, score in zip(corpus.systems, of_systems, strict=True):
                    yield {
                        "corpus": corpus.name,
                        "condition": item.condition,
                        "subset": str(item.subset),
                        "metric": item.named.written,
                        "level": level,
                        "unit": unit,
                        "segments": int(size),
                        "system": system,
                        "score": float(score),
                        "signature": str(signature),
                    }
