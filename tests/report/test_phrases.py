"""What intervals and labels say, in words."""

from __future__ import annotations

import pytest

from metaeval.datamodel.corpus import NO_REFERENCES
from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import (
    coefficient_words,
    interval_words,
    preprocessing_columns,
    quantity,
    subset_words,
    taken,
)


@pytest.mark.parametrize(
    ("interval", "level", "resampled", "expected"),
    [
        ("normal", 0.9, "", "90 % confidence interval (normal, of the mean on this corpus)"),
        (
            "fisher",
            0.95,
            "",
            "95 % confidence interval (Fisher's transformation, over systems: new systems, same texts)",
        ),
        (
            "percentile",
            0.95,
            "segments+systems",
            "95 % confidence interval (bootstrap over segments and systems: new segments and systems)",
        ),
        (
            "denoised",
            0.95,
            "documents",
            "95 % confidence interval (bootstrap over documents, noise removed: new documents, same systems)",
        ),
        ("t", 0.95, "segments", "95 % confidence interval (t, over segments: new segments, same systems)"),
        ("jackknife", 0.95, "", "95 % confidence interval (jackknife over systems: new systems, same texts)"),
        ("none", None, "", ""),
    ],
)
def test_what_an_interval_speaks_about(interval, level, resampled, expected):
    assert interval_words({"interval": interval, "confidence_level": level, "resampled": resampled}) == expected


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        (NO_REFERENCES, "no references"),
        ("ref1", "reference ref1"),
        ("Reference", "Reference"),
        ("ref1+ref2", "references ref1 + ref2"),
        ("a+b+c+d+e+f", "6 references"),
        ("random(size=4,count=100)", "100 random subsets of 4 references"),
        ("leave-one-out(a+b+c)", "references leave-one-out of a + b + c"),
        ("each(a+b+c+d+e+f)", "each of 6 references"),
    ],
)
def test_a_subset_is_told_by_its_names_or_their_number(subset, expected):
    assert subset_words(subset) == expected


def test_lines_are_broken_between_words_alone():
    assert in_lines("one two-three four-five-six", 12, "1. ", "   ") == ["1. one", "   two-three", "   four-five-six"]


@pytest.mark.parametrize(
    ("coefficient", "words", "on_an_axis"),
    [
        ("spearman", "Spearman", "Spearman correlation"),
        (
            'spearman(ties="ordinal")',
            "Spearman with ties in random order",
            "Spearman correlation with ties in random order",
        ),
        (
            'spearman(seed=3,ties="ordinal")',
            "Spearman with ties in random order, seed 3",
            "Spearman correlation with ties in random order, seed 3",
        ),
        (
            'spearman(ties="uncorrected")',
            "Spearman without correction for ties",
            "Spearman correlation without correction for ties",
        ),
        ('kendall(variant="c")', "Kendall, tau-c", "Kendall correlation, tau-c"),
        ('kendall(variant="23")', "Kendall, variant 23", "Kendall correlation, variant 23"),
        (
            'kendall(variant="wmt13",gap=25)',
            "Kendall, variant of WMT 2013, gap 25",
            "Kendall correlation, variant of WMT 2013, gap 25",
        ),
        ("pairwise-accuracy(epsilon=0.1)", "pairwise accuracy, ties within 0.1", "pairwise accuracy, ties within 0.1"),
        ('pairwise-accuracy(epsilon="auto")', "acc_eq", "acc_eq"),
    ],
)
def test_a_coefficient_is_written_as_a_paper_writes_it(coefficient, words, on_an_axis):
    assert coefficient_words(coefficient) == words
    assert quantity(coefficient) == on_an_axis


def test_a_heading_says_across_what_a_coefficient_is_taken():
    assert taken("pearson", "across systems") == "Pearson correlation across systems"
    ordinal = "Spearman correlation with ties in random order, across systems"
    assert taken('spearman(ties="ordinal")', "across systems") == ordinal


@pytest.mark.parametrize(
    ("names", "words", "in_common"),
    [
        (("case", "nocase", "stem"), ("case kept", "lower-cased", "lower-cased and stemmed"), "13a tokens"),
        (("case",), ("13a tokens, case kept",), ""),
    ],
)
def test_a_column_of_preprocessing_says_what_differs(names, words, in_common):
    written = [f'{name}(tokenizer="13a")' for name in names]
    assert preprocessing_columns(written) == (dict(zip(written, words, strict=True)), in_common)


def test_a_column_of_tokenizers_leaves_the_case_to_the_heading():
    names = ['nocase(tokenizer="13a")', "nocase"]
    assert preprocessing_columns(names) == (
        dict(zip(names, ("13a tokens", "tokens at white space"), strict=True)),
        "lower-cased",
    )
    other = "stem"
    assert preprocessing_columns([names[0], other])[0] == {
        names[0]: "13a tokens, lower-cased",
        other: "tokens at white space, lower-cased and stemmed",
    }
