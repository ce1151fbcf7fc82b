"""Judgments alone, without texts, are enough for the agreement of their judges."""

import pandas as pd
import pytest

import metaeval

ROWS = [("A", 1, 3, 4), ("A", 2, 2, 2), ("B", 1, 5, 4), ("B", 2, 1, 2)]
LONG = [
    (system, segment, judge, score)
    for system, segment, *scores in ROWS
    for judge, score in zip("xy", scores, strict=True)
]
# Two judges differ on 3 of 4 items; of the 8 scores 1, 3 and 5 stand once, 4 twice and 2 three times, so that by chance
# 1 - (2 * 1 + 3 * 2) / (8 * 7) of all pairs differ.
NOMINAL = 1 - (3 / 4) / (1 - 8 / 56)
TABLES = {
    "long": (pd.DataFrame(LONG, columns=["system", "segment", "judge", "score"]), ()),
    "lines": (pd.DataFrame(LONG, columns=["system", "line", "judge", "score"]), ()),
    "wide": (pd.DataFrame(ROWS, columns=["system", "segment", "x", "y"]), 'table(judges=["x", "y"])'),
}


@pytest.mark.parametrize("kind", TABLES)
def test_alpha_by_hand(kind, tmp_path):
    table, formats = TABLES[kind]
    table.to_csv(tmp_path / "judged.csv", index=False)
    found = metaeval.agreement(tmp_path / "judged.csv", source_formats=formats, n_resamples=10)
    alpha = found.to_frame("alpha").set_index("level")
    assert alpha.loc["nominal", "alpha"] == pytest.approx(NOMINAL, abs=1e-12)
    assert list(alpha["segments"]) == [2, 2, 2]
    assert not [one for one in found.warnings if "no output" in one]


def test_all_tables_are_those_of_the_corpus_with_texts(tmp_path):
    corpus = metaeval.load_corpus("demo")
    frame = corpus.to_frame()
    for given in (frame, tmp_path / "judged.csv"):
        if given is not frame:
            frame.to_csv(given, index=False)
        found = metaeval.agreement(given, n_resamples=20)
        expected = metaeval.agreement("demo", n_resamples=20)
        for name in ("design", "alpha", "pairs", "judges", "systems"):
            both = [
                one.to_frame(name).drop(columns=["corpus", "simulated"], errors="ignore") for one in (found, expected)
            ]
            pd.testing.assert_frame_equal(*both)


def test_metrics_and_corpora_need_texts(tmp_path):
    path = tmp_path / "judged.csv"
    TABLES["long"][0].to_csv(path, index=False)
    for given in (path, TABLES["long"][0]):
        with pytest.raises(metaeval.UsageError, match=r"metric 'bleu': corpus '.*' holds no texts of systems"):
            metaeval.agreement(given, metrics="bleu")
    assert not metaeval.load_corpus(path).has_texts
    with pytest.raises(metaeval.CorpusError, match=r"holds no texts of systems\. Name the texts beside"):
        metaeval.convert_corpus(path, tmp_path / "out")
