# %% [markdown]
# # Is my metric better?
#
# You have an idea for a metric. This notebook writes one in four lines, compares it with two known ones, and asks how
# sure the answer is. The corpus is the simulated one that ships, so the answer is about the simulation.
#
# ## Four lines
#
# A metric is a function of a candidate and its references. It stands in a file, and is named wherever a metric has a
# name.

# %%
from pathlib import Path

import matplotlib.pyplot as plt

import metaeval

Path("my_metric.py").write_text('''\
def words(candidate, references):
    """The share of the candidate's words that a reference has."""
    mine = set(candidate.split())
    return max(len(mine & set(text.split())) for text in references) / max(len(mine), 1)
''')
metrics = ["bleu", "gtm", "my_metric.py:words"]

# %% [markdown]
# Does it do what it should? Four of the five words are in the reference:

# %%
(scored,) = metaeval.score(["my_metric.py:words"], {"mine": ["the cat sat down today"]}, {"ref": ["the cat sat down"]})
print(scored.values[0, 0])

# %% [markdown]
# ## Compare
#
# `compare` relates each metric to the judges across whole systems, and tests the best against the others.

# %%
found = metaeval.compare("demo", metrics, criteria=["adequacy"], n_resamples=1000)
print(found)

# %% [markdown]
# Read the table from left to right:
#
# - the correlation with its 95 % limits;
# - by how much the best is ahead, with limits of that *difference*;
# - *p*, corrected because all pairs were tested;
# - *cluster*: going down, a metric opens a new one where a member of the current cluster is significantly better;
# - *fraction of ceiling*: the correlation as a part of what a perfect metric would reach;
# - *ties*: the share of pairs of systems to which the metric gives equal scores;
# - *documents*: those on which the metric's correlation is defined. Here one, the whole text.
#
# The last line says it in words.
#
# The corrected p decides: a difference is shown where it is below 0.05. The limits show how large the difference may
# be. Each holds by itself and knows nothing of the other pairs, so it may leave out 0 where p does not decide. And two
# correlations whose limits overlap prove nothing either way, since both metrics scored the same text.

# %%
estimates = found.results.estimates
figure, axes = plt.subplots(figsize=(6, 1.8), dpi=100)
for row, one in enumerate(estimates):
    axes.plot([one.lower, one.upper], [row, row], color="black")
    axes.plot(one.value, row, "o", color="black")
axes.set_yticks(range(len(estimates)), [one.metric for one in estimates])
axes.set_xlabel("correlation with adequacy, 95 % limits")
axes.set_ylim(len(estimates) - 0.5, -0.5)
figure.tight_layout()

# %% [markdown]
# ## Sure of what?
#
# The bootstrap above drew *segments* again. Its limits say what other text would give **for these eight systems**.
# Whether the metric would also win on other systems is another question. Williams' test asks it:

# %%
systems = metaeval.compare(
    "demo", metrics, criteria=["adequacy"], resample="systems", test="williams", n_resamples=1000
)
print(systems.tables[0].sentence)

# %% [markdown]
# Which of these keep their promise was measured on corpora with a known truth (docs/calibration.md):
#
# - Where each metric is unfair to some systems by itself, the bootstrap over segments finds a difference between two
#   metrics that are equally good in the long run in 12 to 14 % of the corpora, at a level of 5 %. It speaks about
#   these systems only.
# - Williams' test keeps its 5 % there, but with few systems it hardly finds anything.
# - The signed-rank test over pseudo-documents, as the papers used it, finds a difference between equal metrics in more
#   than half of the corpora. A thousand documents from the same segments are not a thousand observations.
#
# ## More to go on: single segments
#
# Eight systems are eight points. Within each segment there are eight more, so a comparison by segments sees more.

# %%
segments = metaeval.compare("demo", metrics, criteria=["adequacy"], level="segment", n_resamples=1000)
print(segments)

# %% [markdown]
# The correlations are lower, because the judgments of a single segment are noisy; the column *fraction of ceiling* sets
# them against what a perfect metric would reach. But the order of the metrics is now clearer. A metric that agrees
# with people about segments need not be the best one about systems: say which question you asked.
#
# *Best minus this* is not quite the difference of the two correlations for bleu. Its correlation is undefined on some
# segments, as *documents* shows. Two metrics are compared on the segments where both are defined, while each
# correlation is the mean over all segments where that metric is.
