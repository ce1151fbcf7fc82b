"""The agreement of the raters of a table: its numbers, its refusals, and what is said of it."""

from __future__ import annotations

import json
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import metaeval
from metaeval.cli import main
from metaeval.errors import CorpusError, UsageError
from metaeval.ratings.agreement.raters_of_table import agreement_of_raters
from metaeval.ratings.jackknife import jackknife_interval
from metaeval.ratings.means import share_interval
from tests.ratings.agreement.test_coefficients import A, B, C
from tests.ratings.support import NAN, of_matrix, random_labels

WORDS = np.array(["no", "yes"])


def found_in(ratings, *, categories=(), min_shared=10, level=0.95):
    return agreement_of_raters(ratings, categories=categories, min_shared=min_shared, confidence_level=level)


def labels(n=120, seed=3, errors=(0.1, 0.1, 0.1, 0.3), share=0.5):
    """Return a table of three people and a judge who err at random."""
    raters = dict(zip(["human1", "human2", "human3", "gpt4"], errors, strict=True))
    return random_labels(raters, n, seed, share=share, words=("no", "yes"))


@pytest.fixture
def run(run_verb):
    return partial(run_verb, "agreement")


def test_grades_have_the_coefficients_of_other_programs():
    found = found_in(of_matrix([A, B, C], {}, kind="grade"))
    (people,) = found.groups
    by_name = {one.name: one for one in found.pairs}
    assert list(by_name) == ["h1, h2", "h1, h3", "h2, h3"]
    # sklearn 1.9.1, krippendorff 0.9.0 and irrCAC 0.4.4; see test_coefficients.py.
    expected = {
        "kappa": 0.6141479099678457, "kappa_linear": 0.7864768683274022, "kappa_quadratic": 0.905511811023622,
        "scott": 0.612277867528, "ac1": 0.628051142968, "brennan_prediger": 0.625, "alpha_nominal": 0.6219709208400646,
        "alpha_ordinal": 0.9132751937984496, "alpha_interval": 0.9072900158478605,
    }  # fmt: skip
    got = by_name["h1, h2"].coefficients
    assert {name: got[name].value for name in expected} == pytest.approx(expected, abs=1e-11)
    expected = {
        "scott": 0.53125, "ac1": 0.544198895028, "alpha_ordinal": 0.895143697864127,
        "alpha_interval": 0.8868479059515062,
    }  # fmt: skip
    assert {name: people.coefficients[name].value for name in expected} == pytest.approx(expected, abs=1e-11)
    assert people.raw.value == pytest.approx(0.633333333333, abs=1e-11)


def test_kappa_of_a_group_is_the_mean_of_its_pairs_by_items():
    found = found_in(of_matrix([A, B, C], {}, kind="grade"))
    assert [pair.n_items for pair in found.pairs] == [20, 17, 17]
    kappas = [pair.coefficients["kappa"].value for pair in found.pairs]
    kappa = found.groups[0].coefficients["kappa"]
    assert kappa.value == pytest.approx(np.average(kappas, weights=[20, 17, 17]), abs=1e-12)
    assert not kappa.has_ends


def test_intervals_are_those_of_wilson_and_of_the_jackknife_over_documents():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    people = [np.where(rng.random(60) < 0.2, 1 - truth, truth) for _ in range(2)]
    documents = np.arange(60) // 3
    (pair,) = found_in(of_matrix(people, {}, document=tuple(map(str, documents)))).pairs
    expected = share_interval((people[0] == people[1]) * 1.0, documents)
    assert (pair.raw.lower, pair.raw.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-12)

    def kappa(x, y):
        by_chance = x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())
        return ((x == y).mean() - by_chance) / (1 - by_chance)

    without = np.array([kappa(*(one[documents != left_out] for one in people)) for left_out in range(20)])
    interval = jackknife_interval(kappa(*people), without, 0.95)
    found = pair.coefficients["kappa"]
    assert (found.value, found.lower, found.upper) == pytest.approx(
        (kappa(*people), interval.lower, interval.upper), abs=1e-12
    )
    # Brennan and Prediger's coefficient of two labels is 2 p - 1.
    brennan = pair.coefficients["brennan_prediger"]
    ends = (2 * pair.raw.lower - 1, 2 * pair.raw.upper - 1)
    assert (brennan.lower, brennan.upper) == pytest.approx(ends, abs=1e-12)


def test_a_narrower_level_has_a_narrower_interval():
    ratings = of_matrix([A * 3, B * 3], {}, kind="grade")
    (wide,), (narrow,) = (found_in(ratings, level=level).pairs for level in (0.95, 0.8))
    for name in ("kappa", "ac1", "alpha_ordinal"):
        both = [one.coefficients[name] for one in (wide, narrow)]
        widths = [one.upper - one.lower for one in both]
        assert widths[1] < widths[0]
    # Student's t of the same degrees of freedom: the ratio of its quantiles is between that of 1 and that of many.
    ratio = widths[1] / widths[0]
    assert stats.t.ppf(0.9, 1) / stats.t.ppf(0.975, 1) < ratio < stats.norm.ppf(0.9) / stats.norm.ppf(0.975)


def test_everybody_always_says_the_same():
    found = metaeval.agreement(labels().assign(human1="yes", human2="yes", human3="yes").drop(columns="gpt4"))
    people = found.findings.groups[0]
    assert people.always == "yes"
    assert np.isnan([people.coefficients[name].value for name in ("kappa", "scott", "alpha_nominal")]).all()
    assert (people.raw.value, people.coefficients["ac1"].value) == (1, 1)
    assert people.raw.lower > 0.9
    assert found.answer.startswith("People always say 'yes', so that agreement beyond chance is not defined; two of ")


def test_a_rater_with_one_answer_is_named():
    with pytest.warns(metaeval.MetaevalWarning, match="human1 always says 'yes': kappa with anybody is 0"):
        found = metaeval.agreement(labels().assign(human1="yes"))
    pair = found.findings.pairs[0]
    assert pair.raters == ("human1", "human2")
    assert pair.coefficients["kappa"].value == pytest.approx(0, abs=1e-12)


def test_answers_that_nobody_gave_move_ac1_and_are_said(run):
    table = labels()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = metaeval.agreement(table).to_frame("groups").iloc[0]
        stated = metaeval.agreement(table, categories=["no", "yes", "n/a"]).to_frame("groups").iloc[0]
    assert (seen["answers"], stated["answers"]) == (2, 3)
    # Gwet: chance is sum p (1 - p) / (q - 1), so that with one answer more it is half.
    chance = (seen["raw"] - seen["ac1"]) / (1 - seen["ac1"])
    assert stated["ac1"] == pytest.approx((seen["raw"] - chance / 2) / (1 - chance / 2), abs=1e-12)
    assert stated["alpha_nominal"] == seen["alpha_nominal"]
    out = run(table)[1]
    assert "AC1 is for the 2 answers that occur; if others could be given, name all: --categories." in out
    out = run(table, "--categories", "no", "yes", "n/a")[1]
    assert "AC1 is for 3 answers that could be given." in out


@pytest.mark.parametrize(
    ("table", "words", "message"),
    [
        (labels(), ("no",), "must name all answers that could be given; it lacks 'yes', which the table has"),
        (pd.DataFrame({"id": range(12), "human1": np.arange(12) / 3, "human2": 1.5}), ("1",), "ratings are numbers"),
    ],
)
def test_categories_must_fit(table, words, message):
    with pytest.raises(UsageError, match=message):
        metaeval.agreement(table, categories=words)


def test_grades_that_could_be_given_are_numbers_or_the_words_of_the_order():
    grades = pd.DataFrame({"id": range(20), "human1": A, "human2": B})
    found = metaeval.agreement(grades, categories=["1", "2", "3", "4", "5", "6"])
    # irrCAC 0.4.4 with six categories
    assert found.to_frame("pairs")["ac1"][0] == pytest.approx(0.645075421473, abs=1e-11)
    words = grades.replace({1: "bad", 2: "poor", 3: "fair", 4: "good", 5: "fine"})
    found = metaeval.agreement(words, order=["bad", "poor", "fair", "good", "fine", "best"])
    row = found.to_frame("pairs").iloc[0]
    assert (row["answers"], row["ac1"]) == (6, pytest.approx(0.645075421473, abs=1e-11))
    # sklearn 1.9.1
    assert row["kappa_quadratic"] == pytest.approx(0.905511811023622, abs=1e-12)


def test_labels_have_no_weighted_kappa():
    row = metaeval.agreement(labels()).to_frame("pairs").iloc[0]
    assert np.isnan(row[["kappa_linear", "kappa_quadratic", "alpha_ordinal", "alpha_interval"]].astype(float)).all()


def test_preferences_are_compared_with_and_without_ties():
    # 40 pairs of outputs: equal on 10 wins of a, 5 of b and 5 ties; 10 wins against ties, and 10 against one another.
    one = ["a"] * 10 + ["b"] * 5 + ["tie"] * 5 + ["a"] * 10 + ["a"] * 10
    other = ["a"] * 10 + ["b"] * 5 + ["tie"] * 5 + ["tie"] * 10 + ["b"] * 10
    table = pd.DataFrame({"id": range(40), "model_a": "x", "model_b": "y", "human1": one, "human2": other})
    found = metaeval.agreement(table)
    row = found.to_frame("pairs").iloc[0]
    assert (row["items"], row["raw"]) == (40, 0.5)
    assert (row["items_without_ties"], row["raw_without_ties"]) == (25, 0.6)
    # Shares of a, tie and b: .75, .125, .125 and .25, .375, .375: by chance .28125. Distances from 0 to 2.
    assert row["kappa"] == pytest.approx((0.5 - 0.28125) / (1 - 0.28125))
    observed = (10 * 1 + 10 * 2) / 40
    by_chance = 0.75 * (0.375 + 2 * 0.375) + 0.125 * (0.25 + 0.375) + 0.125 * (2 * 0.25 + 0.375)
    assert row["kappa_linear"] == pytest.approx(1 - observed / by_chance)
    assert "AC1 is for the answers first, second and neither." in str(found)


def test_numbers_have_alpha_and_quadratic_kappa():
    table = pd.DataFrame({"id": range(20), "human1": A, "human2": B}) * [1, 1.5, 1.5]
    with pytest.warns(metaeval.MetaevalWarning, match="the intervals rest on 20 items"):
        found = metaeval.agreement(table)
    row = found.to_frame("pairs").iloc[0]
    # krippendorff 0.9.0, sklearn 1.9.1: neither changes with the unit.
    assert row["alpha_interval"] == pytest.approx(0.9072900158478605, abs=1e-12)
    assert row["kappa_quadratic"] == pytest.approx(0.905511811023622, abs=1e-12)
    assert row["alpha_interval_lower"] < row["alpha_interval"] < row["alpha_interval_upper"]
    assert np.isnan(row["raw"])
    assert found.answer.endswith("(interval; 1 perfect, 0 chance).")


def test_judges_stand_beside_people_but_are_none():
    found = metaeval.agreement(labels()).findings
    assert [one.group for one in found.groups] == ["people"]
    assert [one.raters for one in found.pairs] == [
        ("human1", "human2"), ("human1", "human3"), ("human2", "human3"),
        ("gpt4", "human1"), ("gpt4", "human2"), ("gpt4", "human3"),
    ]  # fmt: skip
    (alone,) = metaeval.agreement(labels().drop(columns="gpt4")).findings.groups
    assert alone.coefficients == found.groups[0].coefficients


def test_the_answer_is_about_people_before_judges():
    table = labels().assign(llm1=labels()["gpt4"], llm2=labels(seed=4)["gpt4"])
    assert metaeval.agreement(table).answer.startswith("People agree beyond chance: Krippendorff's alpha 0.")
    two = table.drop(columns="human3")
    assert metaeval.agreement(two).answer.startswith("human1 and human2 agree beyond chance: ")
    none = table.drop(columns=["human1", "human2", "human3"])
    assert metaeval.agreement(none).answer.startswith("Judges agree beyond chance: ")


def test_the_answer_claims_no_more_than_its_interval():
    chance = metaeval.agreement(labels(errors=(0.5, 0.5, 0.5, 0.5)))
    assert chance.answer.startswith("People are not shown to agree beyond chance: Krippendorff's alpha ")
    few = metaeval.agreement(labels(8), min_shared=5)
    assert few.answer.startswith("It cannot be said whether people agree beyond chance: 8 items or documents are too ")
    skewed = metaeval.agreement(labels(60, share=0.02, errors=(0.03,) * 4))
    assert "are the same answer, and with fewer than 100 items intervals hold too seldom then" in skewed.answer
    row = skewed.to_frame("groups").iloc[0]
    assert np.isnan(row[["alpha_nominal_lower", "scott_upper"]].astype(float)).all()
    assert row["ac1_lower"] < row["ac1"] < row["ac1_upper"]
    assert row["raw_lower"] > 0.8


def test_the_answer_comes_first_then_how_the_table_was_read(run):
    code, out, err = run(labels())
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].startswith("People agree beyond chance: Krippendorff's alpha 0.")
    assert "ratings.csv: labels no, yes, 120 items; people: human1, human2, human3; judges: gpt4." in lines
    assert sum(line.startswith(("all people ", "human", "gpt4")) for line in lines) == 7
    assert len(lines) < 20


def test_pairs_are_cut_and_shown_whole(run):
    table = labels().assign(**{f"human{at}": labels(seed=at)["human1"] for at in range(4, 8)})
    out = run(table)[1]
    assert "... and 22 pairs more: --verbose shows all." in out
    # Those of people go first, and of these those with most items.
    table.loc[:20, "human1"] = None
    assert [line.split("  ")[0] for line in run(table)[1].splitlines() if line.startswith(("human", "gpt"))] == [
        f"human{one}, human{other}" for one, other in ((2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (3, 4))
    ]
    table = table.assign(human1=labels()["human1"])
    whole = run(table, "--verbose")[1]
    assert "All coefficients" in whole
    assert whole.count("human6, human7") == 2
    only = run(table, "--table", "pairs")[1]
    assert "all people" not in only
    assert only.count("human6, human7") == 2


def test_formats_for_programs_have_all_numbers(run):
    found = metaeval.agreement(labels())
    content = json.loads(run(labels(), "--format", "json")[1])
    assert content["answer"] == found.answer
    assert [row["ac1"] for row in content["pairs"]] == list(found.to_frame("pairs")["ac1"])
    lines = run(labels(), "--format", "tsv", "--table", "groups")[1].splitlines()
    assert lines[0].startswith("group\traters\titems\tclusters\tclusters_are\traw\traw_lower\traw_upper\tkappa\t")
    assert len(lines) == 2
    both = found.to_frame()
    assert list(both["table"]) == ["groups"] + ["pairs"] * 6


def test_a_table_without_three_people_has_no_groups():
    found = metaeval.agreement(labels().drop(columns="human3"))
    with pytest.raises(UsageError, match="no table 'groups', because there are no three people"):
        found.to_frame("groups")
    with pytest.raises(UsageError, match="unknown table 'alpha'"):
        found.to_frame("alpha")


def test_pairs_with_few_items_are_counted():
    people = [[*A, NAN], [*B, 1], [NAN] * 16 + [1, 2, 3, 4, 5]]
    found = found_in(of_matrix(people, {}, kind="grade"))
    assert [(pair.n_items, pair.coefficients["kappa"].missing_because) for pair in found.pairs[1:]] == [
        (4, "4 items in common, and 10 are needed"),
        (5, "5 items in common, and 10 are needed"),
    ]
    assert "2 of 3 pairs of raters share fewer than 10 items, and have no coefficients." in found.warnings


def test_items_rated_once_are_counted():
    found = found_in(of_matrix([[*A, 1, 2], [*B, NAN, NAN]], {}, kind="grade"))
    assert "2 items rated by one rater are left out: two are needed." in found.warnings
    assert found.pairs[0].n_items == 20


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (labels()[["id", "human1"]], "must have two raters, whose agreement is to be measured; it has 'human1'"),
        (
            pd.DataFrame({"item": [1, 2], "rater": ["anna", "ben"], "score": [1, 2]}),
            "must have items that two raters rated; each of 2 items has one rating, by one of 'anna', 'ben'",
        ),
    ],
)
def test_without_ratings_in_common_there_is_nothing_to_measure(table, message):
    with pytest.raises(UsageError, match=message):
        metaeval.agreement(table)


def test_a_table_of_systems_and_numbers_is_a_corpus_and_of_words_a_table():
    rows = [
        {"system": system, "segment": at, "judge": judge, "score": at % 3}
        for at in range(20)
        for system in "AB"
        for judge in "xy"
    ]
    table = pd.DataFrame(rows)
    assert type(metaeval.agreement(table, n_resamples=10, n_draws=2)).__name__ == "Agreement"
    in_words = metaeval.agreement(table.assign(score=WORDS[table["score"] % 2]))
    assert type(in_words).__name__ == "RatersReport"
    assert in_words.findings.pairs[0].n_items == 40
    stated = metaeval.agreement(table, categories=["0", "1", "2", "3"])
    assert stated.to_frame("pairs")["answers"].tolist() == [4]


def test_a_corpus_is_read_as_ratings_where_that_is_asked_for(run):
    assert main(["agreement", "demo", "--criterion", "adequacy", "--categories", "1", "2", "3", "4", "5"]) == 0


def test_ratings_of_another_result_are_taken_as_they_are():
    judged = metaeval.judge(labels())
    found = metaeval.agreement(judged.ratings)
    assert found.ratings is judged.ratings
    # The same numbers as there: agreement of people with one another.
    assert found.findings.groups[0].raw.value == judged.findings.judges[0].person.value


def test_several_files_are_one_table(run, tmp_path):
    labels()[["id", "gpt4"]].to_csv(tmp_path / "judge.csv", index=False)
    code, out, _ = run(labels().drop(columns="gpt4"), "judge.csv")
    assert code == 0
    assert "gpt4, human1" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", "3"), "--seed must be left out for a table of ratings: nothing is drawn there."),
        (("--draws", "3"), "--draws must be left out for a table of ratings"),
        (("--people", "human1", "-m", "bleu"), "--people must not be given together with --metric: the former say"),
        (("--criterion", "a", "b"), "--criterion must be one criterion of a table of ratings; got 2."),
        (("--people", "nobody"), "unknown person 'nobody'"),
        (("nowhere.csv",), "there is no file 'nowhere.csv': a table of ratings, or a corpus, must be named."),
        (("--corpus", "demo"), "TABLE|CORPUS must be given, a table of ratings or a corpus, or --corpus instead; got"),
    ],
)
def test_wrong_options_are_told(run, words, message):
    code, _, err = run(labels(), *words)
    assert code == 2
    assert message in err


def test_a_table_that_is_none_of_ratings_and_no_corpus_says_so_of_ratings():
    table = pd.DataFrame({"id": [1, 2], "what": ["x y z", "u"], "thing": ["k", "l"]})
    with pytest.raises(CorpusError, match=r"must have ratings: .*name these: people="):
        metaeval.agreement(table)
