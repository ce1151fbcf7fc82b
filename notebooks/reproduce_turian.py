# %% [markdown]
# # An experiment of 2003, re-run
#
# Turian, Shen and Melamed (2003) asked how well automatic metrics correlate with human judgments on short documents.
# They drew pseudo-documents of increasing length, scored every system on each of them with a metric and with human
# judgments, and correlated the two. This notebook runs their experiment and checks one of its claims.
#
# The corpus here ships with metaeval and is **simulated**: a program generated its texts and judgments. What follows
# shows how to run and read an experiment, and is no evidence about any metric.

# %%

import warnings

import metaeval

warnings.simplefilter("ignore", metaeval.MetaevalWarning)  # notes stand below tables, too

corpus = metaeval.load_corpus("demo")
print(corpus.title)
print(f"{len(corpus.systems)} systems, {corpus.n_segments} segments, {len(corpus.references)} references")

# %% [markdown]
# ## Run it
#
# An experiment is one TOML file; `turian2003-chinese` ships. Any key can be overridden. The paper drew 1000 documents
# of each length and one reference at random; fewer documents and the first reference are enough for a first look.

# %%
quick = {
    "references": {"subsets": ["ref1"], "sizes": None, "count": None},
    "documents": {"lengths": [1, 3, 10, 25, 50], "count": 60},
    "uncertainty": {"n_resamples": 50},
}
run = metaeval.run("turian2003-chinese", corpora=corpus, overrides=quick, output="runs/turian")
print(run)

# %% [markdown]
# ## The figure
#
# The run writes a directory with tables and figures. Each line is a metric; the line `inter-judge` is inter-annotator
# agreement, the correlation of one judgment with another. Correlations rise with document length, for judges too: a few
# segments say little about a system.

# %%
run.figure("correlation-by-length")

# %% [markdown]
# The numbers behind the lines are a table, with a confidence interval for each. The interval comes from a bootstrap:
# the segments are resampled and the whole experiment is repeated on them. Resampling adds segment noise, so these
# intervals are biased downward: they extend further down than up.

# %%
longest = run.correlations[(run.correlations["criterion"] == "adequacy") & (run.correlations["length"] == 50)]
print(longest[["metric", "mean", "lower", "upper"]].round(3).to_string(index=False))

# %% [markdown]
# ## One claim, and how to read it
#
# The config also has the claims of the paper, each with a statement that can be checked. Here is the first.

# %%
claim = run.claims.iloc[0]
print("The paper:", claim["paper"])
print("Checked:  ", claim["statement"], f"({claim['over']} over the places)")
print("Verdict:  ", claim["verdict"])
print("Decided by:", claim["why"])
interval = f"{claim['lower']:+.3f} to {claim['upper']:+.3f}"
print(f"Difference: {claim['difference']:+.3f}, 95 % confidence interval {interval}")
print("Label:    ", claim["label"])

# %% [markdown]
# The difference is between two mean correlations. The claim *holds* if the whole interval is on its side of 0, *fails*
# if the whole interval is on the other side, and is *undecided* if the interval contains 0. The label says that the
# corpus was simulated, so the verdict is about the simulation.
#
# ## What would another seed have given?
#
# An experiment has one random seed. `diff_runs` shows by how much each number changes between two runs, here with other
# pseudo-documents from the same text.

# %%
again = metaeval.run("turian2003-chinese", corpora=corpus, overrides={**quick, "seed": 7}, output="runs/again")
differences = metaeval.diff_runs(run, again)
print(differences.inputs.to_string(index=False))
print(f"\n{len(differences.numbers)} of {differences.n_compared} correlations moved, most of all:")
print(differences.numbers.head(3)[["metric", "criterion", "length", "old", "new", "change"]].to_string(index=False))
print(f"\n{len(differences.claims)} of {len(run.claims)} verdicts changed.")

# %% [markdown]
# Results on short documents change most, so they need more draws for the same precision. No verdict changed here, but
# the claim above is undecided with either seed, and 60 documents with 50 replicates are few. A verdict that changes
# with the seed is no verdict. Draw more (the config as it ships does), and report how far the interval is from 0.
#
# `metaeval.cite(["turian2003-chinese"])` lists what to cite for the experiment and for each metric in it.
