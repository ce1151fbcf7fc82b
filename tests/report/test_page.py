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
from metaeval.errors import CorpusError, UsageError
from metaeval.report.page import Picture, json_for_html, render
from metaeval.report.page.columns import FIRST_ROWS, make_table, shown
from metaeval.report.page.parts import parts_of
from metaeval.results.disagreements import flaw_of
from tests.support.hostile import BREAKOUT, EVIL, EVIL_NAME, run_hostile
from tests.support.results import correlation, run_of, signed, test_result


class Page(HTMLParser):
    """What a browser would make of a page: its elements, attributes and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.tables, self.raw = [], {}, {}
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
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)
    data = json.loads(page.raw["script"][0])
    strings = data["texts"]["strings"]
    assert {EVIL, BREAKOUT, f"the {EVIL} cat"} <= set(strings)
    assert BREAKOUT.replace("/", "") in data["texts"]["systems"]["tiny"]
    (claim,) = page.texts("claims")[1:]
    assert BREAKOUT in claim
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


# What the field calls the metrics of this run.
CALLED = {"bleu(order=1)": "BLEU-1", "bleu": "BLEU"}


def test_every_number_of_the_tables_stands_in_the_page_to_the_digits_shown(small):
    page = Page((small.directory / "report.html").read_text(encoding="utf-8"))
    compared = 0
    for name in ("correlations", "tests", "rankings", "minimum_significant_differences"):
        lines = (small.directory / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        header, *rows = [line.split("\t") for line in lines]
        shown_header, *shown_rows = page.texts(name)
        assert len(shown_rows) == len(rows)
        assert set(shown_header) <= set(header)
        for row, cells in zip(rows, shown_rows, strict=True):
            exact = dict(zip(header, row, strict=True))
            for column, cell in zip(shown_header, cells, strict=True):
                value = exact[column]
                if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", value) and column != "subset":
                    # What is shown is the value itself to as many digits as are shown.
                    last = Decimal(1).scaleb(Decimal(cell).as_tuple().exponent)
                    assert abs(Decimal(cell) - Decimal(value)) <= last / 2, (name, column, cell, value)
                    compared += 1
                elif column != "signature":
                    assert cell == CALLED.get(value, value)
    assert compared > 50


def test_a_column_that_is_the_same_everywhere_is_told_once():
    rows = [{"corpus": "demo", "metric": name, "mean": 0.5, "replicates_used": None} for name in ("a", "b")]
    table = make_table("correlations", "Correlations", "", rows)

    assert [column.name for column in table.shown] == ["metric", "mean"]
    assert table.same == [("corpus", "demo")]
    assert [column["name"] for column in table.to_dict()["columns"]] == ["corpus", "metric", "mean"]


@pytest.mark.parametrize(
    ("number", "form", "expected"),
    [
        (0.0625, 3, "0.062"),
        (-0.0001, 3, "0.000"),
        (-0.25, 3, "-0.250"),
        (math.nan, 3, "nan"),
        (math.inf, 3, "inf"),
        (0.00030314, "short", "0.000303"),
        (50, 3, "50"),
        (0.8, "as printed", "0.8"),
        ("0.80", "as printed", "0.80"),
    ],
)
def test_numbers_are_rounded_as_in_the_tables_for_people(number, form, expected):
    assert shown(number, form) == expected


def test_names_that_look_like_numbers_stay_as_they_are():
    rows = [{"system": "007", "metric": "1e5", "mean": 0.5}, {"system": "010", "metric": "nan", "mean": math.nan}]
    table = make_table("correlations", "", "", rows)

    assert [column.cells for column in table.columns] == [("007", "010"), ("1e5", "nan"), ("0.500", "nan")]
    assert table.columns[2].values == (0.5, None)


def test_a_number_that_is_not_there_is_an_empty_cell():
    (column,) = make_table("rankings", "", "", [{"rank": 1}, {"rank": None}]).columns
    assert (column.cells, column.values) == (("1", ""), (1.0, None))


def test_yes_and_no_are_words():
    (column,) = make_table("rankings", "", "", [{"top_cluster": True}, {"top_cluster": False}]).columns
    assert (column.cells, column.values) == (("yes", "no"), None)


def test_causes_that_nothing_has_are_left_out():
    rows = [{"metric": name, "n_undefined": n, "n_no_score": n, "n_too_few": 0} for name, n in (("a", 0), ("b", 2))]
    assert [column.name for column in make_table("correlations", "", "", rows).columns] == [
        "metric",
        "n_undefined",
        "n_no_score",
    ]


def test_what_a_paper_prints_stays_as_it_is_and_is_sorted_as_a_number():
    (column,) = make_table("examples", "", "", [{"value": "0.50"}, {"value": "0.4002"}]).columns
    assert (column.cells, column.values) == (("0.50", "0.4002"), (0.5, 0.4002))


def test_text_in_a_column_of_numbers_makes_it_one_of_text():
    (column,) = make_table("examples", "", "", [{"value": "1"}, {"value": "2 or 3"}]).columns
    assert (column.cells, column.values) == (("1", "2 or 3"), None)


def test_long_tables_are_there_in_part_until_more_is_asked_for():
    metrics = [f"m{number}" for number in range(FIRST_ROWS + 7)]
    signed = [correlation(metric=metric, signature=f"{metric}|" + 3000 * "x") for metric in metrics]
    page = Page(render(run_of(*signed, tests=[test_result(metric, "bleu") for metric in metrics])))

    assert len(page.texts("tests")) == 1 + FIRST_ROWS
    data = json.loads(page.raw["script"][0])
    assert data["tables"]["tests"]["n"] == FIRST_ROWS + 7
    # Signatures are for programs, and stay in their file.
    names = {table: [column["name"] for column in data["tables"][table]["columns"]] for table in data["tables"]}
    assert ("signature" in names["tests"], "signature" in names["correlations"]) == (False, False)
    assert "All of it is in tests.tsv, in full precision and with signatures." in page.words


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
    assert [part["title"] for part in found["parts"]] == ["case", "stem"]
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
    assert [part["title"] for part in found["parts"]] == ["pearson", "spearman"]


def test_data_cannot_end_the_element_it_stands_in():
    value = {"a": "</script><!--", "b": "\u2028 & >"}
    text = json_for_html(value)

    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


def test_pictures_are_held_by_the_page():
    picture = Picture("curve_adequacy.svg", "image/svg+xml", b"<svg/>")
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
    signed(directory)


def test_a_directory_without_a_run_has_no_report(tmp_path):
    with pytest.raises(UsageError, match="is no directory of a run"):
        metaeval.report_run(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ['{"places":[1,2]}', "[]", "{}", "places", '{"places":[{"documents":1}]}'])
def test_spoilt_disagreements_are_told(small, tmp_path, content):
    part_of(small, tmp_path)
    (tmp_path / "disagreements.json").write_text(content)
    signed(tmp_path)

    with pytest.raises(CorpusError, match=r"disagreements\.json: is not what a run writes"):
        metaeval.report_run(tmp_path)


@pytest.mark.parametrize("kind", ["place", "document", "cause", "string"])
def test_a_flaw_deep_in_the_disagreements_is_told(small, tmp_path, kind):
    part_of(small, tmp_path)
    found = json.loads((small.directory / "disagreements.json").read_text(encoding="utf-8"))
    place = next(one for one in found["places"] if one["documents"])
    if kind == "place":
        del place["documents"]
    elif kind == "document":
        place["documents"][0]["causes"] = None
    elif kind == "cause":
        place["documents"][0]["causes"][0] = 3
    else:
        found["strings"][0] = 3
    (tmp_path / "disagreements.json").write_text(json.dumps(found))
    signed(tmp_path)

    with pytest.raises(CorpusError, match=r"disagreements\.json: is not what a run writes"):
        metaeval.report_run(tmp_path)


def test_a_place_of_a_corpus_without_systems_is_a_flaw():
    disagreements = {
        "notes": [], "most_documents": 1, "most_segments": 1, "grid_metric": "gtm", "systems": {"demo": ["sys1"]},
        "places": [{"corpus": name, "metric": "bleu", "criterion": "adequacy", "average_by": "item", "documents": []}
                   for name in ("demo", "d")],
        "segments": {}, "grids": [], "strings": [],
    }  # fmt: skip
    assert flaw_of(disagreements) == "`systems` has no corpus 'd' of place 2"
    assert flaw_of({**disagreements, "places": disagreements["places"][:1]}) == ""


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


def test_a_column_of_numbers_has_a_form(small):
    names = set()
    for name in ("correlations", "tests", "rankings", "minimum_significant_differences"):
        header, *rows = [
            line.split("\t") for line in (small.directory / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        ]
        for column in make_table(name, "", "", small.data.tables.records(name)).columns:
            cells = [row[header.index(column.name)] for row in rows]
            if all(re.fullmatch(r"(-?\d+(\.\d+)?(e-?\d+)?|nan)?", cell) for cell in cells):
                assert column.values is not None, (name, column.name)
                names.add(column.name)
    assert {"mean", "p", "largest_not_significant", "largest_difference"} <= names


def test_a_run_that_has_no_disagreements_says_so(small, tmp_path):
    part_of(small, tmp_path)
    text = metaeval.report_run(tmp_path).read_text(encoding="utf-8")

    assert "The run has no disagreements.json" in text
