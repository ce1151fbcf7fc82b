# %% [markdown]
# # How sure can we be?
#
# A correlation of 0.97 looks precise. Whether it is depends on three numbers: of segments, of systems, and of
# judgments. This notebook varies one at a time, on simulated corpora, whose size we can choose.

# %%
import warnings

import metaeval

warnings.simplefilter("ignore", metaeval.MetaevalWarning)  # notes stand below tables, too

metrics = ["gtm", "bleu"]
question = {"criteria": ["adequacy"], "ceiling": 0}

# %% [markdown]
# ## How many segments?
#
# Three corpora of the same kind, with 50, 200 and 800 segments and ten systems. For each: the difference of the two
# system-level correlations, with its 95 % confidence interval: what it may be for these systems on other test sets of
# that size.

# %%
sizes = [50, 200, 800]
by_size = {}
for size in sizes:
    metaeval.simulate_corpus("mtc-chinese", f"corpora/{size}-segments", segments=size, seed=5)
    result = metaeval.compare(f"corpora/{size}-segments", metrics, resample="segments", **question)
    (by_size[size],) = result.results.tests.to_dict("records")
    test = by_size[size]
    print(
        f"{size:>3} segments: gtm minus bleu {test['difference']:+.3f} "
        f"[{test['lower']:+.3f}, {test['upper']:+.3f}], p = {test['p']:.2g}"
    )

# %%
result.figure("intervals", of="differences", width=5)  # of the last, with 800 segments

# %% [markdown]
# With four times as many segments, the interval is less than half as wide here. The usual rule says half; besides, the
# correlations get closer to 1 as noise averages out, which leaves less room for variation. A difference is significant
# when its interval excludes 0.
#
# ## How many systems?
#
# More text does not make up for few systems. Corpora of 120 segments with 5, 10 and 20 systems; Williams' test, whose
# inference is to new systems:

# %%
by_systems = {}
for number in (5, 10, 20):
    metaeval.simulate_corpus("mtc-chinese", f"corpora/{number}-systems", systems=number, segments=120, seed=5)
    result = metaeval.compare(f"corpora/{number}-systems", metrics, resample="systems", **question)
    (test,) = result.results.tests.to_dict("records")
    intervals = {one.metric: (one.lower, one.upper) for one in result.results.estimates}
    by_systems[number] = test, intervals
    lower, upper = intervals["bleu"]
    print(
        f"{number:>2} systems: bleu [{lower:.2f}, {upper:.2f}]; "
        f"gtm minus bleu {test['difference']:+.3f}, p = {test['p']:.3f}"
    )

# %% [markdown]
# Each number of systems is a different simulated corpus, not a subset of a larger one: correlations, intervals and
# differences also vary by chance. The interval comes from the correlations without each system in turn (a jackknife).
# With few systems it is wide however many segments there are. A bootstrap over five systems gives narrower intervals,
# but not because five systems say more: on corpora with a known truth, 82 to 84 % of these covered it instead of 95 %
# (docs/calibration.md).
#
# ## How many judgments?
#
# Human judgments are noisy, too. The judgments of a corpus are a data frame, which shows how many each translation has.
# With one of them, drawn at random, instead of the mean of all, every metric has a lower correlation with
# human judgments, although the metric is the same:

# %%
demo = metaeval.load_corpus("demo")
judgments = demo.to_frame()
a_text = judgments[judgments["criterion"] == "adequacy"].groupby(["system", "segment"]).size()
print("judgments of a translation:", ", ".join(f"{n} ({count})" for n, count in a_text.value_counts().items()))
by_rule = {}
for rule in ("draw", "mean"):
    by_rule[rule] = metaeval.correlate(
        demo,
        metrics,
        criteria=["adequacy"],
        documents={"kind": "segments"},
        judgments={"rule": rule, "ceiling": 50},
        correlation={"coefficients": ["pearson"]},
    )
    values = ", ".join(f"{one.metric} {one.value:.2f}" for one in by_rule[rule].estimates)
    print("one judgment:" if rule == "draw" else "mean of all: ", values)

# %% [markdown]
# ## The noise ceiling
#
# What correlation could a perfect metric reach? Split the judgments of each segment into two halves at random and
# correlate the halves: this is inter-annotator agreement. From it follows the correlation of a metric that gives the
# true scores.

# %%
ceiling = by_rule["mean"].ceiling
general = ceiling[ceiling["metric"] == ""].set_index("kind")["value"]
print(f"one judgment against another: {general['inter-judge']:.2f}")
print(f"a perfect metric would reach: {general['ceiling']:.2f}")
shares = ceiling[ceiling["kind"] == "fraction of ceiling"]
for row in shares.to_dict("records"):
    print(f"{row['metric']} reaches {row['value']:.0%} of that")

# %% [markdown]
# ## In short
#
# - Report what the interval generalises to: new segments, new systems, or both. No single interval does all.
# - A difference that is not significant is not *no difference*. Look at the width of its interval.
# - To detect smaller differences between metrics on these systems, add segments. To generalise to new systems, add
#   systems.
# - Compare with the noise ceiling, not with 1.
