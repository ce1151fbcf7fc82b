"""Small texts that show how a metric deals with what is rare in sentences and common in data.

Sixteen segments, three candidates and up to three references; `examples.toml` has all but the longest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metaeval.records import Corpus
from metaeval.resources import tables_of

_SYSTEMS, _REFERENCES = ("near", "middling", "far"), ("ref1", "ref2", "ref3")
# A metric may refuse these; the others are texts like any.
EMPTY_OR_SHORT = ("empty candidate", "one token", "empty reference")

_SENTENCES = (
    "the council met again on {day} to speak about the {thing} near the old harbour ,",
    "and a member of the {thing} group said that the plan of last {day} was still too dear ;",
    "nobody in the hall wanted to wait until {day} for an answer on the {thing} .",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_THINGS = ("bridge", "school", "market", "station", "park", "library")


def _long(*changes: tuple[str, str]) -> str:
    """Return a text of about 300 tokens, with some words replaced."""
    pairs = zip(_DAYS, _THINGS, strict=True)
    text = " ".join(line.format(day=day, thing=thing) for day, thing in pairs for line in _SENTENCES)
    for old, new in changes:
        text = text.replace(old, new)
    return text


def _longest() -> dict[str, str]:
    return {
        "id": "300 tokens",
        "source": "Der Rat tagte wieder, und niemand wollte warten.",
        "near": _long(("too dear", "too expensive")),
        "middling": _long(("nobody in the hall", "no one in the hall"), ("still ", ""), ("answer on", "answer about")),
        # No word of the references: many matches in other places take some programs half a minute.
        "far": " ".join(f"Punkt {i} fehlt noch in dieser Liste :" for i in range(1, 39)),
        "ref1": _long(),
        "ref2": _long(("the old harbour", "the harbour"), ("nobody in the hall", "no one there")),
        "ref3": _long(("the council met again", "the council came together again")),
    }


def example_corpus() -> Corpus:
    """Return the texts, each with an id that says what is rare in it, and sources."""
    rows: list[Mapping[str, str]] = [*tables_of(__file__)["segments"], _longest()]
    candidates = {name: [row[name] for row in rows] for name in _SYSTEMS}
    references = {name: [row.get(name) for row in rows] for name in _REFERENCES}
    sources, ids = (tuple(row[name] for row in rows) for name in ("source", "id"))
    corpus = Corpus.of_texts(candidates, references)
    return dataclasses.replace(corpus, name="examples", sources=sources, segment_ids=ids)
