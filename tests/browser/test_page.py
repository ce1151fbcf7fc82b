"""The report in a browser: what its script does, with pointer and with keys, and that it asks for nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import metaeval
from metaeval.results.rows import Claim
from metaeval.results.tables import text_of
from metaeval.runs.page import write_report
from tests.support.browser import NEEDS_BROWSER, browser, texts
from tests.support.configs import SEGMENTS
from tests.support.corpus import write
from tests.support.hostile import BREAKOUT, EVIL, EVIL_NAME, run_hostile
from tests.support.results import claim, many_tasks, signed

pytestmark = NEEDS_BROWSER

WIDTHS = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
FOCUS = "return document.activeElement.getAttribute('aria-label') || document.activeElement.id"
# Curves are drawn again for another width.
DRAWN = """[...document.querySelectorAll("svg.plot")].every(
  (one) => one.viewBox.baseVal.width === Math.max(260, one.parentElement.clientWidth))"""
COLOURS = "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"


def column(page, table, name):
    place = [re.sub(r"\W+$", "", text) for text in texts(page, f"#{table} thead th")].index(name) + 1
    return texts(page, f"#{table} tbody td:nth-child({place})"), f"#{table} thead th:nth-child({place})"


def open_grid(page):
    """Open the first bitext grid; it is drawn when the browser tells the page of it, some time after the click."""
    page.click("#disagreements .segment details summary")
    page.wait("document.querySelector('.grid-table')")


def at(result, criterion, length, metric):
    rows = result.correlations.query("criterion == @criterion and length == @length and metric == @metric")
    return rows.iloc[0]


def test_tables_are_sorted_by_their_heads_and_back(page, result):
    before, head = column(page, "correlations", "mean")
    assert before == [f"{mean:.3f}" for mean in result.correlations["mean"]]

    page.click(f"{head} button")
    assert column(page, "correlations", "mean")[0] == [f"{mean:.3f}" for mean in sorted(result.correlations["mean"])]
    assert page.run("return document.querySelector(arguments[0]).ariaSort", head) == "ascending"
    page.press("Enter")
    descending = [f"{mean:.3f}" for mean in sorted(result.correlations["mean"], reverse=True)]
    assert column(page, "correlations", "mean")[0] == descending
    assert page.run("return document.querySelector(arguments[0]).ariaSort", head) == "descending"
    page.press("Enter")
    assert column(page, "correlations", "mean")[0] == before
    assert page.run("return document.querySelector(arguments[0]).ariaSort", head) == "none"


def test_the_matrix_of_tasks_is_sorted_by_value(window, tmp_path):
    # In the second task the order is the reverse, but for a metric that has no value.
    run = many_tasks(4, 2)
    run.tables.tasks[4:] = [replace(row, value=1 - row.value) for row in run.tables.tasks[4:]]
    run.tables.tasks[5] = replace(run.tables.tasks[5], value=float("nan"), rank=None, cluster=None, missing="undefined")
    window.size(1200)
    window.open(write_report(run, tmp_path).as_uri())
    window.click("#matrix thead th:nth-child(5) button")
    assert texts(window, "#matrix tbody td:first-child") == ["metric-1", "metric-3", "_metric-4", "metric-2"]
    assert texts(window, "#matrix tbody td:nth-child(5)") == ["1 0.110*", "1 0.150*", "2 0.170", "--"]
    window.click("#matrix thead th:nth-child(1) button")
    assert texts(window, "#matrix tbody td:first-child") == ["_metric-4", "metric-1", "metric-2", "metric-3"]
    assert window.log() == []


def test_a_filter_keeps_the_rows_with_all_words(page, result):
    page.click("#correlations-filter")
    page.press(*"fluency gtm length=3")

    expected = result.correlations.query("criterion == 'fluency' and length == 3")
    expected = expected[expected["metric"].str.contains("gtm")]
    assert len(expected) == 2
    assert column(page, "correlations", "mean")[0] == [f"{mean:.3f}" for mean in expected["mean"]]
    assert texts(page, "#correlations output") == [f"2 of {len(result.correlations)} rows"]


def test_a_point_tells_its_numbers_and_leads_to_documents(page, result):
    point = '[data-criterion="fluency"] .point[data-metric="bleu"][data-x="8"]'
    page.hover(point)
    row = at(result, "fluency", 8, "bleu")

    (told,) = texts(page, '[data-criterion="fluency"] .tip:not([hidden])')
    assert "bleu, fluency, documents of 8 segments" in told
    assert f"Spearman correlation: {row['mean']:.3f} [{row['lower']:.3f}, {row['upper']:.3f}]" in told
    assert f"{row['n_used']} used, {row['n_undefined']} undefined" in told

    page.click(point)
    assert page.run(FOCUS) == "disagreements-heading"
    assert texts(page, "#disagreements h3") == ["bleu against fluency, documents of 8 segments"]
    assert len(texts(page, "#disagreements .document")) == 3
    corpus = metaeval.load_corpus("demo")
    (heading,) = texts(page, "#disagreements .document:first-of-type .segment:nth-of-type(1) h4")[:1]
    segment = int(heading.split()[1]) - 1
    source, *first = texts(page, "#disagreements .segment:nth-of-type(1) td.text")[:4]
    candidates = {system[segment] for system in corpus.candidates}
    assert set(first[:2]) <= candidates
    assert (source, first[2]) == (corpus.sources[segment], corpus.references["ref1"][segment])


def test_the_bitext_grid_marks_equal_tokens(page):
    open_grid(page)
    rows, columns, hits, equal = page.run(
        """
        const table = document.querySelector(".grid-table");
        const heads = [...table.tHead.rows[0].cells].slice(1).map((one) => one.textContent);
        let [hits, equal] = [0, 0];
        for (const row of table.tBodies[0].rows) {
          heads.forEach((head, k) => {
            equal += row.cells[0].textContent === head;
            hits += row.cells[k + 1].classList.contains("hit");
          });
        }
        return [table.tBodies[0].rows.length, heads.length, hits, equal];
        """
    )
    assert min(rows, columns, hits) > 0
    assert hits == equal


def test_the_slider_shows_the_metrics_at_another_length(page, result):
    page.run("document.getElementById('slider').focus()")
    for keys, length in (("Left", 3), ("Left", 1), ("Right", 3), ("Right", 8)):
        page.press(keys)
        noun = "segment" if length == 1 else "segments"
        assert texts(page, "#curves output") == [f"documents of {length} {noun}"]
        rows = result.correlations.query("criterion == 'adequacy' and length == @length")
        rows = rows.sort_values("mean", ascending=False, kind="stable")
        assert texts(page, '.lists table[data-criterion="adequacy"] .name') == list(rows["metric"])
        found = texts(page, '.lists table[data-criterion="adequacy"] td:nth-child(3)')
        assert found == [f"{row.mean:.3f} [{row.lower:.3f}, {row.upper:.3f}]" for row in named(rows)]


def named(rows: pd.DataFrame):
    return rows[["mean", "lower", "upper"]].rename_axis(None).itertuples(name="Row")


def test_lines_are_highlighted_and_shown_alone(page):
    points, pale = '#curves [data-criterion="adequacy"] .point', '#curves [data-criterion="adequacy"] .point.pale'
    assert (len(texts(page, points)), len(texts(page, pale))) == (12, 0)
    page.hover(".legend li:nth-child(2) button")
    assert len(texts(page, pale)) == 9
    page.click(".legend button")
    page.hover("h1")
    assert (len(texts(page, points)), len(texts(page, pale))) == (12, 9)
    assert page.run("return document.querySelector('.legend button').ariaPressed") == "true"
    page.click(".legend input")
    assert (len(texts(page, points)), len(texts(page, pale))) == (3, 0)
    page.click(".legend li:last-child button")
    assert (len(texts(page, points)), len(texts(page, pale))) == (12, 0)


def test_all_can_be_reached_with_keys_alone(page, result):
    page.press("Tab")
    assert page.run("return document.activeElement.className") == "skip"
    page.press("Enter")
    reached = []
    for _ in range(60):
        page.press("Tab")
        reached.append(page.run("return document.activeElement.classList.contains('point')"))
        if reached[-1]:
            break
    else:
        pytest.fail("no point of a curve can be reached")
    label = page.run(FOCUS)
    assert "adequacy, documents of 8 segments" in label
    assert label.split(";")[0] in texts(page, '[data-criterion="adequacy"] .tip:not([hidden])')[0]
    page.press("Left")
    assert "documents of 3 segments" in page.run(FOCUS)
    page.press("Right")
    assert "documents of 8 segments" in page.run(FOCUS)
    page.press("Right", "Up", "Up", "Up", "Up", "Up")
    rows = result.correlations.query("criterion == 'adequacy' and length == 8").sort_values("mean", ascending=False)
    assert page.run("return document.activeElement.dataset.metric") == rows["metric"].iloc[0]
    page.press("Down", "Down", "Up")
    metric = page.run("return document.activeElement.dataset.metric")
    assert metric == rows["metric"].iloc[1]
    page.press("Enter")
    assert page.run(FOCUS) == "disagreements-heading"
    assert texts(page, "#disagreements h3") == [f"{metric} against adequacy, documents of 8 segments"]
    page.press("Tab")
    # What is shown and what not; then the choices, the first of which changes with a key.
    page.press("Tab", "Down")
    assert texts(page, "#disagreements h3") == [f"{metric} against fluency, documents of 8 segments"]
    assert page.run("return document.activeElement.tagName") == "SELECT"


CLAIM = claim(
    1, "bleu above ter " * 8, "holds", paper="words " * 25, chosen="case", over="average",
    why="bleu - ter, adequacy, case " * 3, difference=0.1, lower=0.05, upper=0.15, n_comparisons=3, n_for=3,
)  # fmt: skip
# Of each row its height, and that of its texts at 32 letters a line; then the widest column of numbers.
SIZES = """
const rows = [...document.querySelectorAll('#claims tbody tr')].map((row) => [
  row.getBoundingClientRect().height,
  24 * Math.max(...[...row.cells].map((one) => Math.ceil(one.textContent.length / 32) + 1)),
]);
return [rows, Math.max(...[...document.querySelectorAll('#claims td.number')].map((one) => one.clientWidth))];
"""


@pytest.mark.parametrize("others", [{}, {"corpus": "d", "notes": "interval corrected for 24 comparisons " * 3}])
def test_rows_of_claims_are_as_high_as_their_texts_need(window, result, tmp_path, others):
    # Columns that are the same in all rows, or empty, are not shown: none may take the width of another.
    run = tmp_path / "run"
    shutil.copytree(result.directory, run)
    (run / "claims.tsv").write_text(text_of(Claim, [CLAIM, replace(CLAIM, **others)]), encoding="utf-8")
    signed(run)
    window.size(1400)
    window.open(metaeval.report_run(run).as_uri())

    assert ("notes" in [text.strip(" ↕") for text in texts(window, "#claims thead th")]) == bool(others)
    rows, widest = window.run(SIZES)
    assert len(rows) == 2
    assert all(height <= needed for height, needed in rows)
    assert widest < 200


def test_a_browser_that_fails_to_start_leaves_no_process(monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **kw: started.append(popen(*args, **kw)) or started[-1])
    monkeypatch.setattr("tests.support.browser._wait", lambda address: 1 / 0)
    with pytest.raises(ZeroDivisionError), browser():
        pass
    (process,) = started

    assert process.returncode is not None
    assert process.stdout.closed
    # The group, but for those that have ended and wait for whoever takes note of it.
    alive = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
            alive += [path] * (group == str(process.pid) and state not in "ZX")
    assert not alive


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_fits_and_can_be_read_in_both_schemes(page, width, scheme):
    page.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.size(width)
    page.run("document.querySelectorAll('#disagreements details').forEach((one) => { one.open = true; })")
    page.wait(
        "[...document.querySelectorAll('#disagreements .segment details')].every((one) => one.children.length > 1)"
    )
    page.wait(DRAWN)

    inner, outer = page.run(WIDTHS)
    assert inner <= outer == width
    assert page.run(MINIMUM) >= 14
    assert page.run(LOWEST_CONTRAST) >= 4.5
    ink, paper = page.run(COLOURS)
    assert (sum(map(int, re.findall(r"\d+", ink)[:3])) > sum(map(int, re.findall(r"\d+", paper)[:3]))) == (
        scheme == "dark"
    )


MINIMUM = """
const sizes = [];
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (own && one.checkVisibility() && !one.closest("script")) sizes.push(parseFloat(getComputedStyle(one).fontSize));
}
return Math.min(...sizes);
"""
# WCAG 2: relative luminance, and the ratio of text to the nearest background.
LOWEST_CONTRAST = """
const light = (colour) => {
  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const behind = (one) => {
  for (let up = one; up; up = up.parentElement) {
    const colour = getComputedStyle(up).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return "rgb(255, 255, 255)";
};
const ratios = [];
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !one.checkVisibility() || one.closest("script")) continue;
  const style = getComputedStyle(one);
  const [a, b] = [light(one.namespaceURI.endsWith("svg") ? style.fill : style.color), light(behind(one))];
  ratios.push((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
}
return Math.min(...ratios);
"""


def test_without_a_script_the_tables_are_there(window, result):
    window.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        window.open((result.directory / "report.html").as_uri())
        found = window.devtools("Runtime.evaluate", expression="document.body.innerText")["result"]["value"]
    finally:
        window.devtools("Emulation.setScriptExecutionDisabled", value=False)

    assert "Without a script there are no curves here" in found
    assert f"{at(result, 'fluency', 8, 'bleu')['mean']:.3f}" in found


def test_texts_that_look_like_markup_are_shown_and_do_nothing(window, tmp_path):
    result = run_hostile(tmp_path)
    address = (result.directory / "report.html").as_uri()
    window.requests()
    window.open(address)

    shown = texts(window, "#disagreements-room")[0]
    assert EVIL in shown
    assert BREAKOUT in shown
    assert EVIL in texts(window, "#answer")[0]
    assert EVIL in window.run("return document.title")
    assert EVIL_NAME in texts(window, "#systems-room")[0]
    # In the browser of segments each text is as it was written, but for its marks.
    assert BREAKOUT in texts(window, "#segments td.text")
    assert window.run("return document.querySelectorAll('main img, main script').length") == 0
    open_grid(window)
    assert texts(window, ".grid-table th .word")
    assert window.log() == []
    assert set(window.requests()) == {address}


def test_a_run_of_whole_systems_has_a_ranking_without_a_slider(window, tmp_path):
    run = metaeval.run("system-level", overrides=["uncertainty.n_resamples=20"], output=tmp_path / "run")
    window.size(1200)
    window.open((run.directory / "report.html").as_uri())

    assert texts(window, "#slider") == []
    assert texts(window, "#curves .plot") == []
    rows = run.correlations.query("criterion == 'adequacy' and coefficient == 'pearson'")
    rows = rows.sort_values("mean", ascending=False)
    assert texts(window, '.lists table[data-criterion="adequacy"] .name') == list(rows["metric"])
    window.click('.lists table[data-criterion="fluency"] button')
    assert texts(window, "#disagreements h3")[0].endswith("against fluency, all documents")
    assert window.log() == []


HEBREW = "\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET}"


def run_tied(tmp_path):
    """Run two metrics that order three systems alike, against people who do not, and who all say 5 of errors."""
    systems = {"A": ("a b c d", 1), HEBREW: ("a b c x", 2), "C": ("a b x y", 4)}
    judgments = ["segment\tsystem\tjudge\tcriterion\tscore"]
    for name, (_, score) in systems.items():
        for segment in (1, 2):
            judgments += [f"{segment}\t{name}\t{judge}\tadequacy\t{score}" for judge in (HEBREW, "bob")]
            judgments += [f"{segment}\t{name}\tbob\terrors\t5"]
    files = {f"systems__{name}": None for name in "ABC"}
    files |= {f"systems__{name}": f"{text}\n" * 2 for name, (text, _) in systems.items()}
    files |= {"references__ref1": "a b c d\n" * 2, "references__ref2": None, "judgments": "\n".join(judgments) + "\n"}
    write(tmp_path / "corpus", **files)
    (tmp_path / "ties.toml").write_text(SEGMENTS)
    return metaeval.run(tmp_path / "ties.toml", output=tmp_path / "run")


def test_equal_means_share_a_rank_and_undefined_ones_have_none(window, tmp_path):
    result = run_tied(tmp_path)
    window.open((result.directory / "report.html").as_uri())

    assert list(result.correlations.query("criterion == 'adequacy'")["mean"]) == [-1.0, -1.0]
    assert texts(window, '.lists table[data-criterion="adequacy"] td:first-child') == ["1", "1"]
    assert result.correlations.query("criterion == 'errors'")["mean"].isna().all()
    assert texts(window, '.lists table[data-criterion="errors"] td:first-child') == ["", ""]
    # Names are isolated from the sentence, and judgments from each other.
    assert texts(window, ".document p strong bdi")[:2] == ["A", "C"]
    assert texts(window, ".segment td[data-label=judgments] > bdi")[:2] == [f"{HEBREW}: 1", "bob: 1"]
    window.click('.lists table[data-criterion="errors"] button')
    # In both segments they say 5 of all systems.
    assert texts(window, "#disagreements-room p:not(.facts)") == ["No defined coefficient: human scores all equal: 2."]
    assert window.log() == []
