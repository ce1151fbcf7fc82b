"""TER: worked examples, tercom's figures for short texts, sacreBLEU on random and simulated text, and laws."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.ter import Ter
from metaeval.metrics.ter_shifts import ShiftSearch
from metaeval.metrics.wer import edit_distance
from tests.support.gold import lines
from tests.support.scores import corpus_score, statistics

DEMO = Path(__file__).parents[2] / "data" / "demo"
KINDS = ("insertions", "deletions", "substitutions", "shifts", "words_shifted")
PEER = sacrebleu.TER(case_sensitive=True)
UNLIMITED = ShiftSearch(size=None, distance=None, beam=None)

ids = st.lists(st.integers(0, 3), max_size=9)
words = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)
searches = st.builds(
    ShiftSearch,
    places=st.sampled_from(["tercom", "aligned"]),
    size=st.sampled_from([None, 0, 1, 2, 10]),
    distance=st.sampled_from([None, 0, 1, 3, 50]),
    beam=st.sampled_from([None, 0, 1, 2, 20]),
    choices=st.sampled_from([None, 0, 3, 10_000]),
)
VARIANTS = [
    "ter",
    "ter(normalise='closest')",
    "ter(normalise='reference')",
    "ter(normalise='reference',references='lowest-rate')",
    "ter(weighting='candidate')",
    "ter(normalise='closest',weighting='candidate')",
    "ter(shifts='aligned')",
]


def row(name: str, candidate: str, *references: str) -> dict[str, float]:
    values = statistics(name, [candidate], *([reference] for reference in references))[0]
    return dict(zip(get_metric(name).statistic_names, values.tolist(), strict=True))


def test_the_example_of_snover_et_al():
    # Snover et al. (2006), section 2: four edits (one shift, of "this week", two substitutions, and one insertion into
    # the candidate, which tercom calls a deletion) of a reference of thirteen words.
    found = row(
        "ter",
        "this week the saudis denied information published in the new york times",
        "saudi arabia denied this week information published in the american new york times",
    )

    assert [found[kind] for kind in KINDS] == [0, 1, 2, 1, 2]
    assert [found["edits"], found["reference_length"]] == [4, 13]


@pytest.mark.parametrize(
    ("candidate", "reference", "beam", "distance", "kinds"),
    # Insertions, deletions, substitutions, shifts and words shifted as printed by tercom 0.8.0 for these texts with
    # options -s -b BEAM -d DISTANCE.
    [
        ("f b l i a j h c b k k f d g", "j k f c c l g d j k i f a a h f", 20, 50, [0, 2, 3, 8, 10]),
        ("c d k h d g b j a c g a j h h", "h h e b l j g g f g b k d d e k", 20, 50, [0, 1, 6, 7, 11]),
        # A block moves past words of its own.
        ("a b a a c", "c a a b a", 20, 50, [0, 0, 0, 2, 3]),
        ("a b a c d", "a d a b c", 20, 50, [0, 0, 0, 2, 3]),
        ("a b a c", "a d c a b b", 20, 50, [0, 2, 0, 2, 3]),
        # The lengths differ by more than the beam.
        ("r h f", "d n b n k a t k c s g j b g k a s p t t i e k f", 20, 50, [0, 21, 3, 0, 0]),
        ("a d", "d c b a d", 1, 50, [0, 3, 1, 1, 1]),
        ("b c", "c a d a a a d b", 5, 50, [0, 6, 1, 1, 1]),
        # The place is too far off for one shift.
        ("a c d", "d a b c", 20, 2, [0, 1, 0, 2, 2]),
        ("a c d", "d a b c", 20, 50, [0, 1, 0, 1, 1]),
        ("b b c", "c b a b", 20, 2, [0, 1, 0, 2, 3]),
        # A shift saves so much that no shorter block is tried, although with the beam one would save more.
        ("a e c b c", "c d e c", 0, 50, [1, 0, 1, 1, 1]),
        ("c a e", "a d c e a e c a", 1, 50, [0, 5, 0, 1, 1]),
        ("c b e e b", "e b e c a d e b", 2, 50, [0, 3, 0, 1, 1]),
        ("d d e e b b", "e e c d d a b b", 2, 50, [0, 2, 0, 2, 3]),
        ("a b a b a c d", "a d b a b a d", 0, 50, [0, 0, 2, 1, 1]),
        # A block without an error stays, although with this beam its shift would save an edit.
        ("b c a a", "c a c a", 0, 50, [1, 1, 1, 0, 0]),
    ],
)
def test_short_texts_equal_tercom(candidate, reference, beam, distance, kinds):
    found = row(f"ter(beam={beam},shift_distance={distance})", candidate, reference)
    assert kinds == [found[kind] for kind in KINDS]
    assert sum(kinds[:4]) == found["edits"]


@pytest.mark.parametrize(
    ("candidate", "reference", "tercom", "other"),
    # Where sacreBLEU 2.6.0 differs from tercom 0.8.0, we are equal to tercom.
    [
        ("a b a a c", "c a a b a", 2, 3),
        ("a b a c", "a d c a b b", 4, 3),
        ("r h f", "d n b n k a t k c s g j b g k a s p t t i e k f", 24, 23),
    ],
)
def test_tercom_is_followed_where_sacrebleu_differs(candidate, reference, tercom, other):
    assert other == PEER.sentence_score(candidate, [reference]).num_edits
    assert tercom == row("ter", candidate, reference)["edits"]


@pytest.mark.parametrize(
    ("candidate", "reference", "tercom", "aligned"),
    # By hand; without a shift each takes an insertion and a deletion, the last one another deletion. "b" goes behind
    # "a", which is aligned. "a" can go to the front only, where nothing is aligned. "b" would go behind "a", but as the
    # place of "x" and of "b" itself, which are both missing.
    [("a c d b", "a b c d", 1, 1), ("b c a", "a b c", 1, 2), ("a d e b", "a x b d e", 2, 3)],
)
def test_aligned_places_by_hand(candidate, reference, tercom, aligned):
    assert [tercom, aligned] == [row(name, candidate, reference)["edits"] for name in ("ter", "ter(shifts='aligned')")]


@given(st.lists(st.integers(0, 3), max_size=6), st.lists(st.integers(0, 3), max_size=4))
def test_edits_of_very_short_texts_equal_sacrebleu(candidate, reference):
    # tercom and sacreBLEU differ on none of these texts: all 78,588 pairs up to the names of words were compared.
    peer = PEER.sentence_score(" ".join(map(str, candidate)), [" ".join(map(str, reference))])
    assert peer.num_edits == ShiftSearch().count(candidate, reference).edits


def test_random_texts_equal_sacrebleu():
    rng = random.Random(2006)
    pairs = [
        tuple(" ".join(rng.choice("abcdef") for _ in range(rng.randrange(16))) for _ in range(2)) for _ in range(400)
    ]
    candidates, references = ([*column] for column in zip(*pairs, strict=True))
    rows = statistics("ter", candidates, references)

    assert [PEER.sentence_score(candidate, [reference]).num_edits for candidate, reference in pairs] == [*rows[:, 0]]


def test_the_demo_corpus_equals_sacrebleu():
    # Each system against one reference, every fourth segment; texts of up to 40 words.
    pairs = []
    for k in range(8):
        candidates = lines(DEMO / "systems" / f"sys{k + 1}.txt")
        references = lines(DEMO / "references" / f"ref{k % 4 + 1}.txt")
        pairs += [
            (candidate, reference)
            for candidate, reference in [*zip(candidates, references, strict=True)][k::4]
            if reference and max(len(candidate.split()), len(reference.split())) <= 40
        ]
    assert len(pairs) > 150
    candidates, references = ([*column] for column in zip(*pairs, strict=True))
    rows = statistics("ter", candidates, references)
    peers = [PEER.sentence_score(candidate, [reference]) for candidate, reference in pairs]

    assert [peer.num_edits for peer in peers] == rows[:, 0].tolist()
    assert [peer.score / 100 for peer in peers] == pytest.approx(Ter().score(rows).tolist(), abs=1e-12)


def test_several_references_equal_sacrebleu():
    candidates = ["a b c d", "b a", "", "c c a"]
    references = [["c d a b", "a b", "a b", "a c"], ["a b", "b", "a", ""], ["d a b c", "a a b b", "", "c a c c a"]]
    peer = PEER.corpus_score(candidates, references)
    pooled = statistics("ter", candidates, *references).sum(axis=0)

    assert [peer.num_edits, peer.ref_length] == pytest.approx(pooled[:2].tolist(), abs=1e-12)
    assert peer.score / 100 == pytest.approx(float(Ter().score(pooled)), abs=1e-12)


@pytest.mark.parametrize(
    ("candidate", "reference", "edits", "score"),
    # Empty texts as tercom 0.8.0 scores them.
    [("", "a b", 2, 1.0), ("a b c", "", 3, 1.0), ("", "", 0, 0.0), ("a", "a", 0, 0.0), ("a", "b", 1, 1.0)],
)
def test_empty_and_one_word_texts(candidate, reference, edits, score):
    for name in VARIANTS:
        assert edits == row(name, candidate, reference)["edits"]
        assert score == corpus_score(name, [candidate], [reference])


@pytest.mark.parametrize(
    ("name", "edits", "length"),
    # "a b c d" needs 2 edits for "a b" (two surplus words), 3 for "x y c" (two other words, one surplus) and 3 for
    # "x y c d v" (two other words, one missing). The average length is 10/3, the closest 3 (of 3 and 5 the shorter),
    # that of the fewest edits 2; the rates are 1, 1 and 3/5.
    [
        ("ter", 2, 10 / 3),
        ("ter(normalise='closest')", 2, 3),
        ("ter(normalise='reference')", 2, 2),
        ("ter(normalise='reference',references='lowest-rate')", 3, 5),
    ],
)
def test_divisors_by_hand(name, edits, length):
    found = row(name, "a b c d", "a b", "x y c", "x y c d v")
    assert [edits, length] == pytest.approx([found["edits"], found["reference_length"]], abs=1e-15)


def test_weighting_by_candidate_length_by_hand():
    # "a" against "a b" has rate 1/2, weight 1; "x b c" against "a b c" 1/3, weight 3: (1/2 + 1) / 4 rather than 2/5.
    candidates, references = ["a", "x b c"], ["a b", "a b c"]
    assert corpus_score("ter(weighting='candidate')", candidates, references) == pytest.approx(3 / 8, abs=1e-15)
    assert corpus_score("ter", candidates, references) == pytest.approx(2 / 5, abs=1e-15)


def test_empty_candidates_have_no_weight_but_among_themselves():
    # A rate of 1 of weight 0 beside 1/2 of weight 1; and without any weight, 5 edits over 5 words.
    name = "ter(weighting='candidate')"
    assert corpus_score(name, ["", "a"], ["a b c", "a b"]) == 0.5
    assert corpus_score(name, ["", ""], ["a b c", "a b"]) == 1.0


def test_equally_few_edits_have_the_kinds_of_the_first_reference():
    # Two substitutions or two deletions.
    assert [row("ter", "a b", *pair)["deletions"] for pair in (("x y", "a x b y"), ("a x b y", "x y"))] == [0, 2]


def test_absent_references_are_not_empty_ones():
    rows = statistics("ter", ["a b", "a b", "a b"], ["a b", None, ""], [None, None, "a b c d"])

    assert rows[0, :2].tolist() == [0, 2]
    assert np.isnan(rows[1]).all()
    # Two edits either way; the average of no word and four.
    assert rows[2, :2].tolist() == [2, 2]


@given(ids, searches)
def test_a_text_against_itself_needs_no_edit(text, search):
    found = search.count(text, text)
    assert [found.edits, found.shifts] == [0, 0]


@given(ids, ids, searches)
def test_kinds_of_edits_account_for_the_lengths(candidate, reference, search):
    found = search.count(candidate, reference)

    assert found.insertions - found.deletions == len(candidate) - len(reference)
    assert min(found.insertions, found.deletions, found.substitutions, found.shifts) >= 0
    assert found.shifts <= found.words_shifted <= found.shifts * (10 if search.size is None else search.size)


@given(ids, ids, st.sampled_from(["tercom", "aligned"]), st.sampled_from([None, 0, 5, 10_000]))
def test_shifts_save_edits_but_no_words(candidate, reference, places, choices):
    # At most the edits without shifts; at least those of the bags of words, which no shift changes.
    found = ShiftSearch(places, None, None, None, choices).count(candidate, reference).edits
    overlap = sum(min(candidate.count(word), reference.count(word)) for word in {*candidate})

    assert max(len(candidate), len(reference)) - overlap <= found <= edit_distance(candidate, reference)


@given(ids, ids)
def test_without_shifts_the_edits_are_those_of_wer(candidate, reference):
    expected = edit_distance(candidate, reference)
    for search in (ShiftSearch(size=0), ShiftSearch(distance=0), ShiftSearch(choices=0)):
        found = search.count(candidate, reference)
        assert [expected, 0] == [found.edits, found.shifts]


@given(ids, ids, st.permutations(range(4)), searches)
def test_the_names_of_words_do_not_matter(candidate, reference, names, search):
    renamed = search.count([names[word] for word in candidate], [names[word] for word in reference])
    assert renamed == search.count(candidate, reference)


@given(ids, ids)
def test_limits_that_do_not_bind_change_nothing(candidate, reference):
    assert ShiftSearch(size=9, distance=9, beam=18, choices=100_000).count(candidate, reference) == UNLIMITED.count(
        candidate, reference
    )


@pytest.mark.parametrize("name", VARIANTS)
@given(texts=st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_neither_order_nor_copies_of_references_matter(name, texts):
    candidates, first, second = ([*column] for column in zip(*texts, strict=True))
    score = corpus_score(name, candidates, first, second)

    assert score == corpus_score(name, candidates, second, first)
    assert score == pytest.approx(corpus_score(name, candidates, first, second, first, second), abs=1e-12)
    if "closest" in name or "reference" in name.partition("normalise=")[2]:
        assert score == corpus_score(name, candidates, first, second, second)


def test_a_copy_of_one_reference_counts_in_the_average_length():
    # As tercom: 1 edit over (2 + 4) / 2 and over (2 + 4 + 4) / 3.
    assert row("ter", "a x", "a b", "a b c d")["reference_length"] == 3
    assert row("ter", "a x", "a b", "a b c d", "a b c d")["reference_length"] == pytest.approx(10 / 3, abs=1e-15)


@pytest.mark.parametrize("name", VARIANTS)
@given(texts=st.lists(st.tuples(words, words, words), min_size=4, max_size=6), cut=st.integers(1, 3))
def test_statistics_of_segments_do_not_depend_on_the_others(name, texts, cut):
    candidates, first, second = ([*column] for column in zip(*texts, strict=True))
    whole = statistics(name, candidates, first, second)
    parts = [statistics(name, candidates[part], first[part], second[part]) for part in (slice(cut), slice(cut, None))]

    assert whole.tolist() == np.concatenate(parts).tolist()


@pytest.mark.parametrize(
    ("candidate", "reference", "edits"),
    # By hand: one word replaced; two blocks exchanged, one of them shifted; words that are left over or missing.
    [
        ("😀 ok 😁", "😀 fine 😁", 1),
        ("שלום עולם", "עולם שלום", 1),
        ("م ن س ب", "س ب م ن", 1),
        ("e\u0301 é", "é e\u0301", 1),
        ("a " * 500, "a " * 499, 1),
        ("a " * 400, "a " * 500, 100),
        ("a", "a " * 500, 499),
    ],
)
def test_hostile_texts(candidate, reference, edits):
    assert edits == row("ter", candidate.strip(), reference.strip())["edits"]


def test_long_texts_of_few_words_end_the_search_and_say_so():
    rng = random.Random(1)
    candidate, reference = ([rng.randrange(2) for _ in range(500)] for _ in range(2))
    texts = [" ".join(map(str, text)) for text in (candidate, reference)]
    found = row("ter(beam=None)", *texts)

    # Stopped before the first shift, so the edits are those of the edit distance.
    assert [found["stopped"], found["shifts"]] == [1, 0]
    assert edit_distance(candidate, reference) == found["edits"]


def test_a_search_is_stopped_where_the_limit_is_passed():
    # "b a" against "a b": "b" may go behind "a", and "a" to the front, which leads to the same text: two shifts.
    assert not ShiftSearch(choices=2).count([1, 0], [0, 1]).stopped
    assert ShiftSearch(choices=2).count([1, 0], [0, 1]).edits == 1
    stopped = ShiftSearch(choices=1).count([1, 0], [0, 1])
    assert stopped.stopped
    assert stopped.edits == 2
    # That one of several searches was stopped is said, whichever reference needs the fewest edits.
    assert row("ter(shift_choices=1)", "b a", "b a", "a b")["stopped"] == 1


def test_score_takes_any_leading_axes():
    for name in ("ter", "ter(weighting='candidate')"):
        metric = get_metric(name)
        rows = np.random.default_rng(0).integers(0, 3, (3, 4, len(metric.statistic_names))).astype(float)
        assert [[float(metric.score(rows[i, j])) for j in range(4)] for i in range(3)] == metric.score(rows).tolist()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ter(normalise='shortest')", r"`normalise` must be one of 'average', 'closest', 'reference'; got 'shortest'"),
        ("ter(references='lowest-rate')", r"`references` must be 'minimum' where `normalise` is 'average'"),
        ("ter(shifts='any')", r"`shifts` must be one of 'tercom', 'aligned'; got 'any'"),
        ("ter(weighting='length')", r"`weighting` must be one of 'reference', 'candidate'"),
        ("ter(shift_size=-1)", r"`shift_size` must be at least 0 and at most 1000000; got -1"),
        ("ter(shift_distance=-1)", r"`shift_distance` must be at least 0"),
        ("ter(beam=-1)", r"`beam` must be at least 0"),
        ("ter(beam=1.5)", r"`beam` must be a whole number; got 1.5"),
        ("ter(shift_choices=-1)", r"`shift_choices` must be at least 0"),
    ],
)
def test_impossible_variants_are_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)


def test_signatures_tell_variants_apart():
    limits = ("shift_size", "shift_distance", "beam", "shift_choices")
    names = [*VARIANTS, *(f"ter({limit}={value})" for limit in limits for value in (None, 3))]
    assert len({str(get_metric(name).signature) for name in names}) == len(names)
    assert str(Ter().signature).startswith(
        "TER|normalise:average|references:minimum|weighting:reference|shifts:tercom|size:10|distance:50|beam:20|"
        "choices:10000|version:"
    )


def test_low_is_good():
    assert Ter.higher_is_better is False
