# %% [markdown]
# # Is my metric better?
#
# You have an idea for a metric. This notebook writes one in four lines, compares it with two known metrics, and
# quantifies the uncertainty of the answer. The corpus is the simulated one that ships, so the answer is about the
# simulation.
#
# ## Four lines
#
# A metric is a function of a candidate and its references. It stands wherever a metric is named, beside the names of
# known metrics, and runs in this process. (In a file, `my_metric.py:words`, it does the same on the command line.)

# %%
import warnings

import metaeval

warnings.simplefilter("ignore", metaeval.MetaevalWarning)  # notes stand below tables, too


def words(candidate, references):
    """The share of the candidate's words that a reference has."""
    mine = set(candidate.split())
    return max(len(mine & set(text.split())) for text in references) / max(len(mine), 1)


metrics = ["bleu", "gtm", words]

# %% [markdown]
# Does it work? Four of the five words are in the reference:

# %%
(scored,) = metaeval.score(words, ["the cat sat down today"], ["the cat sat down"])
print(scored.values[0, 0])

# %% [markdown]
# ## Compare
#
# `compare` computes the system-level correlation of each metric with human judgments, and tests the best metric against
# the others.

# %%
result = metaeval.compare("demo", metrics, criteria=["adequacy"])
print(result)

# %% [markdown]
# Read the table from left to right:
#
# - the correlation with its 95 % confidence interval, and a star if the metric is not significantly worse than the
#   best;
# - *below the best*: how much lower its correlation is than that of the best;
# - *p*: of the hypothesis that no other metric is better. The star is there where it is 0.05 or more.
#
# The first line is the conclusion. `result.to_frame()` has the same as a data frame, and more: each difference with its
# confidence interval, the cluster, and the fraction of the noise ceiling, which a perfect metric would reach.
# `result.figure(...)` draws it.
#
# Two correlations whose intervals overlap prove nothing either way, since both metrics scored the same text: p decides.

# %%
result.figure("intervals")

# %% [markdown]
# ## What does it generalise to?
#
# The intervals above are about other test sets of this size **for these eight systems**; the corpus names documents, so
# these were drawn again, and not single segments. Whether the metric would also be better on new systems is another
# question. Williams' test answers it:

# %%
systems = metaeval.compare("demo", metrics, criteria=["adequacy"], resample="systems")
print(systems.tables[0].sentence)

# %% [markdown]
# The Type I error of these tests was measured on corpora with a known truth (docs/calibration.md):
#
# - Where each metric has its own bias for or against individual systems, tests over segments or documents do not
#   generalise to new systems: a bootstrap over segments has a Type I error rate of 12 to 14 % at the 5 % level, for
#   metrics that are equally good over all systems.
# - Williams' test controls the Type I error there, but has low power with few systems.
# - The signed-rank test over pseudo-documents, as used in the papers, has a Type I error rate of more than 50 %. A
#   thousand documents from the same segments are not a thousand independent observations.
#
# ## More power: the segment level
#
# Eight systems are eight data points. Each segment has eight more, so a comparison at segment level has more power.

# %%
segments = metaeval.compare("demo", metrics, criteria=["adequacy"], level="segment", coefficient="pearson")
print(segments)

# %% [markdown]
# The correlations are lower, because the judgments of a single segment are noisy; *fraction_of_ceiling* in
# `segments.to_frame()` compares them with a perfect metric. But the ranking of the metrics is now clearer. The best
# metric at segment level need not be the best at system level: report which level you used.
#
# For BLEU, *below the best* is not exactly the difference of the two correlations. Its correlation is undefined on
# some segments, as *n_undefined* in the data frame shows. Two metrics are compared on the segments where both are
# defined, while each correlation is the mean over all segments where that metric is defined.
