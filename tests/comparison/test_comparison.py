"""The comparison of metrics: every number by scipy from the texts and judgments themselves, on several corpora."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from tests.support.corpus import write
from tests.support.gold import of_others

METRICS = ["bleu(order=2)", "ter", "rouge-l"]
PREPROCESSING = 'case(tokenizer="13a")'
SEGMENT = {"level": "segment", "coefficient": "pearson"}
# The bootstrap of segments, by name.
NAMED = {"interval": "percentile", "test": "bootstrap", "resample": "segments"}
LEVELS = ["system", "segment", "documents(length=5,count=40)"]


def human_means(corpus, criterion):
    position = [one.name for one in corpus.criteria].index(criterion)
    rows = corpus.judgments.where(corpus.judgments.criterion == position)
    total, number = np.zeros((2, len(corpus.systems), corpus.n_segments))
    np.add.at(total, (rows.system, rows.segment), rows.score)
    np.add.at(number, (rows.system, rows.segment), 1)
    with np.errstate(invalid="ignore"):
        return total / number


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["demo", "wmt21-ted-zhen"])
def test_coefficients_and_differences_equal_scipy(name, level):
    name = name if name == "demo" else str(of_others(f"corpora/{name}"))
    corpus = metaeval.load_corpus(name)
    criterion = corpus.criteria[0]
    settings = {"level": level, "coefficient": "pearson", "n_resamples": 20, "ceiling": 5}
    found = metaeval.compare(name, METRICS, criteria=[criterion.name], **settings, **NAMED)
    human = human_means(corpus, criterion.name)
    eligible = np.flatnonzero(~np.isnan(human).any(axis=0))
    length = {"system": len(eligible), "segment": 1}.get(level, 5)
    place = f"{corpus.name}/{'+'.join(corpus.references)}/{criterion.name}/{length}"
    documents = found.results.arrays[f"{place}/segments"] - 1
    assert set(documents.ravel()) <= set(eligible)
    people = np.stack([human[:, segments].mean(axis=1) for segments in documents])
    direction = 1 if criterion.higher_is_better else -1
    values = {}
    for metric, good in zip(METRICS, (1, -1, 1), strict=True):
        scores = np.empty(people.shape)
        for place_of, segments in enumerate(documents):
            (scored,) = (
                metaeval.score(
                    [metric],
                    {
                        system: [texts[k] for k in segments]
                        for system, texts in zip(corpus.systems, corpus.candidates, strict=True)
                    },
                    {ref: [texts[k] for k in segments] for ref, texts in corpus.references.items()},
                    preprocessing=PREPROCESSING,
                )
                if level == "system" or place_of < 12
                else (None,)
            )
            if scored is not None:
                scores[place_of] = scored.values[:, 0]
        checked = slice(None) if level == "system" else slice(12)
        own = found.results.arrays[f"{place}/{PREPROCESSING}/{metric}"]
        np.testing.assert_allclose(own[checked], scores[checked], rtol=0, atol=1e-9)
        values[metric] = np.array(
            [
                good * direction * stats.pearsonr(x, y).statistic if np.ptp(x) > 0 and np.ptp(y) > 0 else np.nan
                for x, y in zip(own, people, strict=True)
            ]
        )
    expected = {metric: np.nanmean(of_metric) for metric, of_metric in values.items()}
    (table,) = found.tables
    (rows,) = [json.loads(found.text("json"))]
    best = max(expected, key=expected.get)
    assert [row["metric"] for row in rows] == sorted(expected, key=expected.get, reverse=True)
    for row in rows:
        assert row["value"] == pytest.approx(expected[row["metric"]], abs=1e-9)
        # Where one of the two has no coefficient, a document tells nothing about their difference.
        paired = values[best] - values[row["metric"]]
        assert row["best_minus_this"] == pytest.approx(np.nanmean(paired), abs=1e-9)
        if not np.isnan(paired).any():
            replicates = {one.metric: one.replicates for one in found.results.estimates}
            differences = replicates[best] - replicates[row["metric"]]
            limits = np.quantile(differences[~np.isnan(differences)], [0.025, 0.975])
            assert (row["difference_lower"], row["difference_upper"]) == pytest.approx(tuple(limits), abs=1e-9)
    assert all(metric in table.sentence for metric in METRICS)


def test_ties_are_counted_over_pairs_of_systems():
    found = metaeval.compare("demo", ["bleu"], criteria=["adequacy"], n_resamples=5, ceiling=0, **SEGMENT)
    scores = found.results.arrays[f"demo/ref1+ref2+ref3+ref4/adequacy/1/{PREPROCESSING}/bleu"]
    pairs = [(x[i], x[j]) for x in scores for i in range(8) for j in range(i)]
    assert found.tables[0].rows[0]["ties"] == pytest.approx(np.mean([a == b for a, b in pairs]), abs=1e-12)
    assert "fraction of ceiling" in found.tables[0].rows[0]
    assert found.tables[0].sentence == "bleu is the only metric. Simulated: no evidence."


def test_sentences_say_what_was_shown_and_what_was_not():
    # Two metrics that people can tell apart on single segments of adequacy, and two that are the same.
    clear = metaeval.compare("demo", ["nist", "ter"], criteria=["adequacy"], **SEGMENT)
    same = metaeval.compare("demo", ["bleu(order=1)", 'bleu(order=1,smooth="mteval")'], level="system", n_resamples=50)
    assert (
        clear.tables[0].sentence
        == "nist agrees better with adequacy than ter (0.54 against 0.42, p < 0.001). Simulated: no evidence."
    )
    assert [table.sentence.partition(" between ")[0] for table in same.tables] == [
        "No significant difference in agreement with adequacy",
        "No significant difference in agreement with fluency",
    ]
    assert same.tables[0].sentence.endswith("p = 1.000). Simulated: no evidence.")
    assert [row["cluster"] for row in clear.tables[0].rows] == [1, 2]
    assert [row["cluster"] for row in same.tables[0].rows] == [1, 1]


def test_the_command_prints_tables_and_writes_a_run(tmp_path, capsys):
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--criterion", "fluency", "--resamples", "50"]
    assert main([*arguments, "--output", str(tmp_path / "run"), "--references", "ref1", "ref2+ref3"]) == 0
    out, err = capsys.readouterr()
    assert out.count("demo (simulated: no evidence), fluency: pearson across systems, system level") == 2
    assert "references ref2+ref3" in out
    assert "metaeval: correlate" in err
    assert (tmp_path / "run" / "figures" / "intervals_ref1.svg").exists()
    again = metaeval.run(tmp_path / "run" / "config.toml", output=tmp_path / "again")
    assert (tmp_path / "again" / "correlations.tsv").read_bytes() == (
        tmp_path / "run" / "correlations.tsv"
    ).read_bytes()
    assert len(again.correlations) == 4
    for kind, expected in (("latex", r"\toprule"), ("md", "| metric |"), ("tsv", "best_minus_this")):
        assert main([*arguments, "--format", kind, "--quiet"]) == 0
        out, err = capsys.readouterr()
        assert expected in out
        assert "correlate" not in err


def test_another_test_has_its_p_and_no_paired_limits():
    found = metaeval.compare("demo", ["bleu", "ter"], criteria=["adequacy"], test="williams", n_resamples=60, ceiling=0)
    (row,) = found.results.tests.to_dict("records")
    best, other = found.tables[0].rows
    assert row["test"] == "williams"
    assert other["p (Holm)"] == f"{row['p']:.3f}"
    assert other["difference to best"] == f"{abs(row['difference']):.3f}"
    assert best["p (Holm)"] == ""


def test_a_coefficient_of_grids_takes_segments_and_has_no_ceiling(tmp_path):
    found = metaeval.compare(
        write(tmp_path / "tiny"),
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        level="segment",
        coefficient="soft-pairwise-accuracy",
        n_resamples=20,
    )
    alone = metaeval.correlate(
        tmp_path / "tiny",
        ["bleu(order=1)", "ter"],
        criteria=["adequacy"],
        preprocessing=[PREPROCESSING],
        documents={"kind": "segments"},
        correlation={"coefficients": ["soft-pairwise-accuracy"]},
        uncertainty={"method": "none"},
    )
    assert sorted(found.to_frame()["value"]) == pytest.approx(sorted(alone.correlations["mean"]), abs=1e-12)
    assert len(found.results.ceiling) == 0
    assert "ceiling" not in found.tables[0].note


def test_metrics_without_scores_or_coefficients_are_no_best(tmp_path):
    corpus = write(tmp_path / "tiny")
    lines = [f"{system}\t{segment}\t{2 * segment}" for system in "ABC" for segment in range(1, 5)]
    (tmp_path / "equal.tsv").write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    (tmp_path / "partly.tsv").write_text(
        "\n".join(["system\tsegment\tscore", *lines[:3], *lines[4:7], lines[11]]) + "\n"
    )
    names = [f"scores:{tmp_path / name}.tsv" for name in ("equal", "partly")]
    found = metaeval.compare(corpus, names, criteria=["adequacy"], n_resamples=20, ceiling=0, **SEGMENT)
    (table,) = found.tables
    assert table.sentence == "No metric has a coefficient with adequacy."
    # All pairs of systems are tied by the first; the second has no segment with a score of every system.
    assert {row["metric"]: row["ties"] for row in table.rows} == {
        names[0]: 1.0,
        names[1]: pytest.approx(float("nan"), nan_ok=True),
    }


def test_several_corpora_have_a_table_each(tmp_path):
    found = metaeval.compare(["demo", write(tmp_path / "tiny")], ["bleu(order=1)", "ter"], n_resamples=10, ceiling=0)
    assert [table.heading.partition(": p")[0] for table in found.tables] == [
        "demo (simulated: no evidence), adequacy",
        "demo (simulated: no evidence), fluency",
        "tiny, adequacy",
        "tiny, errors",
    ]
    for kind in ("table", "md", "latex"):
        assert [text.count("imulated: no evidence") for text in found.text(kind).split("\n\n")] == [2, 2, 0, 0]
    rows = json.loads(found.text("json"))
    assert {(row["corpus"], row["simulated"]) for row in rows} == {("demo", True), ("tiny", False)}


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


@pytest.mark.parametrize(
    ("corpus", "settings", "told"),
    [
        (
            (5, 1, lambda k, s, j: 5 - max(0, k - j)),
            NAMED,
            "No confidence interval of wer: there is one unit to draw from.",
        ),
        (
            (5, 3, lambda k, s, j: 5 - k),
            {**NAMED, "resample": "systems"},
            "No confidence interval of wer: all replicates are equal.",
        ),
        (
            (2, 3, lambda k, s, j: 5 - k),
            {**NAMED, "resample": "systems"},
            "No confidence interval of wer: all replicates are equal.",
        ),
        (
            (5, 9, lambda k, s, j: 5 - max(0, k - j)),
            {},
            "No confidence interval of wer: it needs at least 10 segments, and there are 9.",
        ),
        (
            (4, 12, lambda k, s, j: (5, 2, 3, 1)[k]),
            {},
            "No confidence interval of wer: it needs at least 5 systems, and there are 4.",
        ),
        (
            (4, 12, lambda k, s, j: (5, 2, 3, 1)[k]),
            {"resample": "systems"},
            "No confidence interval of wer: it needs at least 5 systems, and there are 4.",
        ),
        (
            (5, 12, lambda k, s, j: (5, 2, 3, 1, 4)[k]),
            {"n_resamples": 49, "resample": "both"},
            "No confidence interval of wer: it needs at least 50 replicates with a value, and there are 49.",
        ),
        (
            (3, 4, lambda k, s, j: (5, 2, 3)[k]),
            {"resample": "systems", "interval": "bca"},
            "No confidence interval of wer: BCa needs 5 units or more to draw from, and there are 3.",
        ),
    ],
)
def test_too_few_units_give_no_limits_and_tell_why(tmp_path, corpus, settings, told):
    found = metaeval.compare(few(tmp_path / "few", *corpus), ["wer"], **{"n_resamples": 200, **settings})
    (row,) = found.results.correlations.to_dict("records")

    assert "[" not in found.tables[0].rows[0]["pearson"]
    assert told in found.text()
    assert (
        f"few, adequacy: 1 of 1 coefficients have no confidence interval: {told.partition(': ')[2]}"
        in found.results.warnings
    )
    assert np.isnan([row["lower"], row["upper"]]).all()
    assert not np.isnan(row["mean"])


def test_only_a_test_that_has_limits_misses_those_of_equal_metrics():
    told = "No confidence interval of a difference: it is the same everywhere."
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
    assert [line.count("*") for line in printed.split("\n") if line.startswith("| adequacy")] == [1, 0]
    assert "those not significantly worse by the test bootstrap" in printed
    assert found.tables[0].sentence.startswith("rouge-l agrees better with adequacy than ter")


def by_systems_and_segments(path, values):
    lines = [f"{s}\t{i}\t{one}" for s, row in zip("ABC", values, strict=True) for i, one in enumerate(row, start=1)]
    path.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    return f"scores:{path}"


def test_a_permutation_exchanges_what_is_resampled(tmp_path):
    corpus = write(tmp_path / "tiny")
    names = [
        by_systems_and_segments(tmp_path / "good.tsv", [[9, 8, 7, 9], [5, 5, 4, 3], [1, 2, 3, 4]]),
        by_systems_and_segments(tmp_path / "poor.tsv", [[2, 1, 7, 5], [5, 6, 4, 9], [1, 4, 2, 3]]),
    ]
    found = {
        resample: metaeval.compare(
            corpus,
            names,
            criteria=["adequacy"],
            **SEGMENT,
            resample=resample,
            test="permutation",
            n_resamples=500,
            ceiling=0,
        )
        for resample in ("segments", "systems", "both")
    }
    assert {name: one.results.tests["over"].item() for name, one in found.items()} == {name: name for name in found}
    # To exchange a segment turns the sign of its difference, for Pearson's coefficient knows no scale.
    of_segments = [
        np.array(found["segments"].results.arrays[f"tiny/ref1+ref2/adequacy/1/{PREPROCESSING}/{name}/pearson"])
        for name in names
    ]
    differences = of_segments[0] - of_segments[1]
    signs = np.array(list(itertools.product([1, -1], repeat=4)))
    as_large = np.abs((signs * differences).mean(axis=1)) >= abs(differences.mean()) - 1e-12
    assert found["segments"].results.tests["p"].item() == pytest.approx(as_large.mean())
    tested = "p: test 'permutation' of equal make-up of two metrics over {}, not only equal correlation ({})."
    assert tested.format("systems", "new systems, same texts") in found["systems"].tables[0].note
    # By the calibration, the exchange of single cells says nothing of other systems.
    assert tested.format("both", "new segments, same systems") in found["both"].tables[0].note


def test_settings_for_the_bootstrap_choose_what_a_permutation_exchanges_too(tmp_path):
    found = metaeval.compare(
        write(tmp_path / "tiny"),
        ["ter", "wer"],
        criteria=["adequacy"],
        test="permutation",
        uncertainty={"resample": "systems", "n_resamples": 20},
        ceiling=0,
    )
    assert found.results.tests["over"].item() == "systems"


@pytest.mark.parametrize(
    ("arguments", "heading"),
    [
        ({}, "pearson across systems, system level"),
        (SEGMENT, "pearson across systems, mean over single segments"),
        (
            {"level": "documents(length=2,count=20)"},
            "pearson across systems, mean over pseudo-documents of 2 segments",
        ),
        ({"documents": {"kind": "real"}}, "pearson across systems, mean over real documents"),
        (
            {**SEGMENT, "correlation": {"average_by": "system"}},
            "pearson across single segments, mean over systems",
        ),
        (
            {**SEGMENT, "correlation": {"average_by": "none"}},
            "pearson across single segments of all systems together",
        ),
        (
            {"level": "segment", "coefficient": "soft-pairwise-accuracy"},
            "soft-pairwise-accuracy over pairs of systems, on single segments",
        ),
    ],
)
def test_headings_say_what_a_coefficient_is_taken_across(arguments, heading, tmp_path):
    corpus = write(tmp_path / "tiny", documents="segment\tdocument\n1\tx\n2\ty\n3\ty\n4\tx\n")
    found = metaeval.compare(corpus, ["ter", "wer"], criteria=["adequacy"], n_resamples=5, ceiling=0, **arguments)
    assert found.tables[0].heading == f"tiny, adequacy: {heading}, {PREPROCESSING}, references ref1+ref2"


@pytest.mark.parametrize(
    ("arguments", "estimated", "interval", "p"),
    [
        (
            {},
            "these 8 systems on other test sets of this size, 120 segments drawn by document (resample = documents)",
            "denoised bootstrap over documents",
            "'denoised' of equal mean coefficients on other test sets of this size (new documents, same systems)",
        ),
        (
            {"resample": "segments"},
            "these 8 systems on other test sets of this size, 120 segments (resample = segments)",
            "denoised bootstrap over segments",
            "'denoised' of equal mean coefficients on other test sets of this size (new segments, same systems)",
        ),
        (
            {"resample": "systems"},
            "other systems like these on these texts (resample = systems)",
            "jackknife over systems",
            "'williams' of equal correlations across all systems like these, if scores are normal (new systems",
        ),
        (
            {"resample": "both"},
            "other systems like these on other test sets of this size, 120 segments (resample = both)",
            "standard error of a bootstrap over segments and systems",
            "'standard-error' of equal coefficients, by the standard error of their difference (new segments and",
        ),
        (
            {"level": "segment", "coefficient": "pearson"},
            "these 8 systems on other test sets of this size, 120 segments drawn by document (resample = documents)",
            "t, over documents",
            "'t' of equal mean coefficients on segments like these (new documents, same systems)",
        ),
        (
            {"level": "segment", "coefficient": "pearson", "test": "wilcoxon"},
            "these 8 systems on other test sets of this size, 120 segments drawn by document (resample = documents)",
            "t, over documents",
            "'wilcoxon' of differences over these documents that lie around 0, as if documents were independent",
        ),
        (
            {**NAMED, "interval": "fisher"},
            "other systems like these on these texts (resample = systems)",
            "Fisher's transformation, over systems",
            "'bootstrap' of equal coefficients, by the share of replicates on each side of 0; it favours metrics",
        ),
    ],
)
def test_the_note_says_what_is_estimated_and_tested(arguments, estimated, interval, p):
    found = metaeval.compare("demo", ["ter", "wer"], criteria=["adequacy"], n_resamples=60, ceiling=0, **arguments)
    lines = found.tables[0].note.split("\n")
    assert lines[:2] == [f"Estimated: the coefficient of {estimated}.", f"[ ]: 95 % confidence interval ({interval})."]
    assert lines[2].startswith(f"p: test {p}")
    assert lines[3].startswith("*: not significantly worse than the best")
    assert "cluster: a new one starts when some member of the current one is significantly better." in lines[3]


def test_a_metric_by_itself_has_an_interval_and_neither_p_nor_cluster():
    found = metaeval.compare("demo", ["ter"], criteria=["adequacy"], n_resamples=60, ceiling=0, resample="segments")
    (row,) = found.tables[0].rows
    assert found.tables[0].note.split("\n") == [
        "Estimated: the coefficient of these 8 systems on other test sets of this size, 120 segments "
        "(resample = segments).",
        "[ ]: 95 % confidence interval (denoised bootstrap over segments).",
    ]
    assert (row["p (Holm)"], row["cluster"]) == ("", None)
    assert row["pearson"].endswith("]")


def test_too_few_replicates_leave_a_comparison_undecided_everywhere(tmp_path):
    settings = {"criteria": ["adequacy"], "ceiling": 0, "test": "bootstrap", **SEGMENT}
    # No replicate of 60 is on the other side: 2 / 61, by Holm times 3, is 0.098, and 2 x 3 / 0.05 = 120 can be less.
    found = metaeval.compare("demo", ["nist", "ter", "wer"], n_resamples=60, output=tmp_path / "run", **settings)
    (table,) = found.tables
    assert [row["p (Holm)"] for row in table.rows] == ["", "undecided", "undecided"]
    assert [row["cluster"] for row in table.rows] == [None] * 3
    # An interval that excludes 0 would say what p cannot.
    assert not any("[" in row["difference to best"] for row in table.rows)
    told = "Undecided between nist and any of ter and wer: needs 120 replicates (--resamples 120)."
    assert table.sentence.startswith(told)
    assert "--resamples 120 can decide" in table.note
    of_nist = [row for row in found.results.tests.to_dict("records") if "nist" in (row["metric_a"], row["metric_b"])]
    assert [row["needs_resamples"] for row in of_nist] == [120, 120]
    assert "needs_resamples" in (tmp_path / "run" / "tests.tsv").read_text().split("\n")[0].split("\t")
    enough = metaeval.compare("demo", ["nist", "ter", "wer"], n_resamples=120, **settings)
    assert enough.tables[0].sentence.startswith("nist agrees better with adequacy than ter")
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
    assert "\n8 systems:" not in note("demo")


def test_ties_for_want_of_smoothing_are_told_on_segments():
    names = ["bleu", 'bleu(smooth="exp")', 'bleu(mean="arithmetic")', "ter"]

    def note(level):
        found = metaeval.compare("demo", names, criteria=["adequacy"], level=level, n_resamples=10, ceiling=0)
        scores = found.results.arrays.get(f"demo/ref1+ref2+ref3+ref4/adequacy/1/{PREPROCESSING}/bleu")
        return found.tables[0].note, scores

    told, scores = note("segment")
    pairs = [x[i] == x[j] for x in scores for i in range(8) for j in range(i)]
    assert f"Many pairs of systems are tied: by bleu in {100 * np.mean(pairs):.1f} % of the pairs. Without" in told
    assert "tied" not in note("system")[0]


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
    assert f"Not better than a constant metric ({tied:.4f}): {same} ({tied:.4f})." in found.tables[0].sentence
    tests = found.results.tests
    assert set(tests["metric_b"][tests["metric_a"] == same]) == {"constant"}
    assert set(found.results.rankings["metric"]) == {"rouge-l", same}
    # By itself it is no better than what it is.
    alone = metaeval.compare("demo", same, level="segment", coefficient="pairwise-accuracy", **settings)
    told = (
        f"No metric agrees better with adequacy than a constant one ({tied:.3f}); the highest is {same} ({tied:.3f})."
    )
    assert alone.tables[0].sentence.startswith(told)
    assert "constant" not in set(compared("spearman").to_frame()["metric"])


def test_several_levels_and_coefficients_are_compared_in_one_call(tmp_path):
    corpus = write(tmp_path / "tiny")
    settings = {"criteria": ["adequacy"], "n_resamples": 20, "ceiling": 0}
    asked = {"level": ["system", "segment"], "coefficient": ["kendall", "segment:darr(gap=1)", "segment:spearman"]}
    found = metaeval.compare(corpus, ["ter", "wer"], output=tmp_path / "run", **asked, **settings)
    headings = [table.heading.split(": ")[1].partition(", case")[0] for table in found.tables]
    assert headings == [
        "kendall across systems, system level",
        "kendall across systems, mean over single segments",
        "spearman across systems, mean over single segments",
        "daRR, darr(gap=1), over pairs of systems, on single segments",
    ]
    # Each is what it is by itself.
    for table, level, coefficient in zip(
        found.tables,
        ["system", *["segment"] * 3],
        ["kendall", "kendall", "spearman", "darr(gap=1)"],
        strict=True,
    ):
        alone = metaeval.compare(corpus, ["ter", "wer"], level=level, coefficient=coefficient, **settings)
        assert alone.tables[0].rows == table.rows
    again = metaeval.run(tmp_path / "run" / "config.toml", output=tmp_path / "again")
    assert again.correlations.to_csv() == found.results.correlations.to_csv()
    default = metaeval.compare(corpus, ["ter", "wer"], level=["system", "segment"], **settings)
    assert [row["coefficient"] for row in json.loads(default.text("json"))[::3]] == [
        "pearson",
        'pairwise-accuracy(epsilon="auto")',
    ]
    assert [list(table.rows[0])[1] for table in default.tables] == ["pearson", "acc_eq"]


def test_notes_are_one_line_where_the_format_needs_it(tmp_path):
    found = metaeval.compare(write(tmp_path / "tiny"), ["ter", "wer"], criteria=["adequacy"], n_resamples=5, ceiling=0)
    assert all(line.startswith(("%", "\\")) or " & " in line for line in found.text("latex").split("\n"))
    assert all(line.startswith(("%", "\\")) or " & " in line for line in found.to_latex().split("\n"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "sentence"}, r"unknown level 'sentence'"),
        ({"level": "documents(size=3)"}, r"level 'documents': unknown parameter 'size'"),
        ({"level": "system(length=3)"}, r"unknown level"),
        ({"coefficient": "person"}, r"unknown coefficient 'person'; did you mean 'pearson'\?"),
        ({"criteria": ["accuracy"]}, r"unknown criterion 'accuracy'"),
        ({"metrics": ["blue"]}, r"unknown metric 'blue'"),
        ({"resample": "judges"}, r"`uncertainty.resample` must be one of"),
        ({"resample": "judges", "test": "permutation"}, r"`uncertainty.resample` must be one of"),
        ({"documents": "segments", "test": "permutation"}, r"documents"),
        (
            {"test": "williams", "level": "segment"},
            r"the test 'williams' is for the level 'system'; got the level 'segment'\.",
        ),
        (
            {"test": "permutation", "level": "documents(length=5)"},
            r"the test 'permutation' over segments .* pseudo-documents share segments; choose to resample 'systems'",
        ),
        (
            {"test": "permutation", "metrics": ["bleu", "ter"]},
            r"the test 'permutation' over segments .* the corpus score of bleu is not the mean of these",
        ),
        (
            {"coefficient": "soft-pairwise-accuracy", "level": "documents(length=5)"},
            r"'soft-pairwise-accuracy' is for the levels 'system' and 'segment'; got the level 'documents\(length=5",
        ),
        (
            {"coefficient": ["segment:kendall"]},
            r"the coefficient 'segment:kendall' is for the level 'segment', which is not among \['system'\]",
        ),
        ({"level": ["system", "system"]}, r"`level` must name at least one, each once; got"),
        ({"level": "segment", "test": "permutation"}, r"'permutation' does not take the coefficient .* calibrated"),
    ],
)
def test_wrong_requests_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        metaeval.compare("demo", **{"metrics": ["bleu"], "n_resamples": 5, **arguments})


@pytest.mark.parametrize("kind", [["pseudo"], 3])
def test_a_kind_of_documents_that_is_no_text_is_refused(kind):
    with pytest.raises(UsageError, match=r"`documents\.kind` must be text; got"):
        metaeval.compare("demo", ["bleu", "ter"], test="permutation", documents={"kind": kind})


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
    assert line == f"Which metric is the best depends on single systems: without s4, {metrics[0]}."
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
    told = f"{names[0]} agrees less well with adequacy than {names[1]} (by "
    assert found.tables[0].sentence.startswith(f"On the documents where both have a coefficient, {told}")
    assert "on the documents where both have a coefficient" in found.tables[0].note


@pytest.mark.parametrize("tests", [[{"method": "williams"}, {"method": "denoised"}], [{"alpha": 0.2}]])
def test_tests_that_the_words_of_a_comparison_do_not_fit_are_refused(tests):
    with pytest.raises(UsageError, match=r"a comparison has one test, at 0\.05"):
        metaeval.compare("demo", ["ter", "wer"], tests=tests)


@pytest.mark.parametrize(
    ("tests", "heading", "told"),
    [
        ([{"correction": "none"}], "p", "; not corrected."),
        ([{"correction": "benjamini-hochberg"}], "p (Benjamini and Hochberg)", "corrected for all 3 pairs"),
        (
            [{"method": 'williams(alternative="greater")'}],
            "p (Holm)",
            "One-sided (greater), of two metrics in the order",
        ),
    ],
)
def test_other_families_and_directions_are_named(tests, heading, told):
    found = metaeval.compare(
        "demo", ["ter", "wer", "bleu"], criteria=["adequacy"], tests=tests, n_resamples=60, ceiling=0
    )
    assert heading in found.tables[0].rows[0]
    assert told in found.tables[0].note
    assert ("95 % of test sets" in found.tables[0].note) == (heading == "p (Holm)")
