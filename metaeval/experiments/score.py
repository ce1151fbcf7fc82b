"""Scores of texts: treat, measure, pool; no people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.errors import UsageError
from metaeval.experiments.measure import check_levels, named_metrics, unfinished
from metaeval.metrics.contract import measure
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Signature
from metaeval.pooling import pool
from metaeval.records import Corpus, FloatArray, Statistics
from metaeval.sampling.documents import single, whole
from metaeval.text.conditions import Condition
from metaeval.text.encoding import treat

LEVELS = ("segment", "corpus")
# Half of a character: what Python makes of a byte that is not UTF-8 in file names, and of some escapes in JSON.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Scores:
    """The scores of one metric.

    Attributes
    ----------
    metric : str
        As the user wrote it.
    signature : Signature
        All that determined the scores of the given texts.
    level : str
        ``segment`` or ``corpus``.
    candidates : tuple of str
        Names of the scored texts.
    values : (candidates, units) float array
        One unit for each segment, or one for the corpus.
    statistic_names : tuple of str
    statistics : (candidates, units, statistics) float array
        What the scores were computed from, pooled.
    notes : tuple of str
        What a reader of the scores must know.
    """

    metric: str
    signature: Signature
    level: str
    candidates: tuple[str, ...]
    values: FloatArray
    statistic_names: tuple[str, ...]
    statistics: FloatArray
    notes: tuple[str, ...] = ()

    @property
    def unfinished(self) -> list[str]:
        """A sentence for each kind of search that ended early for some segments."""
        return unfinished(self.statistic_names, self.statistics, "segment(s)")

    def rows(self, *, statistics: bool = False, signature: bool = False) -> Iterator[dict[str, object]]:
        """Give a row for each score: candidate if there are several, metric, segment if by segment, score.

        Parameters
        ----------
        statistics, signature : bool
            Whether to add a column for each statistic, or the signature.
        """
        for position, candidate in enumerate(self.candidates):
            for unit, value in enumerate(self.values[position].tolist()):
                row: dict[str, object] = {"candidate": candidate} if len(self.candidates) > 1 else {}
                row["metric"] = self.metric
                if self.level == "segment":
                    row["segment"] = unit + 1
                row["score"] = value
                if statistics:
                    numbers = self.statistics[position, unit].tolist()
                    row |= {name: _whole(n) for name, n in zip(self.statistic_names, numbers, strict=True)}
                if signature:
                    row["signature"] = str(self.signature)
                yield row


def score_texts(
    metrics: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str | None]],
    condition: Condition,
    level: str,
) -> list[Scores]:
    """Score texts against references, with each metric.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters.
    candidates, references : mapping of str to sequence of str
        Texts by name, a text for each segment; None is an absent reference.
    condition : Condition
    level : "segment" or "corpus"

    Raises
    ------
    UsageError
        If a metric is unknown, the level is another, there is nothing to compare, or a text is no Unicode text.
    MetricError
        If a metric that somebody has brought fails.
    """
    if level not in LEVELS:
        raise UsageError(f"`level` must be segment or corpus; got {level!r}.")
    for texts in (*candidates.values(), *references.values()):
        if isinstance(texts, str):
            raise UsageError(f"a text must be a list with one string for each segment; got the string {texts[:40]!r}.")
    named = named_metrics(metrics)
    lengths = {len(texts) for texts in (*candidates.values(), *references.values())}
    if not candidates or not references or len(lengths) != 1 or lengths == {0}:
        raise UsageError(
            "`candidates` and `references` must hold texts of equally many segments, at least one; got "
            f"{', '.join(map(str, sorted(lengths))) or 'none'}."
        )
    _check_characters("candidate", candidates)
    _check_characters("reference", references)
    n_segments = lengths.pop()
    treated = treat(condition, list(candidates.values()), references)
    documents = whole(n_segments) if level == "corpus" else single(range(1, n_segments + 1))
    results = []
    for item in named:
        notes: tuple[str, ...] = ()
        treatment = treated.condition.items
        if isinstance(item.metric, TextMetric):
            texts_alone = Corpus.of_texts(candidates, references)
            check_levels(texts_alone, [item], "segments" if level == "segment" else "all")
            values = item.metric.measure(texts_alone, tuple(references))
            notes = item.metric.notes(texts_alone)
            statistics, treatment = Statistics(values, item.metric.statistic_names), ()
        else:
            statistics = measure(item.metric, treated.candidates, list(treated.references.values()))
        if np.isnan(statistics.values).any():
            absent = np.flatnonzero(np.isnan(statistics.values).any(axis=(0, 2)))
            raise UsageError(f'segment {absent[0] + 1} has no reference; an empty one is "", an absent one None.')
        pooled = pool(statistics.values, documents).transpose(1, 0, 2)
        signature = item.metric.signature.with_pairs(treatment).with_items(nrefs=len(references))
        results.append(
            Scores(
                item.written,
                signature,
                level,
                tuple(candidates),
                item.metric.score(pooled),
                statistics.names,
                pooled,
                notes,
            )
        )
    return results


def _check_characters(kind: str, texts: Mapping[str, Sequence[str | None]]) -> None:
    """Refuse texts that cannot be written, whatever the tokenizer would make of them."""
    for name, segments in texts.items():
        for number, text in enumerate(segments, start=1):
            if text and not text.isascii() and _SURROGATE.search(text):
                raise UsageError(
                    f"{kind} {name!r}, segment {number}: has a lone surrogate, which is no character: {text[:60]!r}. "
                    "It probably stands for a byte that is not UTF-8; decode the text with its real encoding."
                )


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number
