"""The bitext grid: its matching is that of the metric, and what is printed is what was found."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.experiment.bitext import make_grid
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.segments import segment_ids
from metaeval.report.grid import grid_text
from metaeval.report.letter_widths import display_width
from metaeval.text.preprocessing import get_preprocessing
from tests.support.gold import encode, gold, inputs, lines, rows

# Six tokens against references of 3 and 5: at most (3 + 5) / 2 = 4 hits. The run x y z begins later in the candidate,
# so it is taken first and keeps its 3 hits; u v w keeps one: size sqrt(3^2 + 1^2) = 3.162, precision 3.162 / 6 = 0.527,
# recall 3.162 / 4 = 0.791, F 2 * 3.162 / 10 = 0.632.
EXAMPLE = ("u v w x y z", ["u v w", "x y z u q"])
PRINTED = """\
   ref 1   ref 2
   u v w   x y z u q
u  B     |       .
v    o   |
w      o |
x        | A
y        |   A
z        |     A

letters: the runs of the matching; o: hits that the cap deletes; .: other hits

run  length  kept  candidate  in  reference  tokens
---  ------  ----  ---------  --  ---------  ------
A         3  3     4-6         2  1-3        x y z
B         3  1     1-3         1  1-3        u v w

metric           match size  cap  candidate  mean reference  precision  recall      F
---------------  ----------  ---  ---------  --------------  ---------  ------  -----
gtm(exponent=2)       3.162  4            6  4                   0.527   0.791  0.632

GTM|exponent:2|search:greedy|"""


def test_the_example_on_the_command_line(capsys):
    candidate, (first, second) = EXAMPLE
    assert main(["grid", "-c", candidate, "-r", first, "-r", second]) == 0
    assert capsys.readouterr().out.startswith(PRINTED)


@pytest.mark.parametrize("options", [[], ["--exponent", "1"], ["--exponent", "1.5", "--lowercase"]])
def test_the_numbers_are_those_of_score(tmp_path, capsys, options):
    texts = {"c": "The cat sat on The mat", "r": "the cat the mat sat on it", "s": "on a mat"}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    assert main(["grid", "-c", texts["c"], "-r", texts["r"], texts["s"], *options]) == 0
    numbers = capsys.readouterr().out.split("\n\n")[-2].split("\n")[-1].split()
    exponent = options[1] if options else "2"
    metrics = [f"gtm(exponent={exponent},mean='{mean}')" for mean in ("precision", "recall", "f")]
    paths = [str(tmp_path / name) for name in texts]
    assert main(["score", "-m", *metrics, "-c", paths[0], "-r", *paths[1:], *options[2:]]) == 0

    assert numbers[-3:] == capsys.readouterr().out.splitlines()[-1].split()[-3:]


def test_worked_examples_of_the_papers():
    def texts(name, case):
        folder = gold(f"inputs/{name}")
        place = lines(folder / "ids.txt").index(case)
        references = [lines(path)[place] for path in sorted(folder.glob("ref.*.txt"))]
        return lines(folder / "hyp.sys0.txt")[place], references

    turian = texts("edge1", "turian_fig1_like")
    assert metaeval.grid(*turian, exponent=1).size == 7
    found = metaeval.grid(*turian, exponent=2)
    assert [block.length for block in found.blocks] == [4, 2, 1]
    assert math.sqrt(21) == pytest.approx(found.size)
    melamed = metaeval.grid(*texts("edge2", "melamed_fig2_like"), exponent=1)
    assert melamed.cap == melamed.size == sum(block.kept for block in melamed.blocks) == 5
    assert melamed.n_deleted == sum(block.length for block in melamed.blocks) - 5 > 0


@pytest.mark.parametrize(("name", "n_rows"), [("edge1", 135), ("edge2", 225), ("seg60", 1080)])
def test_the_blocks_make_the_size_that_gtm_prints(name, n_rows):
    candidates, known = inputs(name)
    table = [row for row in rows(f"gtm/{name}.gtm14.segment.tsv") if row["hyp"] == "sys0"]
    assert len(table) == n_rows
    ids = {key: list(segment_ids(text)) for key, text in {**known, "candidate": candidates["sys0"]}.items()}
    for row in table:
        place, e = int(row["seg"]) - 1, float(row["e"])
        references = [ids[reference][place] for reference in row["refs"].split("+")]
        found = Gtm(exponent=e).align(ids["candidate"][place], references)
        assert float(row["match_weight"]) == pytest.approx(sum(hits**e for _, hits in found.chosen), abs=1e-8)


@pytest.mark.parametrize("name", ["edge1", "edge2"])
def test_the_blocks_of_the_exact_search_make_the_size_of_the_oracle(name):
    candidates, known = inputs(name)
    ids = {key: list(segment_ids(text)) for key, text in {**known, "candidate": candidates["sys0"]}.items()}
    for row in rows(f"gtm/{name}.exact_oracle.segment.tsv"):
        place, e = int(row["seg"]) - 1, float(row["e"])
        references = [ids[reference][place] for reference in row["refs"].split("+")]
        found = Gtm(exponent=e, cap="whole", search="exact").align(ids["candidate"][place], references)
        size = sum(hits**e for _, hits in found.chosen)
        assert float(row["exact_capped_floor"]) == pytest.approx(size, abs=1e-6, rel=1e-9)


texts = st.lists(st.sampled_from("abcd"), max_size=7)


@settings(deadline=None, max_examples=80)
@given(
    texts,
    st.lists(texts, min_size=1, max_size=3),
    st.sampled_from([1.0, 2.0, 3.0]),
    st.sampled_from(["greedy", "exact"]),
    st.sampled_from(["float", "whole"]),
)
def test_a_matching_uses_each_token_once_and_is_the_scores(candidate, references, exponent, search, cap):
    metric = Gtm(exponent=exponent, search=search, cap=cap)
    encoded = list(encode([" ".join(candidate)], *([" ".join(words)] for words in references)))
    ids = [next(iter(segment_ids(text))) for text in encoded]
    found = metric.align(ids[0], ids[1:])
    side_by_side = [token for words in references for token in [*words, None]]
    cells = [(run.candidate + k, run.reference + k) for run, _ in found.chosen for k in range(run.length)]

    assert all(candidate[row] == side_by_side[column] for row, column in cells)
    assert len({row for row, _ in cells}) == len({column for _, column in cells}) == len(cells)
    assert sum(hits for _, hits in found.chosen) <= found.cap + 1e-12
    (statistics,) = metric.statistics(encoded[0], metric.prepare(encoded[1:]))
    power_sum = sum(hits**exponent for _, hits in found.chosen)
    assert statistics[0] ** exponent == pytest.approx(power_sum, rel=1e-9, abs=1e-12)


words = st.text(st.sampled_from("abcdefghij\u4e2d\u6587e\u0301\u00fc.,"), min_size=1, max_size=25)


@settings(deadline=None, max_examples=40)
@given(st.lists(words, max_size=80), st.lists(st.lists(words, max_size=70), min_size=1, max_size=3))
def test_the_text_fits_a_terminal(candidate, references):
    found = metaeval.grid(" ".join(candidate), [" ".join(of) for of in references])
    assert max(map(display_width, str(found).splitlines())) <= 120
    assert max(map(display_width, grid_text(found, 100).splitlines())) <= 100


def test_a_grid_wider_than_the_terminal_goes_on_below():
    candidate = " ".join(f"w{k}" for k in range(70))
    text = str(metaeval.grid(candidate, candidate, exponent=2))
    first, second = text.split("\n\n")[:2]
    assert sum(line.count("A") for line in first.splitlines()) == 57
    assert sum(line.count("A") for line in second.splitlines()) == 13


def test_a_fraction_of_a_hit():
    # Four tokens against references of 2 and 3: 2.5 hits may stay; the last of c d e keeps a half.
    found = metaeval.grid("a c d e", ["c d", "c d e"], exponent=2)
    assert [(block.length, block.kept) for block in found.blocks] == [(3, 2.5)]
    assert str(found).splitlines()[2:6] == ["a      |", "c  .   | A", "d    . |   A", "e      |     %"]
    assert "%: a hit that counts a fraction" in str(found)


def test_a_search_that_ended_early_is_told():
    found = metaeval.grid(*EXAMPLE)
    sentence = "The search ended before this matching was proven to be the largest."
    assert sentence not in str(found)
    assert sentence in str(replace(found, proven=False))


def test_without_tokens_there_is_no_grid():
    assert "the candidate has no token" in str(metaeval.grid("", ["a b"]))
    text = str(metaeval.grid("a", ["", ""]))
    assert "no reference has one" in text
    assert "There is no hit." in text


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_pictures_have_the_same_bytes_each_time(tmp_path, suffix):
    paths = [metaeval.grid(*EXAMPLE).save(tmp_path / f"{name}.{suffix}") for name in "ab"]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_picture_has_a_dot_for_each_hit_and_a_block_for_each_run():
    figure = metaeval.grid(*EXAMPLE).figure()
    panel = figure.axes[0]
    dots = {}
    for line in panel.get_lines():
        for column, row in zip(*line.get_data(), strict=True):
            dots[row, column] = line.get_fillstyle() if line.get_markersize() > 3 else "small"
    # Columns 0 to 2, a gap, and 4 to 8; u is hit once more in the second reference, at its fourth token.
    assert dots == {
        (3, 4): "full",
        (4, 5): "full",
        (5, 6): "full",
        (0, 0): "full",
        (1, 1): "none",
        (2, 2): "none",
        (0, 7): "small",
    }
    sides = sorted(patch.get_width() for patch in panel.patches if patch.get_fill())
    assert sides == [0.9, 2.9]


def test_the_picture_of_references_without_tokens_and_of_hits_that_are_all_deleted():
    # The mean reference has one token, so that a run of two keeps one hit, and the other run none.
    found = metaeval.grid("a b x c", ["a b c", "", ""], exponent=2)
    assert [(block.length, block.kept) for block in found.blocks] == [(2, 1.0), (1, 0.0)]
    panel = found.figure().axes[0]

    assert [patch.get_width() for patch in panel.patches if patch.get_fill()] == [0.9]
    assert [line.get_fillstyle() for line in panel.get_lines() if line.get_markersize() > 3] == ["full", "none", "none"]
    assert [text.get_text() for text in panel.texts if text.get_text().startswith("ref")] == ["ref 1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--exponent", "0.5"], "`exponent` must be at least 1"),
        (["--output", "nowhere/grid.svg"], "--output nowhere/grid.svg: cannot be written: No such file or directory."),
        (["--output", "grid.jpg"], "a picture must be named .svg, .pdf or .png; got 'grid.jpg'"),
        (["--tokenize", "nonsense"], "unknown tokenizer 'nonsense'"),
    ],
)
def test_wrong_usage_is_told(capsys, arguments, message):
    assert main(["grid", "-c", "a", "-r", "a", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_a_grid_needs_a_reference():
    with pytest.raises(UsageError, match="at least one reference"):
        metaeval.grid("a", [])


def test_a_grid_of_another_metric_is_refused():
    with pytest.raises(UsageError, match="a grid shows the matching of the metric 'gtm'; got 'bleu'"):
        make_grid("a", ["a"], get_preprocessing("case"), "bleu")


@pytest.mark.parametrize("stem", ["no", 1, None])
def test_what_is_true_or_false_is_nothing_else(stem):
    with pytest.raises(UsageError, match=re.escape(f"`stem` must be True or False; got {stem!r}.")):
        metaeval.grid("a", "a", stem=stem)
