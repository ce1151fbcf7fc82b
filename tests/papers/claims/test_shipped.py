"""The claims of the configs that ship are about what the papers say them of, and of nothing else."""

from __future__ import annotations

import pytest

from metaeval.papers.claims.settings import ClaimSettings
from metaeval.papers.config import load_config


def find(config: str, words: str) -> ClaimSettings:
    (claim,) = (one for one in load_config(config).printed.claims if words in one.paper)
    return claim


@pytest.mark.parametrize(
    ("config", "words"),
    [
        # The captions of Melamed's Fig. 3 and of Turian's Fig. 5, both of adequacy, and what Fig. 5b shows.
        ("melamed2003", "Differences of 0.086 or more"),
        ("turian2003-arabic", "Differences of 0.004 or more"),
        ("turian2003-arabic", "BLEU with three references falls below BLEU with one"),
    ],
)
def test_what_stands_in_a_figure_of_adequacy_is_about_adequacy(config, words):
    assert find(config, words).criteria == ("adequacy",)


def test_more_than_four_references_gain_little_for_f_and_much_for_bleu():
    # Finch, Akiba and Sumita apply the law of diminishing returns to the F-measure, and say the contrary of BLEU.
    little, much = find("finch2004", "gains little"), find("finch2004", "goes on improving")
    assert little.each == much.each == ()
    assert little.statement == "gtm[references=most] equals gtm[references=4]"
    bleu = 'bleu(length="shortest")'
    assert much.statement == f"{bleu}[references=most] above {bleu}[references=4]"
    assert little.margin == much.margin == 0.02
    assert little.reading
    assert much.reading
