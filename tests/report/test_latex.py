"""What goes into a paper, read by a strict reader of the little TeX that it may hold."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.report.correlation_tables import summary_tables
from metaeval.report.latex import escaped, number_tex, tables_latex
from metaeval.report.latex_numbers import numbers_tex
from metaeval.report.tables import Estimated, SummaryTable, tables_markdown
from tests.support.results import NAN, correlation, facts_of, run_of

DEFINITION = re.compile(r"\\metaevalnumber\{([A-Za-z0-9.,:;+\-*=()\[\]@!?_/]+)\}\{(.+)\}")
VALUE = re.compile(r"\d+(\.\d{3})?|\\ensuremath\{-(?!0\.000)\d+\.\d{3}\}|--")
# Names are any text, and often hold what TeX, Markdown or a language makes something of.
NAMES = st.text(
    st.sampled_from("aB3 /%#\\{}~^&$_\"'<>|[]*-+=(:,)\n\t\x00é字") | st.characters(codec="utf-8"), min_size=1
)


def definitions(text):
    """Return the numbers of numbers.tex by their keys; nothing but comments stands between them."""
    head, *rest = text.split("  \\fi}\n")
    assert len(rest) == 2
    for part in (head, rest[0]):
        assert balance(part + "}") == 0
    found = {}
    for line in rest[1].split("\n"):
        if not line or line.startswith("%"):
            continue
        key, value = DEFINITION.fullmatch(line).groups()
        assert VALUE.fullmatch(value), line
        assert key not in found
        found[key] = value
    return found


def plain(value):
    """Return a number as it is printed."""
    return value.removeprefix("\\ensuremath{").rstrip("}")


def balance(text):
    """Return how many braces stay open; none closes before it was opened. Comments and escaped braces do not count."""
    depth = 0
    for line in text.split("\n"):
        kept = re.sub(r"\\.", "", line).partition("%")[0]
        for letter in kept:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            assert depth >= 0, line
    return depth


def row(**changes):
    known = {
        "corpus": "demo",
        "preprocessing": 'case(tokenizer="13a")',
        "subset": "ref1+ref2",
        "metric": "gtm(exponent=2)",
        "length": 10,
        "coefficient": "spearman",
        "mean": 0.12345,
        "lower": NAN,
        "upper": NAN,
        "interval": "none",
    }
    return correlation(**known | changes)


def test_a_number_has_the_key_of_its_row():
    rows = [
        row(),
        row(preprocessing="", metric="inter-judge", length=None),
        row(length=120, kind="all", lower=-0.5, upper=0.98765),
        row(panel="Arabic, stemmed", length=1),
    ]
    assert definitions(numbers_tex(run_of(*rows))) == {
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/10/spearman": "0.123",
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/10/spearman/rank": "1",
        "demo/ref1+ref2/adequacy/inter-judge/spearman": "0.123",
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/spearman": "0.123",
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/spearman/lower": r"\ensuremath{-0.500}",
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/spearman/upper": "0.988",
        "demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/spearman/rank": "1",
        "Arabic,-stemmed/demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/1/spearman": "0.123",
        "Arabic,-stemmed/demo/case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/1/spearman/rank": "1",
    }


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.12345, "0.123"),
        (-0.12345, r"\ensuremath{-0.123}"),
        (1.0, "1.000"),
        (-0.0004, "0.000"),
        (-0.0, "0.000"),
        (-0.0006, r"\ensuremath{-0.001}"),
        (math.nan, "--"),
        (math.inf, "--"),
    ],
)
def test_a_number_as_latex(number, text):
    assert number_tex(number) == text


def test_the_commands_are_those_of_the_header():
    text = numbers_tex(run_of(row()))
    assert text.startswith("% ")
    for line in text.split("\n"):
        assert not re.search(r"[^\\]%.", line) or line.startswith("%")
    lookup = r"""\providecommand{\metaeval}[1]{%
  \ifcsname metaeval@\detokenize{#1}\endcsname
    \csname metaeval@\detokenize{#1}\endcsname
  \else
    \PackageError{metaeval}{There is no number '\detokenize{#1}'}{The keys stand in numbers.tex.}%
    \textbf{??}%
  \fi}
"""
    assert text.count(lookup) == 1
    assert text.index(lookup) < text.index(r"\metaevalnumber{demo")
    assert text.count(r"\expandafter\gdef\csname metaeval@\detokenize{#1}\endcsname{#2}%") == 1


def test_signs_that_tex_could_misread_become_hyphens():
    key, _ = definitions(numbers_tex(run_of(row(corpus="a%b#c\\d{e}f~g^h&i$j/k l", metric='müller\'s "x"_:字'))))
    assert key.startswith("a-b-c-d-e-f-g-h-i-j-k-l/case(tokenizer=13a)/")
    assert "/m-llers-x_:-/10/" in key


def test_equal_keys_are_numbered_and_told():
    text = numbers_tex(
        run_of(row(corpus="a b", mean=0.1), row(corpus="c"), row(corpus="a-b", mean=0.2, lower=0.1, upper=0.3))
    )
    where = "case(tokenizer=13a)/ref1+ref2/adequacy/gtm(exponent=2)/10/spearman"
    assert definitions(text) == {
        f"a-b/{where}-1": "0.100",
        f"a-b/{where}-1/rank": "1",
        f"c/{where}": "0.123",
        f"c/{where}/rank": "1",
        f"a-b/{where}-2": "0.200",
        f"a-b/{where}-2/rank": "1",
        f"a-b/{where}-2/lower": "0.100",
        f"a-b/{where}-2/upper": "0.300",
    }
    said = 'case(tokenizer="13a") | ref1+ref2 | adequacy | gtm(exponent=2) | 10 | spearman:'
    assert f"% a b | {said}\n\\metaevalnumber{{a-b/{where}-1}}" in text
    assert f"% a-b | {said}\n\\metaevalnumber{{a-b/{where}-2}}" in text


def test_a_numbered_key_takes_no_other_rows_place():
    rows = [row(coefficient="r", mean=0.1), row(coefficient="r", mean=0.2), row(coefficient="r-1", mean=0.3)]
    found = definitions(numbers_tex(run_of(*rows)))
    last = {key.rpartition("/")[2]: value for key, value in found.items() if not key.endswith(("/rank", "/difference"))}
    assert last == {"r-2": "0.100", "r-3": "0.200", "r-1": "0.300"}


def test_a_limit_takes_no_other_rows_place():
    rows = [
        row(coefficient="r", lower=0.0, upper=0.2),
        row(metric="", length=None, coefficient="gtm(exponent=2)/10/r/lower", mean=0.9),
    ]
    # Value, two ends and rank of the one; value and rank of the other.
    assert len(definitions(numbers_tex(run_of(*rows)))) == 6


def test_a_simulated_corpus_is_told_in_a_comment():
    text = numbers_tex(run_of(row(), corpora=[facts_of("demo", simulated=True), facts_of("other")]))
    assert [line for line in text.split("\n") if "simulated" in line] == [
        "% demo: simulated data: no evidence about real metrics."
    ]


@given(
    st.lists(
        st.tuples(NAMES, NAMES, NAMES, st.none() | st.integers(1, 9), st.floats(-1, 1) | st.just(math.nan)),
        max_size=6,
        # No run has two values of a metric at one place; other names can still make one key.
        unique_by=lambda part: part[:4],
    )
)
def test_every_number_has_one_key_and_its_value(parts):
    rows = [
        row(corpus=corpus, metric=metric, criterion=criterion, length=length, mean=mean, lower=mean, upper=mean)
        for corpus, metric, criterion, length, mean in parts
    ]
    found = definitions(numbers_tex(run_of(*rows)))
    beside = ("/lower", "/upper", "/rank", "/difference")
    means = [plain(value) for key, value in found.items() if not key.endswith(beside)]
    assert len(means) == len(rows)
    for value, one in zip(means, rows, strict=True):
        assert math.isnan(one.mean) if value == "--" else abs(float(value) - one.mean) <= 0.0005 + 1e-12
    defined = sum(not math.isnan(one.mean) for one in rows)
    ends = sum(key.endswith(("/lower", "/upper")) for key in found)
    ranks = sum(key.endswith("/rank") for key in found)
    assert (ends, ranks) == (2 * defined, defined)


SYSTEMS = [
    {"criterion": "adequacy", "metric": "bleu_1", "pearson": 0.5, "spearman": -0.25},
    {"criterion": "adequacy", "metric": "nist & co", "pearson": math.nan, "spearman": -0.0001},
    {"criterion": "fluency", "metric": "bleu_1", "pearson": 0.125, "spearman": 1.0},
]


def test_a_table_needs_no_edits():
    table = SummaryTable("demo: correlation across systems, references ref1+ref2, 100 % of it", SYSTEMS)
    assert tables_latex([table]).split("\n") == [
        "% The tables of a run of metaeval. In the preamble:",
        r"%   \usepackage{booktabs}",
        "% Names in other scripts than Latin need xelatex or lualatex, and a font that has them.",
        r"% In the text: \input{tables.tex}, or copy a table; \ref{tab:metaeval-1} is the number of the first.",
        "",
        r"\begin{table}",
        r"\centering",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"criterion & metric & pearson & spearman \\",
        r"\midrule",
        r"adequacy & bleu\_1 & 0.500 & \ensuremath{-0.250} \\",
        r" & nist \& co & -- & 0.000 \\",
        r"\addlinespace",
        r"fluency & bleu\_1 & 0.125 & 1.000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{demo: correlation across systems, references ref1+\allowbreak{}ref2, 100 \% of it.}",
        r"\label{tab:metaeval-1}",
        r"\end{table}",
        "",
    ]


def test_limits_and_wide_tables():
    rows = [
        {"metric": "bleu", "preprocessing": preprocessing, "pearson": pearson, "spearman": spearman}
        for preprocessing, pearson, spearman in (
            ("case", Estimated(0.5, -0.25, 0.75, "*"), Estimated(NAN, NAN, NAN)),
            ("stem", Estimated(-0.0, -0.0001, 0.1), Estimated(-0.1, -0.2, 0.0)),
        )
    ]
    text = tables_latex([SummaryTable("one", SYSTEMS), SummaryTable("two.", rows, "*  the best.")])
    assert text.split("\n")[1:3] == [r"%   \usepackage{booktabs}", r"%   \usepackage{graphicx}"]
    assert text.partition("\\end{table}\n\n")[2].split("\n") == [
        r"\begin{table}",
        r"\centering",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"metric & preprocessing & pearson & spearman \\",
        r"\midrule",
        # What a cell lacks is a gap of its width, so that points stand below each other.
        r"bleu & case & 0.500 [\ensuremath{-0.250}, 0.750]* & --\phantom{ [\ensuremath{-}0.000, 0.000]} \\",
        r" & stem & 0.000 [\phantom{\ensuremath{-}}0.000, 0.100]\phantom{*} & "
        r"\ensuremath{-0.100} [\ensuremath{-0.200}, 0.000] \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\caption{two. * the best.}",
        r"\label{tab:metaeval-2}",
        r"\end{table}",
        "",
    ]


@pytest.mark.parametrize(
    ("p", "side"), [(["", "< 0.001", "0.938", "undecided"], "r"), (["", "13a", "0.9 x", "2.0"], "l")]
)
def test_p_values_stand_below_each_other(p, side):
    """All have three digits, so that their points do where they end at one place; versions are no p-values."""
    rows = [{"metric": name, "p": text} for name, text in zip("abcd", p, strict=True)]
    lines = tables_latex([SummaryTable("t", rows)]).split("\n")
    assert rf"\begin{{tabular}}{{l{side}}}" in lines
    if side == "r":
        assert r"b & \textless{} 0.001 \\" in lines


def test_a_row_that_begins_with_a_bracket_or_a_star_is_no_option():
    # \\ takes [2mm] and * for its own, and so does \addlinespace.
    rows = [{"metric": name, "1": 0.5} for name in ("[x]", "*", "a[1]")]
    lines = tables_latex([SummaryTable("t", rows)]).split("\n")
    assert [line for line in lines if line.endswith(r" & 0.500 \\")] == [
        r"{}[x] & 0.500 \\",
        r"{}* & 0.500 \\",
        r"a[1] & 0.500 \\",
    ]


def pieces(rows):
    """Return the captions of a table in LaTeX, with the first cells of each piece and its number of rows."""
    found = []
    for text in tables_latex([SummaryTable("all", rows)]).split("\\begin{table}")[1:]:
        head, _, rest = text.partition("\\midrule\n")
        body = [line for line in rest.partition("\\bottomrule")[0].splitlines() if "&" in line]
        caption = re.search(r"\\caption\{(.*)\}", text).group(1)
        found.append((caption, head.partition("\\toprule\n")[2].strip(), body[0], len(body)))
    return found


def test_a_table_longer_than_a_page_becomes_several():
    # Two criteria by two preprocessing by 30 metrics: one table of each, as neither 120 nor 60 rows fit.
    rows = [
        {"criterion": criterion, "metric": f"m{n}", "preprocessing": preprocessing, "pearson": 0.5}
        for criterion in ("adequacy", "fluency")
        for preprocessing in ("case", "stem")
        for n in range(30)
    ]
    assert pieces(rows) == [
        (f"all; criterion {criterion}; preprocessing {preprocessing}.", r"metric & pearson \\", r"m0 & 0.500 \\", 30)
        for criterion in ("adequacy", "fluency")
        for preprocessing in ("case", "stem")
    ]
    assert len(pieces(rows[:45])) == 1


def test_a_long_table_of_small_groups_or_of_none_is_cut():
    small = [{"metric": f"m{n}", "preprocessing": f"c{k}", "pearson": 0.5} for n in range(20) for k in range(4)]
    header = r"metric & preprocessing & pearson \\"
    assert pieces(small) == [
        ("all; part 1 of 2.", header, r"m0 & c0 & 0.500 \\", 44),
        ("all; part 2 of 2.", header, r"m11 & c0 & 0.500 \\", 36),
    ]
    none = [{"metric": f"m{n}", "pearson": 0.5} for n in range(91)]
    assert [(caption, length) for caption, _, _, length in pieces(none)] == [
        ("all; part 1 of 3.", 45),
        ("all; part 2 of 3.", 45),
        ("all; part 3 of 3.", 1),
    ]


def test_markdown_stands_one_after_the_other():
    rows = [{"metric": "a|b", "pearson": -0.0001, "spearman": Estimated(-0.0001, -0.1, -0.0)}]
    assert tables_markdown([SummaryTable("one", rows, "a note"), SummaryTable("two", [{"metric": "c", "1": 0.5}])]) == (
        "one\n\n"
        "| metric | pearson | spearman |\n| --- | ---: | --- |\n| a\\|b | 0.000 | 0.000 [-0.100, 0.000] |\n\n"
        "a note\n\n"
        "two\n\n"
        "| metric | 1 |\n| --- | ---: |\n| c | 0.500 |\n"
    )


def test_the_tables_of_a_run_keep_its_numbers():
    correlations = [
        row(metric=metric, length=length, mean=mean)
        for metric, means in (("gtm(exponent=2)", (0.5, -0.25)), ("bleu", (0.75, math.nan)))
        for length, mean in zip((1, 10), means, strict=True)
    ]
    text = tables_latex(summary_tables(run_of(*correlations)))
    assert "gtm(exponent=2) & 0.500 & \\ensuremath{-0.250} \\\\\nbleu & 0.750 & -- \\\\" in text
    heading = "references ref1 + ref2; 13a tokens, case kept; by document length."
    assert (
        rf"\caption{{demo, adequacy: Spearman correlation across {correlations[0].n_systems} systems; {heading}}}"
        in text
    )


def test_many_tables_do_not_wait_for_a_page_at_once():
    text = tables_latex([SummaryTable(f"t{n}", [{"metric": "m", "1": 0.5}]) for n in range(30)])
    assert [part.count("\\begin{table}") for part in text.split("\\clearpage\n")] == [15, 15]
    assert "\\label{tab:metaeval-15}\n\\end{table}\n\\clearpage\n\n\\begin{table}" in text


def test_no_tables_are_no_tables():
    assert "\\begin" not in tables_latex([])
    assert not tables_markdown([]).strip()
    assert definitions(numbers_tex(run_of())) == {}


# What may follow a backslash in an escaped text.
COMMANDS = r"\\(?:[&%$#_{}]|(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|char34)\{\})"


@given(NAMES)
def test_an_escaped_text_has_no_special_sign(text):
    found = escaped(text)
    assert not set(re.sub(COMMANDS, "", found)) & set('\\{}&%$#_~^"<>|')
    assert not re.search(r"[\x00-\x1f\x7f]", found)


@given(NAMES, NAMES, NAMES, NAMES)
def test_any_names_make_a_table(heading, note, metric, criterion):
    name = metric + "!"
    rows = [{"criterion": criterion, name: text, "1": 0.5} for text in (metric, "a")]
    text = tables_latex([SummaryTable(heading, rows, note)])
    assert balance(text) == 0
    body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].replace("\\addlinespace\n", "")
    lines = body.removesuffix("\n").split("\n")
    assert len(lines) == 2
    for line in lines:
        assert line.endswith(r" \\")
        assert re.sub(COMMANDS, "", line.removesuffix(r"\\")).count("&") == 2
        assert not line.startswith(("[", "*"))


def test_a_number_without_an_interval_stands_below_those_that_have_one():
    cells = [Estimated(0.5, -0.25, 0.75, "*"), Estimated(0.25, NAN, NAN), Estimated(NAN, NAN, NAN)]
    text = tables_latex([SummaryTable("one", [{"metric": str(n), "r": cell} for n, cell in enumerate(cells)])])
    # As wide as the interval, its minus and the star of the first.
    gap = r"\phantom{ [\ensuremath{-}0.000, 0.000]}\phantom{*}"
    assert rf"1 & 0.250{gap} \\" in text
    assert rf"2 & --{gap} \\" in text
