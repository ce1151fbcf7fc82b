"""Panels: how a config is read that has some, and what a run of them gives."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.api import export_run
from metaeval.errors import UsageError
from metaeval.experiment.config_file import shipped_configs
from metaeval.experiment.panels import _said_once, compute_panels
from metaeval.papers.config import load_config
from metaeval.runtime.parallel import Executor
from tests.support.corpus import write

TOML = """\
title = "A test"
corpora = ["demo"]
metrics = ["bleu(order=1)", "gtm"]
criteria = ["adequacy"]
seed = 7

[references]
subsets = ["ref1"]
require = "all"

[documents]
lengths = [1, 4]
count = 30

[[figures]]
kind = "correlation-by-length"

[[panels]]
title = "Case kept"
preprocessing = ["case"]

[[panels]]
title = "Stems/three"
preprocessing = ["stem"]
criteria = ["adequacy", "fluency"]
references.subsets = ["ref1+ref2+ref3"]

[[panels.figures]]
kind = "correlation-by-length"

[[panels.figures]]
kind = "intervals"
width = "column"
"""


def load(tmp_path, text, **options):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_config(path, **options)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("panels")
    (folder / "mine.toml").write_text(TOML)
    return metaeval.run(folder / "mine.toml", output=folder / "run")


def test_a_panel_overrides_single_keys_of_tables_and_whole_lists(tmp_path):
    panels = load(tmp_path, TOML).panels
    (first,), (second,) = (panel.experiments for panel in panels)

    assert [panel.title for panel in panels] == ["Case kept", "Stems/three"]
    assert [one.written for one in first.preprocessing] == ["case"]
    assert [one.written for one in second.preprocessing] == ["stem"]
    assert first.references.subsets == ("ref1",)
    assert second.references.subsets == ("ref1+ref2+ref3",)
    assert second.references.require == "all"
    assert second.documents == first.documents
    assert [figure.kind for figure in second.figures] == ["correlation-by-length", "intervals"]
    assert second.title == "A test"


def test_what_is_set_wins_over_the_panels_and_stands_in_the_record(tmp_path):
    loaded = load(
        tmp_path, TOML, overrides=["references.subsets=['ref2']", "preprocessing=['nocase']"], corpora=["demo"]
    )

    assert {one.references.subsets for panel in loaded.panels for one in panel.experiments} == {("ref2",)}
    assert [panel.experiments[0].preprocessing[0].written for panel in loaded.panels] == ["nocase"] * 2
    assert [sorted(panel) for panel in loaded.content["panels"]] == [
        ["title"],
        ["criteria", "figures", "references", "title"],
    ]


def test_panels_can_be_set_away(tmp_path):
    (panel,) = load(tmp_path, TOML, overrides=["panels=[]"]).panels
    assert panel.title == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Case kept"', "", r"mine.toml:18: .*`panels\[0\]` must have a `title` of its own; got None"),
        ('"Stems/three"', '"Case  kept"', r"mine.toml:23: .* another panel has the title 'Case  kept', or one"),
        ('preprocessing = ["stem"]', "seed = 3", r"mine.toml:24: .*`panels\[1\]`: unknown key 'seed'. Known keys:"),
        ('["stem"]', '["stems"]', r"mine.toml:24: unknown preprocessing 'stems'; did you mean 'stem'"),
        ('kind = "intervals"', 'kind = "pie"', r"mine.toml:32: .*'Stems/three': `figures\[1\].kind` must be one of"),
        ("count = 30", "count = 0", r"mine.toml:13: the panel 'Case kept': `documents.count` must be at least 1"),
        ('references.subsets = ["ref1+', 'references.subset = ["ref1+', r"mine.toml:26: .* unknown key 'subset'"),
        ("[[panels]]", "[panels]\n[[other]]", "mine.toml: is not valid TOML: Cannot declare"),
        (
            "seed = 7",
            "sed = 7",
            r"mine.toml:5: the config: unknown key 'sed'; did you mean 'seed'\? Known keys: 'title', ",
        ),
    ],
)
def test_wrong_panels_are_refused_with_their_line(tmp_path, old, new, message):
    assert old in TOML
    with pytest.raises(UsageError, match=message):
        load(tmp_path, TOML.replace(old, new))


def test_a_panel_gives_what_the_same_experiment_gives_alone(result, tmp_path):
    alone = metaeval.run(
        result.directory / "config.toml",
        overrides=[
            "panels=[]",
            "preprocessing=['stem']",
            "criteria=['adequacy', 'fluency']",
            "references.subsets=['ref1+ref2+ref3']",
        ],
        output=tmp_path / "alone",
    )
    panel = result.correlations.query("panel == 'Stems/three'").assign(panel="").reset_index(drop=True)

    assert set(result.correlations["panel"]) == {"Case kept", "Stems/three"}
    pd.testing.assert_frame_equal(panel, alone.correlations)
    grids = [grid for grid in result.grids if grid.key.panel == "Stems/three"]
    for grid, other in zip(grids, alone.grids, strict=True):
        assert grid.labels == other.labels | {"key": other.key.with_names(panel="Stems/three")}
        assert grid.arrays.keys() == other.arrays.keys()
        for name, array in other.arrays.items():
            np.testing.assert_array_equal(grid.arrays[name], array)
    (judged,), (of_alone,) = result.data.judgments, alone.data.judgments
    assert judged.equals(of_alone)


def test_every_table_names_the_panel(result):
    for name in ("correlations", "scores"):
        table = pd.read_csv(result.directory / f"{name}.tsv", sep="\t", keep_default_na=False)
        assert set(table["panel"]) == {"Case kept", "Stems/three"}, name
    (corpus,) = json.loads((result.directory / "manifest.json").read_text())["corpora"]
    assert {name.partition("/")[0] for name in corpus["signatures"]} == {"case", "stem"}


def test_figures_are_drawn_for_each_panel(result):
    names = {path.stem for path in (result.directory / "figures").iterdir()}
    assert names == {
        "correlation-by-length-Case-kept",
        "correlation-by-length-Stems-three",
        "intervals-column-Stems-three_1",
        "intervals-column-Stems-three_4",
    }
    for title in ("Case kept", "Stems/three"):
        assert result.figure("correlation-by-length", panel=title).heading.startswith(f"{title}: ")


def test_export_and_the_estimates_know_the_panel(result, tmp_path):
    export_run(result, what="coefficients", output=tmp_path / "all.tsv")
    rows = pd.read_csv(tmp_path / "all.tsv", sep="\t", keep_default_na=False)
    means = rows[rows["value"].notna()].groupby(["panel", "criterion", "length", "metric"])["value"].mean()

    assert len(result.estimates) == 2 * 2 + 2 * 2 * 2
    for one in result.estimates:
        assert means[one.key.panel, one.criterion, one.length, one.metric] == pytest.approx(one.value, abs=1e-12)


def test_tables_for_people_begin_with_the_panel(result):
    headings = [text.splitlines()[0] for text in str(result).split("\n\n")]
    # Notes come last; that there are few documents is one.
    assert [one for one in headings if not one.startswith("note: ")] == [
        f"{panel}. demo (simulated data), {criterion}: Spearman correlation across 8 systems; {subset}; tokens at "
        f"white space, {preprocessing}; by document length"
        for panel, criterion, preprocessing, subset in [
            ("Case kept", "adequacy", "case kept", "reference ref1"),
            ("Stems/three", "adequacy", "lower-cased and stemmed", "references ref1 + ref2 + ref3"),
            ("Stems/three", "fluency", "lower-cased and stemmed", "references ref1 + ref2 + ref3"),
        ]
    ]


def assert_same_bytes(first, second):
    files = [
        {path.relative_to(run.directory): path.read_bytes() for path in run.directory.rglob("*.*")}
        for run in (first, second)
    ]
    assert {path.suffix for path in files[0]} >= {".tsv", ".tex", ".md", ".npz", ".pdf", ".png", ".toml"}
    assert len([path for path in files[0] if path.parts[0] == "figures"]) >= 2 * 2
    # Only there stands when the run was made and how long it took.
    assert [str(path) for path in files[0] if files[0][path] != files[1].get(path)] == ["times.json"]
    assert files[0].keys() == files[1].keys()


def test_two_runs_give_the_same_bytes_in_every_file_for_any_number_of_jobs(result, tmp_path):
    assert_same_bytes(result, metaeval.run(result.directory.parent / "mine.toml", jobs=2, output=tmp_path / "again"))


@pytest.mark.long
@pytest.mark.parametrize("name", [one for one in shipped_configs() if not one.startswith(("wmt", "system"))])
def test_two_runs_of_a_config_give_the_same_bytes(name, tmp_path):
    quick = ["uncertainty.n_resamples=5"]
    if load_config(name).experiment.documents.kind == "pseudo":
        quick += ["documents.count=40", "documents.lengths=[1, 5]"]
    runs = [
        metaeval.run(name, corpora=["demo"], overrides=quick, jobs=jobs, output=tmp_path / str(jobs)) for jobs in (1, 2)
    ]
    assert_same_bytes(*runs)


def test_what_is_set_is_in_no_panel(tmp_path):
    with pytest.raises(UsageError, match=r"^`overrides` documents\.count=0: `documents\.count` must be at least 1 "):
        load(tmp_path, TOML, overrides=["documents.count=0"])


def test_a_panel_that_cannot_be_run_is_named(tmp_path):
    text = TOML.replace('criteria = ["adequacy", "fluency"]', 'criteria = ["beauty"]')
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UsageError, match=r"^the panel 'Stems/three': corpus 'demo': unknown criterion 'beauty'"):
        metaeval.run(tmp_path / "mine.toml", output=tmp_path / "run")


# A metric that fails wherever a text is in upper case, so where case is kept.
FAILING = """\
def small(candidate, references):
    if candidate != candidate.lower():
        raise ValueError("a large letter")
    return float(len(candidate))
"""


@pytest.fixture
def failing_in_one(tmp_path, monkeypatch):
    """Give a function that runs two panels: one with bleu, one with a metric that fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.py").write_text(FAILING)

    def run(first, second, progress=lambda step: None):
        panels = (
            f'[[panels]]\ntitle = "One"\nmetrics = ["{first}"]\n\n[[panels]]\ntitle = "Two"\nmetrics = ["{second}"]\n'
        )
        (tmp_path / "mine.toml").write_text(TOML[: TOML.index("[[panels]]")] + panels)
        return metaeval.run(tmp_path / "mine.toml", output=tmp_path / "run", progress=progress)

    return run


def test_a_panel_without_any_result_leaves_the_others_as_they_are(failing_in_one):
    steps = []
    found = failing_in_one("bleu(order=1)", "small.py:small", steps.append)

    assert set(found.correlations["panel"]) == {"One"}
    (failure,) = found.failures
    assert failure.startswith("Two: demo: left out: metric 'small.py:small', system ")
    assert "a large letter" in failure
    assert [message for message in found.warnings if "a large letter" in message] == [failure]
    assert [path.name for path in sorted((found.directory / "figures").glob("*.pdf"))] == [
        "correlation-by-length-One.pdf"
    ]
    # The figure that cannot be drawn counts as done.
    assert [(step.done, step.total) for step in steps if step.stage == "write"][-1] == (2, 2)


def test_panels_without_any_result_are_an_error(failing_in_one):
    with pytest.raises(metaeval.MetricError) as caught:
        failing_in_one("small.py:small", "small.py:small")
    # Both panels fail for the same reason, which stands there once.
    assert str(caught.value).startswith("demo: ")
    assert str(caught.value).count("a large letter") == 1


# The sum of a document that has the segment twice, which only replicates have, is infinite.
HUGE = """\
def huge(candidate, references):
    return 1.7e308 if candidate == "it rains today" else float(len(candidate))
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("lengths", [[1, 2], [2, 1], [1, 2, 2, 1]])
def test_a_metric_that_fails_in_the_replicates_of_one_panel_stays_in_the_others(tmp_path, monkeypatch, lengths, jobs):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "corpus")
    (tmp_path / "huge.py").write_text(HUGE)
    text = """
title = "Two"
corpora = ["corpus"]
metrics = ["wer", "huge.py:huge"]
correlation = {coefficients = ["spearman"]}
criteria = ["adequacy"]
documents = {kind = "pseudo", count = 20, lengths = [LENGTH]}
uncertainty = {method = "bootstrap", n_resamples = 30}
"""
    panels = "".join(
        f'[[panels]]\ntitle = "{place}"\ndocuments.lengths = [{one}]\n' for place, one in enumerate(lengths)
    )
    (tmp_path / "mine.toml").write_text(text.replace("LENGTH", "1") + panels)
    found = compute_panels(load_config(tmp_path / "mine.toml").panels, executor=Executor(jobs))

    failed = [str(place) for place, one in enumerate(lengths) if one == 2]
    assert [message.partition(":")[0] for message in found.failures] == failed
    for place, one in enumerate(lengths):
        (tmp_path / "mine.toml").write_text(text.replace("LENGTH", str(one)))
        (panel,) = load_config(tmp_path / "mine.toml").panels
        rows = compute_panels([replace(panel, title=str(place))]).tables.correlations
        assert {row.key.metric for row in rows} == ({"wer"} if one == 2 else {"wer", "huge.py:huge"})
        assert [row for row in found.tables.correlations if row.key.panel == str(place)] == rows


def test_a_message_of_more_than_two_panels_says_how_many():
    found = _said_once(
        [("a", "x"), ("b", "x"), ("c", "x"), ("c", "y"), ("d", "y"), *((t, "z") for t in "abcd")], "panel", 4
    )
    assert found == ["3 panels: x", "c; d: y", "z"]
