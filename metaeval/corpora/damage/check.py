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
        "whether a line is missing or doubled at that segment, or the lines are in another order",
    ),
    _Kind(texts.copied, "texts are equal here and there only", "whether a file was copied or named twice"),
    _Kind(texts.empty, "as few texts are empty as of the other systems", "whether the output is complete"),
    _Kind(texts.missing, "texts are there to the end", "whether the file was cut short"),
    _Kind(texts.untranslated, "texts are not those of the source", "whether the output is that of the system"),
    _Kind(texts.repeated, "segments have texts of their own", "whether the output is that of the system"),
    _Kind(texts.cut, "texts end as those of the others do", "whether the texts were cut"),
    _Kind(texts.shorter, "lengths keep their relation to those of the others", "the texts from that segment on"),
    _Kind(texts.misread, "files are in UTF-8", "whether the file was converted twice"),
    _Kind(
        judgments.misplaced,
        "scores agree best with those of the same segment",
        "whether the segments of the table are counted from 0, or rows were moved",
    ),
    _Kind(
        judgments.contrary,
        "scores agree with those of the others",
        "whether the scale is reversed, criteria were exchanged, or rows were moved",
    ),
    _Kind(
        judgments.against_texts,
        "scores go with the likeness of the texts to others of their segment",
        "whether rows were moved, systems were exchanged, or the direction of the criterion is wrong",
    ),
    _Kind(judgments.narrow, "scores use the scale as the others do", "whether they are on another scale"),
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
            sentences.append(f"{seen}{more}. Expected: {expected}. Look at {look}.")
    return sentences
