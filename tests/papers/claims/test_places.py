"""Where the terms of a claim are compared: metrics, judges, numbers of references, panels, averages."""

from __future__ import annotations

import pytest

from tests.papers.claims.support import Made, compared, counts, near


def three():
    made, size = Made(), 0.0
    for references, (gtm, nist, ter) in {"r1": (0.5, 0.4, 0.3), "r1+r2+r3": (0.7, 0.3, 0.2)}.items():
        for name, mean in (("gtm(exponent=2)", gtm), ("nist", nist), ("ter", ter)):
            size += 0.001
            made.add(name, mean, replicates=near(mean, size), subset=references)
    return made


def test_each_metric_is_a_comparison_of_its_own():
    made = three()
    row = made.judge("each[references=3] above each[references=1]")
    assert (row.verdict, counts(row)) == ("fails", (1, 2, 0))
    assert compared(row).startswith("nist with 3 references - nist with 1 reference, adequacy, case, 5 segments")
    row = made.judge("each[references=3] above each[references=1]", each=("gtm( exponent = 2 )",))
    assert (row.verdict, counts(row)) == ("holds", (1, 0, 0))
    most = made.judge("each[references=most] above each[references=1]", each=("gtm(exponent=2)",))
    assert most.difference == row.difference
    row = made.judge("each[references=3] above each[references=1]", over="somewhere")
    assert (row.verdict, row.difference) == ("holds", pytest.approx(0.2))
    # A metric is not compared with itself.
    assert made.judge("ter at most each").n_comparisons == 4


def test_the_pair_that_decided_is_named_without_numbers():
    # Means by hand, in `three`: nist has 0.4 with one reference and 0.3 with three.
    made = three()
    words = "nist with 3 references below nist with 1 reference (adequacy, 5 segments)"
    assert made.judge("each[references=3] above each[references=1]").compared == words
    assert (
        made.judge("nist[references=1] above 0.3").compared == "nist with 1 reference above 0.3 (adequacy, 5 segments)"
    )
    row = made.judge("gtm(exponent=2) above 2 * ter", over="average")
    assert row.compared == "gtm(exponent=2) above 2 times ter (adequacy, mean of 2 numbers of references)"
    assert made.judge("bleu above ter").compared == ""


def test_a_metric_of_one_treatment_beside_each_of_another():
    made = Made()
    for preprocessing, bleu, wer, size in (("case", 0.8, 0.6, 0.001), ("stem", 0.9, 0.95, 0.002)):
        made.add("bleu", bleu, replicates=near(bleu, size), preprocessing=preprocessing)
        made.add("wer", wer, replicates=near(wer, size), preprocessing=preprocessing)
    # 0.9 against 0.8 and 0.6: its own with case counts, and those with stems do not.
    row = made.judge("bleu[preprocessing=stem] above each[preprocessing=case]")
    assert (row.verdict, counts(row), row.difference) == ("holds", (2, 0, 0), pytest.approx(0.1))
    assert compared(row).startswith("bleu lower-cased and stemmed - bleu with case kept")
    # In the middle of a chain it is compared with both neighbours, the other two not with one another.
    made.add("bleu", 0.85, replicates=near(0.85, 0.001), preprocessing="nocase")
    row = made.judge("bleu[preprocessing=nocase] below bleu[preprocessing=stem] above bleu[preprocessing=case]")
    assert (row.verdict, counts(row), row.difference) == ("holds", (2, 0, 0), pytest.approx(0.05))


def test_every_other_metric():
    made = three()
    row = made.judge("ter below every other")
    assert (row.verdict, counts(row)) == ("holds", (4, 0, 0))
    row = made.judge("every other below nist", over="average")
    assert (row.verdict, row.n_comparisons) == ("fails", 2)
    # Somewhere means a place at which every other one is below.
    assert made.judge("nist above every other", over="somewhere").verdict == "fails"
    made.add("nist", 0.9, replicates=near(0.9, 0.01), subset="r1+r2")
    made.add("ter", 0.2, replicates=near(0.2, 0.02), subset="r1+r2")
    assert made.judge("nist above every other", over="somewhere").verdict == "holds"


def test_the_judges_stand_in_every_preprocessing():
    made = Made().add("inter-judge", 0.6, replicates=[0.6] * 3, preprocessing="")
    made.add("inter-judge", 0.9, replicates=[0.9] * 3, preprocessing="", subset="r1+r2")
    for preprocessing, mean in (("case", 0.5), ("stem", 0.4)):
        made.add("bleu", mean, replicates=[mean] * 3, preprocessing=preprocessing)
        made.add("nist", mean - 0.1, replicates=[mean] * 3, preprocessing=preprocessing)
    row = made.judge("inter-judge above bleu")
    assert (row.n_comparisons, row.difference) == (2, pytest.approx(0.1))
    row = made.judge("inter-judge above each", preprocessing=("stem",))
    assert (row.n_comparisons, row.difference) == (2, pytest.approx(0.2))
    assert made.judge("inter-judge above 0.5").n_comparisons == 2
    row = made.judge("inter-judge above bleu[references=1, preprocessing=case]")
    assert (row.n_comparisons, row.difference) == (1, pytest.approx(0.1))
    assert compared(made.judge("bleu below every other", preprocessing=("case",))).startswith("nist - bleu")


def test_the_judges_without_such_references_stand_for_all_they_have():
    # (0.6 + 0.8) / 2 - 0.5, the same where the claim chooses the references.
    made = Made().add("inter-judge", 0.6, replicates=[0.6] * 3, preprocessing="")
    made.add("inter-judge", 0.8, replicates=[0.8] * 3, preprocessing="", subset="r2")
    made.add("bleu", 0.5, replicates=[0.5] * 3, subset="r1+r2+r3")
    assert made.judge("inter-judge above bleu[references=3]").difference == pytest.approx(0.2)
    assert made.judge("inter-judge above bleu", references=(3,)).difference == pytest.approx(0.2)


def test_names_are_compared_by_what_they_mean():
    made = Made().add("gtm( exponent=2 )", 0.7, replicates=near(0.7, 0.01), preprocessing='stem(tokenizer="13a")')
    made.add("gtm(exponent=1)", 0.5, replicates=near(0.5, 0.02), preprocessing='stem(tokenizer="13a")')
    assert made.judge("gtm(exponent=2.0) above gtm").verdict == "holds"
    assert made.judge("gtm(exponent=2) above gtm", preprocessing=("stem",)).verdict == "holds"
    assert made.judge("gtm(exponent=2) above gtm", preprocessing=("stem( tokenizer='13a' )",)).verdict == "holds"


def test_metrics_of_files_go_by_their_names():
    made = Made().add("a/my.py:f", 0.7, replicates=near(0.7, 0.01)).add("bleu", 0.5, replicates=near(0.5, 0.02))
    assert made.judge("a/my.py:f above bleu( order = 4 )").verdict == "holds"


def test_a_metric_of_a_file_is_the_same_however_its_parameters_are_written(tmp_path):
    # The code cannot be run, and is not.
    (tmp_path / "my.py").write_text("raise RuntimeError")
    file = tmp_path / "my.py"
    made = Made().add(f"{file}:f(x=1,y=2)", 0.7, replicates=near(0.7, 0.01))
    assert made.judge(f"'{file}:f( y = 2, x = 1 )' above 0.5").verdict == "holds"
    assert made.judge(f"'{file}:f( y = 2, x = 2 )' above 0.5").verdict == "not applicable"


@pytest.mark.parametrize(
    ("statement", "settings", "reason"),
    [
        ("gone.py:f above nist", {}, "the experiment has no metric 'gone.py:f'; it has 'bleu', 'nist'"),
        ("ter above nist", {}, "the experiment has no metric 'ter'; it has 'bleu', 'nist'"),
        ("each above nist", {"each": ("ter",)}, "the experiment has no metric 'ter'"),
        ("bleu above inter-judge", {}, "the experiment has no inter-judge line (`judgments.inter_judge`)"),
        ("bleu above nist", {"criteria": ("fluency",)}, "no results for the criterion 'fluency'; there are 'adequacy'"),
        ("bleu above nist", {"preprocessing": ("case",)}, "[preprocessing]"),
        ("bleu above nist", {"references": (16,)}, "no results with 16 references; there are 1, 2"),
        ("bleu above nist", {"lengths": (7,)}, "no results for documents of 7 segments; there are 5"),
        ("bleu above nist", {"coefficients": ("pearson",)}, "no results for the coefficient 'pearson'; there are 's"),
        ("bleu above nist", {"panels": ("B",)}, "no results for the panel 'B'"),
        ("bleu[references=4] above nist[references=1]", {}, "no results with 4 references; there are 1, 2"),
        (
            "bleu[preprocessing=stem] above nist[preprocessing=nocase]",
            {},
            "[preprocessing=stem] of bleu[preprocessing=stem] can be 'stem(tokenizer=\"a\")' or ",
        ),
        ("bleu above nist", {"references": (2,)}, "no place has a number for every term of 'bleu above nist'"),
        ("each above 0.5", {"each": ("bleu", "nist"), "references": (2,)}, "no place has a number for every term"),
    ],
)
def test_what_cannot_be_decided_says_why(statement, settings, reason):
    made = Made()
    for preprocessing in ('stem(tokenizer="a")', 'stem(tokenizer="b")', "nocase"):
        made.add("bleu", 0.5, preprocessing=preprocessing).add("nist", 0.5, preprocessing=preprocessing)
    made.add("bleu", 0.5, preprocessing="nocase", subset="r1+r2")
    if reason == "[preprocessing]":
        reason = (
            "no results for the preprocessing 'case'; there are 'stem(tokenizer=\"a\")', 'stem(tokenizer=\"b\")', 'noc"
        )
    row = made.judge(statement, **settings)
    assert (row.verdict, counts(row)) == ("not applicable", (0, 0, 0))
    assert row.why.startswith(reason)


def test_whole_corpora_have_no_longest_document():
    made = Made().add("bleu", 0.5, kind="all").add("nist", 0.4, kind="all")
    row = made.judge("bleu[length=most] above nist[length=most]")
    assert row.verdict == "not applicable"
    assert row.why == "no results for documents of most segments; documents have no length here"


def test_the_only_metric_has_no_others():
    row = Made().add("bleu", 0.5).judge("bleu below every other")
    assert row.why == "the experiment has no metric besides bleu"


def test_a_number_in_two_panels_counts_once():
    made = Made()
    for panel, coefficient in (("A", "spearman"), ("B", "spearman"), ("B", "pearson")):
        for name, mean in (("bleu", 0.4), ("gtm", 0.5)):
            made.add(
                name,
                mean,
                replicates=near(mean, 0.001 if name == "bleu" else 0.002),
                panel=panel,
                coefficient=coefficient,
            )
    made.add("nist", 0.1, replicates=near(0.1, 0.003), panel="B")
    row = made.judge("gtm above bleu")
    assert (row.n_comparisons, row.verdict) == (2, "holds")
    assert compared(row) == "gtm - bleu, A: adequacy, case, 1 reference, 5 segments, spearman"
    assert made.judge("gtm above bleu", panels=("B",)).n_comparisons == 2
    assert compared(made.judge("gtm above nist")).startswith("gtm - nist, B: adequacy, case")
    assert made.judge("gtm[panel=A] above nist[panel=B]", coefficients=("spearman",)).verdict == "holds"


def test_an_average_is_over_lengths_and_numbers_of_references_alone():
    made, place = Made(), 0
    for criterion in ("adequacy", "fluency"):
        for preprocessing in ("case", "stem"):
            for coefficient in ("pearson", "spearman"):
                for panel in ("A", "B"):
                    place += 1
                    for references, more in (("r1", 0.0), ("r1+r2", 0.2)):
                        for length in (1, 5):
                            made.add(
                                "gtm",
                                place / 100 + more + length / 10,
                                replicates=near(place / 100 + more + length / 10, 0.001),
                                criterion=criterion,
                                preprocessing=preprocessing,
                                coefficient=coefficient,
                                panel=panel,
                                subset=references,
                                length=length,
                                units=place,
                            )
    # The means of each curve are place / 100 + (0 + 0.2) / 2 + (0.1 + 0.5) / 2.
    row = made.judge("gtm above 0", over="average")
    assert (row.verdict, counts(row), row.difference) == ("holds", (16, 0, 0), pytest.approx(0.41))
    assert compared(row) == "gtm - 0, A: adequacy, case, pearson, mean of 4 places"
    row = made.judge("gtm below 0", over="average")
    assert (row.verdict, row.difference) == ("fails", pytest.approx(-0.56))
    assert compared(row) == "gtm - 0, B: fluency, stem, spearman, mean of 4 places"
    assert row.notes == "interval corrected for 16 comparisons"
    chosen = {"criteria": ("fluency",), "preprocessing": ("case",), "coefficients": ("pearson",), "panels": ("B",)}
    row = made.judge("gtm[references=2] above gtm[references=1]", over="average", **chosen)
    assert (counts(row), row.difference) == ((0, 0, 1), pytest.approx(0.2))
    assert compared(row) == (
        "gtm with 2 references - gtm with 1 reference, B: fluency, case, pearson, mean of 2 lengths"
    )


def test_curves_of_two_panels_that_share_a_place_are_averaged_in_full():
    made = Made()
    for panel, lengths in (("A", (1, 5)), ("B", (5, 9)), ("C", (1, 5))):
        for length in lengths:
            made.add("gtm", length / 10, replicates=near(length / 10, length / 1000), length=length, panel=panel)
    # (0.1 + 0.5) / 2 - 0.25 in A and, as the very same, in C; (0.5 + 0.9) / 2 - 0.25 in B.
    row = made.judge("gtm above 0.25", over="average")
    assert (row.n_comparisons, row.difference) == (2, pytest.approx(0.05))
    assert compared(row) == "gtm - 0.25, A: adequacy, case, mean of 2 lengths"
    row = made.judge("gtm below 0.25", over="average")
    assert (row.verdict, row.difference) == ("fails", pytest.approx(-0.45))
    assert made.judge("gtm above 0.25").n_comparisons == 3


def test_numbers_that_are_not_there_are_told():
    made = Made().add("gtm", 0.5, replicates=near(0.5, 0.01)).add("gtm", 0.6, replicates=near(0.6, 0.01), length=7)
    made.add("gtm", 0.7, replicates=near(0.7, 0.01), subset="r1+r2+r3")
    row = made.judge("gtm above 0.1", references=(1, 2, 3, 16))
    assert (row.verdict, row.n_comparisons, row.notes) == ("holds", 3, "without 2, 16 references, which are not there")
    row = made.judge("gtm above 0.1", lengths=(1, 7), references=(1, 16))
    assert (row.n_comparisons, row.difference) == (1, pytest.approx(0.5))
    assert row.notes == "without 16 references, which are not there; without 1 segment, which is not there"
    assert made.judge("gtm above 0.1", lengths=(5, 7)).notes == ""
    row = made.judge("gtm above 0.1", lengths=(1, 2))
    assert (row.verdict, row.why, row.notes) == (
        "not applicable",
        "no results for documents of 1 segments; there are 5, 7",
        "",
    )
    # Of names, each must be there.
    row = made.judge("gtm above 0.1", criteria=("adequacy", "fluency"))
    assert row.why == (
        "no results for the criterion 'fluency'; there are 'adequacy' (`read_as` says what the corpus calls it)"
    )


@pytest.mark.parametrize("each", [(), ("gtm",), ("gtm", "bleu")])
def test_both_sides_can_turn_out_the_same(each):
    made = Made().add("gtm", 0.5, replicates=near(0.5, 0.01)).add("bleu", 0.4, replicates=near(0.4, 0.02))
    row = made.judge("each[references=most] above each[references=1]", each=each)
    assert (row.verdict, counts(row)) == ("not applicable", (0, 0, 0))
    assert row.why == ("both sides of 'each[references=most] above each[references=1]' are the same here: references 1")
    made.add("gtm", 0.9, replicates=near(0.9, 0.03), subset="r1+r2").add(
        "bleu", 0.9, replicates=near(0.9, 0.03), subset="r1+r2"
    )
    assert made.judge("gtm[references=most] above gtm[references=1]").verdict == "holds"
    row = made.judge("gtm[length=most, criterion=adequacy] above gtm[length=5, criterion=adequacy]")
    assert row.why.endswith("are the same here: length 5, criterion adequacy")
    assert made.judge("gtm above gtm(exponent=1)").why.endswith("are the same here: gtm")


def test_where_another_side_is_missing_nothing_is_called_the_same():
    # gtm would be compared with itself; bleu has no coefficients beside it.
    made = Made().add("gtm", 0.5).add("bleu", 0.4, length=9)
    assert made.judge("each above gtm").why == "no place has a number for every term of 'each above gtm'"
    row = made.judge("each above gtm", each=("gtm", "bleu"))
    assert row.why == "no place has a number for every term of 'each above gtm' with bleu"


def test_where_high_is_not_always_good_nothing_is_judged():
    made = Made().add("gtm", 0.9, replicates=near(0.9, 0.01)).add("ter", -0.9, replicates=near(-0.9, 0.02))
    assert made.judge("gtm above ter").verdict == "holds"
    made.turn_raw()
    for settings in ({}, {"over": "average"}):
        row = made.judge("gtm above ter", **settings)
        assert (row.verdict, counts(row)) == ("not applicable", (0, 0, 0))
        assert row.why == "high is not always good here: `correlation.orientation` is 'raw'"
