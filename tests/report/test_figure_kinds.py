"""Every kind of figure: what it shows is what the tables hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metaeval
from metaeval.errors import UsageError
from metaeval.report.figures.canvas import spread
from metaeval.report.figures.nist_share import shares_by_order
from metaeval.report.figures.run_frames import figure_data
from tests.support.corpus import write
from tests.support.figures import figures, heads_of, names_of, shades
from tests.support.gold import inputs, rows
from tests.support.pictures import misplaced

ORDERS = [f"nist(order={order})" for order in range(1, 4)]


def without_zero(value):
    return f"{value:.3f}".replace("0.", ".", 1)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    overrides = [
        f"metrics={[*ORDERS, 'ter', 'bleu']}".replace("'", '"'),
        'references.subsets=["ref1", "ref2", "ref1+ref2"]',
        'preprocessing=["case", "stem"]',
        "uncertainty.n_resamples=50",
        'figures=[{kind="nist-share"}, {kind="judges", judges=["judge01", "nobody"]}]',
    ]
    return metaeval.run("system-level", overrides=overrides, output=tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def data(run):
    whole = figure_data(run.data)
    documents = whole.documents()
    documents = documents[(documents["preprocessing"] == "case") & (documents["subset"] == "ref1")]
    return replace(whole, documents=lambda: documents)


def test_a_figure_that_cannot_be_drawn_is_told_and_the_others_are_there(run):
    assert (run.directory / "figures" / "nist-share.pdf").exists()
    assert [message for message in run.warnings if message.startswith("the figure 'judges' is missing: corpus 'demo'")]


@pytest.mark.parametrize(
    ("references", "subset", "expected"),
    [
        ({"subsets": ["ref1"]}, "ref1", 1),
        ({"subsets": ["ref1+ref2+ref3"]}, "ref1+ref2+ref3", 3),
        ({"subsets": "random", "sizes": [3], "count": 2}, "random(size=3,count=2)", 3),
        ({"subsets": "every", "sizes": [2]}, "every(size=2,count=6)", 2),
        ({"subsets": "leave-one-out"}, "leave-one-out(ref1+ref2+ref3+ref4)", 3),
        ({"subsets": "each", "combine": "correlations"}, "each(ref1+ref2+ref3+ref4)", 1),
        ({"subsets": ["ref1", "ref2+ref3"], "combine": "scores"}, "listed(ref1+ref2+ref3)", 1.5),
    ],
)
def test_the_number_of_references_of_a_subset(references, subset, expected):
    table = metaeval.correlate("demo", "wer", references=references, uncertainty={"method": "none"}).correlations
    assert set(zip(table["subset"], table["n_references"], strict=True)) == {(subset, expected)}


def test_lines_against_references_go_through_the_means(data):
    found = figures("correlation-by-references", correlations=data.correlations, rankings=data.rankings)
    figure = found["correlation-by-references_case_pearson"]
    (line,) = (line for line in figure.axes[0].get_lines() if line.get_gid() == "bleu")
    table = data.correlations
    table = table[
        (table["preprocessing"] == "case") & (table["coefficient"] == "pearson") & (table["metric"] == "bleu")
    ]
    by_subset = table[table["criterion"] == "adequacy"].set_index("subset")["mean"]

    expected = [(by_subset["ref1"] + by_subset["ref2"]) / 2, by_subset["ref1+ref2"]]
    assert line.get_xdata().tolist() == [1, 2]
    assert expected == pytest.approx(line.get_ydata().tolist())


def test_bands_against_references_are_the_intervals_where_there_is_one_subset(data):
    kept = data.correlations[data.correlations["subset"] != "ref2"]
    found = figures("correlation-by-references", correlations=kept, asked={"bands": "all"})
    figure = found["correlation-by-references_case_pearson"]
    part = kept[
        (kept["preprocessing"] == "case") & (kept["coefficient"] == "pearson") & (kept["criterion"] == "adequacy")
    ]
    heights = [band.get_paths()[0].vertices[:, 1] for band in figure.axes[0].collections]

    assert part.groupby("metric", sort=False)["lower"].min().tolist() == [low.min() for low in heights]
    assert "Bands: 95 % confidence intervals" in figure.caption


def test_the_heat_table_prints_marks_and_the_best_in_bold(data):
    kept = data.correlations[data.correlations["subset"] == "ref1"]
    found = figures("heat-table", correlations=kept, rankings=data.rankings)
    panel = found["heat-table_pearson"].axes[0]
    part = kept[kept["coefficient"] == "pearson"]
    best = part.loc[part.groupby(["criterion", "preprocessing"])["mean"].idxmax()]
    ranked = data.rankings
    ranked = ranked[(ranked["subset"] == "ref1") & (ranked["coefficient"] == "pearson")]
    n_equal = ((ranked["method"] == "intervals") & ranked["top_cluster"]).sum()

    numbers = [text for text in panel.texts if text.get_text() != "*"]
    assert sorted(text.get_text() for text in numbers) == sorted(without_zero(value) for value in part["mean"])
    bold = sorted(text.get_text() for text in numbers if text.get_weight() == "bold")
    assert bold == sorted(without_zero(value) for value in best["mean"])
    assert len(panel.texts) - len(numbers) == n_equal


def test_a_darker_cell_is_a_higher_coefficient_of_its_column():
    place = {"corpus": "c", "subset": "r", "average_by": "item", "length": 9, "coefficient": "pearson"}
    table = pd.DataFrame(
        [
            {"metric": metric, "criterion": criterion, "mean": mean}
            for criterion, means in (("a", (0.50, 0.74, 0.90)), ("b", (0.2, -0.2, 0.0)))
            for metric, mean in zip(("x", "y", "z"), means, strict=True)
        ]
    ).assign(**place, preprocessing="case", lower=np.nan, upper=np.nan)
    (figure,) = figures("heat-table", correlations=table).values()
    panel = figure.axes[0]
    # In the order of the first column: z, y, x. (0.74 - 0.50) / (0.90 - 0.50) = 0.6; (0 + 0.2) / (0.2 + 0.2) = 0.5.
    assert names_of(panel) == ["z", "y", "x"]
    assert shades(panel) == pytest.approx(np.array([[1.0, 0.5], [0.6, 0.0], [0.0, 1.0]]) * 0.42)


def cells(rows, columns):
    """Return a table with a coefficient for each metric and preprocessing, .12 and .34 in turn; one is undefined."""
    place = {"corpus": "c", "subset": "r", "average_by": "item", "length": 9, "coefficient": "pearson"}
    table = pd.DataFrame(
        [{"metric": metric, "preprocessing": preprocessing} for metric in rows for preprocessing in columns]
    )
    means = [0.12, 0.34] * (len(table) // 2)
    means[-1] = np.nan
    return table.assign(**place, criterion="adequacy", mean=means, lower=np.nan, upper=np.nan)


TOKENIZERS = ("none", "13a", "intl", "zh", "char", "spm")


@pytest.mark.parametrize(
    ("width", "texts", "turned"),
    [(6.3, {".120", ".340", "undefined"}, 0), (3.1, {".12", ".34", "undefined"}, 90)],
)
def test_the_heat_table_of_many_columns_has_short_numbers_and_turned_heads(width, texts, turned):
    treatments = [f'case(tokenizer="{one}")' for one in TOKENIZERS]
    (figure,) = figures("heat-table", correlations=cells(["bleu", "ter"], treatments), asked={"width": width}).values()
    panel = figure.axes[0]

    assert {text.get_text() for text in panel.texts} == texts
    assert {label.get_rotation() for label in panel.get_xticklabels()} == {turned}
    assert figure.caption == "Bold: the best of a column. Darker: higher, within a column."


def test_few_short_heads_are_not_turned():
    (figure,) = figures("heat-table", correlations=cells(["bleu", "ter"], ["case", "stem"])).values()
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {0}
    assert heads_of(figure.axes[0]) == [
        "adequacy tokens at white space, case kept",
        "adequacy tokens at white space, lower-cased and stemmed",
    ]


def test_the_scatter_counts_the_systems_without_a_score():
    place = {"corpus": "c", "preprocessing": "case", "subset": "r", "criterion": "adequacy", "metric": "bleu"}
    table = pd.DataFrame({"system": ["a", "b", "d"], "score": [1.0, 2.0, np.nan], "human": [1.0, np.nan, 3.0]})
    known = pd.DataFrame([{**place, "coefficient": "pearson", "mean": 0.5}])
    (figure,) = figures("scatter", documents=table.assign(**place), correlations=known).values()

    assert [text.get_text() for text in figure.axes[0].texts] == ["Pearson 0.500", "a"]
    assert figure.caption == "Points: systems. 2 without a metric or human score are left out."
    assert figure.numbers == [("system", "human score", "BLEU"), ("a", "1", "1")]


def test_scatter_shows_every_system_with_its_scores(data):
    documents = data.documents()
    figure = figures("scatter", documents=documents, correlations=data.correlations)["scatter_adequacy"]
    part = documents[documents["criterion"] == "adequacy"]
    for panel, metric in zip(figure.axes, [*ORDERS, "ter", "bleu"], strict=False):
        mine = part[part["metric"] == metric]
        (points,) = (line for line in panel.get_lines() if line.get_gid() == metric)
        assert list(zip(*points.get_data(), strict=True)) == list(zip(mine["score"], mine["human"], strict=True))


@pytest.mark.parametrize(
    ("signs", "coefficient", "words"),
    [
        # Human scores 1, 2, 3, 5 against 1, 2, 3, 4 correlate with 6.5 / sqrt(5 * 8.75) = 0.983.
        ((1, 1), 0.983, (False, False)),
        ((-1, 1), -0.983, (True, False)),
        ((1, -1), -0.983, (False, True)),
        ((-1, -1), 0.983, (True, True)),
    ],
)
def test_points_rise_where_the_coefficient_is_positive(signs, coefficient, words):
    place = {"corpus": "c", "preprocessing": "case", "subset": "r", "criterion": "adequacy", "metric": "m"}
    table = pd.DataFrame({"system": list("abde"), "score": [1.0, 2, 3, 4], "human": [1.0, 2, 3, 5]}).assign(**place)
    known = pd.DataFrame([{**place, "coefficient": "pearson", "mean": coefficient}])
    (figure,) = figures("scatter", documents=table, correlations=known, signs={("c", "adequacy", "m"): signs}).values()
    panel = figure.axes[0]
    shown = panel.transData.transform(table[["score", "human"]])

    assert np.sign(np.polyfit(*shown.T, 1)[0]) == np.sign(coefficient)
    inverted = "axis inverted: lower is better"
    assert (panel.get_xlabel() == inverted, inverted in figure.get_supylabel().replace("\n", " ")) == words


@pytest.mark.parametrize("orientation", ["aligned", "raw"])
def test_axes_are_inverted_in_a_run_where_lower_is_better_and_scores_are_aligned(orientation, tmp_path):
    corpus = write(tmp_path / "corpus")
    overrides = [
        'metrics=["ter", "bleu"]',
        f'correlation.orientation="{orientation}"',
        'uncertainty.method="none"',
        'figures=[{kind="scatter", formats=["svg"]}]',
    ]
    run = metaeval.run("system-level", corpora=corpus, overrides=overrides, output=tmp_path / "run")
    adequacy, errors = (
        (run.directory / "figures" / f"scatter_{name}.svg").read_text() for name in ("adequacy", "errors")
    )

    # On adequacy that of ter; on errors that of ter, and that of people, which both panels share.
    assert adequacy.count("axis inverted") == (orientation == "aligned")
    assert errors.count("axis inverted") == 2 * (orientation == "aligned")


@pytest.mark.parametrize(("seed", "width"), [(1, "column"), (2, "column"), (3, "page")])
def test_the_systems_farthest_from_the_line_are_named_and_no_name_covers_another(seed, width):
    rng = np.random.default_rng(seed)
    place = {"corpus": "c", "preprocessing": "case", "subset": "r", "criterion": "adequacy", "metric": "bleu"}
    names = [f"a-system-{k:02d}" for k in range(25)]
    scores = rng.normal(size=25)
    table = pd.DataFrame({"system": names, "score": scores, "human": scores + rng.normal(size=25)}).assign(**place)
    known = pd.DataFrame([{**place, "coefficient": "pearson", "mean": 0.5}])
    (figure,) = figures("scatter", documents=table, correlations=known, asked={"width": width}).values()

    # The residuals of numpy's own fit.
    residuals = np.abs(table["human"] - np.polyval(np.polyfit(scores, table["human"], 1), scores))
    farthest = {names[k] for k in np.argsort(-residuals)[:4]}
    named = {text.get_text().replace("\n", "") for text in figure.axes[0].texts} - {"Pearson 0.500"}
    assert named
    assert named <= farthest
    assert not misplaced(figure)
    assert "Dark, with names: the 4 farthest from the line of least squares" in figure.caption

    # No name can belong to two points: those that have names are dark, all are grey behind them.
    every, dark = (
        next(line for line in figure.axes[0].get_lines() if line.get_gid() == gid) for gid in ("bleu", "named")
    )
    places = table.set_index("system")
    assert set(zip(*dark.get_data(), strict=True)) == {tuple(places.loc[name, ["score", "human"]]) for name in named}
    assert (every.get_color(), dark.get_color()) == ("#9A9A9A", "black")
    # Each name has a line of its own, which ends at its point.
    ends = [line.get_xydata()[-1] for line in figure.axes[0].get_lines() if not line.get_gid()]
    assert np.sort(ends, axis=0) == pytest.approx(np.sort(dark.get_xydata(), axis=0))


def judged(*triples):
    """Return judgments on adequacy: (judge, segment, score)."""
    table = pd.DataFrame(triples, columns=["judge", "segment", "score"])
    return table.assign(corpus="c", system="s", criterion="adequacy")


def test_the_two_judges_who_agree_least_are_drawn_with_jitter():
    # ann and bob share 10 items: without ties rho = 1 - 6 * (sum of squared differences of ranks) / (n**3 - n). Of bob,
    # 9 and 10 are swapped: 1 - 6 * 2 / 990 = 0.988. cyd has the grades of ann in the order 6 to 10, 1
    # to 5: squares 10 * 25, so 1 - 6 * 250 / 990 = -0.515. eve reverses ann on 9 items, which are too few; fay always
    # says 3, and has no correlation with anybody.
    scores = {
        "ann": range(1, 11),
        "bob": (1, 2, 3, 4, 5, 6, 7, 8, 10, 9),
        "cyd": (6, 7, 8, 9, 10, 1, 2, 3, 4, 5),
        "eve": range(9, 0, -1),
        "fay": (3,) * 10,
    }
    table = judged(*((judge, segment, score) for judge, of in scores.items() for segment, score in enumerate(of)))
    table = pd.concat([table[table["judge"] != "bob"], table[table["judge"] == "bob"].assign(criterion="fluency")])
    table = pd.concat([table, table[table["judge"] == "ann"].assign(criterion="fluency")])
    (figure,) = figures("judges", judgments=table, seed=7).values()
    panel, other = figure.axes[:2]
    (points,) = panel.get_lines()
    x, y = (np.array(part) for part in points.get_data())

    assert [panel.get_title(loc="left"), panel.texts[0].get_text()] == ["adequacy", "Spearman -0.515, n = 10"]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("judge ann", "judge cyd")
    # Each criterion has its own two.
    assert [other.get_title(loc="left"), other.texts[0].get_text()] == ["fluency", "Spearman 0.988, n = 10"]
    assert {other.get_xlabel(), other.get_ylabel()} == {"judge ann", "judge bob"}
    assert np.abs(x - list(scores["ann"])).max() <= 0.2
    assert np.abs(y - list(scores["cyd"])).max() <= 0.2
    assert len(set(x.tolist()) | set(range(1, 11))) == 10 + 10
    again, other = (
        figures("judges", judgments=table, seed=seed)["judges"].axes[0].get_lines()[0].get_xdata().tolist()
        for seed in (7, 8)
    )
    assert again == x.tolist() != other
    assert figure.caption.startswith(
        "The two judges with the lowest correlation of those who share 10 items or more. Points"
    )


def test_criteria_without_two_judges_are_told():
    alike = [(judge, k, k) for judge in ("ann", "bob") for k in range(10)]
    table = pd.concat([judged(*alike), judged(*alike[:19]).assign(criterion="fluency")])
    (figure,) = figures("judges", judgments=table, seed=1).values()
    assert figure.caption.endswith("at random. Without items shared so: fluency.")
    with pytest.raises(UsageError, match=r"corpus 'c': no two judges have judged 10 of the same items"):
        figures("judges", judgments=table[table["criterion"] == "fluency"], seed=1)


@pytest.mark.parametrize(("unit", "ticks"), [(1, [1, 2, 3, 4]), (25, None)])
def test_both_judges_have_one_scale_and_few_grades_are_marked(unit, ticks):
    table = judged(*(("ann", k, unit * k) for k in (1, 2, 3)), *(("bob", k, unit * (k + 1)) for k in (1, 2, 3)))
    (figure,) = figures("judges", judgments=table, seed=1, asked={"judges": ("ann", "bob")}).values()
    panel = figure.axes[0]

    assert panel.get_xlim() == panel.get_ylim()
    if ticks:
        assert panel.get_xticks().tolist() == panel.get_yticks().tolist() == ticks
    else:
        assert len(panel.get_xticks()) < 12


def test_a_named_pair_and_what_can_be_wrong_with_it():
    table = judged(("ann", 1, 1), ("ann", 2, 3), ("bob", 1, 2), ("cyd", 2, 2), ("cyd", 3, 2))
    (figure,) = figures("judges", judgments=table, seed=1, asked={"judges": ("cyd", "ann")}).values()
    assert figure.axes[0].get_xlabel() == "judge cyd"
    with pytest.raises(UsageError, match=r"corpus 'c': 'bob' and 'cyd' have not judged the same item"):
        figures("judges", judgments=table, seed=1, asked={"judges": ("bob", "cyd")})
    with pytest.raises(UsageError, match=r"unknown judge 'dan'"):
        figures("judges", judgments=table, seed=1, asked={"judges": ("dan", "ann")})


def test_agreement_shows_values_below_and_numbers_above():
    # ann and bob: the same order on 12 items; cyd the reverse of both on 11; dan shares 2 with ann: too few.
    rows_of = [("ann", k, k) for k in range(12)] + [("bob", k, 2 * k) for k in range(12)]
    rows_of += [("cyd", k, -k) for k in range(11)] + [("dan", k, k) for k in range(2)]
    (figure,) = figures("agreement", judgments=judged(*rows_of)).values()
    panel = figure.axes[0]
    names = [label.get_text() for label in panel.get_yticklabels()]
    cells = {tuple(text.get_gid().split(", ")): text.get_text() for text in panel.texts}

    assert names[:3] == ["ann", "bob", "cyd"]
    assert cells == {
        ("ann", "bob"): "12",
        ("ann", "cyd"): "11",
        ("bob", "cyd"): "11",
        ("bob", "ann"): "1.00",
        ("cyd", "ann"): "\N{MINUS SIGN}1.00",
        ("cyd", "bob"): "\N{MINUS SIGN}1.00",
    }
    assert "1 more judge is not shown" in figure.caption


def test_two_judges_without_items_in_common_have_empty_cells():
    # bob and cyd each share 10 items with ann, and none with one another.
    rows_of = [("ann", k, k) for k in range(20)] + [("bob", k, k) for k in range(10)]
    (figure,) = figures("agreement", judgments=judged(*rows_of, *(("cyd", k, -k) for k in range(10, 20)))).values()
    panel = figure.axes[0]

    assert [label.get_text() for label in panel.get_yticklabels()] == ["bob", "ann", "cyd"]
    found = {text.get_gid(): text.get_text() for text in panel.texts}
    assert found == {"ann, bob": "1.00", "bob, ann": "10", "cyd, ann": "\N{MINUS SIGN}1.00", "ann, cyd": "10"}


def test_agreement_of_more_judges_than_fit_tells_the_rest():
    table = judged(*((f"j{judge}", k, (judge * k) % 7) for judge in range(25) for k in range(10)))
    (figure,) = figures("agreement", judgments=table).values()
    assert len(figure.axes[0].get_yticklabels()) == 20
    assert "5 more judges are not shown" in figure.caption
    with pytest.raises(UsageError, match=r"no two judges of 'c' share 10 items"):
        figures("agreement", judgments=table[table["segment"] < 9])


def test_shares_of_orders():
    # Scores up to order 1, 2, 3 of two systems: 4, 5, 5 and 3, 4, 6. Shares 4/5, 1/5, 0 and 3/6, 1/6, 2/6; their means.
    table = pd.DataFrame(
        [
            {"system": system, "score": score, "metric": f"nist(order={order})"}
            for system, scores in (("A", (4, 5, 5)), ("B", (3, 4, 6)))
            for order, score in enumerate(scores, start=1)
        ]
    ).assign(
        corpus="c", preprocessing="case", subset="ref1", level="system", kind="system", n_references=1, signature="NIST"
    )
    found = shares_by_order(table)

    assert found["order"].tolist() == [1, 2, 3]
    expected = [0.65, (1 / 5 + 1 / 6) / 2, 1 / 6]
    assert expected == pytest.approx(found["share"].tolist())
    with pytest.raises(UsageError, match=r"needs the scores of nist of every order"):
        shares_by_order(table[table["metric"] != "nist(order=2)"])


def test_shares_equal_those_of_mteval():
    candidates, references = inputs("seg60")
    texts = {name: text.texts for name, text in candidates.items()}
    names = [f"nist(order={order})" for order in range(1, 6)]
    printed = {
        (row["hyp"], row["refs"]): [float(row[f"n{order}"]) for order in range(1, 6)]
        for row in rows("bleu_nist/seg60.mteval.corpus.tsv")
        if row["metric"] == "NIST" and row["kind"] == "ind" and row["program_options"] == "mteval-v13m --no-norm -c"
    }
    for refs in ("0", "0+1+2+3"):
        chosen = {name: references[name].texts for name in refs.split("+")}
        found = metaeval.score(names, texts, chosen, preprocessing="case")
        table = pd.DataFrame(
            {"system": system, "score": one.values[place, 0], "metric": name, "signature": str(one.signature)}
            for name, one in zip(names, found, strict=True)
            for place, system in enumerate(one.candidates)
        ).assign(corpus="c", preprocessing="case", subset=refs, level="system", kind="system", n_references=1)
        expected = np.mean([np.array(own) / sum(own) for (_, of), own in printed.items() if of == refs], axis=0)
        assert expected == pytest.approx(shares_by_order(table)["share"].to_numpy(), abs=1e-8)


@given(st.lists(st.floats(-50, 250), min_size=1, max_size=9))
@settings(deadline=None)
def test_labels_are_spread_without_overlap_and_stay_where_they_are_free(wishes):
    heights = np.sort(np.array(wishes))[::-1]
    sizes = [10.0] * len(heights)
    places = spread(heights, sizes, 0.0, 200.0)

    assert (-np.diff(places) >= 10 - 1e-9).all()
    assert places.max() <= 200 + 1e-9
    assert places.min() >= -1e-9
    free = (-np.diff(heights) >= 10).all() and heights.max() <= 200 and heights.min() >= 0
    if free:
        assert places == pytest.approx(heights)
