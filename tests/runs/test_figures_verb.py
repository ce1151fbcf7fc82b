"""The figures of a finished run, drawn again: from its tables alone, in other sizes, with other labels."""

from __future__ import annotations

import hashlib
import json
import re
import shutil

import pytest

import metaeval
from metaeval.cli import main
from metaeval.components.registries import METRICS
from metaeval.report.display_names import assigned, default_label, labels_of

CONFIG = {
    "title": "two metrics",
    "corpora": ["demo"],
    "metrics": ["bleu", "gtm(exponent=2)", "ter"],
    "documents": {"kind": "all"},
    "correlation": {"coefficients": ["pearson", "spearman"]},
    "uncertainty": {"n_resamples": 60},
    "figures": [{"kind": "intervals"}, {"kind": "judges"}],
    "labels": {"demo": "our corpus"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return metaeval.run(CONFIG, output=tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture
def run(made, tmp_path):
    return shutil.copytree(made.directory, tmp_path / "run")


def files(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def digests(run):
    told = json.loads((run / "manifest.json").read_text())["files"]
    return {name.removeprefix("figures/"): digest for name, digest in told.items() if name.startswith("figures/")}


def test_only_the_formats_that_were_asked_for_are_written(made):
    names = {"intervals_pearson", "intervals_spearman", "judges"}
    assert {path.name for path in (made.directory / "figures").iterdir()} == {
        f"{name}.{suffix}" for name in names for suffix in ("pdf", "png", "txt", "tex")
    }
    # The page holds them as lines all the same.
    assert (made.directory / "report.html").read_text(encoding="utf-8").count('src="data:image/svg+xml') == 3


def test_the_manifest_has_the_digest_of_each_figure(run):
    before, warnings = files(run), metaeval.load_run(run).warnings
    drawn = metaeval.draw_run(run, "scatter", width=3.03, criteria="fluency", formats="svg")

    # Its caption lies beside it, as text and as LaTeX.
    names = ["scatter-3.03in.svg", "scatter-3.03in.tex", "scatter-3.03in.txt"]
    assert [path.name for path in drawn] == names
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (run / "figures").iterdir()}
    assert digests(run) == found
    changed = {path for path, content in files(run).items() if before.get(path) != content}
    assert {path.name for path in changed} == {*names, "manifest.json"}
    assert metaeval.load_run(run).warnings == warnings


@pytest.mark.parametrize(
    ("width", "points"), [("12cm", 340.157), ("120 mm", 340.157), ("4.5in", 324.0), ("acl", 218.16)]
)
def test_a_width_is_a_length_or_a_name(run, tmp_path, width, points):
    # A point of PDF is 1/72 inch: 12 cm are 12 / 2.54 * 72 = 340.157 points, and 3.03 inches of a column of ACL 218.16.
    path, *_ = metaeval.draw_run(run, "scatter", width=width, criteria="fluency", formats="pdf", output=tmp_path)
    assert path.name == f"scatter-{width.replace(' ', '')}.pdf"
    (wide,) = re.findall(rb"/MediaBox \[ ?0 0 ([0-9.]+) ", path.read_bytes())
    assert float(wide) == pytest.approx(points, abs=0.01)


def test_another_directory_leaves_the_run_as_it_is(run, tmp_path):
    before = files(run)
    drawn = metaeval.draw_run(run, output=tmp_path / "mine")
    assert files(run) == before
    assert {path.parent for path in drawn} == {tmp_path / "mine"}
    # The same figures with the same settings are the same bytes.
    assert {path.name: path.read_bytes() for path in drawn} == {
        path.name: path.read_bytes() for path in (run / "figures").iterdir()
    }


def test_nothing_is_computed_and_no_corpus_is_read(run, monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed")

    monkeypatch.setattr("metaeval.corpora.catalogue.read_corpus", never)
    monkeypatch.setattr("metaeval.experiment.execute.compute_experiment", never)
    assert metaeval.draw_run(run, ["heat-table", "significance", "intervals", "agreement"])


def texts(figure):
    from tests.support.pictures import drawn_texts

    return [text.get_text().replace("\n", " ") for text in drawn_texts(figure)[0]]


def test_labels_order_and_choice(made):
    labels = {"gtm(exponent=2)": "F, e=2", "fluency": "Fluency"}
    chosen = {"metrics": ["gtm(exponent=2)", "bleu"], "criteria": ["fluency"], "labels": labels}
    figure = made.figures("intervals", **chosen)["intervals_pearson"]
    (axes,) = figure.axes

    assert [label.get_text() for label in axes.get_yticklabels()] == ["F, e=2", "BLEU"]
    assert (axes.get_label(), axes.get_title(loc="left")) == ("fluency", "Fluency")
    assert figure.heading.startswith("our corpus (simulated data): Pearson correlation")
    assert not figure.get_suptitle()
    shown = made.figures("intervals", title=True, caption=True, **chosen)["intervals_pearson"]
    assert {shown.heading, shown.caption} <= {*texts(shown)}


def test_a_shell_gets_all_of_it_and_python_the_same(run, tmp_path, capsys):
    typed = ["intervals", "--width", "acl", "--label", "gtm(exponent=2)=F, e=2", "--metric", "gtm(exponent=2)", "bleu"]
    typed += ["--criterion", "fluency", "--set", "range=[0, 1]", "--set", 'rc={"lines.linewidth" = 2}']
    assert main(["figures", str(run), *typed, "--output", str(tmp_path / "shell"), "--format", "png"]) == 0
    names = [f"intervals-acl_{name}.{suffix}" for name in ("pearson", "spearman") for suffix in ("png", "txt", "tex")]
    assert capsys.readouterr().out.split() == [str(tmp_path / "shell" / name) for name in names]
    metaeval.draw_run(
        run, "intervals", width="acl", labels={"gtm(exponent=2)": "F, e=2"}, metrics=["gtm(exponent=2)", "bleu"],
        criteria="fluency", overrides={"range": [0, 1], "rc": {"lines.linewidth": 2}}, formats="png",
        output=tmp_path / "python",
    )  # fmt: skip
    assert files(tmp_path / "shell") == files(tmp_path / "python")


def test_labels_come_from_a_file_too(run, tmp_path):
    (tmp_path / "labels.toml").write_text('[labels]\nbleu = "BLEU-4"\n"gtm(exponent=2)" = "F"\n')
    first = metaeval.draw_run(run, labels=str(tmp_path / "labels.toml"), output=tmp_path / "a", formats="svg")
    assert "BLEU-4" in first[0].read_text()


def test_settings_go_to_the_figures_of_the_config_that_have_them(run):
    # `judges` has no metrics, and is drawn all the same.
    drawn = metaeval.draw_run(run, metrics="bleu", width=3.03, formats="png")
    names = [path.name.partition("-3.03in")[0] for path in drawn if path.suffix == ".png"]
    assert names == ["intervals", "intervals", "judges"]


@pytest.mark.parametrize(
    ("kinds", "asked", "message"),
    [
        ("interval", {}, "unknown figure 'interval'; did you mean 'intervals'"),
        ("differences", {}, "unknown figure 'differences'. It is now 'intervals' with of = \"differences\""),
        ("intervals", {"metrics": "blue"}, "the run has no such metric: unknown metric 'blue'; did you mean 'bleu'"),
        ("intervals", {"criteria": "style"}, "the run has no such criterion: unknown criterion 'style'"),
        ("intervals", {"labels": ["blue=B"]}, "`labels`: unknown name 'blue'; did you mean 'bleu'"),
        ("intervals", {"labels": ["bleu"]}, "a label is NAME=LABEL, such as 'gtm.*; got 'bleu'"),
        (
            "intervals",
            {"width": "wide"},
            "unknown width 'wide'. Known widths: .* Or give inches, such as 3.03",
        ),
        ("intervals", {"width": 1}, "`width` must be at least 2"),
        # 10 mm are 1 / 2.54 inches; 2 inches are 5.08 cm, and 40 are 101.6.
        ("intervals", {"width": "10mm"}, r"must be from 2 to 40 inches \(5.08 to 101.6 cm\); 10mm is 0.394 inches"),
        (
            "intervals",
            {"width": "12 km"},
            "unknown width '12 km'. .* a length such as 12cm, 120mm or 4.7in",
        ),
        ("intervals", {"formats": "gif"}, "must be one of 'pdf', 'png', 'svg'; got 'gif'"),
        ("intervals", {"overrides": ["font='Helvetika'"]}, "unknown font 'Helvetika'"),
        ("intervals", {"overrides": {"rc": {"line.width": 2}}}, "unknown setting of matplotlib 'line.width'"),
        (
            "intervals",
            {"overrides": {"rc": {"lines.linewidth": "wide"}}},
            "matplotlib refuses lines.linewidth = 'wide'",
        ),
        ("intervals", {"overrides": ["judges=['a', 'b']"]}, "unknown key 'judges'"),
        ("", {"overrides": ["bands='all'"]}, "unknown key of figures 'bands'"),
        ("intervals", {"panels": "one"}, "unknown panel 'one'"),
        ("correlation-by-length", {}, 'needs pseudo-documents: .documents.kind = "pseudo"'),
        ("correlation-by-references", {}, "needs subsets of several sizes"),
        ("published", {}, "needs printed numbers, and the run has none: `published`"),
        ("nist-share", {}, 'metrics = ."nist'),
        ("task-table", {}, r"the run has no tasks to show; they are the \[\[tasks\]\]"),
    ],
)
def test_what_cannot_be_drawn_says_what_to_type(run, kinds, asked, message):
    before = files(run)
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.draw_run(run, kinds or (), **asked)
    assert files(run) == before


def test_a_run_without_figures_in_its_config_names_the_kinds(tmp_path):
    run = metaeval.run({**CONFIG, "figures": []}, output=tmp_path / "run")
    with pytest.raises(metaeval.UsageError, match=r"the config of the run has no figures; name kinds: 'correlation-by"):
        metaeval.draw_run(run)


def test_a_shared_task_is_drawn_again_whole(tmp_path):
    task = {"documents": {"kind": "all"}, "coefficient": "pearson"}
    config = {**CONFIG, "tasks": [{"title": one, "criteria": [one], **task} for one in ("adequacy", "fluency")]}
    run = metaeval.run({key: value for key, value in config.items() if key != "figures"}, output=tmp_path / "run")
    names = [f"{kind}-acl.{suffix}" for kind in ("task-significance", "task-table") for suffix in ("svg", "tex", "txt")]
    assert sorted(path.name for path in metaeval.draw_run(tmp_path / "run", width="acl", formats="svg")) == names
    table = run.figure("task-table", labels={"bleu": "B"})
    assert "B" in [label.get_text() for label in table.axes[0].get_yticklabels()]


def test_python_has_figures_of_all_results():
    compared = metaeval.compare("demo", ["bleu", "ter", "chrf"])
    agreement = metaeval.agreement("demo")
    figure = compared.figure("intervals", of="differences", labels={"bleu": "B"}, width=3.03)
    lines = [line for line in figure.axes[0].get_lines() if line.get_gid() in ("points", "hollow points")]
    table = compared.to_frame()
    table = table[table["criterion"] == "adequacy"]
    expected = sorted(table["best_minus_this"].dropna())

    assert sorted(value for line in lines for value in line.get_xdata()) == pytest.approx(expected)
    assert list(agreement.figures("agreement")) == ["agreement_adequacy", "agreement_fluency"]
    assert agreement.figure("agreement", criteria=["fluency"]).heading.endswith("fluency, agreement of judges")
    with pytest.raises(metaeval.UsageError, match=r"there are 2 figures 'significance': 'significance_adequacy', "):
        compared.figure("significance")


def test_labels_are_those_of_the_field():
    expected = {
        "bleu": "BLEU", "bleu(order=1)": "BLEU-1", "nist(information=False)": "NIST, unweighted",
        "gtm(exponent=2)": "GTM, e=2",
        'gtm(exponent=1,mean="recall")': "GTM recall, e=1", "rouge-s(skip=4)": "ROUGE-S4",
        'bleu(length="shortest",order=1)': "BLEU-1, shortest reference",
        "rouge-w(weight=1.2)": "ROUGE-W-1.2", "precomputed:COMET": "COMET", "mine.py:words": "words", "other": "other",
        'bleu(orders=[1,2,3,4],mean="arithmetic")': "BLEU, n = 1 to 4, arithmetic mean",
        "bleu(orders=[2,3])": "BLEU, n = 2 and 3", "bleu(orders=[1,2,4])": "BLEU, n = 1, 2 and 4",
        "ter(shift_size=None,beam=5)": "TER, no shift size, beam=5",
        "chrf(whitespace=True,lowercase=False)": "chrF, whitespace, no lowercase",
        'ter(weighting="candidate",shifts="aligned",beam=None,shift_size=None)':
            "TER, weighting=candidate, shifts=aligned, 2 other settings",
        'mine.py:words(model="a:b")': 'words(model="a:b")', "rouge-s(skip=None)": "ROUGE-S*",
        'bleu(smooth_value=0.5,smooth="floor")': "BLEU, smooth value=0.5, smooth=floor",
        'precomputed(name="QE",higher_is_better=False)': "QE", 'program(command="python a.py",name="mine")': "mine",
        'program(command="./score")': "./score",
    }  # fmt: skip
    assert {name: default_label(name) for name in expected} == expected
    assert {default_label(name) for name in METRICS} == {METRICS[name].title for name in METRICS}
    # Two that would be called the same are called as they are written.
    assert labels_of(["a.py:x", "b.py:x", "bleu"], {"bleu": "B"}) == {
        "a.py:x": "a.py:x",
        "b.py:x": "b.py:x",
        "bleu": "B",
    }
    # Many parameters are counted, and listed where the numbers of two metrics are the same.
    same = [f"ter(shift_size=None,shift_distance=None,beam={beam},shift_choices=None)" for beam in (3, 4)]
    assert labels_of(same, {}) == {
        name: f"TER, no shift size, no shift distance, beam={beam}, no shift choices"
        for beam, name in zip((3, 4), same, strict=True)
    }


def test_the_first_equals_sign_outside_of_brackets_counts():
    assert assigned(["gtm(exponent=1)=F, e=1", "a = b=c"], "") == {"gtm(exponent=1)": "F, e=1", "a": "b=c"}
