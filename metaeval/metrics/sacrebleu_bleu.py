r"""BLEU as sacreBLEU scores it: :mod:`bleu <metaeval.metrics.bleu>` with sacreBLEU's choices, from 0 to 100.

It tokenizes texts itself, so that a score of a whole corpus is the one that sacreBLEU prints for it, and the score of a
segment is its sentence score with the same parameters. Counts and formula are those of `bleu`, with the length of the
closest reference and the geometric mean. For single segments sacreBLEU advises ``effective_order=True``; without it a
segment of fewer than four tokens scores 0.

Sources
-------
In `bibliography.toml`: papineni2002; post2018 (sacreBLEU); chen2014 (smoothing).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from metaeval import kernels
from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.errors import UsageError
from metaeval.metrics.bleu import DEFAULT_SMOOTH_VALUES, MAX_ORDER, Bleu
from metaeval.metrics.contract import measure_subsets
from metaeval.metrics.descriptions import Described
from metaeval.metrics.sacrebleu_metrics import SacreBleuMetric
from metaeval.metrics.sacrebleu_signatures import sacrebleu_signature
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import make_preprocessing

# Bytes for comparisons beside texts and statistics; systems and segments are compared in parts that need no more.
_MEMORY_BYTES = 1 << 28


@dataclass(frozen=True)
class SacreBleu(Described, SacreBleuMetric, name="sacrebleu-bleu", title="BLEU (sacreBLEU)"):
    """BLEU as sacreBLEU scores it, with its tokenizers; `bleu` scores preprocessed texts."""

    tokenize: str = parameter(
        "13a", doc="its tokenizer, of those that need nothing else", choices=("13a", "intl", "char", "zh", "none")
    )
    lowercase: bool = parameter(False, doc="whether texts are lower-cased")
    smooth: str = parameter(
        "exp", doc="what becomes of an order without matches", choices=("exp", "floor", "add-k", "none")
    )
    smooth_value: float | None = parameter(
        None, doc="of floor (0.1 if not given) and add-k (1)", minimum=1e-9, maximum=1000.0
    )
    order: int = parameter(4, doc="the longest n-grams", minimum=1, maximum=MAX_ORDER)
    effective_order: bool = parameter(
        False, doc="whether orders that the candidate is too short for are left out; advised for single segments"
    )

    def __post_init__(self) -> None:
        if self.smooth_value is not None and self.smooth not in DEFAULT_SMOOTH_VALUES:
            raise UsageError(
                f"metric {self.name!r}: `smooth_value` belongs to smooth 'floor' and 'add-k', not to {self.smooth!r}."
            )

    @cached_property
    def bleu(self) -> Bleu:
        """The metric of preprocessed texts that counts and scores."""
        return Bleu(
            order=self.order,
            smooth=self.smooth,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
        )

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Matches and n-grams of each order, then the lengths of candidate and closest reference."""
        return self.bleu.statistic_names

    @property
    def side_by_side(self) -> Literal["", "processes"]:
        """Take other processes only where it counts in Python."""
        return "processes" if kernels.COMPILED is None else ""

    @property
    def signature(self) -> Signature:
        """Return the signature of sacreBLEU, with the version of metaeval."""
        smooth = self.smooth
        if self.smooth in DEFAULT_SMOOTH_VALUES:
            # sacreBLEU prints two digits, which do not distinguish all values.
            value = self.bleu.used_smooth_value
            smooth += f"[{value:.2f}]" if round(value, 2) == value else f"[{value}]"
        case = "lc" if self.lowercase else "mixed"
        pairs = {"case": case, "eff": self.effective_order, "tok": self.tokenize, "smooth": smooth}
        return sacrebleu_signature("BLEU", pairs, order=self.order)

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of all systems: (systems, segments, statistics)."""
        return next(self.measure_subsets(corpus, [references]))

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the statistics with each of several reference subsets, comparing once with each reference."""
        for subset in subsets:
            self.check_references(subset)
        used = dict.fromkeys(name for subset in subsets for name in subset)
        texts = treat(
            make_preprocessing(tokenizer=self.tokenize, lowercase=self.lowercase),
            [_stripped(text) for text in corpus.candidates],
            {name: _stripped(corpus.references[name]) for name in used},
        )
        for statistics in measure_subsets(self.bleu, texts.candidates, texts.references, subsets, _MEMORY_BYTES):
            yield statistics.values

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return BLEU, 0 to 100, of pooled statistics: (..., statistics) to (...)."""
        return 100 * self.bleu.score(statistics)


def _stripped(segments: Sequence[str | None]) -> list[str | None]:
    """Return segments without white space at their ends, which sacreBLEU takes off before it tokenizes."""
    return [None if segment is None else segment.rstrip() for segment in segments]
