"""Keys of what statistics depend on, so that metrics share those that are the same numbers."""

from __future__ import annotations

from typing import Any, NamedTuple


class StatisticKey(NamedTuple):
    """Hold all that a statistic of a segment depends on, beside the texts, their preprocessing and the references.

    Equal keys are equal numbers, whichever metric counts them.

    Attributes
    ----------
    what : str
        Such as ``matches``.
    by : hashable
        What decides it: the order of n-grams, a rule, or the metric that counts it.
    """

    what: str
    by: Any = ""

    @property
    def name(self) -> str:
        """Its name among the statistics of one metric."""
        return f"{self.what}_{self.by}" if isinstance(self.by, int) else self.what

    def __str__(self) -> str:
        return self.name if isinstance(self.by, int) or not self.by else f"{self.what}({self.by})"


CANDIDATE_LENGTH = StatisticKey("candidate_length")


def reference_length(rule: str) -> StatisticKey:
    """Return the key of the length that stands for those of several references, by a rule.

    The rules are those of :func:`~metaeval.metrics.effective_length.effective_length`.
    """
    return StatisticKey("reference_length", rule)
