"""The papers' worked examples through the public API; the strings are in the gold inputs edge1 and edge2."""

from __future__ import annotations

import math

import pytest

import metaeval
from tests.support.gold import gold, lines


def score(case: str, metric: str, references: str = "01"):
    """Return the score of an edge case and its statistics by name."""
    for name in ("edge1", "edge2"):
        folder = gold(f"inputs/{name}")
        ids = lines(folder / "ids.txt")
        if case in ids:
            index = ids.index(case)
            texts = {
                path.name: [lines(path)[index]]
                for path in sorted(folder.glob("ref.*.txt"))
                if path.name[4] in references
            }
            (result,) = metaeval.score([metric], {"candidate": [lines(folder / "hyp.sys0.txt")[index]]}, texts)
            return float(result.values[0, 0]), dict(
                zip(result.statistic_names, result.statistics[0, 0].tolist(), strict=True)
            )
    raise AssertionError(case)


@pytest.mark.parametrize(
    ("case", "references", "expected"),
    # Morgenroth (2011), printed to four digits: M, and the short M'' whose effective length is 10.
    [("morgenroth_M", "01", 0.4002), ("morgenroth_Mdoubleprime", "01", 0.2231)],
)
def test_morgenroths_scores(case, references, expected):
    assert expected == pytest.approx(score(case, "bleu", references)[0], abs=5e-5)


@pytest.mark.parametrize(
    ("case", "references", "matches", "totals"),
    # Morgenroth (2011): p1 of M is 9/14 against R alone, 8/14 against S alone, 11/14 against both, where the longer
    # orders are 7/13, 4/12 and 2/11. All n-grams of the short M'' match.
    [
        ("morgenroth_M_vs_R", "0", [9], [14]),
        ("morgenroth_M_vs_S", "0", [8], [14]),
        ("morgenroth_M", "01", [11, 7, 4, 2], [14, 13, 12, 11]),
        ("morgenroth_Mdoubleprime", "01", [4, 3, 2, 1], [4, 3, 2, 1]),
    ],
)
def test_morgenroths_counts(case, references, matches, totals):
    _, statistics = score(case, "bleu", references)
    orders = range(1, len(matches) + 1)

    assert matches == [statistics[f"matches_{n}"] for n in orders]
    assert totals == [statistics[f"totals_{n}"] for n in orders]


def test_morgenroths_lengths_and_scrambled_text():
    assert score("morgenroth_M", "bleu")[1]["reference_length"] == 13
    assert score("morgenroth_Mdoubleprime", "bleu")[1]["reference_length"] == 10
    _, scrambled = score("morgenroth_Mprime", "bleu")
    assert scrambled["matches_1"] == scrambled["totals_1"]


def test_papinenis_modified_precision():
    # Papineni et al. (2002): "the" seven times against a reference with two of them.
    _, statistics = score("papineni_the7", "bleu")
    assert (statistics["matches_1"], statistics["totals_1"]) == (2, 7)


def test_lin_and_ochs_sentences_under_bleu():
    # Lin and Och (2004): BLEU-2 gives S2 and S3 the same score and prefers S4 over S3.
    s2, s3, s4 = (score(case, "bleu(order=2)")[0] for case in ("linoch_S2", "linoch_S3", "linoch_S4"))

    assert s2 == s3 < s4


def test_turians_and_melameds_grids():
    # Size 7 for e = 1 and sqrt(4^2 + 2^2 + 1^2) for e = 2; two references cap the hits at their mean length, 5.
    assert score("turian_fig1_like", "gtm")[1]["match_size"] == 7
    assert score("turian_fig1_like", "gtm(exponent=2)")[1]["match_size"] == pytest.approx(math.sqrt(21), abs=1e-12)
    assert score("melamed_fig2_like", "gtm")[1]["match_size"] == 5
