from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.report.figures.captions import setting_words
from metaeval.report.figures.drawing import figure_bytes
from metaeval.report.figures.settings import Look
from metaeval.report.figures.style import line_styles
from tests.support.configs import BY_LENGTH
from tests.support.figures import by_length, has_key_beside, key_of_lines


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    overrides = ["documents.count=30", "documents.lengths=[1, 10, 50]"]
    return metaeval.run(BY_LENGTH, overrides=overrides, output=tmp_path_factory.mktemp("runs") / "run")


def test_every_number_of_the_table_is_in_the_figure(result):
    (figure,) = by_length(result.correlations).values()
    drawn = {
        (panel.get_title(loc="left"), line.get_gid()): list(zip(*line.get_data(), strict=True))
        for panel in figure.axes
        for line in panel.get_lines()
    }
    assert len(drawn) == 2 * 4
    for (criterion, metric), points in drawn.items():
        table = result.correlations
        rows = table[(table["criterion"] == criterion) & (table["metric"] == metric)]
        assert points == list(zip(rows["length"], rows["mean"], strict=True))


def test_the_axis_is_logarithmic_with_the_lengths_of_the_run(result):
    (figure,) = by_length(result.correlations).values()
    for panel in figure.axes:
        assert panel.get_xscale() == "log"
        assert [label.get_text() for label in panel.get_xticklabels()] == ["1", "10", "50"]


def test_names_stand_beside_the_last_panel_from_the_highest_line_to_the_lowest(result):
    (figure,) = by_length(result.correlations).values()
    assert has_key_beside(figure)
    texts = key_of_lines(figure)
    table = result.correlations[(result.correlations["criterion"] == "fluency") & (result.correlations["length"] == 50)]
    labels = {"gtm(exponent=1)": "GTM, e=1", "gtm(exponent=2)": "GTM, e=2", "bleu": "BLEU", INTER_JUDGE: INTER_JUDGE}
    assert texts == [labels[name] for name in table.sort_values("mean", ascending=False)["metric"]]


def test_together_each_subset_is_a_line_and_the_judges_are_one(result):
    table = pd.concat([result.correlations, result.correlations.assign(subset="ref1+ref2", n_references=2.0)])
    (figure,) = by_length(table, together="references", small_multiples=False).values()
    lines = {line.get_label(): line for line in figure.axes[0].get_lines() if line.get_gid()}
    names = ("GTM, e=1", "GTM, e=2", "BLEU")

    assert set(lines) == {INTER_JUDGE, *(f"{name}, {refs}" for name in names for refs in ("1 ref", "2 refs"))}
    few, many = lines["BLEU, 1 ref"], lines["BLEU, 2 refs"]
    assert (few.get_marker(), few.get_linestyle()) == (many.get_marker(), many.get_linestyle())
    assert few.get_markerfacecolor() == "#FFFFFF"
    assert many.get_markerfacecolor() == many.get_color()


def test_lines_can_be_told_apart_without_colour():
    styles = line_styles([*(f"metric{k}" for k in range(8)), INTER_JUDGE])
    looks = [(style["marker"], str(style["linestyle"])) for style in styles.values()]

    # With those of a constant metric, and of judges.
    assert len(set(looks)) == 10
    assert all(first != second for first, second in itertools.pairwise(style["marker"] for style in styles.values()))


def test_one_figure_for_each_thing_that_varies(result):
    table = pd.concat([result.correlations, result.correlations.assign(subset="ref2")])
    assert list(by_length(table)) == ["correlation-by-length_ref1", "correlation-by-length_ref2"]


def test_no_figure_is_lost_when_names_look_alike(result):
    table = pd.concat([result.correlations.assign(subset=name) for name in ("a b", "a-b", "\u7532", "\u4e59")])
    names = list(by_length(table))

    assert names[:2] == ["correlation-by-length_a-b", "correlation-by-length_a-b-2"]
    assert len(set(names)) == 4


def test_names_are_no_formulas(result):
    table = result.correlations.replace({"criterion": {"adequacy": "a$_$"}, "metric": {"bleu": "$x"}})
    (figure,) = by_length(table).values()
    assert figure_bytes(figure, "png", Look())


@pytest.mark.parametrize(
    ("average_by", "words"), [("none", "Points: coefficients over 30"), ("system", "Points: means over the systems")]
)
def test_the_caption_says_what_a_point_is(result, average_by, words):
    (figure,) = by_length(result.correlations.assign(average_by=average_by)).values()
    assert figure.caption.startswith(words)


@pytest.mark.parametrize(
    ("coefficient", "label"),
    [
        ("spearman", "mean Spearman correlation"),
        ('spearman(ties="ordinal")', "mean Spearman correlation"),
        ('kendall(variant="c")', "mean Kendall correlation"),
        ("pairwise-accuracy(epsilon=0.5)", "mean pairwise accuracy"),
    ],
)
def test_the_axis_names_the_coefficient(result, coefficient, label):
    (figure,) = by_length(result.correlations.assign(coefficient=coefficient)).values()
    assert figure.get_supylabel().replace("\n", " ") == label
    # Its parameters stand in the caption.
    assert ("with ties in random order" in figure.heading) == ("ordinal" in coefficient)


def test_the_judges_line_tells_the_segments_it_rests_on(result):
    table = result.correlations.copy()
    table.loc[table["metric"] == INTER_JUDGE, "n_segments"] = 77
    (figure,) = by_length(table).values()
    labels = key_of_lines(figure)

    assert f"{INTER_JUDGE}\n(77 segments)" in labels


def test_an_undefined_mean_leaves_a_gap_and_no_error(result):
    table = result.correlations.copy()
    table.loc[(table["metric"] == "bleu") & (table["length"] == 10), ["mean", "lower", "upper"]] = np.nan
    (figure,) = by_length(table).values()
    gaps = {
        (line.get_gid(), *np.isnan(np.asarray(line.get_ydata(), dtype=float)))
        for panel in figure.axes
        for line in panel.get_lines()
    }
    whole = {(name, False, False, False) for name in {*table["metric"]} - {"bleu"}}
    assert gaps == whole | {("bleu", False, True, False)}
    assert figure_bytes(figure, "pdf", Look()).startswith(b"%PDF")


def test_vector_files_carry_text_and_no_date(result):
    (figure,) = by_length(result.correlations).values()
    svg = figure_bytes(figure, "svg", Look()).decode("utf-8")
    assert "segments in a document" in svg
    assert not re.search(r"<dc:date>|\d{4}-\d\d-\d\dT", svg)
    assert b"CreationDate" not in figure_bytes(figure, "pdf", Look())


@pytest.mark.parametrize(
    ("documents", "length", "words"),
    [
        ("segments", "1", "13a tokens, case kept, Reference, single segments"),
        ("pseudo", "30", "13a tokens, case kept, Reference, pseudo-documents of 30 segments"),
        ("all", "178", "13a tokens, case kept, Reference"),
        ("", "10", "13a tokens, case kept, Reference, documents of 10 segments"),
    ],
)
def test_a_setting_says_what_its_documents_are(documents, length, words):
    values = {"preprocessing": 'case(tokenizer="13a")', "subset": "Reference", "length": length}
    assert setting_words(values, documents) == words
