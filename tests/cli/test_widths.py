"""What verbs print at 60, 80 and 120 letters: the answer first, no line too long, and what has no room is named."""

from __future__ import annotations

import re

import pytest

import metaeval
from metaeval.cli import main
from metaeval.report.fitting import fitted
from metaeval.report.folding import folded

WIDTHS = (60, 80, 120)
LONG = "my_metric.py:score_with_a_long_name(parameter_one=1, parameter_two='something')"
QUICK = ["--resamples", "50", "--quiet"]
# What each verb says first.
VERBS = {
    "compare": (["compare", "--corpus", "demo", "-m", "bleu", "ter", "nist", *QUICK], "No significant difference"),
    "agreement": (["agreement", "--corpus", "demo", "-m", "bleu", "--draws", "3", *QUICK], "adequacy: judges agree"),
    "score": (["score", "--corpus", "demo", "-m", "bleu", "chrf", "ter", "wer", "per", "nist"], "Scores of demo "),
    "corpus show": (["corpus", "show", "demo"], "name:            demo"),
    "corpus list": (["corpus", "list"], "name "),
    "metrics list": (["metrics", "list"], "name "),
    "metrics show": (["metrics", "show", "ter"], "metric:          TER"),
    "cache info": (["cache", "info"], "kind "),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the directory of a run whose paper has claims, examples and printed numbers."""
    output = tmp_path_factory.mktemp("runs") / "run"
    quick = {"uncertainty": {"n_resamples": 20}, "figures": [], "metrics": ["bleu", "wer", "gtm(exponent=2)"]}
    return metaeval.run("linoch2004", corpora="demo", overrides=quick | {"claims": []}, output=output)


@pytest.mark.parametrize("verb", VERBS)
def test_no_line_is_longer_and_the_answer_comes_first(verb, monkeypatch, capsys):
    arguments, first = VERBS[verb]
    shown = {}
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(arguments) == 0
        shown[width] = capsys.readouterr().out
        assert max(map(len, shown[width].splitlines())) <= width
        assert shown[width].startswith(first)
    # A head of 60 letters that is not of 120 is named below.
    heads = {width: set(" ".join(_heads(text)).split()) for width, text in shown.items()}
    left_out = " ".join(re.findall(r"Left out: (.*?) has all\.", " ".join(shown[60].split())))
    assert all(word in left_out for word in heads[120] - heads[60] if word.isalpha() and len(word) > 3)


def _heads(text):
    """Return the lines right above those of dashes."""
    lines = text.splitlines()
    return [lines[at - 1] for at, line in enumerate(lines) if re.fullmatch(r"-+( +-+)*", line)]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_has_the_width_too(run, width):
    for text in (run.text(width=width), run.text(width=width, verbose=True)):
        assert max(map(len, text.splitlines())) <= width
        assert " ".join(text.split()).startswith(
            "adequacy, pearson: highest coefficient in 3 settings (preprocessing): "
        )
    assert "Simulated: no evidence.\n\n" in run.text(width=width)


def test_columns_are_left_out_by_importance_and_names_go_on_below():
    row = {"metric": LONG, "low": 1.0, "words": "w" * 50, "number": "0.123 [0.100, 0.200]", "last": 2.0}
    lines = fitted([row, {**row, "metric": "bleu"}], 60, first=["number"])
    assert max(map(len, lines)) <= 60
    # The name is whole, in the first column alone; a number is not shortened.
    first = lines[1].index(" ")
    name = [line[:first] for line in lines[2:-1] if not line.startswith("bleu")]
    assert "".join("".join(name).split()) == LONG.replace(" ", "")
    assert lines[0].split() == ["metric", "low", "number", "last"]
    assert "1.000  0.123 [0.100, 0.200]  2.000" in lines[2]
    assert lines[-1] == "Left out: words; a wider terminal or --format tsv has all."
    # Other words are shortened, in the middle where they are one.
    assert re.search(r" w+\.\.\.w+ ", fitted([row], 80)[2])
    assert fitted([row], 300)[2].count("w" * 50) == 1
    # Narrower than 60 is as 60.
    assert fitted([row], 10) == fitted([row], 60)


def test_messages_of_a_kind_are_one_with_a_count():
    messages = [f"demo, {name}: {n} of 9 coefficients are undefined. More." for n, name in enumerate(("a", "b", "c"))]
    other = "The judges are few."
    assert folded([*messages, other, other], {"demo", "a", "b", "c"}) == [
        "demo, a: 0 of 9 coefficients are undefined. (and 2 more like this)",
        other,
    ]
    # Without the names they are of three kinds.
    assert len(folded(messages)) == 3
