# %% [markdown]
# # How sure can we be?
#
# A correlation of 0.97 looks certain. Whether it is depends on three numbers: of segments, of systems, and of judges.
# This notebook changes one at a time, on corpora made by metaeval's simulation, whose size we can choose.

# %%
import matplotlib.pyplot as plt

import metaeval

metrics = ["gtm", "bleu"]
question = {"criteria": ["adequacy"], "ceiling": 0, "n_resamples": 500}

# %% [markdown]
# ## How many segments?
#
# Three corpora of one kind, with 50, 200 and 800 segments and ten systems. Each time: the difference of the two
# correlations across whole systems, with 95 % limits from a bootstrap over segments.

# %%
sizes = [50, 200, 800]
by_size = {}
for size in sizes:
    metaeval.simulate_corpus("mtc-chinese", f"corpora/{size}-segments", segments=size, seed=5)
    found = metaeval.compare(f"corpora/{size}-segments", metrics, **question)
    (by_size[size],) = found.results.tests.to_dict("records")
    test = by_size[size]
    print(
        f"{size:>3} segments: gtm minus bleu {test['difference']:+.3f} "
        f"[{test['lower']:+.3f}, {test['upper']:+.3f}], p = {test['p']:.3f}"
    )

# %%
figure, axes = plt.subplots(figsize=(6, 2.4), dpi=100)
for row, size in enumerate(sizes):
    test = by_size[size]
    axes.plot([test["lower"], test["upper"]], [row, row], color="black")
    axes.plot(test["difference"], row, "o", color="black")
axes.axvline(0, color="grey", linewidth=1, linestyle="--")
axes.set_yticks(range(len(sizes)), [f"{size} segments" for size in sizes])
axes.set_xlabel("gtm minus bleu, 95 % limits")
axes.set_ylim(len(sizes) - 0.5, -0.5)
figure.tight_layout()

# %% [markdown]
# Four times as many segments make the limits less than half as wide here. By the usual rule it would be half; besides,
# the correlations come nearer to 1 as noise averages out, and that leaves them less room. A difference shows when its
# limits leave out 0.
#
# ## How many systems?
#
# More text does not help against having few systems. Corpora of 120 segments with 5, 10 and 20 systems; Williams'
# test, which asks about other systems:

# %%
by_systems = {}
for number in (5, 10, 20):
    metaeval.simulate_corpus("mtc-chinese", f"corpora/{number}-systems", systems=number, segments=120, seed=5)
    found = metaeval.compare(f"corpora/{number}-systems", metrics, resample="systems", test="williams", **question)
    (test,) = found.results.tests.to_dict("records")
    limits = {one.metric: (one.lower, one.upper) for one in found.results.estimates}
    by_systems[number] = test, limits
    lower, upper = limits["bleu"]
    print(
        f"{number:>2} systems: bleu [{lower:.2f}, {upper:.2f}]; "
        f"gtm minus bleu {test['difference']:+.3f}, p = {test['p']:.3f}"
    )

# %% [markdown]
# Each number of systems is another simulated corpus, not a part of a larger one: its correlations, their limits and
# the difference are others by chance too. The limits come from drawing systems again. Those of five systems look tight
# because such limits are too narrow, and not because five systems tell more: on corpora with a known truth, 82 to 84 %
# of them held it instead of 95 % (docs/calibration.md).
#
# ## How many judgments?
#
# People are noisy as well. On the corpus that ships, each translation has two or three judgments of each criterion.
# Taking one of them at random, instead of the mean of all, costs every metric some of its correlation with people,
# though the metric is the same:

# %%
by_rule = {}
for rule in ("draw", "mean"):
    by_rule[rule] = metaeval.correlate(
        "demo",
        metrics,
        criteria=["adequacy"],
        documents={"kind": "segments"},
        judgments={"rule": rule, "ceiling": 50},
        correlation={"coefficients": ["pearson"]},
        uncertainty={"n_resamples": 500},
    )
    values = ", ".join(f"{one.metric} {one.value:.2f}" for one in by_rule[rule].estimates)
    print("one judgment:" if rule == "draw" else "mean of all: ", values)

# %% [markdown]
# ## The noise ceiling
#
# How high could a perfect metric get? Split the judgments of each segment in two halves at random and relate the
# halves: that is how well people agree with themselves. From it follows the correlation that a metric would have which
# knows the truth.

# %%
ceiling = by_rule["mean"].ceiling
general = ceiling[ceiling["metric"] == ""].set_index("kind")["value"]
print(f"one judgment against another: {general['inter-judge']:.2f}")
print(f"a perfect metric would reach: {general['ceiling']:.2f}")
shares = ceiling[ceiling["kind"] == "fraction of ceiling"]
for row in shares.to_dict("records"):
    print(f"{row['metric']} reaches {row['value']:.0%} of that [{row['lower']:.0%}, {row['upper']:.0%}]")

# %% [markdown]
# ## So how sure?
#
# - Say what the limits speak about: other text, other systems, or both. No single number does all.
# - A difference that does not show is not *no difference*. Look at the width of its limits.
# - To see smaller differences between metrics on these systems, add segments. To speak about other systems, add
#   systems.
# - Compare with the ceiling, not with 1.
