"""What a user calls metrics, criteria, corpora and systems stands wherever people read, and nowhere else."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import ReadingNote
from metaeval.report.claims import statement_of
from metaeval.report.correlation_tables import summary_tables
from metaeval.report.display_names import labelled, labels_of_two, messages_with_labels
from metaeval.report.tables import Styled
from metaeval.report.task_matrix import task_matrix
from metaeval.results.rows import Example
from tests.support.results import claim, correlation, run_of, task_average, task_score

LABELS = {"gtm(exponent=1)": "F & e", "adequacy": "Adequacy", "demo": "Demo corpus", "bleu": "BLEU-4"}
CONFIG = {
    "title": "labels",
    "corpora": ["demo"],
    "metrics": ["bleu", "gtm(exponent=1)", "ter"],
    "criteria": ["adequacy"],
    "documents": {"kind": "all"},
    "uncertainty": {"n_resamples": 50},
    "labels": LABELS,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return metaeval.run(CONFIG, output=tmp_path_factory.mktemp("labels") / "run")


def test_tables_for_papers_and_the_terminal_have_labels(run):
    written = [(Path(run.directory) / name).read_text("utf-8") for name in ("tables.md", "tables.tex")]
    for text in (*written, run.to_markdown(), run.to_latex(), run.text(width=100), run._repr_html_()):
        assert "gtm(exponent=1)" not in text
        assert re.search(r"F (&|\\&|&amp;) e", text)
        assert "Adequacy" in text
        assert "Demo corpus" in text
        assert not re.search(r"\b(bleu|adequacy|demo)\b", text)
    assert metaeval.load_run(run.directory).to_latex() == run.to_latex()


def test_files_for_programs_keep_names(run):
    names = {"bleu", "gtm(exponent=1)", "ter"}
    assert set(run.correlations["metric"]) == set(metaeval.load_run(run.directory).correlations["metric"]) == names
    assert "BLEU-4" not in run.text("tsv") + run.text("json") + (Path(run.directory) / "numbers.tex").read_text("utf-8")


def test_the_report_has_labels_in_all_that_it_relates(run):
    page = (Path(run.directory) / "report.html").read_text("utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    told = json.dumps({name: data[name] for name in ("tables", "curves", "systems", "texts")})
    assert "BLEU-4" in told
    assert "Demo corpus" in told
    assert not re.search(r'"(bleu|gtm\(exponent=1\)|adequacy|demo)"', told)


def test_the_report_is_made_again_with_the_same_bytes(run):
    page = Path(run.directory) / "report.html"
    before = page.read_bytes()
    assert metaeval.report_run(run.directory).read_bytes() == before


def test_a_label_that_two_share_or_that_names_another_is_none(run):
    """The table would take two metrics for one; they are called as if they had no label."""
    shared = replace(run.data, labels={"bleu": "B", "ter": "B", "gtm(exponent=1)": "ter", "adequacy": "A"})
    (table,) = summary_tables(labelled(shared))
    assert [(row["criterion"], row["metric"]) for row in table.rows] == [
        ("A", "BLEU"),
        ("A", "GTM, e=1"),
        ("A", "TER"),
    ]
    # What the field calls TER is called as it is written where another metric has that label.
    (table,) = summary_tables(labelled(replace(run.data, labels={"bleu": "TER"})))
    assert [row["metric"] for row in table.rows] == ["TER", "GTM, e=1", "ter"]


def test_metrics_and_baselines_of_a_shared_task_have_labels():
    """The matrix underlines what is a baseline, by the name that it has there."""
    rows = {"tasks": [task_score("t", "m 1", 0.5), task_score("t", "m2", 0.4)], "averages": [task_average("m 1", 0.5)]}
    run = replace(run_of(**rows), labels={"m 1": "M"}, facts={"ranking": {"baselines": ["m 1"]}})
    matrix = task_matrix(labelled(run))
    assert list(matrix.averages) == matrix.baselines == ["M"]
    assert [row["metric"] for row in matrix.rows()] == [Styled("M", "underlined", is_number=False)]


def test_preprocessing_in_the_decision_on_a_claim_is_named_once():
    rows = [correlation(0.5, metric="bleu", preprocessing=name) for name in ("case", "nocase")]
    statement = "bleu[preprocessing=nocase] above bleu[preprocessing=case]"
    why = "bleu lower-cased is above bleu with case kept by 0.100 (adequacy)"
    claims = [claim(1, statement, "holds", why=why), claim(2, "bleu above 0", "holds", why="bleu is 0.500 (case)")]
    claims[0] = replace(claims[0], chosen="preprocessing: nocase, case")
    first, second = labelled(run_of(*rows, claims=claims)).tables.claims
    assert first.why == "BLEU lower-cased is above BLEU with case kept by 0.100 (adequacy)"
    assert first.chosen == "preprocessing: lower-cased, case kept"
    assert second.why == "BLEU is 0.500 (case kept)"


def test_claims_of_a_paper_have_the_labels_of_the_tables_beside_them():
    told = {"why": "bleu(order=1) is above gtm(exponent=1) (adequacy, pearson)", "chosen": "criterion: adequacy"}
    run = run_of(
        *(correlation(0.5, metric=metric) for metric in ("bleu", "bleu(order=1)", "gtm(exponent=1)")),
        claims=[claim(1, "bleu above gtm( exponent=1 ) above bleu(order=1)", "holds", **told)],
    )
    (row,) = labelled(replace(run, labels=LABELS)).tables.claims
    assert statement_of(row) == "BLEU-4 above F & e above BLEU-1, everywhere; criterion: Adequacy"
    assert row.why == "BLEU-1 is above F & e (Adequacy, Pearson)"
    # A label with a comma is in quotes, as in other sentences.
    (row,) = labelled(replace(run, labels={"bleu": "B, 4"})).tables.claims
    assert statement_of(row).startswith('"B, 4" above "GTM, e=1" above BLEU-1, everywhere')
    assert row.why == 'BLEU-1 is above "GTM, e=1" (adequacy, Pearson)'


def test_examples_of_a_paper_have_labels_where_the_run_lacks_their_metric():
    example = Example(
        example=1,
        paper="The score is 0.5.",
        metric="bleu(order=2)",
        preprocessing="",
        candidate="a b",
        references="a b",
        quantity="score",
        value="0.5",
        ours=0.5,
        difference=0.0,
        reading=False,
        verdict="holds",
        signature="",
    )
    run = run_of(correlation(0.5, metric="ter(beam=5)"), examples=[example, replace(example, metric="ter")])
    # What the run calls TER is another metric than that of the example.
    labels = {"ter(beam=5)": "TER"}
    assert [row.metric for row in labelled(replace(run, labels=labels)).tables.examples] == ["BLEU-2", "ter"]


def test_a_comparison_warns_of_a_metric_by_its_label():
    """Without smoothing, BLEU ties many segments; whether it can be smoothed is known by its name."""
    asked = {"criteria": "adequacy", "level": "segment", "n_resamples": 50, "ceiling": 0}
    # Those that the user gives come before those of the field, BLEU and TER.
    plain = metaeval.compare("demo", ["bleu", "ter"], **asked)
    called = metaeval.compare("demo", ["bleu", "ter"], **asked, labels=["bleu=BLEU-4", "ter=Error rate"])
    for words in ("sentence", "note"):
        text = re.sub(r"\bBLEU\b", "BLEU-4", re.sub(r"\bTER\b", "Error rate", getattr(plain.tables[0], words)))
        assert "BLEU-4" in text
        assert getattr(called.tables[0], words) == text
    assert "tied: by BLEU-4" in called.tables[0].note
    assert [row["metric"] for row in called.tables[0].rows] == ["Error rate", "BLEU-4", "constant"]
    wrong = metaeval.compare("demo", ["bleu", "ter"], **asked, labels={"blue": "BLEU"}).results.warnings
    assert next(one for one in wrong if "`labels`" in one).startswith(
        "`labels`: unknown name 'blue'; did you mean 'bleu'?"
    )
    assert list(called.to_frame()["metric"]) == ["ter", "bleu", "constant"]


def test_notes_name_metrics_as_tables_do():
    labels = {"bleu": "BLEU", "per": "PER", "my.py:half": "half", "bleu(order=1)": "BLEU-1"}
    messages = [
        "demo, adequacy, bleu: 3 of 9 coefficients are undefined.",
        "demo, bleu, per and bleu(order=1): 3 scores per segment.",
        "my.py:half: it is assumed that higher is better; if not, set `half.higher_is_better = False` in my.py.",
        "left out: metric 'bleu', as bleu.txt is empty; type -m 'bleu'.",
    ]
    assert messages_with_labels(messages, labels) == [
        "demo, adequacy, BLEU: 3 of 9 coefficients are undefined.",
        "demo, BLEU, PER and BLEU-1: 3 scores per segment.",
        "half: it is assumed that higher is better; if not, set `half.higher_is_better = False` in my.py.",
        messages[-1],
    ]
    # A note on reading stays one.
    (note,) = messages_with_labels([ReadingNote("a.csv, bleu: read.")], labels)
    assert (type(note), note) == (ReadingNote, "a.csv, BLEU: read.")


def test_all_that_prints_notes_has_labels_in_them(tmp_path, capsys):
    """Equal scores have no correlation, of which the run warns by the name of the metric."""
    (tmp_path / "equal.py").write_text("def one(candidate, references):\n    return 1.0\n")
    name = f"{tmp_path / 'equal.py'}:one"
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", name, "--criterion", "adequacy", "--resamples", "20"]
    assert main([*arguments, "--output", str(tmp_path / "run"), "--verbose"]) == 0
    assert "note: demo, adequacy, one: 1 of 1" in capsys.readouterr().err
    run = metaeval.load_run(tmp_path / "run")
    assert any(note.startswith("demo, adequacy, one: 1 of 1") for note in run.notes)
    assert "demo, adequacy, one: 1 of 1" in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert any("equal.py:one: 1 of 1" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        # By the names of the field, and the user's where one of them has one.
        ({"bleu": ""}, {"bleu": ""}, {"bleu": "BLEU"}),
        ({"bleu": "Mine"}, {"bleu": ""}, {"bleu": "Mine"}),
        ({"bleu": ""}, {"bleu": "Mine"}, {"bleu": "Mine"}),
        # Neither of two labels would be read by both users.
        ({"bleu": "Mine"}, {"bleu": "Yours"}, {}),
        # One label for two metrics, and a label that is how the other run shows another metric.
        ({"bleu": "Mine"}, {"ter": "Mine"}, {}),
        ({"bleu": ""}, {"bleu(order=2)": "BLEU"}, {}),
        ({"bleu": "ter"}, {"ter": ""}, {"ter": "TER"}),
        # A metric that each run writes in its own way.
        ({"gtm": ""}, {"gtm(exponent=1)": ""}, {"gtm": "GTM, e=1", "gtm(exponent=1)": "GTM, e=1"}),
        ({"gtm": "F"}, {"gtm(exponent=1)": "Mine"}, {"gtm": "gtm(exponent=1)"}),
    ],
)
def test_a_name_of_two_runs_stands_for_one_metric(old, new, shown):
    runs = [
        replace(run_of(*(correlation(metric=name) for name in labels)), labels={k: v for k, v in labels.items() if v})
        for labels in (old, new)
    ]
    assert labels_of_two(*runs) == shown
