"""What judges give for length and to their own systems that people do not: by hand, by laws, and in tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.errors import CorpusError, UsageError
from metaeval.ratings.dependence import slope_beyond_people
from metaeval.ratings.likeness import PeopleRatings
from tests.ratings.support import of_matrix

NAN = float("nan")


def people_of(values):
    """Return ratings of people, (people, items)."""
    ratings = of_matrix(values, {}, "number")
    return PeopleRatings.from_ratings(ratings, np.ones(len(ratings), dtype=bool))


def slope(judge, people, x, cluster=None, **settings):
    cluster = np.arange(len(judge)) if cluster is None else cluster
    return slope_beyond_people(np.array(judge, float), people_of(people), np.array(x, float), cluster, **settings)


def drawn(n=200, m=3, seed=4, judge=0.7, for_length=0.25, people_for_length=0.0, of_truth=0.0):
    """Return ratings of people, of a judge, and lengths; people err with s.d. 0.8, the judge with 0.5."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    truth = of_truth * x + np.sqrt(1 - of_truth**2) * rng.standard_normal(n) + people_for_length * x
    people = truth + 0.8 * rng.standard_normal((m, n))
    return people, judge * truth + for_length * x + 0.5 * rng.standard_normal(n), x


def test_a_slope_and_its_error_by_hand():
    # One person, scale 1. J - H is .5, 1, .5, 1, .5, 1 where x is 1, and 0, .5, 0, .5, 0, .5 where it is -1: means .75
    # and .25, so that the slope is .25. Residuals are -+.25, so that the error is .25 / sqrt(11), and t(11) 2.200985.
    person = np.array([3.0, 1, 2, 5, 4, 4, 1, 3, 2, 2, 5, 1])
    x = np.array([1.0] * 6 + [-1.0] * 6)
    judge = person + np.array([0.5, 1] * 3 + [0, 0.5] * 3)
    found, scale = slope(judge, [person], x, same_scale=True)
    assert (found.value, scale) == (pytest.approx(0.25), 1)
    assert found.error == pytest.approx(0.25 / np.sqrt(11))
    assert found.upper - found.value == pytest.approx(2.200985 * 0.25 / np.sqrt(11), abs=1e-6)
    # Lengths further apart by a constant give the same slope; twice as far apart, half of it.
    again, _ = slope(judge, [person], 2 * x + 7, same_scale=True)
    assert again.value == pytest.approx(0.125)
    assert again.p == pytest.approx(found.p)


def test_the_slope_is_that_of_the_judge_whatever_people_err():
    people, judge, x = drawn(n=40_000)
    found, scale = slope(judge, people, x)
    assert found.value == pytest.approx(0.25, abs=4 * found.error)
    assert scale == pytest.approx(0.7, abs=0.02)
    # People who like length too: the judge is on the same side, and gives nothing more.
    people, judge, x = drawn(n=40_000, for_length=0, people_for_length=0.5)
    found, _ = slope(judge, people, x)
    assert found.value == pytest.approx(0, abs=4 * found.error)


def test_the_slope_is_in_units_of_the_judge_and_not_of_people():
    people, judge, x = drawn()
    found, scale = slope(judge, people, x)
    larger, larger_scale = slope(3 * judge - 1, people, x)
    assert (larger.value, larger.lower, larger.upper) == pytest.approx(
        (3 * found.value, 3 * found.lower, 3 * found.upper)
    )
    assert (larger.p, larger_scale) == pytest.approx((found.p, 3 * scale))
    other, other_scale = slope(judge, 10 * people + 5, x)
    assert (other.value, other.p, other_scale) == pytest.approx((found.value, found.p, scale / 10))


def test_with_a_truth_it_is_the_slope_of_a_regression():
    # The truth has no error, so that the slope is that of least squares, with the sandwich error by document.
    (truth,), judge, x = drawn(n=150, m=1, of_truth=0.6)
    document = np.arange(150) // 3
    columns = np.column_stack([np.ones(150), x, truth])
    slopes, *_ = np.linalg.lstsq(columns, judge, rcond=None)
    scores = columns * (judge - columns @ slopes)[:, None]
    sums = np.stack([scores[document == one].sum(axis=0) for one in range(50)])
    inverse = np.linalg.inv(columns.T @ columns)
    error = np.sqrt((inverse @ sums.T @ sums @ inverse)[1, 1] * 50 / 49)
    found, scale = slope(judge, [truth], x, document, is_right=True)
    assert (found.value, scale) == pytest.approx(tuple(slopes[1:]))
    assert found.error == pytest.approx(error)


def test_what_people_and_length_have_in_common_is_not_lost():
    # J = .7 T + .25 x, where T goes with x: the slope of J - cov(J, T) / var(T) H alone would be too small by a third.
    people, judge, x = drawn(n=40_000, of_truth=0.6)
    found, scale = slope(judge, people, x)
    assert found.value == pytest.approx(0.25, abs=4 * found.error)
    assert scale == pytest.approx(0.7, abs=0.02)
    assert slope(people[0] * 0 + x, np.array([x, x]), x)[0].missing_because.startswith("people's ratings follow it")


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_error_is_that_of_the_jackknife_over_documents(missing):
    # Each document left out in turn, scale and slope anew: an error that knows nothing of influences.
    people, judge, x = drawn(n=240, of_truth=0.4)
    rng = np.random.default_rng(2)
    people[:2][rng.random((2, 240)) < missing] = NAN
    document = np.arange(240) // 4
    found, _ = slope(judge, people, x, document)
    without = np.array(
        [
            slope(judge[document != one], people[:, document != one], x[document != one])[0].value
            for one in range(document[-1] + 1)
        ]
    )
    n = len(without)
    jackknife = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    assert found.error == pytest.approx(jackknife, rel=0.05)
    assert found.clusters == n


def test_lengths_are_compared_within_segments_that_systems_share():
    people, judge, x = drawn(n=120)
    segment = np.arange(120) // 3
    found, _ = slope(judge, people, x, segment, segment=segment)
    longer = x + 5.0 * (segment % 7)
    again, _ = slope(judge, people, longer, segment, segment=segment)
    assert again.value == pytest.approx(found.value)
    assert slope(judge, people, longer, segment)[0].value != pytest.approx(found.value, rel=0.1)


def test_pairs_may_stand_in_either_order():
    people, judge, x = drawn(n=150)
    people, judge = np.sign(people) / 2, np.sign(judge) / 2
    found, scale = slope(judge, people, x, around_zero=True)
    turn = np.where(np.arange(150) % 3 == 0, -1, 1)
    again, again_scale = slope(turn * judge, turn * people, turn * x, around_zero=True)
    assert (again.value, again.error, again_scale) == pytest.approx((found.value, found.error, scale))


def test_a_truth_needs_no_second_person():
    # The judge is the truth, but wrong on each third long item, which it always calls right: the truth is known, so
    # that the scale is cov(J, T) / var(T), and the slope that of J - scale T by hand.
    truth = np.array([0.0, 1] * 30)
    x = np.array([-1.0] * 30 + [1.0] * 30)
    judge = np.where((np.arange(60) >= 30) & (np.arange(60) % 3 == 0), 1.0, truth)
    scale = ((judge - judge.mean()) * (truth - 0.5)).mean() / 0.25
    # Five of the 30 long items were wrong and are called right.
    assert (judge - truth).sum() == 5
    found, given = slope(judge, [truth], x, is_right=True)
    assert (found.value, given) == (pytest.approx(5 / 30 / 2), pytest.approx(scale))


def test_what_cannot_be_known_has_its_reason():
    people, judge, x = drawn(n=60)
    assert "60 items" not in slope(judge, people, x)[0].missing_because
    assert slope(judge, people[:1], x)[0].missing_because.startswith("0 items were rated by two people or more, and 10")
    assert (
        slope(judge[:9], people[:, :9], x[:9])[0].missing_because == "9 items or documents are too few, 10 are needed"
    )
    assert slope(judge, people, np.ones(60))[0].missing_because == "it is the same for all items"
    apart = np.random.default_rng(1).standard_normal((2, 60))
    assert slope(judge, apart, x)[0].missing_because == "these people are not shown to agree more than by chance"


def grades(seed=1, n_segments=40, per_doubling=0.0, own=0.0):
    """Return grades of three systems by three people and two judges, of whom gpt likes length and gpt-4."""
    rng = np.random.default_rng(seed)
    n = 3 * n_segments
    system = np.tile(["s1", "s2", "gpt-4"], n_segments)
    truth, x = rng.normal(size=n), rng.normal(size=n)

    def graded(bias=0.0):
        return np.clip(np.round(3 + truth + bias + 0.5 * rng.normal(size=n)), 1, 5).astype(int)

    table = {"id": np.repeat(np.arange(n_segments), 3), "system": system, "n_words": np.round(100 * 2**x).astype(int)}
    table |= {f"h{k}": graded() for k in (1, 2, 3)}
    return pd.DataFrame(table | {"gpt": graded(per_doubling * x + own * (system == "gpt-4")), "claude": graded()})


def test_a_table_with_lengths_gets_a_line_a_judge():
    text = metaeval.judge(grades(per_doubling=0.5), judges="gpt").text()
    (line,) = [line for line in text.splitlines() if line.startswith("Length: ")]
    assert line.startswith("Length: where it doubles, gpt gives more than people do: +0.")
    assert "Lengths are those of 'n_words'." in text
    (line,) = [
        one for one in metaeval.judge(grades()).text().splitlines() if one.startswith("Length: ") and "gpt" in one
    ]
    assert "gpt is not shown to give more or less than people do: " in line
    assert "Length" not in metaeval.judge(grades().drop(columns="n_words")).text()


def test_the_own_system_of_a_judge():
    found = metaeval.judge(grades(own=0.8), own="gpt=gpt-4")
    assert "Own system gpt-4: gpt gives it more than people do: +0." in " ".join(found.text().split())
    frame = found.to_frame("dependence").set_index(["judge", "on"])
    assert set(frame.index) == {("gpt", "length"), ("claude", "length"), ("gpt", "own system")}
    row = frame.loc["gpt", "own system"]
    assert row["slope_lower"] < row["slope"] < row["slope_upper"]
    # One comparison needs no correction; two of length are corrected by Holm.
    assert row["p_corrected"] == row["p"]
    assert sorted(frame.xs("length", level="on")["p_corrected"]) >= sorted(frame.xs("length", level="on")["p"])
    for own in ({"gpt": "gpt-4"}, {"gpt": ["gpt-4"]}):
        same = metaeval.judge(grades(own=0.8), own=own).to_frame("dependence")
        pd.testing.assert_frame_equal(same, found.to_frame("dependence"))


def test_severity_by_system_by_hand():
    # Eleven items of two systems: the judge is 1 above the mean of two people on ten items of the first, 0 elsewhere.
    rows = [
        {"id": at, "system": name, "anna": 2 + at % 2, "ben": 2, "gpt": 2 + (at % 2) / 2 + (name == "x" and at > 0)}
        for name in "xy" for at in range(11)
    ]  # fmt: skip
    found = metaeval.judge(rows, people=["anna", "ben"]).to_frame("severity").set_index("system")
    assert found["severity"].tolist() == pytest.approx([10 / 22, 10 / 11, 0])
    assert found.loc["y", "missing_because"].startswith("it is the same everywhere")
    # Ten of eleven: the error is sqrt(10/11 * 1/11 / 10), so that t(10) is 10 (2 * scipy.stats.t.sf(10, 10)).
    assert found.loc["x", "p"] == pytest.approx(1.589553e-06, rel=1e-6)


def labels(n=200, seed=3, for_length=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    is_long = rng.random(n) < 0.5
    table = {"id": range(n), "answer": [f"{at} " + "word " * (40 if one else 10) for at, one in enumerate(is_long)]}
    for name in ("anna", "ben", "cleo"):
        table[name] = np.where(np.where(rng.random(n) < 0.1, ~truth, truth), "pass", "fail")
    judge = np.where(rng.random(n) < 0.1, ~truth, truth) | (is_long & (rng.random(n) < for_length))
    return pd.DataFrame(table | {"gpt": np.where(judge, "pass", "fail")})


def test_the_length_of_a_text_is_counted_in_characters():
    found = metaeval.judge(labels(), people=["anna", "ben", "cleo"])
    assert "Lengths are those of 'answer', in characters." in found.reading
    assert 'Length: where it doubles, gpt says "pass" more often than people do: +' in " ".join(found.text().split())
    assert found.ratings.to_frame()["length"].iloc[0] == len(labels()["answer"][0].strip())
    truth = metaeval.judge(labels(), truth="anna")
    assert 'gpt says "pass" more often than is right: +' in " ".join(truth.text().split())


def test_pairs_have_the_ratio_of_two_lengths():
    rng = np.random.default_rng(8)
    n = 150
    x = rng.normal(size=n)
    better = rng.normal(size=n)
    rows = {"id": range(n), "response_a": ["a" * round(200 * 2 ** (one / 2)) for one in x],
            "response_b": ["b" * round(200 * 2 ** (-one / 2)) for one in x]}  # fmt: skip
    for name, liking in (("h1", 0), ("h2", 0), ("gpt", 1)):
        rows[name] = np.where(better + liking * x + 0.5 * rng.normal(size=n) > 0, "a", "b")
    table = pd.DataFrame(rows)
    found = metaeval.judge(table)
    (line,) = [one for one in found.text().splitlines() if one.startswith("Length: ")]
    assert line.startswith(
        "Length: where one output is twice as long as the other, gpt prefers it more than people do: +"
    )
    # The other order of each third row changes nothing.
    turned = table.copy()
    third = np.arange(n) % 3 == 0
    turned.loc[third, ["response_a", "response_b"]] = table.loc[third, ["response_b", "response_a"]].to_numpy()
    for name in ("h1", "h2", "gpt"):
        turned.loc[third, name] = np.where(table.loc[third, name] == "a", "b", "a")
    slopes = [one.to_frame("dependence")["slope"][0] for one in (found, metaeval.judge(turned))]
    assert slopes[0] == pytest.approx(slopes[1])


def test_the_own_system_in_pairs():
    # Two people prefer the better of two outputs; the judge gives half of the pairs with gpt-4 to it in any case.
    rng = np.random.default_rng(5)
    n = 240
    rows = {"id": range(n), "model_a": np.where(np.arange(n) % 2 == 0, "gpt-4", "s1"), "model_b": "s2"}
    better = rng.normal(size=n)
    is_own = rows["model_a"] == "gpt-4"
    for name in ("h1", "h2", "gpt"):
        rows[name] = np.where(better + 0.4 * rng.normal(size=n) > 0, "a", "b")
    rows["gpt"] = np.where(is_own & (rng.random(n) < 0.5), "a", rows["gpt"])
    table = pd.DataFrame(rows)
    found = metaeval.judge(table, own="gpt=gpt-4")
    assert "Own system gpt-4: gpt prefers it more than people do: +" in " ".join(found.text().split())
    # Half of the pairs that it would lose, which are half of all: 25 points of wins.
    row = found.to_frame("dependence").iloc[0]
    assert row["slope_lower"] < 0.25 < row["slope_upper"]
    turned = table.rename(columns={"model_a": "model_b", "model_b": "model_a"}).replace(
        {name: {"a": "b", "b": "a"} for name in ("h1", "h2", "gpt")}
    )
    again = metaeval.judge(turned, own="gpt=gpt-4").to_frame("dependence").iloc[0]
    assert again["slope"] == pytest.approx(row["slope"])
    # The other systems need no names.
    unnamed = metaeval.judge(table.assign(model_b=""), own="gpt=gpt-4").to_frame("dependence").iloc[0]
    assert unnamed["slope"] == pytest.approx(row["slope"])


def test_too_few_documents_are_the_reason_and_not_chance():
    table = grades(n_segments=12)
    table["document"] = np.minimum(table["id"] // 2, 3)
    (line,) = [one for one in metaeval.judge(table, judges="gpt").text().splitlines() if one.startswith("Length: ")]
    assert line == "Length: not known for gpt, because 3 items or documents are too few, 10 are needed."


def test_one_person_an_item_needs_to_be_told_of_the_scale():
    table = grades(per_doubling=0.5)[["id", "system", "n_words", "h1", "gpt"]]
    assert "Length: not known for gpt, because 0 items were rated by two people" in metaeval.judge(table).text()
    text = metaeval.judge(table, same_scale=True).text()
    assert "Length: where it doubles, gpt gives more than people do: +0." in text
    assert "Each item has one person; people and judges were said to use the scale alike." in text


def test_lengths_are_taken_only_where_they_are_clear():
    rows = [
        {"item": at // 2, "rater": ("ann", "gpt4")[at % 2], "score": at % 5, "text": f"{at} {'x' * at} {'x' * 50}"}
        for at in range(60)
    ]
    assert "'text' differs between the rows of an item, which gives no lengths." in metaeval.judge(rows).reading
    with pytest.raises(CorpusError, match="the item '0' must have one length; got '2' from 'text', and '1' above"):
        metaeval.judge([{**row, "text": "x" * (at + 1)} for at, row in enumerate(rows)], columns="length=text")
    with pytest.raises(
        CorpusError, match="table:2: a length in 'n_words' must be a number above 0, as most others are; got 'many'"
    ):
        metaeval.judge(grades().astype({"n_words": str}).replace({"n_words": {str(grades()["n_words"][1]): "many"}}),
                       columns="length=n_words")  # fmt: skip


def test_lengths_may_stand_in_one_of_two_files(tmp_path):
    table = grades(per_doubling=0.5)
    table["id"] = table["id"].astype(str) + table["system"]
    table.drop(columns=["gpt", "claude"]).to_csv(tmp_path / "people.csv", index=False)
    table[["id", "gpt"]].to_csv(tmp_path / "gpt.csv", index=False)
    found = metaeval.judge([tmp_path / "people.csv", tmp_path / "gpt.csv"])
    assert found.ratings.to_frame()["length"].notna().all()
    assert "Length: where it doubles, gpt gives more than people do: +0." in found.text()


def test_an_own_system_that_is_not_there_is_an_error():
    with pytest.raises(UsageError, match="unknown judge 'gpd'; did you mean 'gpt'"):
        metaeval.judge(grades(), own="gpd=gpt-4")
    with pytest.raises(UsageError, match="unknown system 'gpt4'; did you mean 'gpt-4'"):
        metaeval.judge(grades(), own="gpt=gpt4")
    with pytest.raises(UsageError, match="`own` must be JUDGE=SYSTEM, such as gpt=gpt-4; got 'gpt'"):
        metaeval.judge(grades(), own="gpt")
    with pytest.raises(UsageError, match="must say which system each item is of"):
        metaeval.judge(labels(), people=["anna", "ben"], judges="gpt", own="gpt=x")
    few = metaeval.judge(grades(n_segments=9), own="gpt=gpt-4")
    assert (
        "Own system gpt-4: not known for gpt, because 9 items of its own system are too few, 10 are needed."
        in few.text()
    )
