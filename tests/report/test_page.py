"""The page of a run: whatever its texts are, they are texts; its numbers are those of the tables."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from decimal import Decimal
from html.parser import HTMLParser

import pytest

import metaeval
from metaeval.errors import CorpusError
from metaeval.report.display_names import default_label
from metaeval.report.page import EmbeddedPicture, json_for_html, render
from metaeval.report.page.coefficients import coefficients_of
from metaeval.report.page.columns import FIRST_ROWS, comparisons_table, limits, p_value, signed
from metaeval.report.page.curves import parts_of
from metaeval.results.rows import Band, BandName, Undefined
from tests.support.hostile import BREAKOUT, EVIL, EVIL_NAME, run_hostile
from tests.support.results import claim, correlation, ranking, run_of, test_result
from tests.support.results import signed as signed_directory


class Page(HTMLParser):
    """What a browser would make of a page: its elements, attributes and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.tables, self.raw, self.source = [], {}, {}, text
        self._open, self._cells, self._inside, self.words = [], [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self._open.append(tag)
        if tag == "section":
            self._inside = ""
        if "data-table" in attributes:
            self._inside = attributes["data-table"]
            self.tables[self._inside] = []
        if tag == "tr":
            self._cells = []
            self.tables.setdefault(self._inside, []).append(self._cells)
        if tag in ("td", "th"):
            self._cells.append("")

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if self._open and self._open[-1] in ("script", "style"):
            self.raw.setdefault(self._open[-1], []).append(data)
        else:
            self.words += data
        if self._cells and {"td", "th"} & set(self._open):
            self._cells[-1] += data

    def texts(self, table):
        """Return the cells of a table, the header first."""
        return [row for row in self.tables[table] if row]


def test_texts_and_names_that_look_like_markup_stay_texts(tmp_path):
    result = run_hostile(tmp_path)
    text = (result.directory / "report.html").read_text(encoding="utf-8")
    page = Page(text)

    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    assert "alert(" not in page.raw["script"][1]
    assert not [attributes for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not [tag for tag, _ in page.elements if tag in ("iframe", "object", "embed", "form", "base")]
    for tag, attributes in page.elements:
        for name in ("src", "href", "action", "data"):
            address = attributes.get(name, "#")
            beside = tag == "a" and re.fullmatch(r"[a-z_]+\.(tsv|tex|bib)", address)
            assert address.startswith(("#", "data:")) or beside, (tag, attributes)
    data = json.loads(page.raw["script"][0])
    strings = data["texts"]["strings"]
    assert {EVIL, BREAKOUT, f"the {EVIL} cat"} <= set(strings)
    assert BREAKOUT.replace("/", "") in data["texts"]["systems"]["tiny"]
    (claim,) = page.texts("claims")[1:]
    assert any(BREAKOUT in cell for cell in claim)
    # The title of the run, that of its panel, and the words of its claim are read as they were written.
    assert {one for one in (EVIL, EVIL_NAME, BREAKOUT) if one in page.words} == {EVIL, EVIL_NAME, BREAKOUT}
    assert len(page.raw["script"]) == 2
    assert len(page.raw["style"]) == 1


def test_the_policy_names_the_style_and_the_script_that_are_there(tmp_path):
    page = Page(render(run_of()))
    (policy,) = [
        attributes["content"]
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]

    def digest(content):
        return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()

    assert f"script-src 'sha256-{digest(page.raw['script'][1])}'" in policy
    assert f"style-src 'sha256-{digest(page.raw['style'][0])}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    overrides = ["uncertainty.n_resamples=20", "documents.kind='segments'", 'tests=[{method="wilcoxon"}]']
    return metaeval.run("system-level", overrides=overrides, output=folder / "run")


def rows_of(run, name):
    header, *rows = [
        line.split("\t") for line in (run.directory / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    ]
    return [dict(zip(header, row, strict=True)) for row in rows]


def is_rounded(shown, exact):
    """Return whether a number is another one, to as many digits as are shown."""
    return abs(Decimal(shown) - Decimal(exact)) <= Decimal(1).scaleb(Decimal(shown).as_tuple().exponent) / 2


def test_every_number_on_the_page_is_that_of_the_tables_to_the_digits_shown(small):
    page = Page((small.directory / "report.html").read_text(encoding="utf-8"))
    rows = json.loads(page.raw["script"][0])["rows"]
    compared = 0
    for number, row in enumerate(rows_of(small, "correlations")):
        numbers = [rows["words"][number], *re.findall(r"-?\d+\.\d+", rows["limits"][number])]
        exact = [row["mean"], *(row[name] for name in ("lower", "upper") if row[name] != "nan")]
        assert len(numbers) == len(exact)
        assert all(map(is_rounded, numbers, exact))
        compared += len(exact)
    head, *shown = page.texts("tests")
    for cells, row in zip(shown, rows_of(small, "tests"), strict=True):
        found = dict(zip(head, cells, strict=True))
        names = [default_label(row[name]) for name in ("metric_a", "metric_b")]
        assert [found["metric"], found["compared with"]] == names
        assert is_rounded(found["difference"], row["difference"])
        for column, name in (("p", "p"), ("p, corrected", "p_corrected")):
            below = found[column].removeprefix("< ")
            assert float(row[name]) < float(below) if below != found[column] else is_rounded(below, row[name])
        compared += 3
    assert compared > 30


def test_a_column_that_is_the_same_everywhere_is_said_once():
    table = comparisons_table(run_of(correlation(), tests=[test_result("bleu", "ter"), test_result("bleu", "gtm")]))

    assert [column.name for column in table.shown] == ["metric", "compared with", "difference", "p", "p, corrected"]
    assert ("corpus", "c") in table.same
    assert ("criterion", "adequacy") in table.same


@pytest.mark.parametrize(
    ("form", "number", "expected"),
    [
        (signed, 0.0625, "+0.062"),
        (signed, -0.0001, "0.000"),
        (signed, -0.25, "-0.250"),
        (p_value, 0.00030314, "< 0.001"),
        (p_value, 0.0415, "0.042"),
        (p_value, math.nan, "\N{EN DASH}"),
    ],
)
def test_numbers_are_rounded_for_people(form, number, expected):
    assert form(number) == expected


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [(0.25, 0.75, "[0.250, 0.750]"), (math.nan, math.nan, ""), (-math.inf, 0.5, "")],
)
def test_an_interval_without_ends_is_no_interval(lower, upper, expected):
    assert limits(lower, upper) == expected


def test_names_that_look_like_numbers_stay_as_they_are_and_a_missing_number_is_a_dash():
    tests = [test_result("1e5", "nan"), test_result("007", "nan", math.nan, difference=math.nan)]
    columns = {column.name: column for column in comparisons_table(run_of(correlation(), tests=tests)).columns}

    assert (columns["metric"].cells, columns["metric"].values) == (("1e5", "007"), None)
    assert (columns["p"].cells, columns["p"].values) == (("0.500", "\N{EN DASH}"), (0.5, None))
    assert columns["difference"].values == (0.1, None)


def test_why_coefficients_are_undefined_is_said_in_words_where_some_are():
    rows = [
        correlation(metric="bleu", n_used=3, n_undefined=2, undefined=Undefined(no_score=2)),
        correlation(metric="ter", n_used=5),
    ]
    found = coefficients_of(run_of(*rows))

    assert found["undefined"] == ["no score: 2", ""]
    assert [facts[0] for facts in found["facts"]] == [
        "2 undefined; mean of the other 3 coefficients",
        "mean of 5 coefficients",
    ]


def test_order_rank_star_and_p_are_those_of_the_ranking():
    # By value: gtm, then bleu and ter, which share rank 2; without a coefficient chrf has none. The test, not the
    # intervals, gives the stars: to bleu, and not to ter.
    rows = [correlation(mean, metric=name) for name, mean in
            (("ter", 0.5), ("gtm", 0.7), ("chrf", math.nan), ("bleu", 0.5))]  # fmt: skip
    rows.append(correlation(preprocessing="", metric="inter-judge"))
    worse = {"gtm": 1.0, "bleu": 0.25, "ter": 0.0001}
    tested = [ranking(metric=name, method="bootstrap", over="replicates", top_cluster=p >= 0.05, p_worse=p)
              for name, p in worse.items()]  # fmt: skip
    found = coefficients_of(run_of(*rows, rankings=tested, tests=[test_result("gtm", "ter")]))

    assert found["order"].index(0) == 1
    assert found["order"][2] == 3
    assert found["order"][4] is None
    assert found["rank"] == [2, 1, None, 2, None]
    assert found["star"] == [0, 1, 0, 1, 0]
    assert found["p"] == ["< 0.001", "1.000", None, "0.250", None]
    assert found["words"][2] == "\N{EN DASH}"


def test_long_tables_are_there_in_part_until_more_is_asked_for():
    metrics = [f"m{number}" for number in range(FIRST_ROWS + 7)]
    rows = [correlation(metric=metric, signature=f"{metric}|" + 3000 * "x") for metric in metrics]
    text = render(run_of(*rows, tests=[test_result(metric, "bleu") for metric in metrics]))
    page = Page(text)

    assert len(page.texts("tests")) == 1 + FIRST_ROWS
    data = json.loads(page.raw["script"][0])
    assert data["tables"]["tests"]["n"] == FIRST_ROWS + 7
    # Signatures are for programs, and stay in their file.
    assert 3000 * "x" not in text
    assert "All of it is in tests.tsv." in page.words


def test_tests_that_a_page_cannot_hold_stay_in_their_file():
    page = Page(render(run_of(correlation(), tests=[test_result("a", f"m{number}") for number in range(5001)])))

    assert "tests" not in page.tables
    assert "tests.tsv: every two metrics compared (5001 rows)" in page.words


def test_the_files_that_a_page_names_lie_beside_it(small):
    page = Page((small.directory / "report.html").read_text(encoding="utf-8"))
    links = {one["href"] for tag, one in page.elements if tag == "a" and not one["href"].startswith("#")}

    assert {"correlations.tsv", "tests.tsv", "rankings.tsv"} <= links
    assert [name for name in links if not (small.directory / name).is_file()] == []


def test_a_page_of_a_paper_asks_for_its_claims_and_shows_them_before_all_else():
    claims = [
        claim(
            1,
            "bleu above ter",
            "holds",
            paper="BLEU is better than TER.",
            why="bleu is above ter by 0.125",
            difference=0.125,
        ),
        claim(2, "ter above bleu", "fails", why="ter is below bleu by 0.125", difference=-0.125),
    ]
    page = Page(render(run_of(correlation(metric="bleu"), correlation(metric="ter"), claims=claims)))

    assert "Do the 2 claims of the paper hold" in page.words
    ids = [one["id"] for tag, one in page.elements if tag == "section"]
    assert ids[:3] == ["answer", "claims", "curves"]
    head, first, second = page.texts("claims")
    assert head == ["claim", "the paper", "verdict", "this run"]
    assert first[0] == "1"
    assert first[1].startswith("BLEU is better than TER.")
    assert (first[2], second[2]) == ("holds", "fails")
    assert "above TER by 0.125" in first[3]


def test_a_picture_has_its_numbers_as_a_table_behind_it():
    numbers = [("name", "point", "mark"), ("a <b>", "0.500", "filled")]
    run = run_of(correlation())
    source = render(run, [EmbeddedPicture("influence_pearson.svg", "image/svg+xml", b"<svg/>", numbers=numbers)])
    behind = source[source.index("<summary>Numbers of this figure</summary>") :]
    assert '<th scope="col">point</th>' in behind
    assert '<th scope="row"><bdi>a &lt;b&gt;</bdi></th><td>0.500</td>' in behind
    assert 'alt="influence, pearson; its numbers are in a table below it"' in source
    assert "Numbers of this figure" not in render(run, [EmbeddedPicture("x.svg", "image/svg+xml", b"<svg/>")])


def test_only_the_answer_claims_metrics_one_figure_and_disagreements_are_open():
    pictures = [EmbeddedPicture(f"{name}.svg", "image/svg+xml", b"<svg/>") for name in
                ("curves_pearson_adequacy", "curves_spearman-ties-ordinal_adequacy", "judges")]  # fmt: skip
    coefficients = ("pearson", 'spearman(ties="ordinal")')
    rows = [correlation(coefficient=name) for name in coefficients]
    run = run_of(*rows, claims=[claim(1, "bleu above ter", "holds")], tests=[test_result("bleu", "ter")])
    page = Page(render(run, pictures))
    found = Folds(page.source)

    assert found.sections_open == ["answer", "claims", "curves", "figures", "disagreements"]
    # The first figure is there; the same by another coefficient is behind it, the others are behind both.
    assert found.pictures == [
        ("curves_pearson_adequacy.svg", 0),
        ("curves_spearman-ties-ordinal_adequacy.svg", 1),
        ("judges.svg", 1),
    ]


class Folds(HTMLParser):
    """What of a page stands open: sections that are no details, and in how many details each picture is."""

    def __init__(self, text):
        super().__init__()
        self.sections_open, self.pictures = [], []
        self._section, self._depth, self._folded = "", 0, set()
        self.feed(text)
        self.sections_open = [name for name in self.sections_open if name not in self._folded]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "section":
            self._section = attributes["id"]
            self.sections_open.append(self._section)
        if tag == "details":
            self._depth += 1
            assert "open" not in attributes
            if attributes.get("class") == "part":
                self._folded.add(self._section)
        if tag == "img":
            self.pictures.append((attributes["data-name"], self._depth))

    def handle_endtag(self, tag):
        self._depth -= tag == "details"


def test_lines_run_along_lengths_with_the_judges_in_every_part():
    rows = [
        correlation(preprocessing=preprocessing, length=length, metric=metric)
        for preprocessing in ("case", "stem")
        for length in (10, 2)
        for metric in ("bleu", "ter")
    ]
    rows += [correlation(preprocessing="", metric="inter-judge", length=2)]
    found = parts_of(run_of(*rows))

    assert (found["along"], found["axis"]) == ("length", "segments in a document")
    assert [part["title"] for part in found["parts"]] == [
        "tokens at white space, case kept",
        "tokens at white space, lower-cased and stemmed",
    ]
    lines = found["parts"][1]["criteria"][0]["lines"]
    assert [(line["metric"], line["points"]) for line in lines] == [
        ("bleu", [(2.0, 6), (10.0, 4)]),
        ("ter", [(2.0, 7), (10.0, 5)]),
        ("inter-judge", [(2.0, 8)]),
    ]
    assert found["metrics"] == ["bleu", "ter", "inter-judge"]
    assert found["parts"][0]["interval"] == "95 % confidence interval (normal, of the mean on this corpus)"


def test_lines_run_along_numbers_of_references_where_lengths_do_not_vary():
    # Of one and of five references there are fewer subsets than were asked for.
    numbers = {"every(size=1,count=5)": 1.0, "random(size=4,count=3)": 4.0, "random(size=2,count=3)": 2.0}
    rows = [correlation(subset=subset, n_references=number) for subset, number in numbers.items()]
    found = parts_of(run_of(*rows, correlation(subset="a+b+c+d+e")))

    assert found["along"] == "references"
    (part,) = found["parts"]
    assert part["criteria"][0]["lines"][0]["points"] == [(1.0, 0), (2.0, 2), (4.0, 1), (5.0, 3)]


def test_several_subsets_of_one_number_are_parts_of_their_own():
    found = parts_of(run_of(*(correlation(subset=subset) for subset in ("ref1", "ref2", "ref1+ref2"))))

    assert found["along"] == ""
    assert [part["title"] for part in found["parts"]] == ["reference ref1", "reference ref2", "references ref1 + ref2"]


def test_a_row_without_a_length_has_no_place_on_an_axis_of_lengths():
    found = parts_of(run_of(*(correlation(length=length) for length in (1, 5, None))))

    assert found["along"] == "length"
    assert found["parts"][0]["criteria"][0]["lines"] == [{"metric": "bleu", "points": [(1.0, 0), (5.0, 1)]}]


def test_whole_systems_have_no_axis():
    rows = [correlation(coefficient=name, kind="all", length=120) for name in ("pearson", "spearman")]
    found = parts_of(run_of(*rows))

    assert found["along"] == ""
    assert [part["title"] for part in found["parts"]] == ["Pearson", "Spearman"]


def test_data_cannot_end_the_element_it_stands_in():
    value = {"a": "</script><!--", "b": "\u2028 & >"}
    text = json_for_html(value)

    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_pictures_are_held_by_the_page():
    picture = EmbeddedPicture("curve_adequacy.svg", "image/svg+xml", b"<svg/>")
    page = Page(render(run_of(), [picture], ["large"]))

    (image,) = [attributes for tag, attributes in page.elements if tag == "img"]
    assert base64.b64decode(image["src"].partition(",")[2]) == b"<svg/>"
    assert image["alt"].startswith("curve, adequacy")


def test_the_report_is_made_again_from_the_directory_alone_with_the_same_bytes(small):
    path = small.directory / "report.html"
    first = path.read_bytes()

    assert metaeval.report_run(small.directory) == path
    assert path.read_bytes() == first
    assert len(first) < 1_000_000
    times = json.loads((small.directory / "times.json").read_text())
    assert times["seconds"]["report"] > 0


def part_of(run, directory):
    """Write the files of a run that its report needs at least, into another directory."""
    for name in ("manifest.json", "grids.npz", "correlations.tsv"):
        (directory / name).write_bytes((run.directory / name).read_bytes())
    signed_directory(directory)


@pytest.mark.parametrize("content", ["[]", "places"])
def test_spoilt_disagreements_are_told(small, tmp_path, content):
    part_of(small, tmp_path)
    (tmp_path / "disagreements.json").write_text(content)
    signed_directory(tmp_path)

    with pytest.raises(CorpusError, match=r"disagreements\.json: is not what a run writes"):
        metaeval.report_run(tmp_path)


@pytest.mark.parametrize(
    ("averages", "expected"),
    [
        (["item"], "standardised across its systems (mean 0"),
        (["none"], "standardised across all documents and systems (mean 0"),
        (
            ["item", "none"],
            "standardised across its systems, or across all documents and systems where coefficients are taken over",
        ),
    ],
)
def test_what_scores_are_standardised_over_is_told_as_it_is(averages, expected):
    places = [{"average_by": average_by, "documents": []} for average_by in averages]
    disagreements = {"places": places, "systems": {}}
    run = run_of(correlation(), disagreements=disagreements)

    assert expected in Page(render(run)).words


def test_a_run_that_has_no_disagreements_says_so(small, tmp_path):
    part_of(small, tmp_path)
    text = metaeval.report_run(tmp_path).read_text(encoding="utf-8")

    assert "The run has no disagreements.json" in text


def test_coefficients_among_good_systems_have_a_section():
    rows = [correlation(0.9, metric="<b>bleu</b>", kind="all", n_systems=12)]
    key = rows[0].key
    numbers = {"n_pairs": 1, "n_segments": 1, "n_items": 1, "confidence_level": 0.95, "resampled": "segments"}
    alone = {"range_alone": 0.7, "range_alone_lower": 0.5, "range_alone_upper": 0.9}
    none = dict.fromkeys(alone, math.nan)
    bands = [
        Band(key, BandName("all"), "a, b", n_systems=12, value=0.9, lower=0.8, upper=1.0, no_interval_because="",
             **numbers, **none),
        Band(key, BandName("best", 8), "a", n_systems=8, value=0.2, lower=0.1, upper=0.3, no_interval_because="",
             **numbers, **alone),
    ]  # fmt: skip
    source = render(run_of(*rows, bands=bands))
    section = source.partition('<section id="bands"')[2].partition("</section>")[0]
    assert '<a href="#bands">Good systems</a>' in source
    assert "does not explain how low &lt;b&gt;bleu&lt;/b&gt; lies." in section
    assert '<td class="number">0.200 [0.100, 0.300]&lt;</td>' in section
    assert "The best 8 by people: a." in section
    assert 'id="bands"' not in render(run_of(*rows))
