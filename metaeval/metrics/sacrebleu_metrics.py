r"""Metrics that score as sacreBLEU does: what they share, and those whose counting its own code does.

They read texts and preprocess these themselves, so that a score of a whole corpus is the one that sacreBLEU prints for
it, and the score of a segment is its sentence score with the same parameters. Scores go from 0 to 100.

``sacrebleu-ter`` is sacreBLEU's TER, a near port of tercom. Statistics: edits, and the average length of the
references.

Conventions. A segment with none of the references has no score. What is in sacreBLEU's signature is in ours, with its
version; the number of references, which belongs to the corpus, is added where a corpus is scored.

Sources
-------
In `bibliography.toml`: post2018 (sacreBLEU); snover2006.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.metrics.descriptions import Described
from metaeval.metrics.division import quotient
from metaeval.metrics.sacrebleu_signatures import Stated
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.runtime.cache import cached, digest
from metaeval.version import VERSION


class SacreBleuMetric(TextMetric):
    """A metric that scores as sacreBLEU does, and can be named by sacreBLEU's signature.

    Attributes
    ----------
    stated : Stated or None
        What the signature says by which it was named.
    """

    stated: Stated | None = None

    def check_references(self, names: Sequence[str]) -> None:
        """Refuse another number of references than that of the signature by which it was named."""
        if self.stated:
            self.stated.check_references(names)

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return in what the signature by which it was named is not followed."""
        return self.stated.notes(dict(self.signature.items)["version"]) if self.stated else ()


class CountedBySacreBleu(SacreBleuMetric):
    """A metric whose counting and scoring is done by an object of sacreBLEU, the `engine`."""

    if TYPE_CHECKING:

        @property
        def engine(self) -> Any: ...  # noqa: D102

    @property
    def side_by_side(self) -> Literal["", "processes"]:
        """Take other processes, because Python runs one thread at a time."""
        return "processes"

    @property
    def signature(self) -> Signature:
        """Return the signature of sacreBLEU, with the version of metaeval."""
        return _signature(self.engine)

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of sacreBLEU: (systems, segments, statistics)."""
        self.check_references(references)
        texts = [corpus.references[name] for name in references]
        scorable = [i for i in range(corpus.n_segments) if any(text[i] is not None for text in texts)]

        @functools.cache
        def prepared() -> Any:
            # Looked at once for all systems, by a copy that may take note of the number of references.
            return copy.copy(self.engine)._cache_references([[text[i] for i in scorable] for text in texts])

        shape = (corpus.n_segments, len(self.statistic_names))

        def count(candidates: Sequence[str | None]) -> FloatArray:
            statistics: FloatArray = np.full(shape, np.nan)
            for segment, reference in zip(scorable, prepared(), strict=True):
                text = candidates[segment]
                if text is not None:
                    text = self.engine._preprocess_segment(text)
                    statistics[segment] = self.engine._compute_segment_statistics(text, reference)
            return statistics

        of_texts = digest(str(self.signature), texts)
        return np.stack(
            [
                cached("statistics", (of_texts, texts_of_system), functools.partial(count, texts_of_system), shape)
                for texts_of_system in corpus.candidates
            ]
        )

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...)."""
        rows = statistics.reshape(-1, statistics.shape[-1])
        scores = [self._score_row(row) for row in rows.tolist()]
        return np.array(scores, dtype=np.float64).reshape(statistics.shape[:-1])

    def _score_row(self, row: list[float]) -> float:
        if row[0] != row[0]:
            return float("nan")
        return float(self.engine._compute_score_from_stats(row).score)


def _signature(engine: Any) -> Signature:
    scorer = copy.copy(engine)
    scorer.num_refs = 1
    parts = [part.partition(":") for part in str(scorer.get_signature().format()).split("|")]
    pairs = [(key, value) for key, _, value in parts if key != "nrefs"]
    name = copy.copy(engine)._compute_score_from_stats(_nothing(engine)).name
    # sacreBLEU reports the longest n-grams of chrF, but not those of BLEU.
    order = getattr(engine, "max_ngram_order", None)
    pairs += [("order", str(order))] if order is not None else []
    return Signature(name).with_pairs((*pairs, ("program", "sacreBLEU"), ("metaeval", VERSION)))


def _nothing(engine: Any) -> list[float]:
    """Return the statistics of an empty candidate and an empty reference."""
    scorer = copy.copy(engine)
    (reference,) = scorer._cache_references([[""]])
    empty = scorer._preprocess_segment("")
    return [float(value) for value in scorer._compute_segment_statistics(empty, reference)]


@dataclass(frozen=True, kw_only=True)
class EngineMetric(CountedBySacreBleu):
    """An object of sacreBLEU that a user has made."""

    sources: ClassVar[tuple[str, ...]] = ("post2018",)
    described: ClassVar[str] = "An object of sacreBLEU."

    name: str
    title: str
    higher_is_better: bool
    statistic_names: tuple[str, ...]
    engine: Any

    @classmethod
    def from_engine(cls, name: str, engine: Any) -> EngineMetric:
        """Return the metric of an object of sacreBLEU, under a name."""
        empty = _nothing(engine)
        scored = str(engine._compute_score_from_stats(list(empty)).name)
        return cls(
            name=name,
            title=scored,
            # Of sacreBLEU's own, TER alone is an error rate; an object of another kind can say so itself.
            higher_is_better=getattr(engine, "higher_is_better", scored != "TER"),
            statistic_names=tuple(f"statistic_{number}" for number in range(1, len(empty) + 1)),
            engine=engine,
        )


@dataclass(frozen=True)
class SacreBleuTer(Described, CountedBySacreBleu, name="sacrebleu-ter", title="TER (sacreBLEU)"):
    """TER by sacreBLEU, with its own preprocessing; `ter` is ours, on preprocessed texts."""

    higher_is_better: ClassVar[bool] = False
    statistic_names: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    normalized: bool = parameter(False, doc="whether punctuation is set apart, as tercom does on request")
    no_punct: bool = parameter(False, doc="whether punctuation is removed")
    asian_support: bool = parameter(False, doc="whether Chinese, Japanese and Korean characters stand by themselves")
    case_sensitive: bool = parameter(False, doc="whether case counts")

    @cached_property
    def engine(self) -> Any:
        """The object of sacreBLEU."""
        from sacrebleu.metrics.ter import TER

        return TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics (..., statistics): (...), all at once."""
        edits, length = statistics[..., 0], statistics[..., 1]
        # Edits over no length are a rate of 1, and no edits over no length one of 0.
        return 100 * quotient(edits, length, (edits > 0).astype(np.float64))
