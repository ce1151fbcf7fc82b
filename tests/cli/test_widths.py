"""What verbs print at 60, 80 and 120 letters: the answer first, no line too long, and what has no room is named."""

from __future__ import annotations

import re

import pytest

import metaeval
from metaeval.cli import main
from metaeval.report.answers import answers_of
from metaeval.report.folded_messages import folded
from metaeval.report.terminal_table import fitted
from tests.support.terminals import in_terminal

WIDTHS = (60, 80, 120)
LONG = "my_metric.py:score_with_a_long_name(parameter_one=1, parameter_two='something')"
QUICK = ["--resamples", "50", "--quiet"]
# What each verb says first.
VERBS = {
    "compare": (
        ["compare", "--corpus", "demo", "-m", "bleu", "ter", "nist", *QUICK],
        "Overall (simulated data: no evidence about real",
    ),
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
    heads = {width: set(" ".join(_heads(text, rows=1 + (width == 60))).split()) for width, text in shown.items()}
    left_out = " ".join(re.findall(r"Left out: (.*?) has all\.", " ".join(shown[60].split())))
    assert all(word in left_out for word in heads[120] - heads[60] if word.isalpha() and len(word) > 3)


def _heads(text, rows=1):
    """Return the lines right above those of dashes, or so many of them, where a head may have two."""
    lines = text.splitlines()
    ends = [at for at, line in enumerate(lines) if re.fullmatch(r"-+( +-+)*", line)]
    return [" ".join(lines[max(at - rows, 0) : at]) for at in ends]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_has_the_width_too(run, width):
    for text in (run.text(width=width), run.text(width=width, verbose=True)):
        assert max(map(len, text.splitlines())) <= width
        assert " ".join(text.split()).startswith(
            "adequacy, Pearson (simulated data: no evidence about real metrics): GTM20 has the highest coefficient "
            "with all 3 kinds of preprocessing; "
        )


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
    assert lines[-1] == "Left out: words; a wider terminal or to_frame() has all."
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
    # As many tasks as have one, and their titles, are no difference.
    places = ["3 tasks: demo", "4 tasks: demo", "a; b: demo", "demo"]
    (one,) = folded(
        [f"{place}, a: nobody judged {n} of 9 systems." for n, place in enumerate(places)], {"demo", "a", "b"}
    )
    assert one == "3 tasks: demo, a: nobody judged 0 of 9 systems. (and 3 more like this)"
    # Without the names they are of three kinds.
    assert len(folded(messages)) == 3


def test_scores_are_on_the_scales_of_the_field_for_readers_alone(capsys):
    arguments = ["score", "--corpus", "demo", "-m", "bleu", "chrf", "ter", "nist"]
    assert main(arguments) == 0
    _, heads, _, first, *_ = capsys.readouterr().out.splitlines()
    assert " ".join(heads.split()) == "candidate bleu x100 chrf ter x100 nist"
    raw = {one.metric: one.values[0, 0] for one in metaeval.score_files(["bleu", "chrf", "ter", "nist"], corpus="demo")}
    assert first.split() == [
        "sys1", f"{100 * raw['bleu']:.1f}", f"{raw['chrf']:.1f}", f"{100 * raw['ter']:.1f}", f"{raw['nist']:.3f}"
    ]  # fmt: skip
    assert main([*arguments, "--scale", "raw"]) == 0
    _, heads, _, first, *_ = capsys.readouterr().out.splitlines()
    assert heads.split() == ["candidate", "bleu", "chrf", "ter", "nist"]
    assert first.split() == ["sys1", *(f"{value:.3f}" for value in raw.values())]
    assert main([*arguments, "--format", "tsv"]) == 0
    assert f'sys1\tbleu\tcase(tokenizer="13a")\t{float(raw["bleu"])!r}\n' in capsys.readouterr().out


def test_one_table_has_all_criteria_from_three_on(tmp_path):
    found = metaeval.compare("demo", ["bleu", "nist"], n_resamples=50, ceiling=0)
    assert "In the order of" not in found.text(width=80)
    # The same judgments again, as a third and a fourth criterion: of 60 letters, metrics take
    # 6 (BLEU-1), and the criteria 10, 9, 27 and 24 with two between, so that the first three take 58.
    names = ["adequacy", "fluency", "a_criterion_of_many_letters", "and_one_more_of_so_many"]
    corpus = metaeval.load_corpus("demo")
    system = list(corpus.systems)
    lines = [
        f"{segment + 1}\t{name}\tj{judge}\t{criterion}\t{(number + segment * judge) % 5 + 1}"
        for criterion in names
        for number, name in enumerate(system)
        for segment in range(6)
        for judge in (1, 2)
    ]
    here = tmp_path / "corpus"
    (here / "systems").mkdir(parents=True)
    (here / "references").mkdir()
    criteria = "".join(f"\n[[criteria]]\nname = '{name}'\nlow = 1\nhigh = 5\ndirection = 'higher'\n" for name in names)
    (here / "corpus.toml").write_text(f"name = 'four'\n{criteria}")
    (here / "judgments.tsv").write_text("\n".join(["segment\tsystem\tjudge\tcriterion\tscore", *lines]) + "\n")
    (here / "references" / "r.txt").write_text("\n".join(corpus.references["ref1"][:6]) + "\n")
    for name, texts in zip(system, corpus.candidates, strict=True):
        (here / "systems" / f"{name}.txt").write_text("\n".join(texts[:6]) + "\n")
    many = metaeval.compare(here, ["bleu(order=1)", "ter"], n_resamples=50, ceiling=0).text(width=60)
    assert max(map(len, many.splitlines())) <= 60
    heads = " ".join(_heads(many)).split()
    assert [head for head in heads if head != "metric"] == names
    assert len(re.findall(r"^TER ", many, re.MULTILINE)) == heads.count("metric") == 2


def test_the_answer_is_no_winner_where_metrics_are_the_same_or_say_nothing(tmp_path):
    same = ["bleu(order=1)", 'bleu(order=1,smooth="mteval")']
    documents = {"kind": "pseudo", "lengths": [5, 10], "count": 20}
    run = metaeval.correlate(
        "demo", same, criteria=["adequacy"], documents=documents, correlation={"coefficients": ["pearson"]}
    )
    assert answers_of(run.data) == [
        "adequacy, Pearson (simulated data: no evidence about real metrics): several metrics have the same "
        "highest coefficient at both document lengths.",
    ]
    # Scores that have nothing to do with the systems: 4 7 1 8 2 5 3 6 for 1 to 8.
    path = tmp_path / "noise.tsv"
    lines = [
        f"sys{number}\t{segment}\t{score}"
        for number, score in enumerate((4, 7, 1, 8, 2, 5, 3, 6), start=1)
        for segment in range(1, 121)
    ]
    path.write_text("\n".join(["system\tsegment\tscore", *lines]) + "\n")
    told = {
        metric: metaeval.compare("demo", metric, criteria=["adequacy"], n_resamples=500).tables[0].sentence
        for metric in (f"scores:{path}", "bleu")
    }
    of = "adequacy (simulated data: no evidence about real metrics): "
    assert told[f"scores:{path}"].startswith(f"{of}no metric is shown to agree with people: the highest coefficient, ")
    assert told["bleu"].startswith(f"{of}BLEU has ")
    assert told["bleu"].endswith("; it is the only metric.")


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_the_answer_is_bold_in_a_terminal_that_has_colours(environment):
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--ceiling", "0", *QUICK]
    written, code = in_terminal(arguments, columns=80, **environment)
    assert code == 0
    first = written.decode().lstrip("\r").split("\r\n")[0]
    assert (first == f"\x1b[1m{first[4:-4]}\x1b[0m") == (not environment)
    assert ("\x1b[1;33msimulated data: no evidence about real metrics\x1b[0m\x1b[1m" in written.decode()) == (
        not environment
    )
