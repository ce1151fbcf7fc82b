"""The page of judges beside people: what it holds, that it needs nothing else, and that names stay names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.ratings.page import limits
from tests.ratings.test_dependence import grades
from tests.ratings.test_judge_verb import labels
from tests.support.hostile import BREAKOUT


class Texts(HTMLParser):
    """The texts of a page by the sections that they stand in."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self.section = ""
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "section":
            self.section = dict(attrs)["id"]

    def handle_data(self, data):
        if data.strip():
            self.found.setdefault(self.section, []).append(" ".join(data.split()))


def sections(page):
    parser = Texts()
    parser.feed(page)
    return {name: " ".join(of) for name, of in parser.found.items()}, parser.tags


def test_the_answer_comes_first_and_all_else_below():
    report = metaeval.judge(labels(), margin=0.1)
    found, tags = sections(report.to_page())
    assert list(found) == ["", "answer", "judges", "figure", "labels", "people", "limits", "methods"]
    assert "Is gpt4 as good as a person?" in found["answer"]
    assert report.answer in found["answer"]
    assert report.reading in found["answer"]
    assert "A loss of 10.0 points was named as acceptable." in found["answer"]
    assert all(name in found["people"] for name in report.ratings.people)
    assert " ".join(report.methods().split()[:20]) in found["methods"]
    assert "script" not in tags
    assert report.to_page() == report.to_page()


def test_what_cannot_be_said_depends_on_what_is_known():
    def said(table, **asked):
        report = metaeval.judge(table, **asked)
        return " ".join(limits(report.findings, truth=report.truth, margin=report.margin))

    three = said(labels())
    assert "Other people than these 3: their answers may differ from these" in three
    assert "A margin that is chosen after this was read has no level." in three
    assert "margin" not in said(labels(), margin=0.1)
    assert "there is no other person" in said(labels(), truth="annotator1")
    five = labels(errors=(0.1, 0.1, 0.1, 0.1))
    rng = np.random.default_rng(5)
    for name in ("annotator4", "annotator5"):
        five[name] = np.where(rng.random(len(five)) < 0.1, "pass", five["annotator1"])
    assert "Other people than these 5: the line for people like these says it" in said(five)
    nobody = labels(errors=(0.5, 0.5, 0.5, 0.5))
    assert "no judge can be validated" in said(nobody)
    assert "How many persons gpt4 are worth" not in three


def test_names_from_a_table_stay_text():
    table = grades().rename(columns={"h1": "human_<script>alert(1)</script>"}).replace({"system": {"s2": BREAKOUT}})
    page = metaeval.judge(table, people=["h2", "human*"], judges="gpt").to_page()
    assert "<script" not in page
    assert "human_&lt;script&gt;" in page
    assert BREAKOUT not in page


def test_the_page_asks_for_nothing():
    page = metaeval.judge(grades()).to_page()
    assert re.search("default-src 'none'", page)
    without_data = re.sub(r'src="data:[^"]*"|xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r'(src|href)="(?!#|data:)', without_data)


def test_the_terminal_writes_it_and_says_where(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    labels().to_csv("labels.csv", index=False)
    assert main(["judge", "labels.csv", "--page", "out.html"]) == 0
    _, err = capsys.readouterr()
    assert "the page is in out.html." in err
    assert (tmp_path / "out.html").read_bytes() == metaeval.judge("labels.csv").to_page().encode()
    assert main(["judge", "labels.csv", "--page", "out.pdf"]) == 2
    assert "a page must be named .html; got 'out.pdf'." in " ".join(capsys.readouterr().err.split())
    with pytest.raises(UsageError, match=r"a page must be named \.html"):
        metaeval.judge("labels.csv").save_page("page")


@pytest.mark.parametrize("words", [("no", "yes"), ("2", "4")])
def test_figures_of_people_are_those_of_the_judge_that_is_compared_with_two(words):
    # 80 items, every second one a yes, as anna says. Of 1 to 40, ben errs on 5; gptA on 8, one of which is ben's.
    # gptB rated 41 to 80, of which nobody but anna rated any, and errs on 2.
    def word(item, *, errs):
        return words[(item + errs) % 2]

    table = [
        {
            "id": item,
            "anna": word(item, errs=False),
            "ben": word(item, errs=item % 8 == 0) if item < 40 else "",
            "gptA": word(item, errs=item % 5 == 0),
            "gptB": word(item, errs=item % 20 == 0) if item >= 40 else "",
        }
        for item in range(80)
    ]
    with pytest.warns(metaeval.MetaevalWarning):
        report = metaeval.judge(table, people=["anna", "ben"])
    assert [judged.judge for judged in report.findings.judges] == ["gptB", "gptA"]
    # anna and ben are equal in 35 of 40, or 5 x 2 grades of 40 apart.
    (person,) = [line for line in report.text().splitlines() if line.startswith("one person")]
    assert person.split()[2] == ("87.5" if words[0] == "no" else "0.25")
    assert report.methods().startswith(
        "40 items were rated by 2 people and by 2 automatic judges, each item by 2.0 people"
    )
    picture = report.figure()
    assert picture.caption.endswith("Band: one person.")
    assert len([patch for patch in picture.axes[0].patches if patch.get_zorder() == 0]) == 1
    assert {"anna", "ben"} <= {row[0] for row in picture.numbers}
    assert "40 items rated by one person are left out for gptA: two are needed." in report.warnings
    sentences = limits(report.findings, truth="", margin=None)
    assert sentences[0].startswith("Other people than these 2: ")
    assert (
        "How many persons gptB is worth: each item with a verdict was rated by one person, and it takes two."
        in sentences
    )
    assert any(sentence.startswith("How many persons gptA is worth: 40 items") for sentence in sentences)


def test_without_two_people_on_any_item_there_is_no_band():
    table = [{"id": item, "anna": "yn"[item % 2], "gpt": "yn"[item % 3 % 2]} for item in range(40)]
    picture = metaeval.judge(table, people=["anna"]).figure()
    assert "Band" not in picture.caption
    assert not [patch for patch in picture.axes[0].patches if patch.get_zorder() == 0]
