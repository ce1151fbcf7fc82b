"""A run of tasks from config to directory, and the verbs that read it."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError

CONFIG = """\
title = "Two tasks"
corpora = ["demo"]
metrics = ["ter", "bleu", "wer"]
criteria = ["adequacy"]
references = { names = ["ref1"] }
uncertainty = { n_resamples = 60 }

[ranking]
permutations = 60
baselines = ["w*"]

[[tasks]]
coefficient = "pearson"

[[tasks]]
level = "segment"
coefficient = "acc_eq"
average_by = "item"
"""
KINDS = ["task-significance", "task-table"]


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "two.toml").write_text(CONFIG)
    return metaeval.run(folder / "two.toml", output=folder / "run")


def test_the_run_prints_the_matrix_of_its_rows(run):
    lines = str(run).splitlines()
    assert lines[0] == "2 tasks, 3 metrics (simulated data)"
    rule = next(number for number, line in enumerate(lines) if line.startswith("---"))
    rows = {line.split()[0]: line.split()[1:] for line in lines[rule + 1 : rule + 4]}
    # A baseline has a line before its name.
    called = {"ter": "TER", "wer": "_WER", "bleu": "BLEU"}
    assert list(rows) == [called[name] for name in run.averages["metric"]]
    for row in run.tasks.to_dict("records"):
        name = called[row["metric"]]
        at = 5 if row["level"] == "segment" else 3
        assert rows[name][at : at + 2] == [str(row["cluster"]), f"{row['value']:.3f}"]
    assert "60 permutations, p <= 0.05" in " ".join(" ".join(lines).split())


def test_names_of_metrics_that_fit_none_are_told(config, tmp_path):
    asked = ['ranking.baselines=["we*", "w*", "lexic"]', 'ranking.primary=["ter", "bleu", "TER"]']
    found = metaeval.run(config, overrides=asked, output=tmp_path / "run")
    assert [one for one in found.warnings if "ranking." in one] == [
        "`ranking.primary`: no metric that is ranked fits 'TER' (did you mean 'ter'?); there are 'bleu', 'ter', 'wer'.",
        "`ranking.baselines`: no metric that is ranked fits 'lexic'; there are 'bleu', 'ter', 'wer'.",
    ]


def test_the_files_for_papers_have_the_matrix(run):
    texts = {name: (run.directory / name).read_text() for name in ("tables.md", "tables.tex")}
    (note,) = run.notes
    assert "PERM-BOTH" in note
    assert f"{texts['tables.md'].strip()}\n\nNote: {note}" == run.text("md")
    assert texts["tables.tex"].count(r"\begin{table}") == 1
    assert r"\underline{WER}" in texts["tables.tex"]


def test_what_is_read_is_what_was_run(run):
    assert str(metaeval.load_run(run.directory)) == str(run)
    page = (run.directory / "report.html").read_bytes()
    assert metaeval.report_run(run.directory).read_bytes() == page


def test_both_figures_are_drawn_without_being_asked(run):
    assert sorted({path.stem for path in (run.directory / "figures").iterdir()}) == KINDS
    assert not [message for message in run.warnings if "figure" in message]


@pytest.mark.parametrize(
    ("figures", "drawn"),
    [("[]", []), ('[{kind="task-significance", task="demo, segment, acc_eq, item"}]', ["demo-segment-acc_eq-item"])],
)
def test_figures_that_are_named_are_all(config, figures, drawn):
    found = metaeval.run(config, overrides=[f"figures={figures}"], output=config.parent / "run")
    folder = found.directory / "figures"
    names = sorted({path.stem for path in folder.iterdir()}) if folder.exists() else []
    assert names == [f"task-significance-{name}" for name in drawn]


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        (
            "two.toml",
            "intervals",
            r"two: `figures`: a config with \[\[tasks\]\] has no figure 'intervals'; it has 'task-t",
        ),
        ("system-level", "task-table", r"a config without \[\[tasks\]\] has no figure 'task-table'; it has 'correlat"),
    ],
)
def test_figures_of_something_else_are_refused_before_any_work(config, name, kind, message):
    place = config if name == "two.toml" else name
    with pytest.raises(UsageError, match=message):
        metaeval.run(place, overrides=[f'figures=[{{kind="{kind}"}}]'], output=config.parent / "run")
    assert not (config.parent / "run").exists()


def test_the_verbs_of_finished_runs(run, capsys):
    assert main(["diff", str(run.directory), str(run.directory)]) == 0
    assert "no difference" in capsys.readouterr().out
    assert main(["report", str(run.directory)]) == 0
    assert main(["cite", str(run.directory)]) == 0
    capsys.readouterr()
    assert main(["export", str(run.directory)]) == 2
    assert "its numbers are in tasks.tsv, averages.tsv and task_tests.tsv" in capsys.readouterr().err
