"""What differs between two runs: hand-made directories, and two real ones."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import CorpusError, UsageError
from metaeval.report.diff import diff_runs
from metaeval.results import store
from metaeval.results.model import KINDS, RunData, Tables
from metaeval.results.tables import text_of
from tests.support.results import (
    NAN,
    claim,
    correlation,
    facts_of,
    minimum_difference,
    ranking,
    signed,
    task_average,
    task_score,
)
from tests.support.results import test_result as a_test

CONFIG = """\
title = "By hand"
seed = 1
corpora = ["tiny"]
metrics = ["bleu", "ter"]

[documents]
kind = "all"
"""
TINY = facts_of("tiny", digest="aa", segments=4, references=("ref1",))


def line(metric="bleu", mean=0.5, lower=0.4, upper=0.6, *, subset="ref1", length=None, of="BLEU|order:4", **names):
    """Return a row of correlations."""
    place = {"corpus": "tiny", "metric": metric, "subset": subset, "length": length, "kind": "all", **names}
    return correlation(mean, lower=lower, upper=upper, signature=of, **place)


def compared_pair(first, second, p, difference=0.1, **values):
    """Return a row of tests: by a bootstrap over replicates."""
    return a_test(first, second, p, corpus="tiny", difference=difference, **values)


def write_run(directory, *, config=CONFIG, facts=(), corpora=(TINY,), **tables):
    """Write a run that has these tables and no scores."""
    told = {"metaeval": "1.0", "python": "3.11.7", "packages": {"numpy": "2.0"}, "seed": 1, "config": "mine"}
    directory.mkdir(parents=True)
    store.write_run(
        RunData(Tables(**tables), corpora=list(corpora), facts={**told, **dict(facts)}, config=config), directory
    )
    return directory


@pytest.fixture
def pair(tmp_path):
    """Give a function that writes two runs, from what each has, and compares them."""

    def compared(old, new):
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        return diff_runs(write_run(place / "old", **old), write_run(place / "new", **new))

    return compared


def test_equal_runs_have_no_difference(pair):
    run = {"correlations": [line(), line("ter", NAN, NAN, NAN)]}
    found = pair(run, run)
    assert found.is_empty
    assert found.n_compared == 2
    assert "no difference (2 correlations in both)" in str(found)
    assert len(found.to_frame()) == 0
    assert found.text("tsv") == "part"
    assert json.loads(found.text("json"))["numbers"] == []
    assert "no difference (1 correlation in both)" in str(pair({"correlations": [line()]}, {"correlations": [line()]}))


def test_inputs_are_told_by_their_dotted_keys(pair):
    other = CONFIG.replace('"all"', '"segments"').replace('["bleu", "ter"]', '["bleu"]').replace("seed = 1", "seed = 2")
    found = pair(
        {},
        {
            "config": other + '\n[[tests]]\nmethod = "bootstrap"\n',
            "facts": {"seed": 2, "packages": {"numpy": "2.1"}},
            "corpora": [replace(TINY, digest="bb"), replace(TINY, name="more")],
        },
    )
    assert found.inputs.values.tolist() == [
        ["config", "metrics", '["bleu", "ter"]', '["bleu"]'],
        ["config", "documents.kind", "all", "segments"],
        ["config", "tests[0].method", None, "bootstrap"],
        ["seed", "seed", 1, 2],
        ["corpus", "tiny.digest", "aa", "bb"],
        ["corpus", "more.digest", None, "aa"],
        ["corpus", "more.systems", None, 8],
        ["corpus", "more.segments", None, 4],
        ["corpus", "more.references", None, '["ref1"]'],
        ["corpus", "more.judgments", None, 9],
        ["version", "numpy", "2.0", "2.1"],
    ]
    assert "documents.kind" in str(found)
    assert found.text(width=200).startswith(
        'Inputs that differ: seed: 1 -> 2; metrics: ["bleu", "ter"] -> ["bleu"]; documents.kind: all -> segments; '
        "2 others; 6 corpus facts.\n\nNeither run has a correlation.\n"
    )
    assert found.text(width=200).endswith("`verbose=True` also lists: 8 other inputs.")
    assert "\nversion  numpy " in found.text(width=200, verbose=True)
    assert not found.is_empty


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("", "", "The inputs are the same."),
        ("", 'labels.bleu = "B"\n', "Inputs that differ: labels.bleu: not set -> B."),
        (
            'source = "a"\n',
            'source = "b"\nfigures = []\n',
            "Inputs that differ: source: a -> b; figures: not set -> [].",
        ),
        # Words and pictures stay behind what changes numbers.
        ('source = "a"\nmine = 1\n', 'source = "b"\nmine = 2\n', "Inputs that differ: mine: 1 -> 2."),
    ],
)
def test_inputs_that_change_no_number_are_named_alone(pair, old, new, sentence):
    configs = [CONFIG.replace("seed = 1\n", f"seed = 1\n{lines}") for lines in (old, new)]
    means = (0.5, 0.6)
    found = pair(
        *({"config": config, "correlations": [line(mean=mean)]} for config, mean in zip(configs, means, strict=True))
    )
    for text in (str(found), found.text(width=120)):
        assert text.split("\n\n")[0].split("\n")[-1] == sentence


def test_a_panel_keeps_its_name_in_the_config(pair):
    first = CONFIG + '\n[[panels]]\ntitle = "A"\npreprocessing = ["case"]\n'
    second = CONFIG + '\n[[panels]]\ntitle = "B"\n\n[[panels]]\ntitle = "A"\npreprocessing = ["stem"]\n'
    assert pair({"config": first}, {"config": second}).inputs.values.tolist() == [
        ["config", "panels[A].preprocessing", '["case"]', '["stem"]'],
        ["config", "panels[B].title", None, "B"],
    ]


def test_numbers_that_moved_come_by_their_size(pair):
    old = [
        line(length=1, mean=0.5),
        line(length=2, mean=0.5),
        line(length=3, mean=NAN, lower=NAN, upper=NAN),
        line(length=4, mean=0.5, lower=NAN, upper=NAN),
        line(length=5),
        line(length=6),
    ]
    new = [
        line(length=1, mean=0.625),  # 0.5 + 1/8, above 0.6
        line(length=2, mean=0.4375),  # 0.5 - 1/16, inside [0.4, 0.6]
        line(length=3, mean=0.2),
        line(length=4, mean=0.5, lower=0.1, upper=0.9),
        line(length=5),
        line(length=7, mean=0.3),
    ]
    found = pair({"correlations": old}, {"correlations": new})
    rows = found.numbers.set_index("length")
    assert list(rows.index) == [3, 1, 2, 4, 6, 7]
    assert rows.loc[1, ["old", "new", "change", "outside", "differs"]].tolist() == [0.5, 0.625, 0.125, "yes", "mean"]
    assert rows.loc[2, ["change", "outside"]].tolist() == [-0.0625, "no"]
    assert math.isnan(rows.loc[3, "old"])
    assert rows.loc[3, ["new", "outside", "differs"]].tolist() == [0.2, "", "mean, lower, upper"]
    assert rows.loc[4, ["new_lower", "new_upper", "old_sd", "new_sd"]].tolist() == [0.1, 0.9, 0.1, 0.1]
    assert rows.loc[4, ["change", "outside", "differs"]].tolist() == [0.0, "", "lower, upper"]
    assert rows.loc[6, ["found", "old", "new"]].tolist() == ["only old", 0.5, None]
    assert rows.loc[7, ["found", "old", "new"]].tolist() == ["only new", None, 0.3]
    assert found.n_compared == 5
    text = str(found)
    assert (
        "5 correlations in both runs; 3 changed, by at most 0.125; 1 is undefined in one of the runs; 1 left its old "
        # The interval of length 3 is that of one run; 0.4 became 0.1, and 0.6 became 0.9 in that of length 4.
        "confidence interval; 1 in the old run alone (BLEU); 1 in the new run alone (BLEU).\n"
    ) in text
    assert "[0.400, 0.600]" in text
    rows = text.split("\n\nCorrelations that changed")[1].split("\n\n")[0].split("\n")[3:]
    # What left its interval comes first.
    assert [row.split()[0] for row in rows] == ["1", "3", "2", "4"]


def test_limits_and_counts_that_moved_are_shown(pair):
    old, new = line(), replace(line(lower=0.25, upper=0.75), sd=0.2, n_used=3)
    found = pair({"correlations": [old]}, {"correlations": [new]})
    (row,) = json.loads(found.text("json"))["numbers"]
    assert [row[key] for key in ("lower", "upper", "new_lower", "new_upper")] == [0.4, 0.6, 0.25, 0.75]
    assert [row[key] for key in ("old_sd", "new_sd", "old_n_used", "new_n_used")] == [0.1, 0.2, 1, 3]
    header, *lines = [text.split("\t") for text in found.text("tsv").split("\n")]
    assert {"new_lower": "0.25", "new_sd": "0.2", "old_n_used": "1.0"}.items() <= dict(
        zip(header, lines[0], strict=True)
    ).items()
    text = str(found)
    assert "1 correlation in both runs; none changed; 1 interval changed, by at most 0.150 at an end; standard " in text
    assert "standard deviations or counts of 1 changed.\n" in text
    assert "\nCorrelations whose intervals or counts changed on tiny, adequacy: " in text
    assert "[0.400, 0.600]  [0.250, 0.750]  standard deviation 0.1 to 0.2, documents 1 to 3\n" in text
    brief = found.text(width=100)
    assert "1 correlation in both runs; none changed; 1 interval changed, by at most 0.150 at an end.\n" in brief
    assert "`verbose=True` also lists: 1 correlation whose intervals or counts changed; " in brief


@pytest.mark.parametrize(
    ("old", "new", "outside"),
    [
        (0.5, 0.7, "yes"),
        (0.5, 0.6, "no"),
        (0.3, 0.2, ""),  # it was outside [0.4, 0.6] before, as a mean can be outside the interval of its resamples
        (0.3, 0.5, ""),
        (0.5, NAN, ""),
    ],
)
def test_only_what_was_inside_an_interval_can_leave_it(pair, old, new, outside):
    found = pair({"correlations": [line(mean=old)]}, {"correlations": [line(mean=new)]})
    assert found.numbers["outside"].tolist() == [outside]
    assert ("1 left its old confidence interval" in str(found)) == (outside == "yes")


NAMES = [f"bleu(order={order})" for order in range(1, 10)]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("short", "other", ("short", "other")),
        (None, "p" * 100, (" -  ", "p" * 100)),
        # Of long lists, what one has alone.
        (NAMES, [*NAMES, "ter", "per"], ("", 'with "ter", "per"')),
        (NAMES[:-1], ["ter", *NAMES[1:-1]], ('without "bleu(order=1)"', 'with "ter"')),
        # Of long texts, and of lists in another order, what comes 20 letters before they part.
        ("p" * 100 + "old", "p" * 100 + "new", ("..." + "p" * 20 + "old", "..." + "p" * 20 + "new")),
        (NAMES, [*NAMES[:-2], NAMES[-1], NAMES[-2]], ('r=7)", "bleu(order=8)"', 'r=7)", "bleu(order=9)"')),
    ],
)
def test_long_values_are_shown_where_they_differ(pair, old, new, shown):
    def config(value):
        return CONFIG + ("" if value is None else f"mine = {json.dumps(value)}\n")

    text = str(pair({"config": config(old)}, {"config": config(new)}))
    row = next(one for one in text.split("\n") if one.startswith("config  documents.mine"))
    assert all(value in row for value in shown)


def test_runs_without_a_place_in_common_say_what_sets_them_apart(pair):
    found = pair(
        {"correlations": [line(subset="ref1"), line("ter", subset="ref1")]},
        {"correlations": [line(subset="ref2"), line("ter", subset="ref3")]},
    )
    text = "No metric has a correlation at the same place in both runs; they differ in references: ref1 against ref2, "
    text += "ref3."
    assert str(found).startswith(text)
    assert found.apart.startswith(text)
    assert found.numbers["found"].tolist() == ["only old"] * 2 + ["only new"] * 2


def test_names_that_mean_the_same_belong_together(pair):
    old = line("gtm", preprocessing='case(tokenizer="13a")', subset="ref1+ref2")
    new = line("gtm( exponent = 1 )", mean=0.7, preprocessing="case(tokenizer='13a')", subset="ref2+ref1")
    plain = line("my_metric.py:words", preprocessing="case")
    same = line("my_metric.py:words", preprocessing="case(tokenizer='none')")
    other = line("my_metric.py:words", preprocessing="nocase")
    found = pair({"correlations": [old, plain]}, {"correlations": [new, same, other]})
    assert found.n_compared == 2
    assert found.numbers[["metric", "found"]].values.tolist() == [["gtm", "both"], ["my_metric.py:words", "only new"]]
    assert found.numbers["change"][0] == pytest.approx(0.2, abs=1e-15)


def test_a_run_without_panels_is_compared_with_one_that_has_them(pair):
    bare = [line(length=1), line(length=2)]
    with_panels = [line(panel="A", length=1), line(panel="A", length=2), line(panel="B", length=2)]
    found = pair({"correlations": bare}, {"correlations": with_panels})
    # Length 1 stands in one panel; which of the two with length 2 is meant nobody can tell.
    assert found.n_compared == 1
    assert found.numbers[["panel", "length", "found"]].values.tolist() == [
        ["", 2, "only old"],
        ["A", 2, "only new"],
        ["B", 2, "only new"],
    ]


def test_two_runs_with_panels_are_compared_panel_by_panel(pair):
    old = [line(panel="A"), line(panel="B")]
    found = pair({"correlations": old}, {"correlations": [line(panel="A"), line(panel="B", mean=0.25)]})
    assert found.numbers[["panel", "old", "new"]].values.tolist() == [["B", 0.5, 0.25]]


def test_keys_of_signatures_are_counted(pair):
    old = [line(length=n, of="BLEU|order:4|smooth:none|method:a|method:b") for n in range(3)]
    new = [
        line(length=0, of="BLEU|order:4|smooth:none|method:a|method:c"),
        line(length=1, of="BLEU|order:2|eff:yes|method:a|method:b"),
        line(length=2, of="BLEU|order:2|eff:yes|method:a|method:b"),
    ]
    found = pair({"correlations": old}, {"correlations": new})
    assert found.signatures.values.tolist() == [
        ["correlations", "method", "a, b", "a, c", 1],
        ["correlations", "order", "4", "2", 2],
        ["correlations", "smooth", "none", None, 2],
        ["correlations", "eff", None, "yes", 2],
    ]
    assert len(found.numbers) == 0
    assert found.tables.values.tolist() == [["correlations.tsv", 3, 3, 3, "signatures"]]
    assert "3 correlations in both runs; only signatures differ.\n" in str(found)
    assert "signatures only\n" in str(found) + "\n"
    assert "also lists: keys of signatures that differ (method, order, smooth, eff); tables " in found.text(width=200)


def test_other_signatures_of_tests_are_none_of_correlations(pair):
    old, new = ({"correlations": [line()], "tests": [compared_pair("bleu", "ter", 0.5, signature=signature)]}
                for signature in ("t|family:2", "t|family:3"))  # fmt: skip
    assert "1 correlation in both runs; none changed.\n" in str(pair(old, new))


def test_a_signature_that_one_run_lacks_has_all_its_keys_in_the_other(pair):
    found = pair({"correlations": [line(of="")]}, {"correlations": [line()]})
    assert found.signatures.values.tolist() == [
        ["correlations", "(name)", None, "BLEU", 1],
        ["correlations", "order", None, "4", 1],
    ]


def test_tests_that_crossed_alpha(pair):
    levels = [minimum_difference(test="bootstrap", over="replicates", alpha=0.01)]
    old = [
        compared_pair("bleu", "ter", 0.02),
        compared_pair("bleu", "per", 0.005),
        compared_pair("bleu", "wer", 0.005, 0.25),
        compared_pair("bleu", "nist", NAN),
        compared_pair("nist", "per", 0.5),
        compared_pair("per", "wer", 0.04, test="williams"),
    ]
    new = [
        compared_pair("bleu", "ter", 0.04),  # between 0.01 and 0.05: nothing crossed
        compared_pair("bleu", "per", 0.02),
        compared_pair("wer", "bleu", 0.005, -0.25),  # the same pair, the other way round
        compared_pair("bleu", "nist", 0.5),
        compared_pair("nist", "ter", 0.5),
        compared_pair("per", "wer", 0.06, test="williams"),  # its alpha is told nowhere: 0.05
    ]
    found = pair(
        {"tests": old, "minimum_significant_differences": levels},
        {"tests": new, "minimum_significant_differences": levels},
    )
    assert found.tests[["metric_a", "metric_b", "found", "old_alpha", "became"]].values.tolist() == [
        ["bleu", "per", "both", 0.01, "not significant"],
        ["bleu", "nist", "both", 0.01, "defined"],
        ["nist", "per", "only old", None, ""],
        ["per", "wer", "both", 0.05, "not significant"],
        ["nist", "ter", "only new", None, ""],
    ]
    assert found.tables.values.tolist() == [["tests.tsv", 6, 6, 5, ""]]
    table = str(found).split("Significance tests with another outcome")[1].split("\n\n")[0].split("\n")
    assert re.split(" {2,}", table[1].strip()) == [
        *("test", "metric", "other metric", "old p", "new p", "old level", "new level", "outcome")
    ]
    assert [line.split()[-1] for line in table[3:]] == ["significant", "defined", "significant"]
    # 0.04 and 0.06 of Williams's test, of 0.05.
    assert " ".join(table[5].split()) == "Williams's test per wer 0.040 0.060 0.05 0.05 not significant"


def test_another_alpha_is_a_crossing_too(pair):
    rows = [compared_pair("bleu", "ter", 0.02)]
    levels = [minimum_difference(test="bootstrap", over="replicates", alpha=alpha) for alpha in (0.05, 0.01)]
    old, new = ({"tests": rows, "minimum_significant_differences": [level]} for level in levels)
    assert pair(old, new).tests[["old_alpha", "new_alpha", "became"]].values.tolist() == [
        [0.05, 0.01, "not significant"]
    ]


@pytest.mark.parametrize(
    ("p", "level", "text"),
    [
        (0.2, 0.05, "0.200"),
        (0.0004, 0.05, "< 0.001"),
        # Three digits would put these on the other side of the level.
        (0.04996, 0.05, "0.04996"),
        (0.0004, 0.0005, "0.0004"),
        (NAN, 0.05, "undefined"),
    ],
)
def test_p_is_written_as_elsewhere_unless_that_hides_the_outcome(pair, p, level, text):
    levels = [minimum_difference(test="bootstrap", over="replicates", alpha=level)]
    old, new = ({"tests": [compared_pair("bleu", "ter", value)], "minimum_significant_differences": levels}
                for value in (p, 0.9))  # fmt: skip
    found = pair(old, new)
    if p == 0.2:  # both are above the level
        found = pair(old, {**new, "tests": [compared_pair("bleu", "ter", 0.01)]})
    table = str(found).split("Significance tests with another outcome on tiny, adequacy: ")[1].split("\n\n")[0]
    assert f"; significant: p < {level:g}\n" in table
    assert re.split(" {2,}", table.split("\n")[3])[2] == text


def test_one_sided_tests_are_not_turned(pair):
    one_sided = {"test": 'bootstrap(alternative="greater")', "alternative": "greater"}
    old, new = (
        {"tests": [compared_pair(*metrics, 0.02, **one_sided)]} for metrics in (("bleu", "ter"), ("ter", "bleu"))
    )
    assert pair(old, new).tests["found"].tolist() == ["only old", "only new"]


def test_verdicts_that_changed(pair):
    old = [claim(1, "bleu above ter", "holds"), claim(2, "ter above 0", "fails"), claim(3, "bleu above 0", "holds")]
    new = [
        claim(1, "ter above 0", "fails"),
        claim(2, "bleu above ter", "undecided"),
        claim(3, "bleu above 0", "holds", over="somewhere"),
    ]
    found = pair({"claims": old}, {"claims": new})
    # The number of a claim is no part of what it says.
    assert found.claims[["statement", "over", "found", "old", "new"]].values.tolist() == [
        ["bleu above ter", "everywhere", "both", "holds", "undecided"],
        ["bleu above 0", "everywhere", "only old", "holds", None],
        ["bleu above 0", "somewhere", "only new", None, "holds"],
    ]
    text = str(found)
    assert text.startswith("The verdict on 1 of 2 claims changed.\n")
    assert "\nClaim: bleu above ter, everywhere: holds -> undecided\n" in text
    alone = text.split("Claims of one run alone on c\n")[1].split("\n\n")[0]
    assert [" ".join(one.split()) for one in alone.split("\n")[2:]] == [
        "bleu above 0, everywhere old holds",
        "bleu above 0, at some place new holds",
    ]
    assert "also lists: 2 claims of one run alone; tables " in found.text(width=100)


def test_a_file_that_one_run_lacks_is_told(pair):
    found = pair({"correlations": [line(), line("ter")], "rankings": [ranking()]}, {"config": ""})
    assert found.tables.values.tolist() == [["correlations.tsv", 2, None, 2, ""], ["rankings.tsv", 1, None, 1, ""]]
    assert found.numbers["found"].tolist() == ["only old", "only old"]
    assert found.inputs.values.tolist() == [["file", "config.toml", "there", None]]
    text = str(found)
    assert "The new run has no correlations.tsv, rankings.tsv or config.toml.\n" in text
    assert "No correlation is in both runs; 2 in the old run alone (BLEU, TER).\n" in text
    assert "no file" in text
    assert "The old run has no" not in text
    assert "The inputs are the same" not in text


def test_tasks_and_averages_are_compared_as_tables(pair):
    old = {"tasks": [task_score("t", "a", 0.5), task_score("t", "b", 0.4)], "averages": [task_average("a", 0.75)]}
    found = pair(old, {**old, "tasks": [task_score("t", "a", 0.6), task_score("t", "b", 0.4)]})
    assert found.tables.values.tolist() == [["tasks.tsv", 2, 2, 1, ""]]


def test_a_table_without_rows_is_no_table(tmp_path):
    old, new = (write_run(tmp_path / name) for name in ("old", "new"))
    (new / "tests.tsv").write_text(text_of(KINDS["tests"], []))
    signed(new)
    assert diff_runs(old, new).is_empty


def test_one_table_holds_all_parts(pair):
    found = pair({"correlations": [line()]}, {"correlations": [line(mean=0.1 + 0.2)], "facts": {"seed": 3}})
    frame = found.to_frame()
    assert frame["part"].tolist() == ["inputs", "numbers", "tables"]
    header, *lines = [text.split("\t") for text in found.text("tsv").split("\n")]
    assert header == list(frame.columns)
    assert float(lines[1][header.index("new")]) == 0.1 + 0.2
    loaded = json.loads(found.text("json"))
    assert loaded["inputs"] == [{"kind": "seed", "key": "seed", "old": 1, "new": 3}]
    assert loaded["numbers"][0]["new"] == 0.1 + 0.2


def test_what_is_no_run_is_refused(tmp_path):
    run = write_run(tmp_path / "run")
    with pytest.raises(UsageError, match=r"nowhere: is no directory of a run: .*No such file.*`metaeval run`"):
        diff_runs(run, tmp_path / "nowhere")
    for content in ("[]", '{"metaeval": "1.0", "seed": 1}'):
        (run / "manifest.json").write_text(content)
        with pytest.raises(UsageError, match=r"manifest\.json: is not the manifest of a run"):
            diff_runs(run, run)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "manifest.json",
            '{"layout": 6, "metaeval": "1", "config": "x", "seed": 1, "corpora": [1]}',
            r"`corpora\[0\]` must be a table; got 1",
        ),
        ("config.toml", "= 1", r"spoilt.config\.toml: is not what a run writes"),
    ],
)
def test_spoilt_files_are_named(tmp_path, name, content, message):
    run, spoilt = write_run(tmp_path / "run"), write_run(tmp_path / "spoilt")
    (spoilt / name).write_text(content)
    signed(spoilt)
    with pytest.raises(CorpusError, match=message):
        diff_runs(run, spoilt)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    quick = ["uncertainty.n_resamples=60", "figures=[]", 'tests=[{method="bootstrap"}]']
    old = metaeval.run("system-level", overrides=[*quick, 'metrics=["bleu", "ter"]'], output=directory / "old")
    new = metaeval.run(
        "system-level",
        overrides=[*quick, 'metrics=["ter", "bleu", "per"]', "seed=2", 'references.subsets=["ref1+ref2+ref3+ref4"]'],
        output=directory / "new",
    )
    return old, new


def test_two_real_runs(real):
    old, new = real
    found = metaeval.diff_runs(old, new)
    assert set(found.inputs["key"]) == {"seed", "metrics", "references.subsets"}
    # A bootstrap draws other segments with another seed, and the means stay.
    both = found.numbers[found.numbers["found"] == "both"]
    assert len(both) == found.n_compared == len(old.correlations) == 8
    assert set(both["change"]) == {0.0}
    assert set(both["outside"]) == {"no"}
    assert set(found.numbers.loc[found.numbers["found"] != "both", "metric"]) == {"per"}
    keys = found.signatures.set_index(["kind", "key"])
    assert keys.loc[("correlations", "seed"), ["old", "new", "n"]].tolist() == ["1", "2", 8]
    assert "scores" not in found.signatures["kind"].tolist()


def test_a_run_and_its_copy(real, tmp_path, capsys):
    old, _ = real
    shutil.copytree(old.directory, tmp_path / "copy")
    found = metaeval.diff_runs(old, tmp_path / "copy")
    assert found.is_empty
    assert main(["diff", str(old.directory), str(tmp_path / "copy")]) == 0
    assert "no difference (8 correlations in both)" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "tsv", "json"])
def test_the_verb_prints_and_exits_with_0(real, capsys, form):
    old, new = (str(run.directory) for run in real)
    assert main(["diff", old, new, "--format", form]) == 0
    printed = capsys.readouterr().out
    text = metaeval.diff_runs(old, new).text(form, 120)
    if form == "table":
        # The words to type have another length.
        assert printed.split() == text.replace("`verbose=True`", "--verbose").split()
    else:
        assert printed == f"{text}\n"
