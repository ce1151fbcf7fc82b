"""Metrics that read texts as they are: neural ones, other programs, scores from a file.

They preprocess texts themselves, so preprocessing here does not affect them: they score once, and stand beside the
metrics of every preprocessing. Unless they say otherwise, the score of a document is the mean of its segments' scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.metrics.division import quotient
from metaeval.parameters.calls import Signature


class TextMetric(ABC):
    """The base of metrics that read texts; see `Metric` for the attributes they share with others.

    Attributes
    ----------
    uses_references : bool
        Whether the score depends on the references; if not, there is one score for all subsets of these.
    needs_texts : bool
        Whether the score is made of texts; scores that were computed before are not.
    """

    needs_texts: ClassVar[bool] = True

    if TYPE_CHECKING:
        # For the type checker: a metric may have these as class variables, fields or properties.
        @property
        def name(self) -> str: ...  # noqa: D102
        @property
        def title(self) -> str: ...  # noqa: D102
        @property
        def higher_is_better(self) -> bool: ...  # noqa: D102
        @property
        def uses_references(self) -> bool: ...  # noqa: D102
        @property
        def statistic_names(self) -> tuple[str, ...]: ...  # noqa: D102
    else:
        uses_references = True
        statistic_names = ("sum", "count")

    @property
    def label(self) -> str:
        """Name the metric in tables and figures; "" if as the user wrote it."""
        return ""

    @property
    def sources(self) -> tuple[str, ...]:
        """List what to cite: keys of the bibliography, or words; nothing where nothing is known."""
        return ()

    @property
    def side_by_side(self) -> Literal["", "processes", "programs"]:
        """Name where systems may be scored side by side: in other processes, by programs of their own, or not ("")."""
        return ""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """Return all that determines the score of given texts."""

    @property
    @abstractmethod
    def described(self) -> str:
        """Describe in plain words how the score is computed."""

    @abstractmethod
    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the statistics of all systems.

        Parameters
        ----------
        corpus : Corpus
            Its texts, ids and names; judgments are not looked at.
        references : sequence of str
            The names of the references to use.

        Returns
        -------
        (systems, segments, statistics) float array
            ``nan`` where there is no score: the segment has none of the references, or the system no output.
        """

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the statistics of all systems with each of several reference subsets.

        Parameters
        ----------
        corpus : Corpus
            As for :meth:`measure`.
        subsets : sequence of sequences of str
            The names of the references of each subset.

        Yields
        ------
        (systems, segments, statistics) float array
            One for each subset; the same for all if references are not used.
        """
        statistics = None
        for names in subsets:
            if self.uses_references or statistics is None:
                statistics = self.measure(corpus, names)
            yield statistics

    def metrics_in(self, corpus: Corpus, notes: list[str]) -> Mapping[str, TextMetric] | None:
        """Return the metrics that it stands for on a corpus, as a pattern or a directory does.

        Parameters
        ----------
        corpus : Corpus
            What is scored.
        notes : list of str
            Takes what a user should know of the choice.

        Returns
        -------
        mapping of str to TextMetric, or None
            By the names that a user writes; None, unless a metric says otherwise, where it is one metric.
        """
        return None

    def variant(self, corpus: Corpus) -> tuple[str, tuple[str, ...] | None] | None:
        """Return the name that its variants share, and the references that these differ in, None if unknown.

        Parameters
        ----------
        corpus : Corpus
            What is scored.

        Returns
        -------
        (str, tuple of str or None), or None
            Such as ``BLEU`` and ``refA``; None of a metric that is not scores from somewhere else.
        """
        return None

    def system_scores(self, corpus: Corpus) -> FloatArray | None:
        """Return scores of whole systems that stand in the place of those made of their segments.

        Parameters
        ----------
        corpus : Corpus
            What is scored.

        Returns
        -------
        (systems,) float array, or None
            None unless a metric says otherwise.
        """
        return None

    def of_whole_systems(self, corpus: Corpus) -> bool:
        """Return whether there are system-level scores only, so that no part of the corpus has one.

        Parameters
        ----------
        corpus : Corpus
            What is scored.

        Returns
        -------
        bool
            False unless a metric says otherwise.
        """
        return False

    def at_level(self, corpus: Corpus, *, whole: bool) -> TextMetric:
        """Return the metric that scores a corpus, which may have scores of its own at system level.

        Parameters
        ----------
        corpus : Corpus
            What is scored.
        whole : bool
            Whether only the system level is scored.

        Returns
        -------
        TextMetric
            Itself unless a metric says otherwise.
        """
        return self

    def scores_system(self, corpus: Corpus, name: str) -> bool:
        """Return whether a text of that name, such as a reference in the place of a system, can have a score.

        Parameters
        ----------
        corpus : Corpus
            What is scored.
        name : str
            Of the text.

        Returns
        -------
        bool
            True unless a metric says otherwise.
        """
        return True

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return warnings to readers of the scores of this corpus, such as on segments without a score.

        Parameters
        ----------
        corpus : Corpus
            What was scored.

        Returns
        -------
        tuple of str
            Sentences.
        """
        return ()

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of pooled statistics.

        Parameters
        ----------
        statistics : (..., statistics) float array
            Added over the segments of each document: the sum of their scores, and their number.

        Returns
        -------
        (...) float array
            The mean; ``nan`` where no segment was added.
        """
        return mean_score(statistics)


def mean_score(statistics: FloatArray) -> FloatArray:
    """Return the mean score of pooled statistics, as :meth:`TextMetric.score` does.

    Parameters
    ----------
    statistics : (..., statistics) float array
        The sum of scores, and their number.

    Returns
    -------
    (...) float array
        ``nan`` where there is none.
    """
    return quotient(statistics[..., 0], statistics[..., 1], otherwise=np.nan)


def better(metric: TextMetric) -> str:
    """Return the direction in which scores are better.

    Parameters
    ----------
    metric : TextMetric
        Of any kind.

    Returns
    -------
    str
        ``higher`` or ``lower``.
    """
    return "higher" if metric.higher_is_better else "lower"


def as_statistics(scores: FloatArray) -> FloatArray:
    """Return segment scores as statistics.

    Parameters
    ----------
    scores : (systems, segments) float array
        ``nan`` where missing.

    Returns
    -------
    (systems, segments, 2) float array
        Each score as a sum, and 1 as its count; ``nan`` for both where it is missing.
    """
    return np.stack([scores, np.where(np.isnan(scores), np.nan, 1.0)], axis=-1)
