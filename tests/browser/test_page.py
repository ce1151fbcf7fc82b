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
from metaeval.report.display_names import default_label
from metaeval.results.rows import Claim
from metaeval.results.tables import text_of
from metaeval.runs.page import write_report
from tests.support.browser import NEEDS_BROWSER, browser, texts, unfold
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
    page.run("document.querySelectorAll('#disagreements details.document').forEach((one) => { one.open = true; })")
    page.click("#disagreements .segment details summary")
    page.wait("document.querySelector('.grid-table')")


def at(result, criterion, length, metric):
    rows = result.correlations.query("criterion == @criterion and length == @length and metric == @metric")
    return rows.iloc[0]


def differences(result):
    return [f"{'+' if one > 0 else ''}{one:.3f}" for one in result]


def test_tables_are_sorted_by_their_heads_and_back(page, result):
    unfold(page, "tests")
    tests = pd.read_csv(result.directory / "tests.tsv", sep="\t")
    before, head = column(page, "tests", "difference")
    assert before == differences(tests["difference"])

    page.click(f"{head} button")
    assert column(page, "tests", "difference")[0] == differences(sorted(tests["difference"]))
    assert page.run("return document.querySelector(arguments[0]).ariaSort", head) == "ascending"
    page.press("Enter")
    assert column(page, "tests", "difference")[0] == differences(sorted(tests["difference"], reverse=True))
    assert page.run("return document.querySelector(arguments[0]).ariaSort", head) == "descending"
    page.press("Enter")
    assert column(page, "tests", "difference")[0] == before
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
    assert texts(window, "#matrix tbody td:nth-child(5)") == ["1 0.110", "1 0.150", "2 0.170", "--"]
    window.click("#matrix thead th:nth-child(1) button")
    assert texts(window, "#matrix tbody td:first-child") == ["_metric-4", "metric-1", "metric-2", "metric-3"]
    assert window.log() == []


def test_a_filter_keeps_the_rows_with_all_words(page, result):
    unfold(page, "tests")
    page.click("#tests-filter")
    page.press(*"fluency gtm segments=3")

    tests = pd.read_csv(result.directory / "tests.tsv", sep="\t")
    expected = tests.query("criterion == 'fluency' and length == 3")
    expected = expected[expected["metric_a"].str.contains("gtm") | expected["metric_b"].str.contains("gtm")]
    assert 0 < len(expected) < len(tests)
    assert column(page, "tests", "difference")[0] == differences(expected["difference"])
    assert texts(page, "#tests output") == [f"{len(expected)} of {len(tests)} rows"]


def test_a_point_tells_its_numbers_and_leads_to_documents(page, result):
    point = '[data-criterion="fluency"] .point[data-metric="BLEU"][data-x="8"]'
    page.hover(point)
    row = at(result, "fluency", 8, "bleu")

    (told,) = texts(page, '[data-criterion="fluency"] .tip:not([hidden])')
    assert "BLEU, fluency, documents of 8 segments" in told
    assert f"Spearman correlation: {row['mean']:.3f} [{row['lower']:.3f}, {row['upper']:.3f}]" in told
    assert f"mean of {row['n_used']} coefficients" in told

    page.click(point)
    assert page.run(FOCUS) == "disagreements-heading"
    assert texts(page, "#disagreements h3") == ["BLEU against fluency, documents of 8 segments"]
    # The first document is open for who asked for its texts; the others are closed.
    opened = page.run("return [...document.querySelectorAll('#disagreements .document')].map((one) => one.open)")
    assert opened == [True, False, False]
    corpus = metaeval.load_corpus("demo")
    heading = texts(page, "#disagreements .document .segment h4")[0]
    segment = int(heading.split()[1]) - 1
    source, *first = texts(page, "#disagreements .document .segment td.text")[:4]
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
        # From the best to the worst; the judges, whom a ranking does not rank, come last.
        rows = rows.sort_values(["mean"], ascending=False, kind="stable")
        rows = pd.concat([rows[rows["metric"] != "inter-judge"], rows[rows["metric"] == "inter-judge"]])
        shown = [name.rstrip("*") for name in texts(page, '.lists table[data-criterion="adequacy"] .name')]
        assert shown == [name if name == "inter-judge" else default_label(name) for name in rows["metric"]]
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
    names = [name if name == "inter-judge" else default_label(name) for name in rows["metric"]]
    assert page.run("return document.activeElement.dataset.metric") == names[0]
    page.press("Down", "Down", "Up")
    metric = page.run("return document.activeElement.dataset.metric")
    assert metric == names[1]
    page.press("Enter")
    assert page.run(FOCUS) == "disagreements-heading"
    assert texts(page, "#disagreements h3") == [f"{metric} against adequacy, documents of 8 segments"]
    # The choices come first, the first of which changes with a key.
    page.press("Tab", "Down")
    assert texts(page, "#disagreements h3") == [f"{metric} against fluency, documents of 8 segments"]
    assert page.run("return document.activeElement.tagName") == "SELECT"


CLAIM = claim(
    1, "bleu above ter " * 8, "holds", paper="words " * 25, chosen="case", over="average",
    why="bleu - ter, adequacy, case " * 3, difference=0.1, lower=0.05, upper=0.15, n_comparisons=3, n_for=3,
)  # fmt: skip


@pytest.mark.parametrize("width", [360, 768, 1400, 1920])
def test_claims_fit_without_scrolling_sideways(window, result, tmp_path, width):
    run = tmp_path / "run"
    shutil.copytree(result.directory, run)
    claims = [CLAIM, replace(CLAIM, claim=2, corpus="d", notes="interval corrected for 24 comparisons " * 3)]
    (run / "claims.tsv").write_text(text_of(Claim, claims), encoding="utf-8")
    signed(run)
    window.size(width)
    window.open(metaeval.report_run(run).as_uri())

    left, right, cells = window.run(
        """
        const box = document.querySelector("#claims table").getBoundingClientRect();
        const cells = [...document.querySelectorAll("#claims td")].map((one) => [one.scrollWidth, one.clientWidth]);
        return [box.left, box.right, cells];
        """
    )
    assert 0 <= left < right <= width
    assert len(cells) == 8
    assert all(needed <= has for needed, has in cells)


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
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
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
    # The ranking at the longest documents is there.
    assert f"{at(result, 'fluency', 8, 'bleu')['mean']:.3f}" in found


def test_texts_that_look_like_markup_are_shown_and_do_nothing(window, tmp_path):
    result = run_hostile(tmp_path)
    address = (result.directory / "report.html").as_uri()
    window.requests()
    window.open(address)

    shown = texts(window, "#disagreements-room")[0]
    unfold(window, "systems")
    unfold(window, "segments")
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
    shown = [name.rstrip("*") for name in texts(window, '.lists table[data-criterion="adequacy"] .name')]
    assert shown == [default_label(name) for name in rows["metric"]]
    window.click('.lists table[data-criterion="fluency"] button')
    assert texts(window, "#disagreements h3")[0].endswith("against fluency, the whole corpus")
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


def test_no_word_of_the_program_stands_on_a_page_that_is_open_to_its_end(page):
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.run("document.querySelectorAll('pre, code').forEach((one) => one.remove())")
    shown = page.run("return document.body.innerText")
    words = r"\b(nan|inf|n_\w+|replicates_used|p_worse|denoised|cells)\b|every\(|average_by|(case|stem)\("
    assert re.findall(words, shown) == []
    options = texts(page, "option")
    assert [one for one in options if re.search(r"[=_(\"]", one.replace(", e=", ""))] == []


@pytest.mark.parametrize("width", [360, 420, 768, 1400, 1600, 1920])
def test_the_menu_and_two_ranked_lists_fit_at_every_width(page, width):
    page.size(width)
    page.wait(DRAWN)
    cut = page.run(
        """
        return [...document.querySelectorAll("nav ul, .lists > *")].filter((one) => one.scrollWidth > one.clientWidth)
          .map((one) => [one.className, one.scrollWidth, one.clientWidth]);
        """
    )
    assert cut == []
