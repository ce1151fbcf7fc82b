r"""NIST: n-gram precision in which a match counts the information that it carries.

.. math:: \mathrm{NIST} = \sum_n \frac{\sum_{\mathrm{matches}} \mathrm{info}(w_1 \dots w_n)}{t_n}
          \cdot \exp\Big(\beta \ln^2 \min(c/r, 1)\Big), \qquad
          \mathrm{info}(w_1 \dots w_n) = \log_2 \frac{\mathrm{count}(w_1 \dots w_{n-1})}{\mathrm{count}(w_1 \dots w_n)}

t_n are the candidate's n-grams, c its length and r the average reference length, all added over the segments of a
document; beta is ln(1/2) / ln(3/2)^2, so that the penalty is 1/2 for a candidate of two thirds of the length. Scores
are 0 or more, without a fixed maximum: the information depends on the references.

Conventions. Information is counted in all segments of all references of the subset; the prefix of a unigram is the
number of their tokens. So it belongs to the corpus: pseudo-documents and resamples keep it, and they add. A program run
on each document by itself would take the information from that document; that does not add and is not offered. Matches
are clipped at the largest count in any one reference. An order of which the candidate has no n-grams contributes 0, and
an empty candidate scores 0. The order of the references does not matter. Repeating all of them changes nothing;
repeating one of several changes information and average length.

``information=False`` lets every n-gram count 1: the sum of the clipped precisions, times the penalty. Turian et al.
(2003) plot an "unweighted NIST" without a formula, and this is our reading of it; the mean instead of the sum is the
same up to a factor, other penalties are not.

Differences from other programs. mteval takes a prefix that is the token ``0`` as if it were empty; here it is a token
like all others. The formula printed by Finch et al. (2004) divides inside the sum over matches; mteval, which they ran,
divides the sum.

Sources
-------
In `bibliography.toml`: doddington2002; turian2003 (unweighted); mteval (pooling of sums, clipping, penalty).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics.division import quotient
from metaeval.metrics.ngram_metric import NgramMetric
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter
from metaeval.version import VERSION

# The penalty is 1/2 where the candidate has two thirds of the reference length.
_BETA = math.log(1 / 2) / math.log(3 / 2) ** 2


@dataclass(frozen=True)
class Nist(NgramMetric, name="nist", title="NIST"):
    """NIST of order 5 as in mteval, and variants without its weights or its penalty."""

    order: int = parameter(5, doc="the longest n-grams; all orders from 1 to this one count", minimum=1, maximum=30)
    information: bool = parameter(
        True, doc="whether a match counts its information; if not, it counts 1: our reading of Turian's unweighted NIST"
    )
    brevity: bool = parameter(True, doc="whether candidates shorter than the references are penalised")

    @property
    def used_orders(self) -> range:
        """List the orders that count, ascending."""
        return range(1, self.order + 1)

    @property
    def matched(self) -> Literal["matches", "information"]:
        """Name the weights of the matches of an order: their information, or 1 each."""
        return "information" if self.information else "matches"

    @property
    def length_rule(self) -> str:
        """Name the rule for the length that stands for those of several references."""
        return "average"

    @property
    def signature(self) -> Signature:
        """Name, parameters and version."""
        return Signature("NIST").with_items(
            order=self.order, information=self.information, brevity=self.brevity, version=VERSION
        )

    def score(self, statistics: FloatArray) -> FloatArray:
        """Return NIST, 0 or more, of pooled statistics: (..., statistics) to (...)."""
        of_orders = (quotient(statistics[..., k], statistics[..., self.order + k]) for k in range(self.order))
        score: FloatArray = functools.reduce(np.add, of_orders)
        return score * brevity_penalty(statistics[..., -2], statistics[..., -1]) if self.brevity else score


def brevity_penalty(candidate: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the factor, 0 to 1, for candidates shorter than the average reference: (...) and (...) to (...)."""
    ratio = quotient(candidate, reference, otherwise=1.0)
    with np.errstate(divide="ignore"):  # of nothing, which gives 0
        logarithm = np.log(np.minimum(ratio, 1.0))
    return np.asarray(np.exp(_BETA * np.square(logarithm)))
