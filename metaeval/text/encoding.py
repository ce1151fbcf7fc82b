"""Tokens become integer ids, so that every metric compares numbers and no metric tokenizes again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.records import Segments, TreatedTexts
from metaeval.text.conditions import Condition

Texts = Sequence[str | None]


class Encoder:
    """Encodes texts under one condition; equal tokens get equal ids in all texts that one encoder encodes."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self._ids: dict[str, int] = {}

    def encode(self, texts: Texts) -> Segments:
        """Return the segments of one text; an absent text (None) has no tokens."""
        tokens = self.condition.tokens(text if text is not None else "" for text in texts)
        offsets = np.zeros(len(tokens) + 1, dtype=np.int64)
        np.cumsum([len(segment) for segment in tokens], out=offsets[1:])
        ids = np.fromiter(
            (self._ids.setdefault(token, len(self._ids)) for segment in tokens for token in segment),
            dtype=np.int32,
            count=int(offsets[-1]),
        )
        return Segments(tuple(texts), tuple(map(tuple, tokens)), ids, offsets)


def treat(condition: Condition, candidates: Sequence[Texts], references: Mapping[str, Texts]) -> TreatedTexts:
    """Treat all texts of a corpus under one condition.

    Parameters
    ----------
    condition : Condition
    candidates : sequence of sequences of str
        Axes (systems, segments).
    references : mapping of str to sequence of (str or None)
        By name.
    """
    encoder = Encoder(condition)
    encoded_references = {name: encoder.encode(texts) for name, texts in references.items()}
    return TreatedTexts(condition.signature, tuple(encoder.encode(texts) for texts in candidates), encoded_references)
