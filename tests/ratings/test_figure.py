"""The figure of judges beside people shows the numbers of the tables."""

from __future__ import annotations

import numpy as np
import pytest

import metaeval
from metaeval.errors import UsageError
from tests.ratings.support import of_matrix
from tests.ratings.test_judge_comparison import random_answers


@pytest.fixture(scope="module")
def found():
    people, good = random_answers(3, n=120, errors=(0.1, 0.1))
    return metaeval.judge(of_matrix(people, {"good": good, "bad": np.where(good == 0, 1.0, 0.0)}))


def test_it_shows_judges_people_and_the_constant_answer(found):
    picture = found.figure()
    head, *rows = picture.numbers
    assert head[0] == "name"
    assert {row[0] for row in rows} == {"good", "bad", "h1", "h2", "h3", 'always "label 0"'}
    values = {row[0]: float(row[1]) for row in rows}
    judges = found.to_frame().set_index("judge")
    assert values["bad"] == pytest.approx(100 * judges.loc["bad", "agreement"], abs=0.1)
    assert values['always "label 0"'] == pytest.approx(100 * judges.loc["good", "agreement_of_constant"], abs=0.1)
    people = found.to_frame("people").query("judge == 'good'").set_index("person")
    assert values["h2"] == pytest.approx(100 * people.loc["h2", "agreement"], abs=0.1)
    # The best stands on top.
    assert [row[0] for row in rows] == sorted(values, key=lambda name: -values[name])
    (band,) = [one for one in picture.axes[0].patches if one.get_zorder() == 0]
    first = judges.iloc[0]
    assert band.get_x() == pytest.approx(100 * first["agreement_of_person_lower"])
    assert band.get_width() == pytest.approx(
        100 * (first["agreement_of_person_upper"] - first["agreement_of_person_lower"])
    )


def test_grades_are_distances_and_a_truth_has_no_band():
    people, judge = random_answers(4, n=60)
    picture = metaeval.judge(of_matrix(people, {"m": judge}, "grade")).figure()
    values = [float(row[1]) for row in picture.numbers[1:]]
    assert values == sorted(values)
    assert "distance from people (grades)" in {one.get_text() for one in [*picture.texts, picture.axes[0].xaxis.label]}
    truth = metaeval.judge(of_matrix(people[:1], {"m": judge}), truth=None)
    assert not [one for one in truth.figure().axes[0].patches if one.get_zorder() == 0]


def test_it_is_written_the_same_each_time_or_refused(found, tmp_path):
    first, second = (found.save_figure(tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first == second
    assert found.save_figure(tmp_path / "a.pdf", width="acl").read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match=r"a picture must be named .svg, .pdf or .png; got"):
        found.save_figure(tmp_path / "a.bmp")
    with pytest.raises(UsageError, match="unknown key 'widht'"):
        found.figure(widht=3)
