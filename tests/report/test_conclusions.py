"""What two runs conclude: runs made by hand, whose orders, stars and verdicts change in known ways, and real ones."""

from __future__ import annotations

import json

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.report.conclusions import find_conclusions
from metaeval.report.diff import diff_runs
from metaeval.results import store
from metaeval.results.model import RunData, Tables
from tests.support.results import claim, correlation, facts_of, ranking, run_of, task_score

WORDS, LETTERS = 'case(tokenizer="13a")', 'case(tokenizer="char")'
CONFIG = """\
title = "By hand"
corpora = ["c"]
metrics = ["bleu", "chrf", "ter"]
preprocessing = [PREPROCESSING]
"""


def place(means, stars, **key):
    """Return the rows of correlations and rankings of a place: metrics with these means, some of them with a star."""
    correlations = [correlation(mean, metric=metric, **key) for metric, mean in means.items()]
    test = {"method": "bootstrap", "over": "replicates"}
    return correlations, [
        ranking(metric=metric, mean=mean, top_cluster=metric in stars, **test, **key) for metric, mean in means.items()
    ]


def write_run(directory, *places, claims=(), preprocessing=(WORDS,)):
    """Write a run of some places."""
    tables = Tables(
        correlations=[row for correlations, _ in places for row in correlations],
        rankings=[row for _, rankings in places for row in rankings],
        claims=list(claims),
    )
    facts = {"metaeval": "1.0", "python": "3.11.7", "packages": {}, "seed": 1, "config": "mine"}
    config = CONFIG.replace("PREPROCESSING", ", ".join(map(json.dumps, preprocessing)))
    directory.mkdir()
    store.write_run(RunData(tables, corpora=[facts_of()], facts=facts, config=config), directory)
    return directory


@pytest.fixture
def two(tmp_path):
    """Return an old and a new run of two criteria and one claim, which differ in the tokenizer."""
    claims = [claim(1, "bleu above ter", "holds"), claim(2, "chrf above ter", "holds")]
    old = write_run(
        tmp_path / "old",
        place({"bleu": 0.9, "chrf": 0.8, "ter": 0.7}, {"bleu", "chrf"}, preprocessing=WORDS),
        place({"bleu": 0.6, "chrf": 0.5, "ter": 0.4}, {"bleu"}, preprocessing=WORDS, criterion="fluency"),
        claims=claims,
    )
    new = write_run(
        tmp_path / "new",
        place({"bleu": 0.7, "chrf": 0.95, "ter": 0.8}, {"chrf", "ter"}, preprocessing=LETTERS),
        place({"bleu": 0.61, "chrf": 0.5, "ter": 0.4}, {"bleu"}, preprocessing=LETTERS, criterion="fluency"),
        claims=[claim(1, "bleu above ter", "fails"), claims[1]],
        preprocessing=[LETTERS],
    )
    return old, new


def test_the_setting_that_alone_differs_is_left_out(two):
    found = diff_runs(*two)
    assert found.across == ("preprocessing",)
    assert found.settings.values.tolist() == [["preprocessing", WORDS, LETTERS]]
    assert found.n_compared == 6
    assert found.apart == ""
    assert len(found.places) == 2
    changes = found.conclusions.set_index(["criterion", "what", "metric"])[["old", "new", "starred"]]
    assert {key: tuple(row) for key, row in zip(changes.index, changes.to_numpy().tolist(), strict=True)} == {
        ("adequacy", "order", ""): ("bleu > chrf > ter", "chrf > ter > bleu", ""),
        # chrf has a star in the old run, but bleu has none in the new one.
        ("adequacy", "best", ""): ("bleu", "chrf", "no"),
        ("adequacy", "star", "bleu"): ("yes", "no", ""),
        ("adequacy", "star", "ter"): ("no", "yes", ""),
    }
    # Of adequacy -0.2, 0.15 and 0.1, and of fluency 0.01.
    assert set(found.numbers["preprocessing"]) == {f"{WORDS} -> {LETTERS}"}
    assert found.numbers["metric"].tolist() == ["bleu", "chrf", "ter", "bleu"]
    assert found.numbers["change"].tolist() == pytest.approx([-0.2, 0.15, 0.1, 0.01])


def test_conclusions_come_before_numbers(two):
    assert diff_runs(*two).text(width=100).split("\n\n")[0].split("\n") == [
        "Conclusions changed in 1 of 2 rankings (by criterion): the order of metrics, the best metric and",
        "  stars. The verdict on 1 of 2 claims changed.",
        "The runs differ in preprocessing (13a tokens, case kept -> char tokens, case kept), and are compared",
        "  in spite of that.",
        "Best: BLEU -> chrF in adequacy",
        "Order: chrF is now above BLEU in adequacy",
        "Order: TER is now above BLEU in adequacy",
        "Star gained: TER in adequacy",
        "Star lost: BLEU in adequacy",
        "Claim: BLEU above TER, everywhere: holds -> fails",
        "A star: not significantly worse than the best.",
    ]
    assert "\nOrder in adequacy: BLEU > chrF > TER -> chrF > TER > BLEU\n" in str(diff_runs(*two))
    # The median of 0.2, 0.15, 0.1 and 0.01 is 0.125.
    text = "6 correlations in both runs; 4 changed, by at most 0.200 and typically 0.125 (the median); "
    assert diff_runs(*two).text().split("\n\n")[1].startswith(text)


def test_a_best_metric_that_is_not_significantly_better_is_said_so(tmp_path):
    old = write_run(tmp_path / "old", place({"bleu": 0.6, "chrf": 0.5}, {"bleu", "chrf"}))
    new = write_run(tmp_path / "new", place({"bleu": 0.5, "chrf": 0.6}, {"bleu", "chrf"}))
    found = diff_runs(old, new)
    assert found.conclusions["starred"].tolist() == ["", "yes"]
    assert str(found).startswith(
        "Conclusions changed: the order of metrics and the best metric (each has a star in both runs).\n"
    )
    assert "\nBest: BLEU -> chrF\n" in str(found)


def test_where_each_best_metric_has_a_star_in_both_runs_is_said_if_not_everywhere(tmp_path):
    old, new = (
        write_run(
            tmp_path / name,
            place(means, {"bleu", "chrf"}),
            place(means, {max(means, key=means.__getitem__)}, criterion="fluency"),
        )
        for name, means in (("old", {"bleu": 0.6, "chrf": 0.5}), ("new", {"bleu": 0.5, "chrf": 0.6}))
    )
    first, _, *lines = str(diff_runs(old, new)).split("\n\n")[0].split("\n")
    assert first == (
        "Conclusions changed in both rankings (by criterion): the order of metrics, the best metric (in 1 each has a "
        "star in both runs) and stars in 1."
    )
    assert lines[:2] == [
        "Best: BLEU -> chrF in adequacy (each has a star in both runs)",
        "Best: BLEU -> chrF in fluency",
    ]


def test_a_best_metric_that_one_run_alone_has_is_said_so(tmp_path):
    """BLEU is best among the metrics of both runs, in both of them."""
    old = write_run(tmp_path / "old", place({"bleu": 0.6, "ter": 0.5, "chrf": 0.7}, {"chrf"}))
    new = write_run(tmp_path / "new", place({"bleu": 0.6, "ter": 0.5}, {"chrf"}))
    assert str(diff_runs(old, new)).startswith(
        "Conclusions changed: the best metric (one is in one run alone).\nThe inputs are the same.\n"
        "Best: chrF -> BLEU\n"
    )


def test_equal_metrics_share_a_place_and_change_no_order(tmp_path):
    old = write_run(tmp_path / "old", place({"bleu": 0.6, "chrf": 0.6, "ter": 0.1}, set()))
    new = write_run(tmp_path / "new", place({"bleu": 0.6, "chrf": 0.5, "ter": 0.1}, set()))
    found = diff_runs(old, new)
    assert found.conclusions[["what", "old", "new"]].values.tolist() == [["best", "bleu and chrf", "bleu"]]


def test_a_metric_that_one_run_alone_has_changes_no_order(tmp_path):
    old = write_run(tmp_path / "old", place({"bleu": 0.6, "ter": 0.1}, {"bleu"}))
    new = write_run(tmp_path / "new", place({"bleu": 0.6, "chrf": 0.9, "ter": 0.1}, {"chrf"}))
    assert diff_runs(old, new).conclusions[["what", "metric", "old", "new"]].values.tolist() == [
        ["best", "", "bleu", "chrf"],
        ["star", "bleu", "yes", "no"],
    ]


def test_that_no_conclusion_changed_is_the_first_sentence(two, tmp_path):
    old, _ = two
    claims = [claim(1, "bleu above ter", "holds"), claim(2, "chrf above ter", "holds")]
    same = write_run(
        tmp_path / "same",
        place({"bleu": 0.8, "chrf": 0.7, "ter": 0.6}, {"bleu", "chrf"}, preprocessing=LETTERS),
        place({"bleu": 0.6, "chrf": 0.5, "ter": 0.4}, {"bleu"}, preprocessing=LETTERS, criterion="fluency"),
        claims=claims,
        preprocessing=[LETTERS],
    )
    for text in (diff_runs(old, same).text(), diff_runs(old, same).text(width=180)):
        assert text.split("\n")[:2] == [
            "No conclusion changed: the same order of metrics, best metric and stars in both rankings (by criterion), "
            "and the same verdicts on 2 claims.",
            "The runs differ in preprocessing (13a tokens, case kept -> char tokens, case kept), and are compared in "
            "spite of that.",
        ]
    alone = [write_run(tmp_path / name, place({"bleu": mean}, set())) for name, mean in (("a", 0.5), ("b", 0.6))]
    assert str(diff_runs(*alone)).startswith(
        "No conclusion changed: the same order of metrics, best metric and stars.\n"
    )


def test_many_changes_are_counted(tmp_path):
    """Of 12 lengths, bleu is best in the old run, and chrf in the new one."""
    runs = []
    for name, means in (("old", {"bleu": 0.6, "chrf": 0.5}), ("new", {"bleu": 0.5, "chrf": 0.6})):
        best = max(means, key=means.__getitem__)
        runs.append(write_run(tmp_path / name, *(place(means, {best}, length=n) for n in range(1, 13))))
    found = diff_runs(*runs)
    assert found.text(width=200).split("\n\n")[0].split("\n") == [
        "Conclusions changed in all 12 rankings (by document length): the order of metrics, the best metric and stars.",
        "The inputs are the same.",
        "Best: BLEU -> chrF in 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more segments",
        "Order: chrF is now above BLEU in 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more segments",
        "Star gained: chrF in 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more segments",
        "Star lost: BLEU in 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more segments",
        "A star: not significantly worse than the best.",
    ]
    everything = found.text(width=120, verbose=True)
    assert "Best: BLEU -> chrF in 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12 segments\n" in everything
    assert everything.count("Order in ") == 12
    assert "\nOrder in 1 segment: BLEU > chrF -> chrF > BLEU\n" in everything
    # Of 24, five are shown.
    assert "\n19 more: `verbose=True` has all.\n" in found.text(width=120)
    assert " more: " not in everything


def test_what_changed_in_fewer_rankings_than_others_has_its_number(tmp_path):
    """Of three lengths, the order changed in two, and the best metric in one of these."""
    old, new = (
        write_run(
            tmp_path / name,
            *(place({"bleu": 0.6, "chrf": 0.5, "ter": ter}, set(), length=length) for length, ter in lengths.items()),
        )
        for name, lengths in (("old", {1: 0.4, 5: 0.4, 9: 0.4}), ("new", {1: 0.4, 5: 0.55, 9: 0.7}))
    )
    assert str(diff_runs(old, new)).startswith(
        "Conclusions changed in 2 of 3 rankings (by document length): the order of metrics and the best metric in 1.\n"
    )


def test_more_than_four_changes_of_one_kind_are_counted(tmp_path):
    claims = [[claim(n, f"bleu above {n}", verdict) for n in range(6)] for verdict in ("holds", "fails")]
    old, new = (
        write_run(tmp_path / name, place({"bleu": 0.6}, set()), claims=rows)
        for name, rows in zip(("old", "new"), claims, strict=True)
    )
    text = diff_runs(old, new).text(width=120)
    assert text.startswith(
        "The order of metrics, the best metric and stars are the same. The verdicts on all 6 claims changed.\n"
    )
    assert "Claim: BLEU above 3, everywhere: holds -> fails\nClaim: 2 more, which `verbose=True` has\n\n" in text
    assert "Claim: BLEU above 5, everywhere: holds -> fails\n" in diff_runs(old, new).text(width=120, verbose=True)


def test_claims_are_in_words_whatever_their_paper_says_and_across_corpora(tmp_path):
    """What a paper says can have an arrow in it; the name of a corpus too, which is then as it is written."""
    for number, corpora in enumerate((("c", "c"), ("c", "d"), ("c -> d", "c -> d"))):
        old, new = (
            write_run(
                tmp_path / f"{number}-{verdict}",
                place({"bleu": 0.6}, set(), corpus=corpus),
                claims=[claim(1, "bleu above 0", verdict, corpus=corpus, paper="tokens -> letters")],
            )
            for corpus, verdict in zip(corpora, ("holds", "fails"), strict=True)
        )
        assert ("\nClaim: BLEU above 0, everywhere: holds -> fails\n" in str(diff_runs(old, new))) == (number < 2)
        assert len(diff_runs(old, new).claims) == 1


def test_other_metrics_change_no_conclusion(tmp_path):
    old = write_run(tmp_path / "old", place({"bleu": 0.6, "ter": 0.5}, {"bleu"}))
    new = write_run(tmp_path / "new", place({"chrf": 0.9, "per": 0.1}, {"chrf"}))
    found = diff_runs(old, new)
    assert found.conclusions["what"].tolist() == ["best"]
    assert str(found).startswith(
        "No metric has a correlation at the same place in both runs; they differ in metrics: BLEU, TER against chrF, "
        "PER.\n\nNo correlation is in both runs; 2 in the old run alone (BLEU, TER); 2 in the new run alone (chrF, "
    )


def test_people_read_display_names_and_programs_the_names_of_the_run(tmp_path):
    places = [
        place({"gtm(exponent=1)": 0.6, "bleu": mean}, {"bleu"}, criterion=criterion, subset="r1+r2", length=length)
        for mean, criterion, length in ((0.5, "adequacy", 1), (0.7, "adequacy", 1), (0.4, "fluency", 2))
    ]
    old = write_run(tmp_path / "old", places[0], places[2])
    new = write_run(tmp_path / "new", places[1], places[2])
    found = diff_runs(old, new)
    for text in (str(found), found.text(width=80), found.to_markdown(), found.to_latex(), found._repr_html_()):
        assert "exponent=1" not in text
        assert "GTM, e=1" in text
        assert "BLEU" in text
        assert "Pearson correlation across systems; pseudo-documents of 1 segment; references r1 + r2" in " ".join(
            text.split()
        )
    # A name with a comma is in quotes in a sentence.
    assert 'Best: "GTM, e=1" -> BLEU in adequacy, 1 segment\n' in str(found)
    for text in (found.text("tsv"), found.text("json"), str(found.to_frame().to_dict())):
        assert "gtm(exponent=1) > bleu" in text
        assert "GTM" not in text


def test_digits_that_show_the_difference(tmp_path):
    """The old interval ends at 0.6004, and the new mean is 0.6006: both are 0.600 or 0.601."""
    old, new = (
        write_run(tmp_path / name, ([correlation(mean, metric="bleu", lower=0.4, upper=0.60055)], []))
        for name, mean in (("old", 0.5), ("new", 0.6006))
    )
    (row,) = diff_runs(old, new).text(width=160).split("\n\n")[2].split("\n")[3:]
    assert row.split() == ["BLEU", "0.500", "0.601", "+0.101", "[0.4000,", "0.6006]"]


def test_tasks_are_places_too():
    values = {"old": {"a": (0.5, 1), "b": (0.4, 2)}, "new": {"a": (0.5, 2), "b": (0.6, 1)}}
    runs = tuple(
        run_of(tasks=[task_score("en-de", metric, value, rank=rank) for metric, (value, rank) in of_run.items()])
        for of_run in values.values()
    )
    places, found = find_conclusions(runs, ())
    changes = [change.row() for change in found]
    assert [one["task"] for one in places] == ["en-de"]
    assert [(one["task"], one["what"], one["old"], one["new"]) for one in changes] == [
        ("en-de", "order", "a > b", "b > a"),
        ("en-de", "best", "a", "b"),
    ]


@pytest.mark.parametrize(
    ("setting", "old", "new", "values", "words"),
    [
        ("panel", {"panel": "A"}, {"panel": "B"}, ["A", "B"], "the panel (A -> B)"),
        ("corpus", {"corpus": "c"}, {"corpus": "d"}, ["c", "d"], "the corpus (c -> d)"),
        ("references", {"subset": "r1"}, {"subset": "r1+r2"}, ["r1", "r1+r2"], "references (r1 -> r1 + r2)"),
        (
            "criterion",
            {"criterion": "adequacy"},
            {"criterion": "fluency"},
            ["adequacy", "fluency"],
            "the criterion (adequacy -> fluency)",
        ),
        (
            "judges",
            {"judges": "all"},
            {"judges": "experts"},
            ["all", "experts"],
            "judges (all -> experts)",
        ),
        # The kind of documents and their length are one setting.
        (
            "documents",
            {"length": 9},
            {"kind": "real", "length": None},
            ["pseudo of length 9", "real"],
            "documents (pseudo-documents of 9 segments -> real documents)",
        ),
        (
            "average_by",
            {"average_by": "item"},
            {"average_by": "system"},
            ["item", "system"],
            "averaging (across systems -> across documents)",
        ),
        (
            "coefficient",
            {"coefficient": "pearson"},
            {"coefficient": "kendall"},
            ["pearson", "kendall"],
            "the coefficient (Pearson -> Kendall)",
        ),
    ],
)
def test_any_setting_of_a_place_can_be_left_out(tmp_path, setting, old, new, values, words):
    runs = [
        write_run(tmp_path / name, place({"bleu": 0.6, "ter": mean}, set(), **key))
        for name, mean, key in (("old", 0.5, old), ("new", 0.7, new))
    ]
    found = diff_runs(*runs)
    assert found.across == (setting,)
    assert found.settings.values.tolist() == [[setting, *values]]
    assert f"\nThe runs differ in {words}, and are compared in spite of that.\n" in str(found)
    assert found.n_compared == 2
    assert found.conclusions["what"].tolist() == ["order", "best"]


def test_two_settings_that_differ_are_named_with_what_to_type(tmp_path):
    means = {"bleu": 0.6, "chrf": 0.5}
    old = write_run(tmp_path / "a", place(means, set(), preprocessing=WORDS, subset="r1"))
    new = write_run(tmp_path / "b", place(means, set(), preprocessing=LETTERS, subset="r2"))
    found = diff_runs(old, new)
    assert (found.across, found.n_compared) == ((), 0)
    assert found.apart == (
        "No metric has a correlation at the same place in both runs; they differ in "
        f"preprocessing: {WORDS} against {LETTERS}, and in references: r1 against r2. "
        f"`metaeval.diff_runs({str(old)!r}, {str(new)!r}, across=['preprocessing', 'references'])` compares them in "
        "spite of that."
    )
    # People read it in words.
    (note,) = found.notes
    assert note == found.apart.replace(WORDS, "13a tokens, case kept").replace(LETTERS, "char tokens, case kept")
    assert str(found).startswith(f"{note}\n")
    both = diff_runs(old, new, ("preprocessing", "subset"))
    assert (both.across, both.n_compared, both.apart) == (("preprocessing", "references"), 2, "")
    assert str(both).startswith("No conclusion changed: the same order of metrics, best metric and stars.\n")
    # Another setting than the one that differs does not help.
    assert diff_runs(old, new, ["panel"]).apart == found.apart


def test_a_setting_that_is_named_in_vain_is_not_followed_by_a_guess(tmp_path):
    old, new = (write_run(tmp_path / subset, place({"bleu": 0.6}, set(), subset=subset)) for subset in ("r1", "r2"))
    assert diff_runs(old, new).across == ("references",)
    assert "across=['references'])` compares them" in diff_runs(old, new, ["panel"]).apart


def test_places_in_common_stay_and_the_rest_is_matched(tmp_path):
    old = write_run(
        tmp_path / "old",
        place({"bleu": 0.6}, set(), preprocessing=WORDS),
        place({"bleu": 0.5}, set(), preprocessing="stem"),
    )
    new = write_run(
        tmp_path / "new",
        place({"bleu": 0.6}, set(), preprocessing=WORDS),
        place({"bleu": 0.4}, set(), preprocessing=LETTERS),
    )
    assert diff_runs(old, new).numbers["found"].tolist() == ["only old", "only new"]
    found = diff_runs(old, new, ["preprocessing"])
    assert found.n_compared == 2
    assert found.numbers[["preprocessing", "old", "new"]].values.tolist() == [[f"stem -> {LETTERS}", 0.5, 0.4]]
    assert found.settings.values.tolist() == [["preprocessing", "stem", LETTERS]]


def test_a_setting_without_which_places_are_the_same_is_refused(tmp_path, capsys):
    old = write_run(
        tmp_path / "old",
        place({"bleu": 0.6}, set(), preprocessing=WORDS),
        place({"bleu": 0.5}, set(), preprocessing="stem"),
        preprocessing=[WORDS, "stem"],
    )
    new = write_run(tmp_path / "new", place({"bleu": 0.6}, set(), preprocessing=LETTERS), preprocessing=[LETTERS])
    with pytest.raises(UsageError) as caught:
        diff_runs(old, new, ["preprocessing"])
    assert str(caught.value) == (
        "`across=['preprocessing']`: several places of a run are the same without it, and which of them to compare "
        f"cannot be told: {old} has {WORDS}, stem, and {new} has {LETTERS}. Make a run with one of them."
    )
    assert main(["diff", str(old), str(new), "--across", "preprocessing"]) == 2
    assert "`--across preprocessing`: several places" in capsys.readouterr().err
    # Without being asked for, it is not tried.
    found = diff_runs(old, new)
    assert found.across == ()
    assert found.apart.endswith(f"they differ in preprocessing: {WORDS}, stem against {LETTERS}.")


def test_a_setting_that_is_named_without_need_is_said_so(tmp_path):
    old, new = (
        write_run(tmp_path / subset, *(place({"bleu": 0.6}, set(), subset=subset, length=n) for n in range(1, 6)))
        for subset in ("r1", "r2")
    )
    with pytest.raises(UsageError) as caught:
        diff_runs(old, new, ["length", "subset"])
    assert str(caught.value) == (
        "`across=['documents', 'references']`: several places of a run are the same without it, and which of them to "
        f"compare cannot be told: {old} has pseudo of length 1, pseudo of length 2, pseudo of length 3, 2 more"
        f", and {new} has pseudo of length 1, pseudo of length 2, pseudo of length 3, 2 more. "
        f"`metaeval.diff_runs({str(old)!r}, {str(new)!r}, across=['references'])` compares them."
    )


def test_what_is_no_setting_is_refused(two):
    with pytest.raises(UsageError, match=r"unknown setting 'seed'\. .* such as the seed, are compared as they are\."):
        diff_runs(*two, ["seed"])


QUICK = {"metrics": ["bleu", "per"], "uncertainty": {"n_resamples": 60}, "figures": []}


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Return three runs: with 13a, with letters as tokens, and with 13a and another seed."""
    directory = tmp_path_factory.mktemp("runs")
    return [
        metaeval.run(
            "system-level", overrides={**QUICK, "preprocessing": [words], "seed": seed}, output=directory / name
        )
        for name, words, seed in (("words", WORDS, 1), ("letters", LETTERS, 1), ("seed", WORDS, 2))
    ]


def best_of(run):
    """Return the best metrics of each criterion and coefficient, from the correlations; ranks are equal or not."""
    of = run.correlations.groupby(["criterion", "coefficient"])
    return {key: " and ".join(rows["metric"][rows["mean"] > rows["mean"].max() - 1e-12]) for key, rows in of}


def test_two_real_tokenizers(real):
    words, letters, _ = real
    found = metaeval.diff_runs(words, letters)
    assert found.across == ("preprocessing",)
    assert found.n_compared == len(words.correlations) == 8
    old, new = best_of(words), best_of(letters)
    changed = {key: (old[key], new[key]) for key in old if old[key] != new[key]}
    best = found.conclusions[found.conclusions["what"] == "best"]
    assert {(row.criterion, row.coefficient): (row.old, row.new) for row in best.itertuples()} == changed
    means = [run.correlations.set_index(["criterion", "coefficient", "metric"])["mean"] for run in (words, letters)]
    change = found.numbers.set_index(["criterion", "coefficient", "metric"])["change"]
    assert change.astype(float).to_dict() == pytest.approx((means[1] - means[0])[change.index].to_dict(), abs=1e-15)


def test_another_seed_alone_changes_no_order(real):
    words, _, seed = real
    found = metaeval.diff_runs(words, seed)
    assert found.across == ()
    assert set(found.conclusions["what"]) <= {"star"}
    assert "Inputs that differ: seed: 1 -> 2." in found.text(width=120)


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_programs_get_the_conclusions(two, form, capsys):
    assert main(["diff", *map(str, two), "--format", form]) == 0
    text = capsys.readouterr().out
    if form == "json":
        loaded = json.loads(text)
        facts = {name: loaded[name] for name in ("across", "n_compared", "n_claims", "n_places", "apart")}
        assert facts == {"across": ["preprocessing"], "n_compared": 6, "n_claims": 2, "n_places": 2, "apart": ""}
        assert [row["what"] for row in loaded["conclusions"]] == ["order", "best", "star", "star"]
    else:
        parts = [line.split("\t")[0] for line in text.splitlines()[1:]]
        assert [parts.count(part) for part in ("settings", "conclusions", "numbers", "claims")] == [1, 4, 4, 1]
