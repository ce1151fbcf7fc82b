"""Of many notes on a comparison, those that can change its conclusion are among the three that are shown."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.report.folded_messages import brief, can_change_a_conclusion

pytestmark = pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")


def fails(candidate):
    raise ValueError("no model")


def judged():
    """Return a corpus of six systems, of which E was judged on a part of the segments, and F nowhere."""
    rows = [
        {"segment": segment, "system": system, "judge": judge, "criterion": "quality", "score": (segment + place) % 5}
        for segment in range(1, 31)
        for place, system in enumerate("ABCDE")
        for judge in ("ann", "bob")
        if system != "E" or segment <= 12
    ]
    texts = {name: [f"{name} a b c {number % 4}" for number in range(30)] for name in "ABCDEF"}
    return metaeval.corpus(rows, outputs=texts, references=[f"A a b c {number % 5}" for number in range(30)])


def shown(corpus, metrics=("bleu", "chrf"), **settings):
    return " ".join(brief(metaeval.compare(corpus, [*metrics], n_resamples=60, **settings).notes))


def test_a_metric_that_fails_is_among_them():
    assert "left out: metric 'fails'" in shown("demo", [fails, "bleu", "ter"], criteria=["adequacy"])


@pytest.mark.parametrize("level", ["system", "segment"])
def test_judgments_that_are_missing_and_systems_that_nobody_judged_are_among_them(level):
    notes = shown(judged(), level=level)
    # Of five systems on 30 segments, one lacks 18.
    assert "132 of 150 items were judged" in notes
    assert "nobody judged 'F', which is left out" in notes


def test_segments_that_lack_a_judgment_are_among_them():
    assert "18 lack a judgment of some system" in shown(judged(), require="all", level="segment")


@pytest.mark.parametrize(
    ("note", "is_decisive"),
    [
        ("Which metric is the best depends on single systems: without A, chrF.", True),
        ("demo: there are 12 documents and intervals are wide because they are few.", True),
        ("demo: 3 documents are too few for intervals and tests.", True),
        ("demo: 26 metrics were left out, because other references than 'refA' were used for the scores: X.", True),
        # What the user asked for is no surprise.
        ("demo: taken as systems: ref2; left out by the filter: 1 of 5 systems (D).", False),
        ("demo.txt:1: contains a byte order mark; the text is kept as it is.", False),
    ],
)
def test_what_can_change_a_conclusion(note, is_decisive):
    assert can_change_a_conclusion(note) == is_decisive
