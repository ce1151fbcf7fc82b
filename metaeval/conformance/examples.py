"""Small texts that show how a metric deals with what is rare in sentences and common in data.

Sixteen segments, three candidates and up to three references; they stand in `examples.toml`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from metaeval.datamodel.corpus import Corpus
from metaeval.runtime.files import tables_of

_SYSTEMS = ("near", "middling", "far")
_REFERENCES = ("ref1", "ref2", "ref3")
# A metric may refuse these; the others are texts like any.
EMPTY_OR_SHORT = ("empty candidate", "one token", "empty reference")


def example_corpus() -> Corpus:
    """Return the texts, each with an id that says what is rare in it, and sources."""
    rows: Sequence[Mapping[str, str]] = tables_of(__file__)["segments"]
    candidates = {name: [row[name] for row in rows] for name in _SYSTEMS}
    references = {name: [row.get(name) for row in rows] for name in _REFERENCES}
    sources = tuple(row["source"] for row in rows)
    ids = tuple(row["id"] for row in rows)
    corpus = Corpus.of_texts(candidates, references)
    return dataclasses.replace(corpus, name="examples", sources=sources, segment_ids=ids)
