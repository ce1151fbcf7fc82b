"""What is chosen on a page of a run, searched and saved: in the address, in files, on paper, and for everybody."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

import metaeval
from metaeval.report.page import render
from tests.report.test_display_names import CONFIG, LABELS
from tests.report.test_page_texts import ROW, disagreements
from tests.support.browser import NEEDS_BROWSER, texts, unfold
from tests.support.results import correlation, many_tasks, run_of, task_average, task_score

pytestmark = NEEDS_BROWSER

HEADING = "#disagreements-room h3"
# What a checker of accessibility finds. The contrast of colours has a test of its own, which takes less time.
AXE = """
return axe.run(document, {resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}}).then((found) =>
  found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 2).join(" ")}`))
"""

WIDEST = """
return Math.max(...[...document.querySelectorAll("table, img, svg")].map((one) => one.getBoundingClientRect().right))
"""


def address(page, part):
    """Return the address when it holds something."""
    page.wait(f"decodeURIComponent(location.hash).includes({part!r})")
    return page.run("return location.href")


def choose(page, room, label, option):
    """Choose an option of a list by its label."""
    page.run(
        """
        const [room, label, option] = arguments;
        const one = [...document.querySelectorAll(`${room} label`)].find((at) => at.firstChild.textContent === label);
        const select = one.querySelector("select");
        select.selectedIndex = [...select.options].findIndex((at) => at.textContent === option);
        if (select.selectedIndex < 0) throw new Error(option);
        select.dispatchEvent(new Event("change"));
        """,
        room,
        label,
        option,
    )


def fill(page, name, text):
    """Write a text into a field, at once."""
    page.run(
        """
        const field = document.getElementById(arguments[0]);
        field.value = arguments[1];
        field.dispatchEvent(new Event("input"));
        """,
        name,
        text,
    )


def test_a_link_shows_what_was_chosen_filtered_sorted_and_searched(page):
    unfold(page, "segments")
    unfold(page, "tests")
    choose(page, "#disagreements", "Metric", "BLEU")
    choose(page, "#disagreements", "Criterion", "fluency")
    choose(page, "#disagreements", "Segments in a document", "3")
    choose(page, "#segments", "Order", "metric too low first")
    page.click(".legend button")
    fill(page, "segments-filter", "system=sys3")
    fill(page, "tests-filter", "segments=3")
    page.click("#tests thead th:nth-child(4) button")
    shown = (
        "#disagreements-room h3",
        "#tests tbody",
        "#segments output",
        "#segments .segment h3",
        ".legend .s0",
    )
    before = [texts(page, one) for one in shown]
    assert before[0] == ["BLEU against fluency, documents of 3 segments"]
    link = address(page, "sort=")

    page.open("about:blank")
    page.open(link)
    page.wait("document.querySelector('#segments .segment')")
    assert [texts(page, one) for one in shown] == before
    assert page.run("return document.getElementById('segments-filter').value") == "system=sys3"
    assert page.run("return document.querySelector('.legend button').ariaPressed") == "true"
    # A name of the contents goes to its part and keeps the rest.
    page.click("nav a[href='#segments']")
    link = address(page, "segments&")
    page.open("about:blank")
    page.open(link)
    assert texts(page, HEADING) == before[0]
    top = page.run("return document.getElementById('segments').getBoundingClientRect().top")
    assert 0 <= top < 100


OPEN = (
    "return [...document.querySelectorAll('details.part')].filter((one) => one.open).map((one) => one.parentElement.id)"
)


def test_a_folded_part_opens_where_an_address_names_it(page):
    assert page.run(OPEN) == []
    assert texts(page, "#systems circle") == []
    page.click("nav a[href='#systems']")
    page.wait("document.querySelector('#systems circle')")
    unfold(page, "tests")
    link = address(page, "open=systems+tests")
    page.open("about:blank")
    page.open(link)
    assert page.run(OPEN) == ["systems", "tests"]
    page.wait("document.querySelector('#systems circle')")
    # A part that is closed again is no longer in the address.
    page.click("#systems summary")
    page.wait("!decodeURIComponent(location.hash).includes('systems+')")


@pytest.mark.parametrize("wrong", ["#metric=none&at=7&part=x&correlations.sort=-no&least=9", "#%E0%A4%A", "#lit=[1"])
def test_an_address_that_names_what_is_not_there_shows_the_page_as_it_is(page, wrong):
    before = texts(page, HEADING)
    link = page.run("return location.href").partition("#")[0]
    page.open("about:blank")
    page.open(link + wrong)
    assert texts(page, HEADING) == before


@pytest.fixture
def downloads(window, tmp_path):
    window.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))

    def saved(name):
        """Return a file when it is there: the browser gives it its name when it is whole."""
        while not (tmp_path / name).exists():
            window.run("return new Promise((done) => requestAnimationFrame(done))")
        return (tmp_path / name).read_bytes()

    return saved


def test_tables_are_saved_as_they_are_filtered_and_sorted_in_full_precision(page, result, downloads):
    unfold(page, "tests")
    fill(page, "tests-filter", "fluency segments=3")
    page.click("#tests thead th:nth-child(5) button")
    page.click("#tests .tools .act")
    header, *rows = csv.reader(io.StringIO(downloads("tests.csv").decode("utf-8-sig")))

    tests = pd.read_csv(result.directory / "tests.tsv", sep="\t")
    expected = tests.query("criterion == 'fluency' and length == 3").sort_values("difference")
    assert [float(row[header.index("difference")]) for row in rows] == list(expected["difference"])
    # What all rows share stands above the table, and is in the file.
    assert {row[header.index("corpus")] for row in rows} == {"demo"}


def test_names_that_look_like_formulas_or_styles_stay_names(window, tmp_path, downloads):
    names = ("=1+1", "-cmd", "-0.5x", "@a", "plain", "评测")
    run = run_of(
        tasks=[task_score("A hidden set", name, 0.7) for name in names],
        averages=[task_average(name, 0.7) for name in names],
    )
    (tmp_path / "report.html").write_text(render(run), encoding="utf-8")
    window.open((tmp_path / "report.html").as_uri())
    cells = "[...document.querySelectorAll('#matrix td')].map((one) => getComputedStyle(one).display)"
    assert set(window.run(f"return {cells}")) == {"table-cell"}
    unfold(window, "tasks")
    window.click("#tasks .tools .act")
    content = downloads("tasks.csv")
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig")))
    expected = ["'-cmd", "'=1+1", "'@a", "-0.5x", "plain", "评测"]
    assert sorted(row[header.index("metric")] for row in rows) == expected
    # Excel knows UTF-8 by its mark, which is no part of the first head.
    assert content.startswith(codecs.BOM_UTF8)
    assert list(pd.read_csv(io.BytesIO(content)).columns) == header
    assert window.log() == []


def test_labels_name_metrics_systems_and_criteria_on_the_whole_page(window, tmp_path):
    run = metaeval.run(
        {**CONFIG, "labels": {**LABELS, "sys1": "System one", "ter": "TER"}, "figures": []}, output=tmp_path / "run"
    )
    window.open((run.directory / "report.html").as_uri())
    choose(window, "#disagreements", "Metric", "BLEU-4")
    assert texts(window, HEADING) == ["BLEU-4 against Adequacy, the whole corpus"]
    unfold(window, "systems")
    unfold(window, "segments")
    assert "System one" in texts(window, "#systems text.system")
    fill(window, "segments-filter", 'system="System one"')
    assert texts(window, "#segments output")[0].startswith("120 candidates in 120 segments")
    # The config and what the judges are called stay as they are.
    shown = " ".join(texts(window, "main > section:not(#run)"))
    assert not re.search(r"\b(bleu|ter|sys1|adequacy)\b", shown)
    assert window.log() == []


def test_pictures_are_saved_as_drawings_and_as_points(page, result, downloads):
    width, height = page.run("const b = document.querySelector('svg.plot').viewBox.baseVal; return [b.width, b.height]")
    page.click(".chart .savers button")
    drawn = ElementTree.fromstring(downloads("curves-adequacy.svg"))
    lines = list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))
    assert len(lines) == result.correlations["metric"].nunique()
    assert all(one.get("stroke").startswith("rgb") and not one.get("class") for one in lines)

    page.click(".chart .savers button:last-child")
    content = downloads("curves-adequacy.png")
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(content[place : place + 4], "big") for place in (16, 20)]
    assert size == pytest.approx([2 * width, 2 * height], abs=2)


def test_segments_are_searched_by_texts_judgments_and_scores(page):
    corpus = metaeval.load_corpus("demo")
    every = list(itertools.product(range(len(corpus.numbers)), range(len(corpus.systems))))
    unfold(page, "segments")
    assert texts(page, "#segments output") == [f"{len(every)} candidates in {len(corpus.numbers)} segments"]

    def count(query):
        fill(page, "segments-filter", query)
        return int(texts(page, "#segments output")[0].split()[0])

    def words(segment, system):
        own = [corpus.sources[segment], corpus.candidates[system][segment], corpus.systems[system]]
        return " ".join([*own, *(one[segment] for one in corpus.references.values())]).lower()

    rows = corpus.judgments
    ones = {
        (segment, system)
        for segment, system, criterion, score in zip(rows.segment, rows.system, rows.criterion, rows.score, strict=True)
        if corpus.criteria[criterion].name == "adequacy" and score == 1
    }
    assert count("parliament sys2") == sum("parliament" in words(*one) and "sys2" in words(*one) for one in every) > 0
    assert count("judgment=1") == len(ones) > 0
    assert count("system=sys2 judgment=1") == sum(corpus.systems[system] == "sys2" for _, system in ones) > 0
    assert 0 < count("metric>0.5 human<3") < len(every)
    assert count('"no such words"') == 0


def tokens_of(text):
    return re.findall(r"[^\W_]+|[^\s]", text.lower())


def longest_runs(tokens, references):
    """Return, for each token, how long the longest run is that it is in and that stands in a reference."""
    windows = {tuple(one[at : at + n]) for one in references for n in range(1, len(one) + 1) for at in range(len(one))}
    longest = [0] * len(tokens)
    for n in range(1, len(tokens) + 1):
        for at in range(len(tokens) - n + 1):
            if tuple(tokens[at : at + n]) in windows:
                longest[at : at + n] = [n] * n
    return longest


def test_words_that_a_candidate_shares_with_references_are_marked_by_the_length_of_their_run(page):
    unfold(page, "segments")
    found = page.run(
        """
        return [...document.querySelectorAll("#segments .texts")].map((table) => {
          const of = (rows) => rows.map((row) => [row.cells[0].textContent, row.querySelector(".text").textContent,
            [...row.querySelectorAll("mark")].map((one) => [one.textContent, Number(one.className.slice(1))])]);
          return of([...table.tBodies[0].rows]);
        })
        """
    )
    compared = 0
    for table in found:
        references = [tokens_of(text) for name, text, _ in table if name.startswith("ref")]
        for name, text, marks in table:
            if name.startswith("sys"):
                runs = longest_runs(tokens_of(text), references)
                expected = [(word, min(4, run)) for word, run in zip(tokens_of(text), runs, strict=True) if run]
                assert [(word, length) for part, length in marks for word in tokens_of(part)] == expected
                compared += len(expected)
    assert compared > 10
    # The other candidate is marked in the references when its name is pressed.
    before = texts(page, "#segments .texts tr:last-child mark")
    page.click("#segments .texts tbody tr:nth-child(4) th button")
    assert page.run("return document.activeElement.ariaPressed") == "true"
    assert texts(page, "#segments .texts tr:last-child mark") != before


def test_each_system_is_a_named_point_in_the_order_of_its_scores(page, result):
    unfold(page, "systems")
    names, across, up = page.run(
        """
        const points = [...document.querySelectorAll("#systems circle")];
        const of = (name) => points.map((one) => Number(one.getAttribute(name)));
        return [points.map((one) => one.dataset.system), of("cx"), of("cy")];
        """
    )
    corpus = metaeval.load_corpus("demo")
    assert sorted(names) == sorted(corpus.systems)
    assert sorted(texts(page, "#systems text.system")) == sorted(corpus.systems)
    rows = {row[0]: row[1:] for row in (texts_of_row(page, k) for k in range(1, len(names) + 1))}
    for places, column in ((across, 1), ([-one for one in up], 3)):
        by_place = [name for _, name in sorted(zip(places, names, strict=True), reverse=True)]
        assert by_place == sorted(names, key=lambda name: int(rows[name][column]))
    # Against another metric, the axis is that of its scores.
    choose(page, "#systems", "Against", "BLEU")
    assert "BLEU" in texts(page, "#systems thead th:nth-child(4)")


def texts_of_row(page, number):
    return texts(page, f"#systems tbody tr:nth-child({number}) > *")


def test_small_disagreements_are_counted_and_shown_on_request(window, tmp_path):
    found = disagreements(2, 10, caused=(2,))
    (place,) = found["places"]
    (one,) = place["documents"]
    # By metric and by judgments: both, one alone, and neither differs by a standard deviation or more.
    differences = [(1.5, 1.2), (2.0, 0.4), (0.3, 0.4)]
    place["documents"] = [{**one, "by_metric": metric, "by_people": people} for metric, people in differences]
    (tmp_path / "report.html").write_text(render(run_of(ROW, disagreements=found)), encoding="utf-8")
    window.open((tmp_path / "report.html").as_uri())
    label = "Least difference of the systems by metric and judgments (standard deviations)"
    choose(window, "#disagreements", label, "0")
    assert len(texts(window, "#disagreements .document")) == 3
    choose(window, "#disagreements", label, "1")
    assert len(texts(window, "#disagreements .document")) == 1
    assert "2 smaller disagreements of this place not shown" in window.run("return document.body.textContent")
    assert window.log() == []


def test_of_many_metrics_the_best_stand_out_and_of_many_criteria_one_table_has_all(window, tmp_path):
    rows = [
        correlation(
            0.9 - 0.01 * metric - 0.1 * criterion, metric=f"m{metric}", criterion=f"c{criterion}", length=length
        )
        for criterion in range(8)
        for metric in range(30)
        for length in (1, 10)
    ]
    (tmp_path / "report.html").write_text(render(run_of(*rows)), encoding="utf-8")
    window.size(1200)
    window.open((tmp_path / "report.html").as_uri())

    lit = window.run(
        "return [...document.querySelectorAll('.legend [aria-pressed=true]')].map((one) => one.textContent)"
    )
    assert lit == ["m0", "m1", "m2"]
    assert len(texts(window, "#curves .band")) == 8 * 3
    assert len(texts(window, ".criteria tbody tr")) == 30
    assert len(texts(window, ".lists table")) == 1
    window.click(".criteria thead th:nth-child(4) button")
    assert texts(window, ".lists caption") == ["c2, documents of 10 segments"]
    assert texts(window, ".criteria strong") == [f"{0.9 - criterion / 10:.3f}" for criterion in range(8)]
    assert window.log() == []


def test_a_task_of_the_matrix_leads_to_its_rows(window, tmp_path):
    (tmp_path / "report.html").write_text(render(many_tasks(4, 2)), encoding="utf-8")
    window.open((tmp_path / "report.html").as_uri())
    window.click("#matrix thead th:last-child a")
    window.wait("document.querySelector('#tasks output').textContent.startsWith('4 of 8')")
    assert set(texts(window, '#tasks [data-column="level"]')) == {"segment"}
    assert texts(window, "#matrix [data-cluster='2']") == ["2 0.840", "2 0.840", "2 0.830"]
    assert window.log() == []


def test_what_is_printed_fits_on_the_paper(page):
    page.devtools("Emulation.setEmulatedMedia", media="print")
    try:
        page.size(720)
        page.wait("matchMedia('print').matches")
        assert page.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
        # A table that is folded cannot be opened on paper.
        assert page.run("return getComputedStyle(document.querySelector('figure details')).display") == "none"
        assert page.run(WIDEST) <= 720
    finally:
        page.devtools("Emulation.setEmulatedMedia", media="")


def test_a_checker_of_accessibility_finds_nothing(page):
    checker = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    page.run(
        "document.querySelectorAll('details').forEach((one, k) => { one.open = k < 5 || !one.closest('.segment'); })"
    )
    page.run(f"{checker}; window.axe = axe;")
    assert page.run(AXE) == []


def test_the_pages_of_the_demo_are_small_and_tell_no_paths(result):
    content = (Path(result.directory) / "report.html").read_bytes()
    assert len(content) < 3_000_000
    assert str(result.directory).encode() not in content
    assert str(Path.home()).encode() not in content
