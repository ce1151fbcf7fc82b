"""The public API: what is promised, what it gives, and what it says to wrong input."""

from __future__ import annotations

import ast
import dataclasses
import pickle
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval import api
from metaeval.api import experiments, shared, texts
from metaeval.api.verbs import literals
from metaeval.cli import VERBS
from metaeval.components.registries import INTERVALS
from metaeval.config.schema import REQUIRED, RESAMPLED
from metaeval.conformance.finding import Finding
from metaeval.datamodel.corpus import Corpus
from metaeval.experiment.score import LEVELS
from metaeval.report.latex import escaped
from tests.support.corpus import write

PACKAGE = Path(metaeval.__file__).parent
FEW = {"n_resamples": 60}  # of fewer than 50 there are no intervals


def fresh(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


# The promise


def test_every_name_is_there_and_no_other_is_listed():
    assert metaeval.__all__ == sorted(metaeval.__all__)
    hidden = {*metaeval.__all__} - {*dir(metaeval)}  # of the types, those that verbs return
    assert {*dir(metaeval)} <= {*metaeval.__all__}
    assert all(isinstance(getattr(metaeval, name), type) for name in hidden)
    assert all(getattr(metaeval, name) is not None for name in metaeval.__all__)
    with pytest.raises(AttributeError, match="module 'metaeval' has no attribute 'nonsense'"):
        metaeval.nonsense  # noqa: B018


def test_importing_takes_nothing_heavy_and_a_star_takes_all():
    heavy = "print(sorted({'numpy', 'scipy', 'pandas', 'matplotlib'} & set(sys.modules)))"
    assert fresh(f"import sys, metaeval, metaeval.api; {heavy}") == "[]\n"
    assert fresh("from metaeval import *; print(score.__name__, Corpus.__name__)") == "score Corpus\n"


def test_the_records_of_the_api_that_are_not_exported_are_rows_of_lists():
    assert {name for name in api.__all__ if name not in metaeval.__all__} == {
        "CacheRow", "CorpusRow", "CriterionRow", "FlawRow", "FormatParameterRow",
        "FormatRow", "MetricRow", "ParameterRow",
    }  # fmt: skip


def test_the_command_line_calls_the_public_api():
    commands = [one for verb in VERBS for one in getattr(verb, "commands", [verb])]
    assert {one.calls for one in commands if one.calls} <= set(metaeval.__all__)
    imported = set()
    for path in (PACKAGE / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "").startswith("metaeval.api")
                and node.module != "metaeval.api.verbs"
            ):
                imported |= {alias.name for alias in node.names}
    assert imported == {"describe_corpus", "describe_format", "list_formats", "load_run"}


# Scores of a corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return metaeval.load_corpus(write(tmp_path_factory.mktemp("corpora") / "tiny"))


def test_the_systems_of_a_corpus_by_hand(corpus):
    """Edits against ref1, by hand: B changes 1, 1, 4 (nothing for four words) and 1 of 6, 3, 4 and 3 words."""
    table = metaeval.score("wer", corpus, "ref1")
    assert table["wer"].candidates == ("A", "B", "C")
    assert table["wer"].values[1].tolist() == pytest.approx([7 / 16])
    assert table["wer"].statistics[1, 0].tolist() == [7, 16]
    by_segment = metaeval.score("wer", corpus, ["ref1"], level="segment")["wer"]
    assert by_segment.values[1].tolist() == pytest.approx([1 / 6, 1 / 3, 1, 1 / 3])
    assert "refs:ref1" in str(by_segment.signature)
    assert f"corpus:tiny@{corpus.digest[:8]}" in str(by_segment.signature)


def test_a_corpus_gives_the_scores_of_its_texts(corpus):
    texts = dict(zip(corpus.systems, corpus.candidates, strict=True))
    metrics = ["bleu", "gtm", "chrf"]
    for one, other in zip(
        metaeval.score(metrics, corpus), metaeval.score(metrics, texts, corpus.references), strict=True
    ):
        np.testing.assert_array_equal(one.values, other.values)


def test_a_corpus_gives_the_scores_of_a_run(records):
    scores = pd.read_csv(records["Run"].directory / "scores.tsv", sep="\t").query(
        "level == 'system' and kind == 'system'"
    )
    preprocessing = scores["preprocessing"].iloc[0]
    run = scores.query("preprocessing == @preprocessing").pivot_table(index="system", columns="metric", values="score")
    found = metaeval.score(["ter", "wer"], metaeval.load_corpus("demo"), preprocessing=preprocessing).to_frame()
    ours = found.pivot_table(index="candidate", columns="metric", values="score")
    np.testing.assert_allclose(ours, run, rtol=0, atol=1e-11)


def test_what_cannot_be_scored_is_told_and_not_a_number():
    gaps = Corpus.of_texts({"A": ["a b", None, "c", "d"], "B": ["a b", "x", "c", "d"]}, {"r": ["a b", "x", "c", None]})
    (segments,) = metaeval.score("wer", gaps, level="segment")
    np.testing.assert_array_equal(segments.values, [[0, np.nan, 0, np.nan]] * 2)
    (whole,) = found = metaeval.score("wer", gaps)
    assert whole.values.tolist() == [[0.0], [0.0]]
    assert whole.statistics.tolist() == [[[0, 3]]] * 2
    assert [message.partition(" were")[0] for message in found.warnings] == ["wer: 2 of 4 segments"]


def test_one_text_needs_no_name():
    found = metaeval.score("wer", np.array(["a b", "c"]), (text for text in ["a b", "d"]))
    assert found["wer"].candidates == ("candidate",)
    assert found["wer"].values.tolist() == [[1 / 3]]
    assert metaeval.score("wer", pd.Series(["a b"]), ["a c"])[0].values.tolist() == [[0.5]]


BROKEN = """\
def broken(candidate, references):
    raise ValueError("no")


def fine(candidate, references):
    return 1.0
"""


def test_a_metric_that_fails_leaves_the_others_their_scores(tmp_path):
    (tmp_path / "mine.py").write_text(BROKEN)
    names = [f"{tmp_path / 'mine.py'}:{name}" for name in ("broken", "fine")]
    found = metaeval.score([*names, "wer"], ["a"], ["a"])
    assert [one.metric for one in found] == [names[1], "wer"]
    assert "ValueError: no" in found.failures[0]
    assert "note: left out" in str(found)
    with pytest.raises(metaeval.MetricError, match="ValueError: no"):
        metaeval.score(names[0], ["a"], ["a"])


# Records


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    overrides = ['metrics=["ter", "wer"]', f"uncertainty.n_resamples={FEW['n_resamples']}", "figures=[]"]
    compared = metaeval.compare("demo", ["ter", "wer"], criteria="adequacy", ceiling=0, **FEW)
    runs = [
        metaeval.run("system-level", overrides=[*overrides, f"seed={seed}"], output=directory / f"run_{seed}")
        for seed in (1, 2)
    ]
    found = {
        "ScoreTable": metaeval.score(["wer", "bleu(order=2)"], {"a_1": ["x y"], "b%": ["x"]}, ["x y"]),
        "Results": metaeval.correlate("demo", ["ter", "wer"], uncertainty=FEW),
        "Run": runs[0],
        "Compared": compared,
        "ComparisonTable": compared.tables[0],
        "Agreement": metaeval.agreement("demo", criteria="adequacy", n_resamples=20, n_draws=2),
        "JudgeReport": metaeval.judge("demo", judges="judge07", criterion="adequacy"),
        "RatersReport": metaeval.agreement([{"item": at, "human1": at % 2, "human2": at % 3 % 2} for at in range(30)]),
        "RunsDiff": metaeval.diff_runs(*runs),
        "MetricReport": metaeval.check_metric("wer"),
        "Grid": metaeval.grid("police killed the gunman", ["the gunman police killed", "a & b"]),
    }
    found["Scores"] = found["ScoreTable"][0]
    return found


NAMES = ("ScoreTable", "Scores", "Results", "Run", "Compared", "ComparisonTable", "Agreement", "JudgeReport",
         "RatersReport", "RunsDiff", "MetricReport", "Grid")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_frozen_pickles_and_shows_itself(name, records):
    record = records[name]
    assert type(record).__name__ == name
    for item in dataclasses.fields(record):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, item.name, None)
        assert not isinstance(getattr(record, item.name), list)
    assert hash(record) is not None
    assert str(pickle.loads(pickle.dumps(record))) == str(record)
    assert len(repr(record)) < 400 or name == "Grid"
    shown = record._repr_html_()
    assert shown.count("<table") == shown.count("</table>") > 0
    assert "<script" not in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_is_a_new_one_with_text_for_columns(name, records):
    frame = records[name].to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0
    assert all(isinstance(column, str) for column in frame.columns)
    before = frame.copy()
    del frame[frame.columns[0]]
    pd.testing.assert_frame_equal(records[name].to_frame(), before)


@pytest.mark.parametrize("name", NAMES)
def test_tables_for_papers_are_whole(name, records):
    latex, markdown = records[name].to_latex(), records[name].to_markdown()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == latex.count(r"\toprule") > 0
    assert markdown.count("---") > 0


def test_all_tables_compile_as_they_are(records, tmp_path):
    """In one document, with the class and the package that a paper has."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    body = "\n\n".join(records[name].to_latex() for name in NAMES)
    (tmp_path / "tables.tex").write_text(f"{head}{body}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_frame_of_scores_by_hand(records):
    frame = records["ScoreTable"].to_frame()
    assert frame["metric"].tolist() == ["wer"] * 2 + ["bleu(order=2)"] * 2
    assert frame["candidate"].tolist() == ["a_1", "b%"] * 2
    assert frame["segment"].isna().all()
    assert frame["score"][:2].tolist() == [0.0, 0.5]  # x against x y: one word of two is lost
    assert escaped("b%") in records["ScoreTable"].to_latex()
    by_segment = metaeval.score("wer", ["a b", "c"], ["a b", "d e"], level="segment")["wer"].to_frame(statistics=True)
    assert by_segment["segment"].tolist() == [1, 2]
    assert by_segment[["score", "edits", "reference_length"]].values.tolist() == [[0, 0, 2], [1, 2, 2]]


def test_the_frame_of_results_has_whole_numbers_where_numbers_are_whole(records):
    frame = records["Results"].to_frame()
    assert frame["length"].dtype == frame["replicates_undefined"].dtype == "Int64"
    assert frame["length"].tolist() == [120] * 8
    assert (records["Run"].to_frame()["mean"] == records["Run"].correlations["mean"]).all()


def test_the_frame_of_a_comparison_has_the_numbers_of_its_tables(records):
    frame = records["Compared"].to_frame()
    best, other = frame["value"]
    assert frame["best_minus_this"].tolist() == pytest.approx([0, best - other])
    assert frame["cluster"].dtype == "Int64"
    table = records["ComparisonTable"].to_frame()
    assert table["Pearson"][0].startswith(f"{best:.3f} [")
    assert (table["below the best"][0], table["below the best"][1]) == ("", frame["best_minus_this"][1])
    assert table["cluster"].dtype == "Int64"


def test_the_frames_of_agreement_are_those_of_its_tables(records):
    found = records["Agreement"]
    assert list(found.to_frame("judges")["judge"]) == [row["judge"] for row in found.tables["judges"]]
    assert found.to_frame()["table"].value_counts().to_dict() == {key: len(rows) for key, rows in found.tables.items()}
    with pytest.raises(metaeval.UsageError, match="no table 'metrics', because no metric was named"):
        found.to_frame("metrics")


def test_the_frame_of_a_grid_by_hand(records):
    """Both runs have two hits: police killed, words 1-2, are words 3-4 of the reference; the gunman the reverse.

    The mean length of the references, 4 and 3 words, is the cap: 3.5 of the 4 hits stay.
    """
    frame = records["Grid"].to_frame().sort_values("candidate")
    assert sorted(frame.pop("kept")) == [1.5, 2.0]
    assert frame.to_dict("list") == {
        "length": [2, 2],
        "candidate": [1, 3],
        "reference": [1, 1],
        "token": [3, 1],
        "tokens": ["police killed", "the gunman"],
    }


def test_the_frame_of_a_report_is_its_findings(records):
    report = records["MetricReport"]
    frame = report.to_frame()
    assert list(frame.columns) == ["metric", *(item.name for item in dataclasses.fields(Finding))]
    assert frame["finding"].tolist() == [one.finding for one in report.findings]


def test_runs_without_a_difference_say_so(records):
    run = records["Run"]
    same = metaeval.diff_runs(run, run)
    assert same.is_empty
    assert "nothing differs" in same.to_markdown()
    with pytest.raises(metaeval.UsageError, match="unknown part 'nonsense'"):
        same.rows("nonsense")


def test_unknown_tables_of_agreement_are_told(records):
    with pytest.raises(metaeval.UsageError, match="unknown table 'alfa'; did you mean 'alpha'"):
        records["Agreement"].to_frame("alfa")


def test_a_place_that_cannot_be_written_is_told(records, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(metaeval.UsageError, match=r"file/table.tsv: cannot be written: Not a directory\."):
        metaeval.export_run(records["Run"], what="coefficients", output=tmp_path / "file" / "table.tsv")


def test_the_arrays_of_scores_cannot_be_written_to(records):
    with pytest.raises(ValueError, match="read-only"):
        records["Scores"].values[0] = 1


def test_a_score_is_found_by_name_or_the_known_are_told(records):
    assert records["ScoreTable"]["wer"] is records["ScoreTable"][0]
    with pytest.raises(metaeval.UsageError, match=r"unknown metric of these scores 'weer'; did you mean 'wer'\?"):
        records["ScoreTable"]["weer"]


# Wrong input

TEXTS = ({"a": ["x"]}, {"r": ["x"]})
WRONG = {
    "metrics": (lambda: metaeval.score(3, *TEXTS), "`metrics` must be a name, or a list of these; got 3"),
    "metric": (
        lambda: metaeval.score(["wer", 3], *TEXTS),
        r"`metrics\[1\]` must be a name, a function or an object that scores; got 3",
    ),
    "no metric": (lambda: metaeval.score([], *TEXTS), "`metrics` must name at least one metric"),
    "no references": (lambda: metaeval.score("wer", ["x"]), "`references` is missing"),
    "corpus by name, without references": (
        lambda: metaeval.score("wer", "demo"),
        r"got the name 'demo'\. To score its systems, give metaeval\.load_corpus\('demo'\)\.",
    ),
    "directory": (lambda: metaeval.score("wer", Path()), r"give metaeval\.load_corpus\('\.'\)"),
    "a long text without references": (lambda: metaeval.score("wer", "x" * 5000), "`references` is missing"),
    "corpus by name": (lambda: metaeval.score("wer", "demo", ["x"]), "A corpus is given as load_corpus"),
    "table": (
        lambda: metaeval.score("wer", pd.DataFrame({"a": [3]}), ["x"]),
        r"`candidates`, segment 1: must be text; got 3",
    ),
    "number": (lambda: metaeval.score("wer", ["x", 3], ["x", "y"]), "`candidates`, segment 2: must be text; got 3"),
    "nan": (lambda: metaeval.score("wer", ["x"], [float("nan")]), "segment 1: must be text, or None .*; got nan"),
    "references of a corpus": (
        lambda: metaeval.score("wer", metaeval.load_corpus("demo"), ["nobody"]),
        "corpus 'demo': unknown reference 'nobody'. Known references: 'ref1'",
    ),
    "texts as references of a corpus": (
        lambda: metaeval.score("wer", metaeval.load_corpus("demo"), {"ref1": ["x"]}),
        "`references` must be names of references of the corpus, or nothing; got a mapping",
    ),
    "name of a text": (
        lambda: metaeval.score("wer", {1: ["x"]}, ["x"]),
        "`candidates`: the name of a text must be text; got 1",
    ),
    "bytes": (
        lambda: metaeval.score("wer", {"a": b"x"}, ["x"]),
        r"`candidates\['a'\]` must be a list with one text for each segment; got b'x'",
    ),
    "files": (lambda: metaeval.score_files("wer", [], "x"), "`candidates` must name at least one file"),
    "jobs": (lambda: metaeval.correlate("demo", "wer", jobs="2"), "`jobs` must be a whole number; got '2'"),
    "progress": (lambda: metaeval.correlate("demo", "wer", progress=True), "`progress` must be a function"),
    "typo": (
        lambda: metaeval.correlate("demo", "wer", criterium="x"),
        r"correlate: unknown keyword 'criterium'; did you mean 'criteria'.* more: `help\(metaeval\.correlate\)` and",
    ),
    "typo of an own parameter": (
        lambda: metaeval.compare("demo", "wer", coeficient="x"),
        "compare: unknown keyword 'coeficient'; did you mean 'coefficient'",
    ),
    "no replicates": (
        lambda: metaeval.compare("demo", "wer", n_resamples=0),
        "`n_resamples` must be at least 2; got 0",
    ),
    "level": (lambda: metaeval.compare("demo", "wer", level=3), "`level` must be a name, or a list of these; got 3"),
    "array": (lambda: metaeval.compare("demo", "wer", test=np.array([1, 2])), "`test` must be text"),
    "config": (
        lambda: metaeval.run(None),
        "`config` must be the name of a config, a TOML file, or a mapping of keys; got None",
    ),
    "judged corpus": (
        lambda: metaeval.agreement(3),
        "`corpus` must be a table of ratings, or a corpus, its name or its directory; got 3",
    ),
    "replicates": (lambda: metaeval.agreement("demo", n_resamples="9"), "`n_resamples` must be a whole number"),
    "level of intervals": (
        lambda: metaeval.agreement("demo", confidence_level="x"),
        "`confidence_level` must be a number",
    ),
    "no source": (lambda: metaeval.load_corpus([]), "`sources` must name a corpus"),
    "described": (lambda: metaeval.describe_corpus("demo"), "`corpus` must be a Corpus, as load_corpus gives it"),
    "run": (lambda: metaeval.report_run(3), "`run` must be a Run, or the directory of one; got 3"),
    "candidate of a grid": (lambda: metaeval.grid(["a"], "a"), "`candidate` must be text"),
    "preset": (lambda: metaeval.simulate_corpus([], "x"), "`preset` must be text"),
    "size": (lambda: metaeval.simulate_corpus("btec", "x", systems=2.5), "`systems` must be a whole number; got 2.5"),
    "part": (lambda: metaeval.describe_format({}), "`name` must be text"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_told_in_words(case):
    call, message = WRONG[case]
    with pytest.raises(metaeval.UsageError, match=message):
        call()


# What a user's program is told of the types

PROGRAM = """
import metaeval

corpus = metaeval.load_corpus("demo")
table = metaeval.score("bleu", corpus, ["ref1"], level="segment")
reveal_type(table["bleu"])
reveal_type(table["bleu"].values)
reveal_type([one.metric for one in table])
reveal_type(metaeval.score(["bleu"], {"mine": ["a b"]}, {"ref": ["a b", None]}).to_frame())
reveal_type(metaeval.score_files("bleu", "x.txt", ["r.txt"]))
run = metaeval.run("system-level", progress=print)
reveal_type(run)
reveal_type(run.directory)
reveal_type(run.estimates[0].value)
reveal_type(metaeval.correlate("demo", "bleu", criteria=["adequacy"]))
compared = metaeval.compare("demo", ["bleu", "ter"], progress=lambda step: print(step.done, step.total))
reveal_type(compared.tables[0].sentence)
reveal_type(compared.results.correlations)
reveal_type(metaeval.agreement(corpus, criteria="adequacy").to_frame("alpha"))
reveal_type(metaeval.diff_runs(run, "runs/old").numbers)
reveal_type(metaeval.report_run(run))
reveal_type(metaeval.check_corpus("demo"))
reveal_type(metaeval.convert_corpus("demo", "x")[0])
reveal_type(metaeval.fetch_corpus("summeval"))
reveal_type(metaeval.simulate_corpus("btec", "x")["references"].mean)
reveal_type(metaeval.list_metrics()[0]["better"])
reveal_type(metaeval.list_corpora()[0]["systems"])
reveal_type(metaeval.list_formats()[0]["title"])
reveal_type(metaeval.describe_metric("bleu")[1][0]["meaning"])
reveal_type(metaeval.describe_format("sgml")[0])
reveal_type(metaeval.describe_corpus(corpus)[1][0]["mean"])
reveal_type(metaeval.check_metric("bleu").failures)
reveal_type(metaeval.grid("a", ["a"]).blocks[0].kept)
reveal_type(metaeval.grid("a", "a").figure())
reveal_type(metaeval.cite("bleu"))
metaeval.export_run(run, lengths=[1])
metaeval.score(["bleu"], {"mine": "a b"}, 3)
metaeval.compare("demo", ["bleu"], interval="percentiles")
metaeval.compare("demo", ["bleu"], resample="sentences", level=["segment", "system"])
metaeval.draw_run(run, formats=["pdf", "jpg"])
metaeval.judge("labels.csv", swapped="both")
"""
N_MISTAKES = 5  # the last lines: a number for references, and four misspelt options
TYPES = """
metaeval.experiment.score.Scores
numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]
list[str]
pandas.DataFrame
metaeval.experiment.score.ScoreTable
metaeval.report.results.Run
pathlib.Path
float
metaeval.report.results.Results
str
pandas.DataFrame
pandas.DataFrame
pandas.DataFrame
pathlib.Path
tuple[metaeval.datamodel.corpus.Corpus | None, metaeval.corpora.problems.Problems]
metaeval.datamodel.corpus.Corpus
pathlib.Path
float
str
int
str
str
dict[str, str]
float | None
tuple[metaeval.conformance.finding.Finding, ...]
float
matplotlib.figure.Figure
str
"""


def test_a_program_of_a_user_knows_the_types(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # In the repository with its settings, so that what mypy knows of the package from earlier is used again.
    command = [sys.executable, "-m", "mypy", str(program)]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=False)
    revealed = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    shown = [kind.replace("builtins.", "").replace("pandas.core.frame.", "pandas.") for kind in revealed]
    assert shown == TYPES.split("\n")[1:-1]
    errors = [line for line in done.stdout.splitlines() if "program.py:" in line and " error: " in line]
    last = len(PROGRAM.splitlines())
    numbers = [int(line.partition("program.py:")[2].partition(":")[0]) for line in errors]
    assert numbers == list(range(last - N_MISTAKES + 1, last + 1))


def test_what_editors_complete_is_what_there_is():
    assert typing.get_args(experiments.IntervalName) == tuple(INTERVALS)
    assert typing.get_args(experiments.Resampled) == RESAMPLED
    assert literals(shared.Require) == sorted(REQUIRED)
    assert literals(texts.Level) == ["corpus", "segment"]
    assert sorted(literals(texts.Level)) == sorted(LEVELS)
