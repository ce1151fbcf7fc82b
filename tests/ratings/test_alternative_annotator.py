"""The alternative annotator test has the figures of its authors' program and paper."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metaeval.errors import UsageError
from metaeval.ratings.alternative_annotator import alternative_annotator_test
from tests.ratings.support import of_answers, of_matrix, published
from tests.support import tasks
from tests.support.gold import of_others


@pytest.mark.parametrize("dataset", ["framing", "cebab_aspects", "summeval", "lesion"])
def test_the_published_rows(dataset):
    # The notebook of nitaytech/AltTest at 18428b1, winning rate and advantage probability to the two printed digits.
    rows = tasks.where(tasks.table("published", "ratings/alt-test"), dataset=dataset)
    assert len(rows) >= 4
    for row in rows:
        found = alternative_annotator_test(published(dataset), row["judge"], float(row["epsilon"]))
        printed = (f"{found.winning_rate:.2f}", f"{found.advantage:.2f}", found.passed)
        assert printed == (row["winning_rate"], row["advantage_probability"], row["verdict"] == "PASSED"), row["judge"]


@pytest.mark.parametrize("data", ["alttest_labels", "alttest_grades"])
def test_the_figures_of_the_authors_program(data):
    given = json.loads(of_others(f"gold/tasks/inputs/{data}.json").read_text(encoding="utf-8"))
    ratings = of_answers(given["humans"], {"the judge": given["judge"]})
    for row in tasks.where(tasks.table("alt_test"), data=data):
        found = alternative_annotator_test(ratings, "the judge", float(row["epsilon"]))
        assert found.winning_rate == pytest.approx(float(row["winning_rate"]), abs=1e-7)
        assert found.advantage == pytest.approx(float(row["advantage_probability"]), abs=1e-7)
        assert found.passed == (row["passed"] == "True")
        by_name = dict(zip(found.people, found.p, strict=True))
        expected = map(float, row["p_values_of_people_h1_to_h4"].split())
        np.testing.assert_allclose([by_name[name] for name in sorted(by_name)], [*expected], atol=1e-7)


def test_people_with_few_items_are_left_out():
    ratings = of_matrix(np.zeros((3, 29)), {"judge": np.zeros(29)})
    assert "nobody rated 30 items" in alternative_annotator_test(ratings, "judge", 0.2).missing_because
    with pytest.raises(UsageError, match="`epsilon` must be from 0 to 1; got 2"):
        alternative_annotator_test(ratings, "judge", 2)
