"""What the command line says where a first attempt goes wrong: the cause, and what to type instead."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.runtime.files import shipped


@pytest.mark.parametrize("name", ["COMET", "Unbabel-wmt22-comet-da", "BERTScore", "MetricX-24"])
def test_a_neural_metric_leads_to_the_page_about_them(name, capsys):
    assert main(["compare", "--corpus", "demo", "-m", name]) == 2
    told = capsys.readouterr().err
    assert f"unknown metric '{name}': neural metrics do not come with metaeval" in told
    assert "docs/neural-metrics.md" in told


def test_the_name_that_others_give_a_variant_leads_to_its_parameters(capsys):
    assert main(["compare", "--corpus", "demo", "-m", "chrF++"]) == 2
    assert "unknown metric 'chrF++': chrF++ is chrf(word_order=2)." in capsys.readouterr().err


@pytest.mark.parametrize("option", ["-r", "--references"])
def test_references_are_named_alike_by_score_and_compare(option, tmp_path, capsys):
    (tmp_path / "system.txt").write_text("a b c d\n")
    (tmp_path / "human.txt").write_text("a b c x\n")
    assert main(["score", "-m", "wer", "-c", str(tmp_path / "system.txt"), option, str(tmp_path / "human.txt")]) == 0
    assert "25.0" in capsys.readouterr().out  # one of four words, in percent
    typed = ["compare", "--corpus", "demo", "-m", "ter", "wer", "--criterion", "adequacy", "--resamples", "60"]
    assert main([*typed, option, "ref1", "--quiet"]) == 0
    assert "reference ref1, 13a tokens" in " ".join(capsys.readouterr().out.split())


def test_a_scale_that_a_format_has_not_is_refused(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a b\n")
    typed = ["score", "-m", "bleu", "-c", str(tmp_path / "a.txt"), "-r", str(tmp_path / "a.txt"), "--scale", "field"]
    assert main([*typed, "--format", "tsv"]) == 2
    assert "--scale field belongs to --format table; --format tsv has the scores of the metric itself" in (
        capsys.readouterr().err
    )
    assert main(typed) == 0


def test_a_table_of_many_criteria_says_how_to_see_intervals(tmp_path, capsys):
    rows = [
        {"segment": k, "system": system, "text": f"{'a ' * n}{k}", "reference": f"a a {k}"}
        | {name: (n * k + i) % 5 for i, name in enumerate(("form", "sense", "style"))}
        for k in range(1, 13)
        for n, system in enumerate("ABC", start=1)
    ]
    found = metaeval.compare(metaeval.corpus(rows), ["ter", "wer"], n_resamples=60, ceiling=0)
    assert "Intervals and p: `criteria=[NAME]`, or `verbose=True`." in " ".join(found.text(width=120).split())


@pytest.mark.parametrize(
    ("typed", "hint", "rest"),
    [
        (
            ["compare", "--corpus", "demo", "-m", "blue"],
            "metric 'blue'; did you mean 'bleu'?",
            "`metaeval metrics list`",
        ),
        (["corpus", "show", "dem"], "corpus 'dem'; did you mean 'demo'?", "`metaeval corpus list`"),
        (
            ["run", "turian2003-chines"],
            "config 'turian2003-chines'; did you mean 'turian2003-chinese'?",
            "docs/papers.md",
        ),
        (["run", "system-level", "--set", "corpra=[]"], "key 'corpra'; did you mean 'corpora'?", "docs/experiments.md"),
    ],
)
def test_an_unknown_name_has_the_nearest_first_and_eight_of_the_known(typed, hint, rest, capsys):
    assert main(typed) == 2
    told = capsys.readouterr().err
    assert f"unknown {hint} Known " in told
    names = told.partition(" Known ")[2].partition(" and ")[0]
    assert names.count(", ") == 7
    assert f" more: {rest}" in told


def test_all_known_names_are_there_if_they_are_few(capsys):
    assert main(["compare", "--corpus", "demo", "-m", "bleu", "--criterion", "grammar"]) == 2
    told = capsys.readouterr().err
    assert "unknown criterion 'grammar'. Known criteria: 'adequacy', 'fluency'." in told


@pytest.mark.parametrize(
    "typed", [["corpus", "show", ""], ["judge", ""], ["compare", "--corpus", "", "-m", "bleu"], ["agreement", ""]]
)
def test_an_empty_name_is_not_the_current_directory(typed, monkeypatch, capsys):
    monkeypatch.chdir(shipped("data") / "demo")
    assert main(typed) == 2
    assert "got ''." in capsys.readouterr().err
