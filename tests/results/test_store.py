"""A run that is read is the run that was written: the same bytes again, the same figures and page."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg

import metaeval
from metaeval.components.registries import FIGURES
from metaeval.errors import CorpusError, UsageError
from metaeval.results.keys import Key
from metaeval.results.model import KINDS, Tables
from metaeval.results.store import FILES, read_run, write_run
from metaeval.runs.figures import draw_figures
from metaeval.runs.page import write_report
from tests.support.grids import grid_of
from tests.support.results import signed

# Panels, tests, ceiling, influence, replicates, claims and an example: every table but that of printed numbers.
WHOLE = [
    'metrics=["nist(order=1)", "nist(order=2)", "ter"]',
    "uncertainty.n_resamples=60",
    "judgments.ceiling=3",
    'references={subsets="every", sizes=[1, 2]}',
    'tests=[{method="bootstrap"}]',
    'claims=[{paper="x", statement="ter above nist(order=1)"}]',
    'examples=[{paper="x", metric="wer", candidate="a b", references=["a c"], value="0.5"}]',
    'panels=[{title="A"}, {title="B", criteria=["fluency"]}]',
    "figures=[]",
]
BY_LENGTH = [
    *('metrics=["bleu", "ter"]', 'criteria=["fluency"]', 'documents={kind="pseudo", lengths=[2, 9], count=6}'),
    *('judgments={rule="draw", inter_judge=true}', 'uncertainty={method="normal"}', "figures=[]"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return metaeval.run("system-level", overrides=WHOLE, output=tmp_path_factory.mktemp("runs") / "whole")


@pytest.fixture(scope="module")
def by_length(tmp_path_factory):
    return metaeval.run("system-level", overrides=BY_LENGTH, output=tmp_path_factory.mktemp("runs") / "by-length")


def contents(directory):
    own = {*FILES} - {"manifest.json"}  # which has the digests of figures too
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name in own}


@pytest.mark.parametrize("which", ["run", "by_length"])
def test_a_run_written_read_and_written_again_has_the_same_bytes(which, request, tmp_path):
    run = request.getfixturevalue(which)
    write_run(read_run(run.directory), tmp_path)
    assert contents(tmp_path) == contents(run.directory)
    assert len(contents(tmp_path)) > 5


def test_every_table_has_its_kind_of_row():
    assert list(KINDS) == [item.name for item in dataclasses.fields(Tables)]


def test_a_run_that_is_read_is_the_one_that_was_computed(run):
    read = metaeval.load_run(run.directory)
    assert set(read.data.tables.records("claims")[0]) == {item.name for item in dataclasses.fields(KINDS["claims"])}
    for name in KINDS:
        # As texts, because an undefined number is not equal to itself.
        assert repr(getattr(read.data.tables, name)) == repr(getattr(run.data.tables, name)), name
    assert read.data.corpora == run.data.corpora
    for ours, theirs in ((read.grids, run.grids), (read.data.judgments, run.data.judgments)):
        for one, other in zip(ours, theirs, strict=True):
            assert one.labels == other.labels
            assert {*one.arrays} == {*other.arrays}
            for name in other.arrays:
                np.testing.assert_array_equal(one.arrays[name], other.arrays[name])
    assert list(read.data.system_scores()) == list(run.data.system_scores())
    assert (read.warnings, read.failures) == (run.warnings, run.failures)
    assert str(read) == str(run)
    assert read.estimates[0].replicates.tolist() == run.estimates[0].replicates.tolist()


def drawn(run, kind):
    """Return the figures of a kind as drawings, which the other formats are of too, and their captions."""
    title = run.tables.correlations[-1].key.panel
    return {one.name: (one.file("svg"), one.caption) for one in draw_figures({title: [FIGURES[kind]()]}, run)}


OF_PAPERS = {"published", "claims"}


@pytest.mark.parametrize("kind", [name for name, kind in FIGURES.items() if not (kind.of_tasks or name in OF_PAPERS)])
def test_figures_of_a_live_and_of_a_read_run_have_the_same_bytes(kind, run, by_length):
    live = by_length if kind == "correlation-by-length" else run
    of_live = drawn(dataclasses.replace(live.data, warnings=[]), kind)
    assert of_live
    assert drawn(read_run(live.directory), kind) == of_live


def test_pages_of_a_live_and_of_a_read_run_have_the_same_bytes(run, tmp_path):
    pages = []
    for name, data in (("live", run.data), ("read", read_run(run.directory))):
        (tmp_path / name).mkdir()
        pages.append(write_report(data, tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def with_less_noise(values, replicates):
    """Return what is added to two lines of system scores, so that their covariance lacks that of their noise.

    The symmetric root of the covariance that is left, as seen from that there is, by another way than the program's.
    """
    noise = replicates - replicates.mean(axis=0)
    noise -= noise.mean(axis=2, keepdims=True)
    noise = sum(one @ one.T for one in noise) / ((len(noise) - 1) * (values.shape[1] - 1))
    whole = np.cov(values)
    root = np.linalg.cholesky(whole)
    left = np.linalg.inv(root) @ (whole - noise) @ np.linalg.inv(root).T
    assert np.linalg.eigvalsh(left).min() > 0
    centred = values - values.mean(axis=1, keepdims=True)
    return root @ linalg.sqrtm(left) @ np.linalg.inv(root) @ centred - centred


@pytest.mark.parametrize("method", ["bootstrap", "denoised"])
def test_replicates_of_scores_give_the_replicates_of_coefficients(method, run, tmp_path):
    if method == "bootstrap":
        run = metaeval.run(
            "system-level", overrides=[*WHOLE, 'uncertainty.method="bootstrap"'], output=tmp_path / "run"
        )
    checked = 0
    for grid in run.grids:
        scores, human = grid.score_replicates("ter"), grid.human_replicates
        if method == "denoised":
            values = np.stack([grid.scores("ter")[0], grid.human[0]])
            moved = with_less_noise(values, np.stack([scores, human], axis=1))
            scores, human = scores + moved[0], human + moved[1]
        expected = [-np.corrcoef(a, b)[0, 1] for a, b in zip(scores, human, strict=True)]
        found = run.data.replicates(grid.key_of("ter", "pearson"))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        checked += 1
    assert checked == 6  # two criteria of A and one of B, each with two groups of subsets
    assert len({grid.draws for grid in run.grids}) == 1
    # Both criteria rest on the same segments, and so have one array, in memory and in the file.
    of_panel = [grid for grid in run.grids if grid.key.panel == "A"]
    assert len({id(grid.score_replicates("ter")) for grid in of_panel}) == 2
    labels = json.loads(np.load(run.directory / "grids.npz")["labels.json"])["grids"]
    position = of_panel[0].position("ter")
    members = [one["arrays"][f"score_replicates/{position}"] for one in labels if one["key"]["panel"] == "A"]
    assert len({*members}) == 2


def test_a_metric_of_a_grid_is_found_by_its_name_and_by_the_key_of_its_row(by_length):
    grid = grid_of(by_length, length=9)
    assert [one.name for one in grid.metrics] == ["bleu", "ter"]
    (shown,) = {one.preprocessing for one in grid.metrics}
    row = next(row for row in by_length.data.tables.correlations if (row.key.metric, row.key.length) == ("ter", 9))
    for name in ("ter", (shown, "ter"), row.key, 1, -1, np.int64(1)):
        assert grid.position(name) == 1
        np.testing.assert_array_equal(grid.scores(name), grid.scores("ter"))
    assert grid.key_of("ter", row.key.coefficient) == row.key
    assert by_length.data.grid(row.key) is grid
    assert by_length.data.find_grid(row.key.with_names(metric="wer")) is None
    with pytest.raises(KeyError, match="wer"):
        by_length.data.grid(row.key.with_names(metric="wer"))
    with pytest.raises(UsageError, match=r"fluency/9.*: unknown metric 'tre'; did you mean 'ter'\?"):
        grid.scores("tre")
    with pytest.raises(UsageError, match="which belongs to another grid of the run"):
        grid.scores(row.key.with_names(criterion="adequacy"))
    with pytest.raises(UsageError, match=r"unknown coefficient 'kendall'\. Known coefficients: 'pearson'"):
        grid.coefficients("kendall")


def test_a_metric_under_several_preprocessings_is_named_with_one():
    found = metaeval.correlate(
        "demo", "wer", preprocessing=["case", "stem"], criteria="adequacy", uncertainty={"method": "none"}
    )
    (grid,) = found.grids
    assert grid.position(("stem", "wer")) == 1
    with pytest.raises(
        UsageError, match=r"must be named with its preprocessing.*\('case', 'wer'\) or \('stem', 'wer'\)"
    ):
        grid.scores("wer")


def spoilt(run, directory, name, change):
    copy_of(run, directory)
    path = directory / name
    path.write_bytes(change(path.read_bytes()))
    return directory if name == "manifest.json" else signed(directory)


def copy_of(run, directory):
    return Path(shutil.copytree(run.directory, directory, dirs_exist_ok=True))


def of_manifest(**changes):
    return lambda text: json.dumps(json.loads(text) | changes).encode()


def of_labels(change):
    """Change the labels in a file of grids."""
    return lambda content: rewritten(content, lambda name, text: change(text) if name == "labels.json" else text)


def rewritten(content, change):
    """Return a zip with other members; one that is None is left out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            if (text := change(name, old.read(name))) is not None:
                new.writestr(name, text)
    return file.getvalue()


SPOILT = {
    "warnings that are none": ("manifest.json", of_manifest(warnings=[1]), r"`warnings\[0\]` must be text; got 1"),
    "seconds that are none": ("times.json", of_manifest(seconds={"x": "y"}), "`seconds.x` must be a number; got 'y'"),
    "systems that are numbers": (
        "grids.npz",
        of_labels(lambda text: text.replace(b'"sys1"', b"1")),
        r"labels\.json: `grids\[0\]\.systems\[0\]` must be text; got 1",
    ),
    "one sign": (
        "grids.npz",
        of_labels(lambda text: re.sub(rb'"signs": \[\s*1,\s*1\s*\]', b'"signs": [1]', text, count=1)),
        r"`grids\[0\]\.metrics\[0\]\.signs` must be a list of 2; got \[1\]",
    ),
    "a length that is none": (
        "grids.npz",
        of_labels(lambda text: text.replace(b'"length": 120', b'"length": true', 1)),
        r"`grids\[0\]\.key\.documents\.length` must be a whole number; got True",
    ),
    "no labels": ("grids.npz", of_labels(lambda _: None), "is not what a run writes: it lacks labels.json; run the"),
    "no table of JSON": ("grids.npz", of_labels(lambda _: b"[]"), "is not what a run writes: it is a list"),
    "no JSON": ("grids.npz", of_labels(lambda _: b"{"), "is not what a run writes"),
    "no grids": ("grids.npz", of_labels(lambda _: b'{"grids": [3]}'), r"`grids\[0\]` must be a table; got 3"),
    "half a zip": (
        "grids.npz",
        lambda content: content[: len(content) // 2],
        "is not what a run writes: File is not a",
    ),
    "a zip of nothing": ("grids.npz", lambda _: b"PK\x03\x04", "is not what a run writes: File is not a zip file"),
    "other columns": (
        "ceiling.tsv",
        lambda text: text.replace(b"\tkind\t", b"\tkid\t", 1),
        "is not what a run writes: its columns are panel, .*kid",
    ),
    "a number that is none": (
        "rankings.tsv",
        lambda text: text.replace(b"intervals\t\t1\t", b"intervals\t\tfirst\t", 1),
        "is not what a run writes: .*'first'",
    ),
    "a corpus without a name": ("manifest.json", of_manifest(corpora=[3]), r"`corpora\[0\]` must be a table; got 3"),
    "a corpus of another kind": (
        "manifest.json",
        lambda text: text.replace(b'"simulated": true', b'"simulated": 1'),
        r"`corpora\[0\]\.simulated` must be true or false; got 1",
    ),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_spoilt_file_is_named_with_its_place(case, run, tmp_path):
    name, change, message = SPOILT[case]
    with pytest.raises(CorpusError, match=message) as error:
        read_run(spoilt(run, tmp_path, name, change))
    assert str(error.value).startswith(str(tmp_path / name))


def test_scores_that_lack_one_are_refused_when_they_are_asked_for(by_length, tmp_path):
    def without_one(text):
        lines = text.split(b"\n")
        return b"\n".join(lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :])

    found = read_run(spoilt(by_length, tmp_path, "scores.tsv", without_one))
    with pytest.raises(CorpusError, match=r"scores\.tsv: is not what a run writes: cannot reshape"):
        len(found.scores)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"lacks the array '0/human\.npy', which its labels\.json names"),
        (b"no array", r"'0/human\.npy' cannot be read as an array of numpy \("),
    ],
)
def test_an_array_that_is_none_is_told_when_it_is_asked_for(text, message, run, tmp_path):
    def change(name, old):
        return text if name == "0/human.npy" else old

    found = read_run(spoilt(run, tmp_path, "grids.npz", lambda content: rewritten(content, change)))
    assert found.grids[0].scores("ter").shape == (1, 8)
    with pytest.raises(CorpusError, match=rf"grids\.npz: {message}"):
        _ = found.grids[0].human


def test_a_run_without_its_grids_is_refused(run, tmp_path):
    copy_of(run, tmp_path)
    (tmp_path / "grids.npz").unlink()
    with pytest.raises(CorpusError, match=r"grids\.npz: cannot be read \(No such file or directory\)"):
        read_run(tmp_path)
    with pytest.raises(CorpusError, match=r"lacks grids\.npz; every run writes it"):
        read_run(signed(tmp_path))


DAMAGE = {
    "a line less": lambda path: path.write_bytes(path.read_bytes().rsplit(b"\n", 2)[0] + b"\n"),
    "another number": lambda path: path.write_bytes(path.read_bytes().replace(b"0.9", b"0.8", 1)),
    "nothing": lambda path: path.write_bytes(b""),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "gone": Path.unlink,
}
READERS = {
    "report": metaeval.report_run,
    "diff": lambda run: metaeval.diff_runs(run, run),
    "export": metaeval.export_run,
    "figures": metaeval.draw_run,
    "load": metaeval.load_run,
    "cite": lambda run: metaeval.cite([str(run)]),
}


@pytest.mark.parametrize(
    ("reader", "damage"),
    [*(("load", damage) for damage in DAMAGE), *((reader, "another number") for reader in READERS if reader != "load")],
)
def test_a_file_that_is_not_what_the_run_wrote_is_told_by_all_who_read(reader, damage, run, tmp_path, capsys):
    copy_of(run, tmp_path)
    DAMAGE[damage](tmp_path / "correlations.tsv")
    with pytest.raises(CorpusError, match=r"^.*correlations\.tsv: (is not what the run wrote|cannot be read)"):
        READERS[reader](tmp_path)


def test_a_table_of_another_run_is_not_taken_for_one_of_this(run, tmp_path):
    copy_of(run, tmp_path)
    (tmp_path / "examples.tsv").unlink()
    signed(tmp_path)
    (tmp_path / "examples.tsv").write_text("x")
    with pytest.raises(CorpusError, match=r"examples\.tsv: is not of this run, whose manifest\.json does not have it"):
        read_run(tmp_path)


def test_files_that_are_read_late_are_checked_then(run, tmp_path):
    found = read_run(copy_of(run, tmp_path))
    for name in ("scores.tsv", "grids.npz"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b" ")
    with pytest.raises(CorpusError, match="is not what the run wrote"):
        len(found.scores)
    with pytest.raises(CorpusError, match="is not what the run wrote"):
        _ = found.grids[0].human


def test_a_grid_is_told_by_its_setting(by_length):
    assert (
        repr(metaeval.load_run(by_length.directory).grids[0])
        == "<Grid demo/ref1+ref2+ref3+ref4/fluency/2: 'bleu', 'ter'; 8 systems>"
    )


def test_a_key_has_no_other_names():
    with pytest.raises(TypeError, match="metrik"):
        Key().with_names(metric="bleu", metrik="bleu")
