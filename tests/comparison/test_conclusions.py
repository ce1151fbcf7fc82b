"""What a comparison says: sentences, stars, what is estimated and tested, and what could not be told."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import metaeval
from tests.support.corpus import write
from tests.support.grids import grid_of
from tests.support.scores import human_means

PREPROCESSING = 'case(tokenizer="13a")'
SEGMENT = {"level": "segment", "coefficient": "pearson"}
# The bootstrap of segments, by name.
NAMED = {"interval": "percentile", "test": "bootstrap", "resample": "segments"}
WORDS = "abcdefghij"
ONE_CRITERION = 'name = "few"\n[[criteria]]\nname = "adequacy"\nlow = 1\nhigh = 5\ndirection = "higher"\n'


def few(directory, n_systems, n_segments, score):
    """Write a corpus in which system k has k wrong words, and two judges give a score each by system and segment."""
    systems = {f"s{k}": " ".join(WORDS[:-k] if k else WORDS) + " x" * k for k in range(n_systems)}
    rows = [
        f"{segment}\t{name}\t{judge}\tadequacy\t{score(k, segment, judge)}"
        for k, name in enumerate(systems)
        for segment in range(1, n_segments + 1)
        for judge in (0, 1)
    ]
    files = dict.fromkeys(("systems__A", "systems__B", "systems__C", "references__ref2"))
    files |= {f"systems__{name}": f"{text}\n" * n_segments for name, text in systems.items()}
    files |= {"references__ref1": f"{' '.join(WORDS)}\n" * n_segments, "corpus": ONE_CRITERION}
    return write(directory, **files, judgments="\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *rows]) + "\n")


def test_sentences_say_what_was_shown_and_what_was_not():
    # Two metrics that people can tell apart on single segments of adequacy, and two that are the same.
    clear = metaeval.compare("demo", ["nist", "ter"], criteria=["adequacy"], **SEGMENT)
    same = metaeval.compare("demo", ["bleu(order=1)", 'bleu(order=1,smooth="mteval")'], level="system", n_resamples=50)
    simulated = "(simulated data: no evidence about real metrics)"
    assert clear.tables[0].sentence == (
        f"adequacy {simulated}: NIST is the best, with 0.54 [0.49, 0.60]; TER is significantly worse than NIST."
    )
    # Both are called BLEU-1 but for the smoothing, and share their coefficient.
    assert [table.sentence.partition("; ")[0] for table in same.tables] == [
        f'{criterion} {simulated}: no significant difference between BLEU-1 and "BLEU-1, smooth=mteval"'
        for criterion in ("adequacy", "fluency")
    ]
    assert all(" have the same highest coefficient, " in table.sentence for table in same.tables)
    assert [row["p"] for row in same.tables[0].rows] == ["", "1.000"]
    assert [row["cluster"] for row in clear.tables[0].details] == [1, 2]
    assert [row["cluster"] for row in same.tables[0].details] == [1, 1]


@pytest.mark.parametrize(
    ("corpus", "settings", "told"),
    [
        (
            (5, 1, lambda k, s, j: 5 - max(0, k - j)),
            NAMED,
            "No confidence interval of WER: there is one unit to draw from.",
        ),
        (
            (5, 3, lambda k, s, j: 5 - k),
            {**NAMED, "resample": "systems"},
            "No confidence interval of WER: all replicates are equal.",
        ),
        (
            (2, 3, lambda k, s, j: 5 - k),
            {**NAMED, "resample": "systems"},
            "No confidence interval of WER: all replicates are equal.",
        ),
        (
            (5, 9, lambda k, s, j: 5 - max(0, k - j)),
            {},
            "No confidence interval of WER: it needs at least 10 segments, and there are 9.",
        ),
        (
            (4, 12, lambda k, s, j: (5, 2, 3, 1)[k]),
            {},
            "No confidence interval of WER: it needs at least 5 systems, and there are 4.",
        ),
        (
            (4, 12, lambda k, s, j: (5, 2, 3, 1)[k]),
            {"resample": "systems"},
            "No confidence interval of WER: it needs at least 5 systems, and there are 4.",
        ),
        (
            (5, 12, lambda k, s, j: (5, 2, 3, 1, 4)[k]),
            {"n_resamples": 49, "resample": "both"},
            "No confidence interval of WER: it needs at least 50 bootstrap replicates, and 49 were drawn.",
        ),
        (
            (3, 4, lambda k, s, j: (5, 2, 3)[k]),
            {"resample": "systems", "interval": "bca"},
            "No confidence interval of WER: BCa needs 5 units or more to draw from, and there are 3.",
        ),
    ],
)
def test_too_few_units_give_no_limits_and_tell_why(tmp_path, corpus, settings, told):
    found = metaeval.compare(few(tmp_path / "few", *corpus), ["wer"], **{"n_resamples": 200, **settings})
    (row,) = found.results.correlations.to_dict("records")

    assert "[" not in found.tables[0].rows[0]["Pearson"]
    assert told in found.text()
    assert (
        f"few, adequacy: 1 of 1 coefficients have no confidence interval: {told.partition(': ')[2]}"
        in found.results.warnings
    )
    assert np.isnan([row["lower"], row["upper"]]).all()
    assert not np.isnan(row["mean"])


def test_only_a_test_that_has_limits_misses_those_of_equal_metrics():
    told = (
        "No confidence interval of the difference of BLEU-1 and BLEU-1, smooth=mteval: the two agree equally with "
        "people wherever they were compared."
    )
    for test, is_told in ((None, True), ("bootstrap", True), ("williams", False)):
        pair = ["bleu(order=1)", 'bleu(order=1,smooth="mteval")']
        found = metaeval.compare("demo", pair, criteria=["adequacy"], n_resamples=60, ceiling=0, test=test)
        assert (told in found.tables[0].note) == is_told


def test_no_share_of_the_ceiling_where_people_say_the_same_of_all(tmp_path):
    corpus = few(tmp_path / "few", 4, 3, lambda k, s, j: 3)
    text = metaeval.compare(corpus, ["wer"], n_resamples=50).text()
    assert "No fraction of the noise ceiling: no coefficient is defined (human scores all equal: 1)." in text


def test_the_stars_of_a_table_follow_the_test_and_not_the_intervals():
    found = metaeval.compare(
        "demo",
        ["rouge-l", "ter"],
        criteria=["adequacy"],
        **SEGMENT,
        correlation={"average_by": "none"},
        n_resamples=200,
        ceiling=0,
        **NAMED,
    )
    better, worse = found.results.correlations.sort_values("mean", ascending=False).to_dict("records")
    assert worse["upper"] > better["lower"]  # the intervals overlap, and still the difference is significant
    assert found.results.tests["p_corrected"].item() < 0.05
    printed = found.results.to_markdown()
    assert [line.count("*") for line in printed.split("\n") if line.startswith(("| ROUGE-L", "| TER"))] == [1, 0]
    assert "* not significantly worse than the best" in printed
    assert "ROUGE-L is the best, with " in found.tables[0].sentence
    assert found.tables[0].sentence.endswith("; TER is significantly worse than ROUGE-L.")


@pytest.mark.parametrize(
    ("arguments", "heading"),
    [
        ({}, "Pearson correlation across 3 systems"),
        (SEGMENT, "Pearson correlation across 3 systems, mean over 4 segments"),
        (
            {"level": "documents(length=2,count=20)"},
            "Pearson correlation across 3 systems, mean over 20 pseudo-documents of 2 segments",
        ),
        ({"documents": {"kind": "real"}}, "Pearson correlation across 3 systems, mean over 2 real documents"),
        (
            {**SEGMENT, "correlation": {"average_by": "system"}},
            "Pearson correlation across 4 segments, mean over 3 systems",
        ),
        (
            {**SEGMENT, "correlation": {"average_by": "none"}},
            "Pearson correlation across 4 segments of all 3 systems together",
        ),
        (
            {"level": "segment", "coefficient": "soft-pairwise-accuracy"},
            "soft pairwise accuracy over pairs of 3 systems, on 4 segments",
        ),
        (
            {"level": "segment", "coefficient": 'kendall(variant="c")'},
            "Kendall correlation, tau-c, across 3 systems, mean over 4 segments",
        ),
    ],
)
def test_headings_say_what_a_coefficient_is_taken_across(arguments, heading, tmp_path):
    corpus = write(tmp_path / "tiny", documents="segment\tdocument\n1\tx\n2\ty\n3\ty\n4\tx\n")
    found = metaeval.compare(corpus, ["ter", "wer"], criteria=["adequacy"], n_resamples=5, ceiling=0, **arguments)
    assert found.tables[0].heading == f"tiny, adequacy: {heading}; 2 references, 13a tokens, case kept"


@pytest.mark.parametrize(
    ("arguments", "estimated", "interval", "p"),
    [
        (
            {},
            "these 8 systems on other test sets of this size, 120 segments drawn by document",
            "bootstrap over documents, noise removed",
            "bootstrap test (noise removed) of equal mean coefficients on other test sets of this size (new documents",
        ),
        (
            {"resample": "segments"},
            "these 8 systems on other test sets of this size, 120 segments",
            "bootstrap over segments, noise removed",
            "bootstrap test (noise removed) of equal mean coefficients on other test sets of this size (new segments, ",
        ),
        (
            {"resample": "systems"},
            "other systems like these on these texts",
            "jackknife over systems",
            "Williams's test of equal correlations across all systems like these, if scores are normal (new systems",
        ),
        (
            {"resample": "both"},
            "other systems like these on other test sets of this size, 120 segments",
            "standard error of a bootstrap over segments and systems",
            "t-test by the standard error of the bootstrap of equal coefficients, by the standard error of their "
            "difference (new segments and",
        ),
        (
            {"level": "segment", "coefficient": "pearson"},
            "these 8 systems on other test sets of this size, 120 segments drawn by document",
            "t, over documents",
            "paired t-test of equal mean coefficients on segments like these (new documents, same systems)",
        ),
        (
            {"level": "segment", "coefficient": "pearson", "test": "wilcoxon"},
            "these 8 systems on other test sets of this size, 120 segments drawn by document",
            "t, over documents",
            "Wilcoxon signed-rank test of differences over these documents that lie around 0, as if documents were ",
        ),
        (
            {**NAMED, "interval": "fisher"},
            "other systems like these on these texts",
            "Fisher's transformation, over systems",
            "paired bootstrap test of equal coefficients, by the share of replicates on each side of 0; it favours ",
        ),
    ],
)
def test_the_note_says_what_is_estimated_and_tested(arguments, estimated, interval, p):
    found = metaeval.compare("demo", ["ter", "wer"], criteria=["adequacy"], n_resamples=60, ceiling=0, **arguments)
    lines = found.tables[0].note.split("\n")
    assert lines[:2] == [f"Estimated: the coefficient of {estimated}.", f"[ ]: 95 % confidence interval ({interval})."]
    assert lines[2].startswith("*: not significantly worse than the best. p: of the hypothesis that no other metric is")
    assert lines[2].endswith(
        "cluster: by p corrected for all pairs; a new one starts when some member of the current one is significantly "
        "better."
    )
    assert lines[3].startswith(f"Tests of pairs (tests.tsv): {p}")


def test_a_metric_by_itself_has_an_interval_and_neither_p_nor_cluster():
    found = metaeval.compare("demo", ["ter"], criteria=["adequacy"], n_resamples=60, ceiling=0, resample="segments")
    (row,) = found.tables[0].rows
    assert found.tables[0].note.split("\n") == [
        "Estimated: the coefficient of these 8 systems on other test sets of this size, 120 segments.",
        "[ ]: 95 % confidence interval (bootstrap over segments, noise removed).",
    ]
    assert (row["p"], found.tables[0].details[0]["cluster"]) == ("", None)
    assert row["Pearson"].endswith("]")


def test_too_few_replicates_leave_a_comparison_undecided_everywhere(tmp_path):
    settings = {"criteria": ["adequacy"], "ceiling": 0, "test": "bootstrap", **SEGMENT}
    # No replicate of 60 is on the other side: 2 / 61, by Holm times 3, is 0.098, and 2 x 3 / 0.05 = 120 can be less.
    found = metaeval.compare("demo", ["nist", "ter", "wer"], n_resamples=60, output=tmp_path / "run", **settings)
    (table,) = found.tables
    assert [row["p"] for row in table.rows] == ["", "undecided", "undecided"]
    assert [row["cluster"] for row in table.details] == [None] * 3
    # An interval that excludes 0 would say what p cannot.
    of_best = found.results.tests.query("needs_resamples.notna()")
    assert of_best[["adjusted_lower", "adjusted_upper"]].isna().all(axis=None)
    told = "; whether TER and WER are worse is undecided: that takes 120 replicates (n_resamples=120)."
    assert table.sentence.endswith(told)
    assert "no significant difference" not in table.sentence
    assert "n_resamples=120 can decide" in table.note
    of_nist = [row for row in found.results.tests.to_dict("records") if "nist" in (row["metric_a"], row["metric_b"])]
    assert [row["needs_resamples"] for row in of_nist] == [120, 120]
    assert "needs_resamples" in (tmp_path / "run" / "tests.tsv").read_text().split("\n")[0].split("\t")
    enough = metaeval.compare("demo", ["nist", "ter", "wer"], n_resamples=120, **settings)
    assert enough.tables[0].sentence.endswith("; TER and WER are significantly worse than NIST.")
    assert enough.to_frame()["needs_resamples"].isna().all()


def test_a_verdict_never_contradicts_the_interval_beside_it():
    metrics = ["bleu", "bleu(order=1)", "ter", "wer", "rouge-l", "nist", "gtm", "per"]
    for settings in ({}, {"coefficient": "kendall"}, {"resample": "segments"}, SEGMENT, NAMED):
        found = metaeval.compare("demo", metrics, criteria=["adequacy"], n_resamples=400, ceiling=0, **settings)
        tests = found.results.tests
        for corrected, lower, upper in (("p", "lower", "upper"), ("p_corrected", "adjusted_lower", "adjusted_upper")):
            known = tests[tests[lower].notna()]
            assert len(known) > len(tests) / 2
            excludes = (known[lower] > 0) | (known[upper] < 0)
            # The 1 that the bootstrap adds to b and m may hide what percentiles show at the very edge.
            apart = (excludes != (known[corrected] < 0.05)) & ((known[corrected] - 0.05).abs() > 0.02)
            assert not apart.any()
        if settings is not NAMED:
            assert (
                (tests["lower"] <= tests["difference"]) & (tests["difference"] <= tests["upper"])
                | tests["lower"].isna()
            ).all()
            rows = found.results.correlations
            assert ((rows["lower"] <= rows["mean"]) & (rows["mean"] <= rows["upper"])).all()


def test_few_systems_are_told_with_their_number(tmp_path):
    def note(corpus, **settings):
        settings = {**NAMED, **settings}
        found = metaeval.compare(corpus, ["ter", "wer"], criteria=["adequacy"], n_resamples=10, ceiling=0, **settings)
        return found.tables[0].note

    tiny = write(tmp_path / "tiny")
    assert "\n3 systems: intervals and p-values over segments do not generalise to new systems" in note(tiny)
    assert "\n3 systems: intervals and p-values over segments do not generalise" in note(tiny, level="segment")
    assert "\n3 systems: intervals over segments do not generalise" in note(tiny, test="williams")
    assert "\n3 systems:" not in note(tiny, resample="systems")
    assert "\n3 systems:" not in note(tiny, level="segment", correlation={"average_by": "system"})
    # The defaults were calibrated with 8 systems or more.
    seven = few(tmp_path / "few", 7, 12, lambda k, s, j: 5 - max(0, k - j - s % 2) % 5)
    assert "\n7 systems: intervals and p-values over segments do not generalise" in note(seven)
    assert "\n8 systems:" not in note("demo")


def test_ties_for_want_of_smoothing_are_told_on_segments():
    names = ["bleu", 'bleu(smooth="exp")', 'bleu(mean="arithmetic")', "ter"]

    def note(level):
        found = metaeval.compare("demo", names, criteria=["adequacy"], level=level, n_resamples=10, ceiling=0)
        return found.tables[0].note, grid_of(found.results).scores("bleu")

    told, scores = note("segment")
    pairs = [x[i] == x[j] for x in scores for i in range(8) for j in range(i)]
    assert f"Many pairs of systems are tied: by BLEU in {100 * np.mean(pairs):.1f} % of the pairs. Without" in told
    assert "tied" not in note("system")[0]


def test_shuffled_scores_are_not_shown_to_be_better_than_noise(tmp_path):
    """A constant metric has far less than noise where people hardly tie, so that it is no floor."""
    corpus = metaeval.load_corpus("demo")
    rng = np.random.default_rng(5)
    lines = [
        f"{one}\t{segment + 1}\t{rng.random():.6f}" for one in corpus.systems for segment in range(corpus.n_segments)
    ]
    (tmp_path / "noise.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    name = f"scores:{tmp_path / 'noise.tsv'}"
    found = metaeval.compare("demo", ["rouge-l", name], level="segment", criteria=["adequacy"], ceiling=0)
    human = human_means(corpus, "adequacy")
    human = human[:, ~np.isnan(human).any(axis=0)].T
    tied = np.mean([np.mean([a == b for a, b in itertools.combinations(one, 2)]) for one in human])
    # Scores with six digits hardly tie: half of the pairs that people tell apart.
    assert found.tables[0].sentence.endswith("; noise is no better than random scores with as many ties.")
    assert found.to_frame().set_index("metric").loc[name, "value"] == pytest.approx((1 - tied) / 2, abs=0.03)
    assert "than random" not in metaeval.compare("demo", ["rouge-l", "chrf"], level="segment").tables[0].sentence


@pytest.mark.parametrize("average_by", ["item", "system", "none"])
def test_what_a_constant_metric_reaches_is_told_where_people_tie(average_by, tmp_path):
    corpus = metaeval.load_corpus("demo")
    lines = [f"{system}\t{segment + 1}\t7" for system in corpus.systems for segment in range(corpus.n_segments)]
    (tmp_path / "same.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    settings = {"criteria": ["adequacy"], "correlation": {"average_by": average_by}, "n_resamples": 5, "ceiling": 0}

    def compared(coefficient, level="segment"):
        names = ["rouge-l", f"scores:{tmp_path / 'same.tsv'}"]
        return metaeval.compare("demo", names, level=level, coefficient=coefficient, **settings)

    found = compared("pairwise-accuracy")
    human = human_means(corpus, "adequacy")
    human = human[:, ~np.isnan(human).any(axis=0)]
    parts = {"item": human.T, "system": human, "none": human.reshape(1, -1)}[average_by]
    tied = np.mean([np.mean([a == b for a, b in itertools.combinations(one, 2)]) for one in parts])
    value = found.to_frame().set_index("metric")["value"]
    # A row of its own, and what the metric that is one gets.
    assert value["constant"] == value.iloc[1] == pytest.approx(tied, abs=1e-12)
    same = f"scores:{tmp_path / 'same.tsv'}"
    assert found.tables[0].sentence.endswith(f"; same is no better than a constant score ({tied:.3f}).")
    tests = found.results.tests
    assert set(tests["metric_b"][tests["metric_a"] == same]) == {"constant"}
    assert set(found.results.rankings["metric"]) == {"rouge-l", same}
    # By itself it is no better than what it is.
    alone = metaeval.compare("demo", same, level="segment", coefficient="pairwise-accuracy", **settings)
    assert alone.tables[0].sentence.endswith(
        f": no metric is shown to do better than a constant score: the best, same, has {tied:.3f}, no more than one "
        "that gives every text the same score."
    )
    assert "constant" not in set(compared("spearman").to_frame()["metric"])


def test_notes_are_one_line_where_the_format_needs_it(tmp_path):
    found = metaeval.compare(write(tmp_path / "tiny"), ["ter", "wer"], criteria=["adequacy"], n_resamples=5, ceiling=0)
    assert found.text("latex") == found.to_latex()
    assert all(not line or line.startswith(("%", "\\")) or " & " in line for line in found.to_latex().split("\n"))


def test_systems_that_decide_which_metric_is_best_are_named(tmp_path):
    # Human scores are 1 to 5. The first metric has four systems right and puts the last one in the middle; the second
    # has that one right and exchanges two of the four.
    corpus = few(tmp_path / "few", 5, 1, lambda k, s, j: (1, 2, 3, 4, 5)[k])
    scores = {"first": (1, 2, 3, 4, 2.5), "second": (2, 1, 3, 4, 9)}
    metrics = []
    for name, values in scores.items():
        lines = [f"s{k}\t1\t{value}" for k, value in enumerate(values)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
        metrics.append(f"scores:{tmp_path / name}.tsv")
    found = metaeval.compare(corpus, metrics, n_resamples=20, ceiling=0)
    (line,) = [one for one in found.tables[0].note.split("\n") if "depends" in one]
    assert line == "Which metric is the best depends on single systems: without s4, first."
    people = [1, 2, 3, 4, 5]
    for left in range(5):
        kept = [k for k in range(5) if k != left]
        r = [stats.pearsonr([one[k] for k in kept], [people[k] for k in kept]).statistic for one in scores.values()]
        assert (r[0] > r[1]) == (left == 4)
    alone = metaeval.compare(corpus, metrics[:1], n_resamples=20, ceiling=0)
    assert "depends" not in alone.tables[0].note


def test_a_test_on_shared_segments_may_turn_the_order_of_two_means(tmp_path):
    # The first metric has coefficients on the easy half of the segments alone, where the second is better still.
    rng, systems, n = np.random.default_rng(1), 6, 60
    human = np.round(rng.normal(3, 1, (systems, n)), 2)
    easy = np.arange(n) < n // 2
    first = np.where(easy, human + rng.normal(0, 0.9, human.shape), 1.0)
    second = np.where(easy, human + rng.normal(0, 0.2, human.shape), rng.normal(size=human.shape))
    corpus = few(tmp_path / "few", systems, n, lambda k, s, j: 3)
    places = itertools.product(range(systems), range(n), (0, 1))
    rows = [f"{i + 1}\ts{k}\t{j}\tadequacy\t{human[k, i]}" for k, i, j in places]
    (corpus / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *rows]) + "\n")
    text = (corpus / "corpus.toml").read_text().replace("low = 1", "low = -9").replace("high = 5", "high = 9")
    (corpus / "corpus.toml").write_text(text)
    names = []
    for name, scores in (("first", first), ("second", second)):
        lines = [f"s{k}\t{i + 1}\t{scores[k, i]}" for k in range(systems) for i in range(n)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
        names.append(f"scores:{tmp_path / name}.tsv")
    found = metaeval.compare(corpus, names, ceiling=0, **SEGMENT)
    best, other = found.to_frame().to_dict("records")
    assert best["metric"] == names[0]
    assert best["value"] > other["value"]
    assert other["best_minus_this"] < 0
    turned = (
        ", but agrees less well than second on the documents where both have a coefficient; second is the best, with "
    )
    assert found.tables[0].sentence.startswith("adequacy: first has the highest mean (")
    assert turned in found.tables[0].sentence
    assert found.tables[0].sentence.endswith("; first is significantly worse than second.")
    assert "on the segments where both have a coefficient" in found.tables[0].note


@pytest.mark.parametrize(
    ("tests", "told", "clusters"),
    [
        ([{"correction": "none"}], "; not corrected.", "by p;"),
        ([{"correction": "benjamini-hochberg"}], "corrected for all 3 pairs", "by p corrected for all pairs;"),
        (
            [{"method": 'williams(alternative="greater")'}],
            "One-sided (greater), of two metrics in the order",
            "by p corrected for all pairs;",
        ),
    ],
)
def test_other_families_and_directions_are_named(tests, told, clusters):
    found = metaeval.compare(
        "demo", ["ter", "wer", "bleu"], criteria=["adequacy"], tests=tests, n_resamples=60, ceiling=0
    )
    (table,) = found.tables
    assert told in table.note
    assert f"cluster: {clusters}" in table.note
    # Hsu's comparison with the best is that of the correction of Holm, which is the default.
    assert ("95 % of test sets" in table.note) == ("correction" not in tests[0])
    # Else a star rests on the corrected p of the pair with the best.
    if "correction" in tests[0]:
        frame = found.to_frame()
        assert frame["p_worse"].tolist()[1:] == frame["p_corrected"].tolist()[1:]
