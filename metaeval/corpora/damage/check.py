"""All tests for damage; a new one is a function in this package and a line here."""

from __future__ import annotations

from typing import NamedTuple

from metaeval.corpora.damage import judgments, texts
from metaeval.corpora.damage.view import Test, View
from metaeval.records import Corpus

_SHOWN = 3


class _Kind(NamedTuple):
    """A test, what sound corpora have, and what to look at where one has not."""

    test: Test
    expected: str
    look: str


TESTS = (
    _Kind(
        texts.displaced,
        "texts fit the other texts of their segment",
        "whether a line is missing or doubled there, or the lines are in another order",
    ),
    _Kind(texts.copied, "texts are equal here and there only", "whether a file was copied, or given under two names"),
    _Kind(texts.unusual, "texts have the form of those of the others", "whether the output is whole and the system's"),
    _Kind(texts.missing, "texts are there to the end", "whether the file was cut short"),
    _Kind(texts.shorter, "lengths keep their relation to those of the others", "at the texts from that segment on"),
    _Kind(texts.misread, "no letters that come of UTF-8 read as Latin-1", "whether the file was converted twice"),
    _Kind(
        judgments.contrary_judges,
        "a judge agrees with the others",
        "whether the scale is reversed, criteria were exchanged, or rows were moved",
    ),
    _Kind(
        judgments.contrary_systems,
        "judgments go with those of the other systems in the segment, and with the text",
        "whether the scale is reversed, or rows were moved, as by counting segments from 0",
    ),
    _Kind(
        judgments.against_texts,
        "texts that are more like the others of their segment are judged better",
        "whether rows were moved, systems were exchanged, or the direction of the criterion is wrong",
    ),
    _Kind(judgments.narrow, "scores use the scale as the others do", "whether they are on another scale, or no scores"),
    _Kind(judgments.duplicated, "judgments differ", "whether rows were copied"),
    _Kind(judgments.unjudged, "judgments are spread alike", "whether the table was cut short, or rows are missing"),
)


def doubts(corpus: Corpus) -> list[str]:
    """Return a sentence for each kind of damage that a corpus seems to have.

    Parameters
    ----------
    corpus : Corpus
        As it was read.

    Returns
    -------
    list of str
        What was seen, what was expected, and what to look at; none for a sound corpus.
    """
    view, sentences = View(corpus), []
    for test, expected, look in TESTS:
        found = {one.subject: one.seen for one in test(view)}
        if found:
            seen = "; ".join(f"{subject}: {what}" for subject, what in list(found.items())[:_SHOWN])
            more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            sentences.append(f"{seen}{more}. Expected: {expected}. Look {look}.")
    return sentences
