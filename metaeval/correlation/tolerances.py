"""Tolerances: which numbers are equal but for rounding, and which are too small to say anything.

Numbers of 64 bits have 16 digits, and coefficients are of size 1. Each tolerance is far above what rounding does to
what it is for, and far below what data can differ by.
"""

from __future__ import annotations

# Coefficients, agreement, their differences and standard errors, and shares of pairs: rounding moves them by some
# 1e-15, and pairs of 1,000,000 scores by 2e-12. Of sums it is a share of what was added up.
EQUAL = 1e-12

# Differences of mean coefficients whose scores were exchanged, which may be computed in another order than the observed
# one: rounding moves them by 1e-14, or by 1e-12 where what systems have in common in a document is 10,000 times what
# distinguishes them. It is below the step of an accuracy over 400,000 cells that are pooled.
EQUAL_EXCHANGED = 1e-11

# A variance that is left of a sum of squares less another, and is a smaller share of these, is computed again from the
# scores, as it has lost so many digits. Where scores are exchanged p counts on equality, so that only two may be lost;
# of bootstrap replicates, six.
CANCELLED_EXCHANGED = 1e-2
CANCELLED_REPLICATE = 1e-6

# The determinant of a matrix of correlations: rounding moves one of 0 by some 1e-15.
SINGULAR = 1e-14

# The variance of scores along a direction, as a share of the largest: below, it is rounding, and is not divided by.
MIN_VARIANCE_SHARE = 1e-10

# Whole numbers that are products of a level such as .05 and a number of replicates: `floor` must not miss them.
WHOLE = 1e-9

# Sums of squares from this to its reciprocal are far from the ends of the range of numbers, which is 1e308.
MIN_SUM_OF_SQUARES = 1e-200
