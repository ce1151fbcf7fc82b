"""Forty kinds of damage, and the sentences that speak of them; none is said of corpora that are sound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import metaeval
from metaeval.corpora.catalogue import read_corpus
from metaeval.corpora.checks.common import break_of, centred, copies, hole, longest, r_of, t_of
from metaeval.corpora.checks.judgments import agreement
from metaeval.corpora.checks.run import JUDGMENTS, TEXTS, doubts
from metaeval.records import Corpus
from metaeval.resources import tables_of
from tests.support.damage import FILES, KINDS, damaged
from tests.support.gold import of_others

WORDS = tables_of(metaeval.corpora.checks.run.__file__)
# What is to be said of each kind of damage to the demo; nothing of what cannot be seen in it.
SAID = {
    "system rotated by a line": "displaced",
    "system shuffled by lines": "displaced",
    "a third of a system shuffled": "displaced",
    "line of a system lost, the last doubled": "displaced",
    "halves of two systems exchanged": "",
    "system a copy of another": "copied",
    "half of a system copied from another": "copied",
    "system a copy of a reference": "copied",
    "three tenths of a system empty": "unusual",
    "last third of a system empty": "unusual shorter holes",
    "three tenths of a system untranslated": "unusual",
    "the same text in three tenths of a system": "displaced unusual",
    "texts of a system cut at 40 characters": "unusual",
    "second half of a system cut in the middle of each text": "unusual shorter",
    "references rotated by a line": "displaced",
    "one reference shuffled": "displaced",
    "line of a reference lost, the last doubled": "displaced",
    "reference a copy of another": "copied",
    "reference a copy of a system": "copied",
    "last third of the references missing": "holes",
    "judgments of a system shifted by a segment": "contrary_systems",
    "judgments of a judge shifted by a segment": "",
    "all judgments shifted by a segment": "against_texts",
    "judgments of a system shuffled by segments": "contrary_systems",
    "judge reversed": "contrary_judges",
    "judge constant": "scale",
    "judge at random": "contrary_judges",
    "scores of a system reversed": "contrary_systems",
    "scores of a criterion reversed": "against_texts",
    "scores of a system on a scale of a tenth": "scale",
    "scores of a judge on a scale of a tenth": "scale",
    "criteria exchanged by a judge": "",
    "criteria exchanged in a system": "",
    "half of the judgments of a system gone": "thin",
    "judgments of the last third of the segments gone": "holes",
    "judgments of a system copied from another": "duplicated",
    "a third of the segments with the judgments of others": "duplicated",
    "judgments of two systems exchanged": "against_texts",
    "last third of the table of judgments cut off": "thin holes",
}
PUBLIC = ("webnlg2020-en", "summeval", "wmt21-ted-zhen")


@pytest.fixture(scope="module")
def demo():
    return metaeval.load_corpus("demo")


def warned(path) -> list[str]:
    return [item.message for item in metaeval.check_corpus(path)[1].found if item.severity != "note"]


def kinds_of(messages) -> str:
    """Return the tests that gave messages, by the words of what they expected."""
    return " ".join(name for name, words in WORDS.items() for one in messages if words["expected"] in one)


def test_there_are_forty_kinds_and_words_for_each_test():
    assert len(KINDS) + len(FILES) == 40
    # The demo is in ASCII, which is the same in all encodings.
    assert {*KINDS, *FILES} - {*SAID} == {"system in UTF-8 read as Latin-1"}
    assert [test.__name__ for test in (*TEXTS, *JUDGMENTS)] == list(WORDS)


@pytest.mark.parametrize("kind", SAID)
def test_what_is_said_of_the_damaged_demo(demo, tmp_path, kind):
    assert damaged(kind, demo, tmp_path / "corpus")
    messages = warned(tmp_path / "corpus")
    assert kinds_of(messages) == SAID[kind]
    assert len(messages) == len(SAID[kind].split())


def test_the_demo_has_nothing_that_is_read_as_latin_1(demo, tmp_path):
    assert not damaged("system in UTF-8 read as Latin-1", demo, tmp_path / "corpus")


@pytest.mark.parametrize("seed", [0, 7, 14, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20, 120))])
def test_simulated_corpora_are_not_doubted(tmp_path, seed):
    presets = ("btec", "mtc-arabic", "mtc-arabic-2003", "mtc-chinese", "nist2003-chinese")
    sizes = {"segments": (20, 30, 50, 100, 200, 400)[seed // 5 % 6]}
    sizes |= {"systems": 4 + seed % 7} if seed % 3 == 1 else {}
    sizes |= {"references": 1} if seed % 7 == 2 else {}
    metaeval.simulate_corpus(presets[seed % 5], tmp_path / "corpus", seed=seed, **sizes)
    assert warned(tmp_path / "corpus") == []


@pytest.mark.parametrize("name", PUBLIC)
def test_public_corpora_are_not_doubted(name):
    assert kinds_of(read_corpus(of_others(f"corpora/{name}"))[1]) == ""


def test_corpora_without_texts_are_not_doubted():
    # Of these the texts are placeholders, all the same.
    pairs = [path for path in of_others("corpora/wmt20-to-english").iterdir() if path.name.endswith("-en")]
    assert len(pairs) == 10
    assert [kinds_of(read_corpus(path)[1]) for path in pairs] == [""] * 10


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLIC)
def test_most_damage_to_public_corpora_is_noticed(tmp_path, name):
    corpus = metaeval.load_corpus(of_others(f"corpora/{name}"))
    done = [kind for kind in (*KINDS, *FILES) if damaged(kind, corpus, tmp_path / kind.replace(" ", "-"))]
    noticed = [kind for kind in done if kinds_of(warned(tmp_path / kind.replace(" ", "-")))]
    assert len(done) >= 36
    assert len(noticed) >= 0.75 * len(done)


# A corpus by hand: 40 segments, each with words of its own; a system drops one word of the three, each another one.
N = 40


def by_hand(n: int = N) -> Corpus:
    words = [[f"a{number}", f"b{number}", f"c{number}."] for number in range(n)]
    systems = {
        name: [" ".join(word for place, word in enumerate(text) if place != left) for text in words]
        for left, name in enumerate(["A", "B"])
    }
    return Corpus.of_texts({**systems, "C": [f"{a} {c}x {b}." for a, b, c in words]}, {"ref": map(" ".join, words)})


def test_a_sound_corpus_by_hand_and_the_words_for_a_lost_line():
    corpus = by_hand()
    assert doubts(corpus) == []
    texts = corpus.candidates[0]
    # Line 11 is lost and the last one doubled: lines 11 to 39 are those of the segment after; the last is right.
    broken = replace(corpus, candidates=((*texts[:10], *texts[11:], texts[-1]), *corpus.candidates[1:]))
    assert doubts(broken) == [
        "system 'A': 29 of 40 texts from segment 11 on fit those of the segment 1 after and not their own, the first "
        "that of segment 12. Expected: texts fit the other texts of their segment. Look whether a line is missing or "
        "doubled there, or the lines are in another order."
    ]


def test_a_large_corpus_upside_down():
    corpus = by_hand(5000)
    broken = replace(corpus, candidates=(corpus.candidates[0][::-1], *corpus.candidates[1:]))
    (sentence,) = doubts(broken)
    assert sentence.startswith(
        "system 'A': 5000 of 5000 texts from segment 1 on fit those of other segments and not their own, the first "
        "that of segment 5000. Expected: "
    )


def test_texts_read_as_latin_1_by_hand():
    corpus = by_hand()
    # e with an acute accent is C3 A9 in UTF-8, which are these two letters in Latin-1.
    texts = tuple(text.replace("c3", "caf\u00c3\u00a9") for text in corpus.candidates[0])
    # c3 and c30 to c39
    assert doubts(replace(corpus, candidates=(texts, *corpus.candidates[1:]))) == [
        "system 'A': '\u00c3\u00a9' in segment 4, and the like in 11 segments. Expected: no letters that come of UTF-8 "
        "read as Latin-1. Look whether the file was converted twice."
    ]
    right = tuple(text.replace("c3", "caf\u00e9") for text in corpus.candidates[0])
    assert doubts(replace(corpus, candidates=(right, *corpus.candidates[1:]))) == []


def test_fewer_than_twenty_segments_show_nothing():
    few = Corpus.of_texts({name: [f"{number}" for number in range(19)] for name in "ABC"}, {})
    assert doubts(few) == []


def test_the_order_of_the_systems_says_nothing(demo):
    spoiled = KINDS["system rotated by a line"](demo, np.random.default_rng(3))
    assert spoiled is not None
    order = np.arange(len(demo.systems))[::-1]
    turned = replace(
        spoiled,
        systems=spoiled.systems[::-1],
        candidates=spoiled.candidates[::-1],
        judgments=replace(spoiled.judgments, system=order[spoiled.judgments.system]),
    )
    assert doubts(turned) == doubts(spoiled) != []


def test_a_comparison_says_what_is_doubted(demo, tmp_path):
    damaged("system rotated by a line", demo, tmp_path / "corpus")
    found = metaeval.compare(tmp_path / "corpus", ["bleu"], criteria=["adequacy"], n_resamples=50, ceiling=0)
    assert kinds_of(found.results.warnings) == "displaced"


def test_the_longest_run_and_the_hole():
    assert longest(np.array([0, 1, 1, 0, 1, 1, 1], dtype=bool)) == (4, 3)
    assert longest(np.zeros(3, dtype=bool)) == (0, 0)
    present = np.ones(40, dtype=bool)
    assert hole(present) is None
    present[30:] = False
    assert hole(present) == (30, 39)
    # Where every second value is missing, ten in a row have a probability of about 1/2 to the tenth.
    present[:30:2] = False
    assert hole(present) is None
    assert hole(np.zeros(40, dtype=bool)) is None


def test_rows_are_copies_if_they_are_equal_for_longer_than_chance_makes_them():
    rng = np.random.default_rng(1)
    rows = rng.integers(100, size=(4, 60))
    assert list(copies(rows)) == []
    rows[2, 20:45] = rows[0, 20:45]
    assert list(copies(rows)) == [(0, 2, 20, 44)]
    # Two values in a hundred differ, and of the others hardly one is equal.
    near = rng.integers(1000, size=(4, 100))
    near[3] = near[1]
    near[3, [30, 60]] = -2, -3
    near[3] = np.abs(near[3])
    assert list(copies(near)) == [(1, 3, 61, 99)]
    # Values that all rows share are no copies, nor is what is absent.
    assert list(copies(np.tile(np.arange(60), (4, 1)))) == []
    assert list(copies(np.full((4, 60), -1))) == []


def test_statistics():
    # Values 0 ... 0, 1 ... 1: the ranks of the first 50 are below the middle; 50 * 25 * sqrt(12 / 100) / 100 = 4.330.
    place, statistic = break_of(np.repeat([0.0, 1.0], 50))
    assert (place, statistic) == (50, pytest.approx(4.330, abs=5e-4))
    # 0 and 2 in turn: the mean 1, the deviation 1, 20 values.
    assert t_of(np.tile([0.0, 2.0], 10)) == pytest.approx(20**0.5)
    assert t_of(np.ones(30)) == 0
    x, y = np.random.default_rng(2).normal(size=(2, 50))
    assert r_of(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert np.isnan(r_of(x, np.ones(50)))
    left = centred(np.add.outer(x, y))
    assert np.abs(left).max() < 1e-12


def test_agreement_is_the_correlation_with_the_mean_of_the_others():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(30, 4))
    item, judge = (axis.ravel() for axis in np.indices(scores.shape))
    r, counts = agreement(scores.ravel(), item, judge)
    # The mean of each judge is taken away before the others are averaged, which changes no correlation.
    expected = [np.corrcoef(scores[:, one], np.delete(scores, one, axis=1).mean(axis=1))[0, 1] for one in range(4)]
    assert r == pytest.approx(np.array(expected))
    assert counts.tolist() == [30] * 4
    # Where each judge has items of his own, with what is expected of these.
    alone = np.arange(120)
    r, _ = agreement(scores.ravel(), alone, judge, scores.ravel() + 2)
    assert r == pytest.approx(np.ones(4))


def test_of_very_many_segments_the_first_are_looked_at(monkeypatch):
    demo = metaeval.load_corpus("demo")
    # From segment 61 on a system has the texts of the segments before.
    moved = demo.candidates[0][:60] + demo.candidates[0][59:-1]
    corpus = replace(demo, candidates=(moved, *demo.candidates[1:]))
    monkeypatch.setattr("metaeval.corpora.checks.run.MOST", 60)
    assert doubts(corpus) == []
    monkeypatch.setattr("metaeval.corpora.checks.run.MOST", 120)
    assert "fit those of the segment 1 before" in doubts(corpus)[0]
