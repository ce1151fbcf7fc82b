# %% [markdown]
# # Metrics for summaries, on a public corpus
#
# SummEval (Fabbri et al. 2021) has summaries of 100 news texts by 17 systems, eleven reference summaries of each text,
# and grades of three experts for coherence, consistency, fluency and relevance. Which metric agrees with the experts?
#
# The first line downloads the corpus (2.2 MB), checks it against its digests, and does nothing where it has been
# fetched before. The outputs below are those of a recorded run; without a network, or a copy (`origin="DIR"`), the
# notebook cannot be run again.

# %%
import warnings

import metaeval

warnings.simplefilter("ignore", metaeval.MetaevalWarning)  # notes stand below tables, too

metaeval.fetch_corpus("summeval")
corpus = metaeval.load_corpus("summeval")
print(f"{len(corpus.systems)} systems, {corpus.n_segments} texts, {len(corpus.references)} references")
print(corpus.judge_groups)

# %% [markdown]
# ## Do the experts agree?
#
# Krippendorff's alpha on each criterion, by scale, with its confidence interval. The default judges are the experts;
# `judges="crowd"` takes the others.

# %%
agreement = metaeval.agreement(corpus, criteria=["relevance", "fluency"])
alpha = agreement.to_frame().query("table == 'alpha'")
alpha[["criterion", "level", "alpha", "lower", "upper"]].round(2)

# %% [markdown]
# ## Which metric agrees with them?

# %%
result = metaeval.compare(corpus, ["bleu", "chrf", "rouge-l", "ter"], criteria=["relevance", "fluency"])
for table in result.tables:
    print(table.sentence)
result.to_frame()[["criterion", "metric", "value", "lower", "upper", "cluster"]].round(2)

# %% [markdown]
# ROUGE-L, chrF and BLEU agree with relevance about equally well, and TER, which counts edits of texts that may be
# worded in any way, not at all. For fluency the coefficients look as good, but no more than what the same scores give
# if systems are exchanged at random: seventeen systems cannot tell.
#
# The differences to the best, with intervals at the level of the corrected p: one that does not contain 0 is
# significant.

# %%
result.figure("intervals", of="differences", width=6)
