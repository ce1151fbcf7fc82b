"""The tables for people: what stands across, and which intervals and stars are shown."""

from __future__ import annotations

from dataclasses import replace

from metaeval.report.correlation_tables import summary_tables
from metaeval.report.tables import SummaryTable
from tests.support.results import correlation, ranking, run_of

MADE_BY = "[ ] confidence intervals by bootstrap over segments."
ABOUT = "Estimated: the coefficient of these 8 systems on other test sets of this size, 7 segments."
# What is done to texts by `case` without a tokenizer, in words.
TREATED = "reference r1; tokens at white space, case kept"


def row(metric, mean, **others):
    return correlation(mean, metric=metric, interval="percentile", resampled="segments", **others)


def test_a_run_without_a_coefficient_has_no_table():
    assert summary_tables(run_of()) == []


def test_single_segments_are_called_so():
    rows = [row(name, 0.5, kind="segments", length=1) for name in ("bleu", "ter")]
    (table,) = summary_tables(run_of(*rows))
    assert table.heading == f"c: correlation across 8 systems, single segments; {TREATED}"
    (table,) = summary_tables(run_of(row("bleu", 0.5, kind="pseudo", length=10)))
    assert table.heading == f"c: correlation across 8 systems, pseudo-documents of 10 segments; {TREATED}"


def test_limits_stand_behind_the_values_and_equals_are_marked():
    rankings = ranked("intervals", bleu=True, ter=True, wer=False)
    (table,) = summary_tables(run_of(row("bleu", 0.75), row("ter", 0.7), row("wer", 0.3), rankings=rankings))

    assert table.heading == f"c: correlation across 8 systems, pseudo-documents of 9 segments; {TREATED}"
    assert [str(cells["Pearson"]) for cells in table.rows] == [
        "0.750 [0.650, 0.850]*",
        "0.700 [0.600, 0.800]*",
        "0.300 [0.200, 0.400]",
    ]
    assert table.note == f"{MADE_BY} * the confidence interval overlaps with that of the best. {ABOUT}"


def ranked(method, over="", criterion="adequacy", **in_top_cluster):
    return [
        ranking(metric=name, method=method, over=over, criterion=criterion, top_cluster=top)
        for name, top in in_top_cluster.items()
    ]


def test_where_there_is_a_test_the_first_one_marks_the_equals():
    rankings = [
        *ranked("intervals", bleu=True, ter=True, wer=False),
        *ranked("permutation", "systems", bleu=True, ter=False, wer=True),
        *ranked("bootstrap", "replicates", bleu=True, ter=True, wer=False),
    ]
    (table,) = summary_tables(run_of(row("bleu", 0.75), row("ter", 0.7), row("wer", 0.3), rankings=rankings))

    assert [str(cells["Pearson"])[-1] for cells in table.rows] == ["*", "]", "*"]
    assert table.note == f"{MADE_BY} * not significantly worse than the best. {ABOUT}"


def test_a_column_without_a_test_is_marked_by_intervals_and_the_note_says_both():
    rankings = [
        *ranked("intervals", criterion="fluency", bleu=True, ter=True),
        *ranked("intervals", bleu=True, ter=True),
        *ranked("bootstrap", "replicates", bleu=True, ter=False),
    ]
    rows = [row(name, 0.5, criterion="fluency") for name in ("bleu", "ter")] + [row("bleu", 0.75), row("ter", 0.7)]
    (table,) = summary_tables(run_of(*rows, rankings=rankings))

    assert [str(cells["Pearson"])[-1] for cells in table.rows] == ["*", "*", "*", "]"]
    assert table.note == (
        f"{MADE_BY} * not significantly worse than the best; or, where there is no test, the confidence interval "
        f"overlaps with that of the best. {ABOUT}"
    )


def test_a_table_without_a_ranking_promises_no_mark():
    (table,) = summary_tables(run_of(row("bleu", 0.75)))
    assert table.note == f"{MADE_BY} {ABOUT}"


def test_the_note_says_what_an_interval_is_made_of_and_about():
    of_systems = "other systems like these on these texts"
    cases = {
        ("denoised", "segments"): (
            "bootstrap over segments, noise removed",
            "these 8 systems on other test sets of this size",
        ),
        ("jackknife", ""): ("jackknife over systems", of_systems),
        ("fisher", ""): ("Fisher's transformation, over systems", of_systems),
        ("standard-error", "segments+systems"): (
            "standard error of a bootstrap over segments and systems",
            "other systems like these on other test sets of this size, 7 segments",
        ),
        ("t", "documents"): (
            "t, over documents",
            "these 8 systems on other test sets of this size, 7 segments drawn by document",
        ),
    }
    for (interval, resampled), (made_by, about) in cases.items():
        (table,) = summary_tables(run_of(correlation(0.75, interval=interval, resampled=resampled)))
        assert table.note.startswith(f"[ ] confidence intervals by {made_by}. Estimated: the coefficient of {about}")
    # A normal interval of the mean over these documents is about nothing else.
    (table,) = summary_tables(run_of(correlation(0.75, interval="normal")))
    assert table.note == ""


def test_metrics_of_fewer_systems_are_named():
    rows = [row("bleu", 0.75), replace(row("ter", 0.8), n_systems=7)]
    (table,) = summary_tables(run_of(*rows))
    assert table.note.endswith(" Across fewer systems, and without a rank: ter (7 of 8).")


def test_metrics_that_scored_a_part_are_named_with_how_many_texts():
    """Of 8 systems and 7 segments there are 56 texts; of 7 systems 49, all of which are scored."""
    rows = [
        replace(row("bleu", 0.75), n_scored=28),
        replace(row("ter", 0.8), n_systems=7, n_scored=49),
        replace(row("wer", 0.7), n_scored=55),
    ]
    (table,) = summary_tables(run_of(*rows))
    assert table.note.endswith(
        " Scored for a part of the texts, and measured on these: bleu (28 of 56 texts) and wer (55 of 56 texts)."
    )


def test_lengths_stand_across_where_they_vary():
    rows = [row("bleu", mean, length=length) for length, mean in ((1, 0.25), (10, 0.5))]
    (table,) = summary_tables(run_of(*rows))

    assert list(table.rows) == [{"metric": "bleu", "1": 0.25, "10": 0.5}]


def test_columns_are_those_of_any_row():
    table = SummaryTable("", [{"metric": "bleu", "1": 0.5}, {"metric": "ter", "10": 0.25}])
    assert table.columns == ["metric", "1", "10"]
    assert table.to_markdown().split("\n")[2:] == ["| bleu | 0.500 |  |", "| ter |  | 0.250 |"]
