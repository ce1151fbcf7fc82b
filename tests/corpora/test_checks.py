"""Forty kinds of damage, and the warnings of the checks that find them; sound corpora have no warning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import metaeval
from metaeval.corpora.catalogue import read_corpus
from metaeval.corpora.checks.common import (
    CheckedCorpus,
    copied_blocks,
    correlation,
    less_means,
    longest_run,
    missing_block,
    t_statistic,
)
from metaeval.corpora.checks.judgments import agreement_of_judges, constant_judges, contrary, differing_scales
from metaeval.corpora.checks.run import JUDGMENT_CHECKS, TEXT_CHECKS, damage_warnings
from metaeval.datamodel.corpus import Corpus, Criterion, Judgments
from tests.support.damage import FILES, KINDS, damaged
from tests.support.gold import of_others

# Of the advice of each check, words that no other has.
ADVICE = {
    "misaligned_texts": "a line is missing or doubled",
    "copied_texts": "one file was copied over the other",
    "unusual_texts": "the output of the system",
    "misread_texts": "converted to UTF-8 once more",
    "missing_texts": "the file was cut off",
    "differing_scales": "another scale was used",
    "constant_judges": "a preset answer was never changed",
    "inverted_judges": "criteria were exchanged, or rows were moved",
    "inverted_systems": "or belong to other segments",
    "inverted_criteria": "a higher score is better",
    "misaligned_judgments": "counted from 0",
    "duplicated_judgments": "rows were copied",
    "missing_judgments": "the table was cut off",
}
# The checks that warn of each kind of damage to the demo; none of what no check looks for, or cannot be seen in it.
SAID = {
    "system rotated by a line": "misaligned_texts",
    "system shuffled by lines": "misaligned_texts",
    "a third of a system shuffled": "misaligned_texts",
    "line of a system lost, the last doubled": "misaligned_texts",
    "halves of two systems exchanged": "",
    "system a copy of another": "copied_texts",
    "half of a system copied from another": "copied_texts",
    "system a copy of a reference": "copied_texts",
    "three tenths of a system empty": "unusual_texts",
    "last third of a system empty": "unusual_texts missing_texts",
    "three tenths of a system untranslated": "unusual_texts",
    "the same text in three tenths of a system": "misaligned_texts unusual_texts",
    "texts of a system cut at 40 characters": "unusual_texts",
    "second half of a system cut in the middle of each text": "unusual_texts",
    "references rotated by a line": "misaligned_texts",
    "one reference shuffled": "misaligned_texts",
    "line of a reference lost, the last doubled": "misaligned_texts",
    "reference a copy of another": "copied_texts",
    "reference a copy of a system": "copied_texts",
    "last third of the references missing": "missing_texts",
    "judgments of a system shifted by a segment": "inverted_systems misaligned_judgments",
    "judgments of a judge shifted by a segment": "",
    "all judgments shifted by a segment": "misaligned_judgments",
    "judgments of a system shuffled by segments": "inverted_systems",
    "judge reversed": "inverted_judges",
    "judge constant": "constant_judges",
    "judge at random": "inverted_judges",
    "scores of a system reversed": "inverted_systems",
    "scores of a criterion reversed": "inverted_criteria",
    "scores of a system on a scale of a tenth": "differing_scales",
    "scores of a judge on a scale of a tenth": "differing_scales",
    "criteria exchanged by a judge": "",
    "criteria exchanged in a system": "",
    "half of the judgments of a system gone": "",
    "judgments of the last third of the segments gone": "missing_judgments",
    "judgments of a system copied from another": "duplicated_judgments",
    "a third of the segments with the judgments of others": "duplicated_judgments",
    "judgments of two systems exchanged": "",
    "last third of the table of judgments cut off": "missing_judgments",
}
PUBLIC = ("webnlg2020-en", "summeval", "wmt21-ted-zhen")


@pytest.fixture(scope="module")
def demo():
    return metaeval.load_corpus("demo")


def warned(path) -> list[str]:
    return [item.message for item in metaeval.check_corpus(path)[1].entries if item.severity != "note"]


def kinds_of(messages) -> str:
    """Return the checks that gave messages, by the words of their advice."""
    return " ".join(name for name, words in ADVICE.items() for one in messages if words in one)


def test_there_are_forty_kinds_of_damage_and_each_check_gives_advice():
    assert len(KINDS) + len(FILES) == 40
    # The demo is in ASCII, which is the same in all encodings.
    assert {*KINDS, *FILES} - {*SAID} == {"system in UTF-8 read as Latin-1"}
    assert [check.__name__ for check in (*TEXT_CHECKS, *JUDGMENT_CHECKS)] == list(ADVICE)


@pytest.mark.parametrize("kind", SAID)
def test_the_checks_that_warn_of_the_damaged_demo(demo, tmp_path, kind):
    assert damaged(kind, demo, tmp_path / "corpus")
    messages = warned(tmp_path / "corpus")
    assert kinds_of(messages) == SAID[kind]
    assert len(messages) == len(SAID[kind].split())


def test_a_warning_tells_where_moved_judgments_belong(demo):
    judged = demo.judgments
    # The judgments of each segment stand at the one behind it, as where a table begins with a row too many.
    moved = replace(demo, judgments=replace(judged, segment=(judged.segment + 1) % demo.n_segments))
    (message,) = damage_warnings(moved)
    assert message.startswith("criterion 'adequacy': the scores fit the segment before (correlation ")
    back = replace(demo, judgments=replace(judged, segment=(judged.segment - 1) % demo.n_segments))
    assert "the scores fit the segment after" in damage_warnings(back)[0]


def test_the_demo_has_nothing_that_is_read_as_latin_1(demo, tmp_path):
    assert not damaged("system in UTF-8 read as Latin-1", demo, tmp_path / "corpus")


@pytest.mark.parametrize("seed", [0, 7, 14, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20, 120))])
def test_simulated_corpora_have_no_warning(tmp_path, seed):
    presets = ("btec", "mtc-arabic", "mtc-arabic-2003", "mtc-chinese", "nist2003-chinese")
    sizes = {"segments": (20, 30, 50, 100, 200, 400)[seed // 5 % 6]}
    sizes |= {"systems": 4 + seed % 7} if seed % 3 == 1 else {}
    sizes |= {"references": 1} if seed % 7 == 2 else {}
    metaeval.simulate_corpus(presets[seed % 5], tmp_path / "corpus", seed=seed, **sizes)
    assert warned(tmp_path / "corpus") == []


@pytest.mark.parametrize("name", PUBLIC)
def test_public_corpora_have_no_warning(name):
    assert kinds_of(read_corpus(of_others(f"corpora/{name}"))[1]) == ""


def test_corpora_without_texts_have_no_warning():
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
    assert damage_warnings(corpus) == []
    texts = corpus.candidates[0]
    # Line 11 is lost and the last one doubled: lines 11 to 39 are those of the segment after; the last is right.
    broken = replace(corpus, candidates=((*texts[:10], *texts[11:], texts[-1]), *corpus.candidates[1:]))
    assert damage_warnings(broken) == [
        "system 'A': 29 of 40 texts, from segment 11 on, have the words of the segment after and not of their own, the "
        "first those of segment 12. Check whether a line is missing or doubled there, or the lines are in another "
        "order."
    ]


def test_a_large_corpus_upside_down():
    corpus = by_hand(5000)
    broken = replace(corpus, candidates=(corpus.candidates[0][::-1], *corpus.candidates[1:]))
    (sentence,) = damage_warnings(broken)
    assert sentence.startswith(
        "system 'A': 5000 of 5000 texts, from segment 1 on, have the words of other segments and not of their own, the "
        "first those of segment 5000. Check "
    )


def test_texts_read_as_latin_1_by_hand():
    corpus = by_hand()
    # e with an acute accent is C3 A9 in UTF-8, which are these two letters in Latin-1.
    texts = tuple(text.replace("c3", "caf\u00c3\u00a9") for text in corpus.candidates[0])
    # c3 and c30 to c39
    assert damage_warnings(replace(corpus, candidates=(texts, *corpus.candidates[1:]))) == [
        "system 'A': letters such as '\u00c3\u00a9', first in segment 4, in 11 segments. Check whether the file, which "
        "was in UTF-8, was converted to UTF-8 once more."
    ]
    right = tuple(text.replace("c3", "caf\u00e9") for text in corpus.candidates[0])
    assert damage_warnings(replace(corpus, candidates=(right, *corpus.candidates[1:]))) == []


def judged_by_hand(score: np.ndarray) -> CheckedCorpus:
    """Return the corpus by hand with scores of judges x, y and z: (systems, segments, judges)."""
    system, segment, judge = (axis.ravel() for axis in np.indices(score.shape))
    judgments = Judgments(("x", "y", "z"), np.zeros_like(system), system, segment, judge, score.ravel())
    criteria = (Criterion("adequacy", 0.0, 1000.0, higher_is_better=True),)
    return CheckedCorpus(replace(by_hand(score.shape[1]), criteria=criteria, judgments=judgments))


def tens() -> np.ndarray:
    """Return the scores 10, 20, ... 100 in turn, of every judge for every system."""
    return np.tile((10.0 * (np.arange(N) % 10 + 1))[:, None], (3, 1, 3))


@pytest.mark.parametrize(
    ("factor", "words"),
    [(0.1, "from 1 to 10 (median 5.5)"), (0.2, "from 2 to 20 (median 11)"), (10, "from 100 to 1000 (median 550)")],
)
def test_a_judge_or_a_system_on_another_scale(factor, words):
    # The middle of 10, 20, ... 100 is 55.
    for place, subject in ((np.s_[:, :, 2], "judge 'z'"), (np.s_[1], "system 'B'")):
        score = tens()
        score[place] *= factor
        assert differing_scales(judged_by_hand(score)) == (
            f"{subject} on adequacy: scores {words}, the others' from 10 to 100 (median 55). Check whether another "
            "scale was used."
        )


def test_scores_on_the_same_scale():
    assert differing_scales(judged_by_hand(tens())) is None
    # A quarter of the spread is not less than a quarter.
    quarter = tens()
    quarter[:, :, 2] /= 4
    assert differing_scales(judged_by_hand(quarter)) is None
    # From 71 to 80: a tenth of the spread, but in the middle of the others.
    narrow = tens()
    narrow[:, :, 2] = 70 + narrow[:, :, 2] / 10
    assert differing_scales(judged_by_hand(narrow)) is None
    # Where most judges give one score to all, nothing is known of their scale.
    equal = np.full((3, N, 3), 10.0)
    equal[:, :, 2] = tens()[:, :, 2]
    assert differing_scales(judged_by_hand(equal)) is None


def test_nineteen_scores_show_no_scale():
    score = tens()
    score[:, :, 2] /= 10
    checked = judged_by_hand(score)
    judged = checked.corpus.judgments
    of_z = np.flatnonzero(judged.judge == 2)
    for n, seen in ((19, False), (20, True)):
        rows = np.concatenate([np.flatnonzero(judged.judge != 2), of_z[:n]])
        few = CheckedCorpus(replace(checked.corpus, judgments=judged.where(rows)))
        assert (differing_scales(few) is not None) == seen


def test_a_judge_with_one_score_for_everything():
    score = tens()
    score[:, :, 2] = 60
    # Of the scores of the others a tenth is 60: by chance 120 of them are so with probability 1e-120.
    assert constant_judges(judged_by_hand(score)) == (
        "judge 'z' on adequacy: all 120 scores are 60, as are 10 % of the others'. Check whether a preset answer was "
        "never changed."
    )
    assert constant_judges(judged_by_hand(tens())) is None
    # Where nine of ten scores are 60, the probability is 0.9 to the power of 120, which is 3e-6.
    frequent = np.where(tens() == 10, 50.0, 60.0)
    frequent[:, :, 2] = 60
    assert constant_judges(judged_by_hand(frequent)) is None


def test_a_judge_without_others_has_no_scale_of_others():
    alone = judged_by_hand(np.full((3, N, 3), 60.0))
    judged = alone.corpus.judgments
    alone = CheckedCorpus(replace(alone.corpus, judgments=judged.where(judged.judge == 2)))
    assert constant_judges(alone) is None
    assert differing_scales(alone) is None


def test_a_criterion_that_nobody_judged(demo):
    unjudged = replace(demo.criteria[0], name="style")
    assert damage_warnings(replace(demo, criteria=(*demo.criteria, unjudged))) == []


def test_fewer_than_twenty_segments_show_nothing():
    few = Corpus.of_texts({name: [f"{number}" for number in range(19)] for name in "ABC"}, {})
    assert damage_warnings(few) == []


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
    assert damage_warnings(turned) == damage_warnings(spoiled) != []


def test_a_comparison_warns_of_damage(demo, tmp_path):
    damaged("system rotated by a line", demo, tmp_path / "corpus")
    found = metaeval.compare(tmp_path / "corpus", ["bleu"], criteria=["adequacy"], n_resamples=50, ceiling=0)
    assert kinds_of(found.results.warnings) == "misaligned_texts"


def test_the_longest_run_and_the_missing_block():
    assert longest_run(np.array([0, 1, 1, 0, 1, 1, 1], dtype=bool)) == (4, 3)
    assert longest_run(np.zeros(3, dtype=bool)) == (0, 0)
    present = np.ones(40, dtype=bool)
    assert missing_block(present) is None
    present[30:] = False
    assert missing_block(present) == (30, 39)
    # Where every second value is missing, ten in a row have a probability of about 1/2 to the tenth.
    present[:30:2] = False
    assert missing_block(present) is None
    assert missing_block(np.zeros(40, dtype=bool)) is None


def test_rows_are_copies_if_they_are_equal_for_longer_than_chance_makes_them():
    rng = np.random.default_rng(1)
    rows = rng.integers(100, size=(4, 60))
    assert list(copied_blocks(rows)) == []
    rows[2, 20:45] = rows[0, 20:45]
    assert list(copied_blocks(rows)) == [(0, 2, 20, 44)]
    # Two values in a hundred differ, and of the others hardly one is equal.
    near = rng.integers(1000, size=(4, 100))
    near[3] = near[1]
    near[3, [30, 60]] = -2, -3
    near[3] = np.abs(near[3])
    assert list(copied_blocks(near)) == [(1, 3, 61, 99)]
    # Values that all rows share are no copies, nor is what is absent.
    assert list(copied_blocks(np.tile(np.arange(60), (4, 1)))) == []
    assert list(copied_blocks(np.full((4, 60), -1))) == []


def test_statistics():
    # 0 and 2 in turn: the mean 1, the deviation 1, 20 values.
    assert t_statistic(np.tile([0.0, 2.0], 10)) == pytest.approx(20**0.5)
    assert t_statistic(np.ones(30)) == 0
    x, y = np.random.default_rng(2).normal(size=(2, 50))
    assert correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert np.isnan(correlation(x, np.ones(50)))
    left = less_means(less_means(np.add.outer(x, y), 0), 1)
    assert np.abs(left).max() < 1e-12


def test_agreement_is_the_correlation_with_the_mean_of_the_others():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(30, 4))
    item, judge = (axis.ravel() for axis in np.indices(scores.shape))
    r, counts = agreement_of_judges(scores.ravel(), item, judge, np.full(120, np.nan))
    # The mean of each judge is taken away before the others are averaged, which changes no correlation.
    expected = [np.corrcoef(scores[:, one], np.delete(scores, one, axis=1).mean(axis=1))[0, 1] for one in range(4)]
    assert r == pytest.approx(np.array(expected))
    assert counts.tolist() == [30] * 4
    # Where each judge has items of his own, with what is expected of these.
    alone = np.arange(120)
    r, _ = agreement_of_judges(scores.ravel(), alone, judge, scores.ravel() + 2)
    assert r == pytest.approx(np.ones(4))


def test_a_correlation_that_is_contrary_to_the_usual_one():
    r = np.array([0.6, 0.6, 0.6, 0.6, 0.0])
    # On Fisher's scale 0.693 below the others. The standard error is 1 / sqrt(97) = 0.102 for 100 items, and
    # 1 / sqrt(17) = 0.243 for 20; chance stays within 4.6 of them in five tests, with probability 1 - 1e-5.
    assert contrary(r, np.full(5, 100)) == [4]
    assert contrary(r, np.full(5, 20)) == []
    # 1.386 below the others, or 5.7 standard errors: chance stays within 3.5 of them, with probability 1 - 1e-3.
    assert contrary(np.array([0.6, 0.6, 0.6, 0.6, -0.6]), np.full(5, 40)) == [4]
    # Nothing is usual among two, or where nobody agrees.
    assert contrary(np.array([0.6, -0.6]), np.full(2, 100)) == []
    assert contrary(np.array([0.05, 0.05, 0.05, -0.6]), np.full(4, 100)) == []


def test_of_very_many_segments_the_first_are_looked_at(monkeypatch):
    demo = metaeval.load_corpus("demo")
    # From segment 61 on a system has the texts of the segments before.
    moved = demo.candidates[0][:60] + demo.candidates[0][59:-1]
    corpus = replace(demo, candidates=(moved, *demo.candidates[1:]))
    monkeypatch.setattr("metaeval.corpora.checks.run.MAX_SEGMENTS", 60)
    assert damage_warnings(corpus) == []
    monkeypatch.setattr("metaeval.corpora.checks.run.MAX_SEGMENTS", 120)
    assert "have the words of the segment before" in damage_warnings(corpus)[0]
