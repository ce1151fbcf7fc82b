"""The kernel that turns text into token ids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np

from metaeval import kernels
from metaeval.kernels.segment_pairs import Ids, Offsets

# A white-space character that texts hardly ever hold, put between them.
_SEPARATOR = "\x1f"


class Vocabulary(Sequence[str]):
    """The different tokens of a text, which are cut out of it when somebody asks for one; most metrics never do."""

    def __init__(self, content: bytes, starts: Offsets, ends: Offsets) -> None:
        self._content, self._starts, self._ends = content, starts, ends

    @cached_property
    def _words(self) -> list[str]:
        places = zip(self._starts.tolist(), self._ends.tolist(), strict=True)
        return [self._content[start:end].decode("utf-8", "surrogatepass") for start, end in places]

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._words[index]


def encode(texts: Sequence[str], *, marks_apart: bool = False) -> tuple[Ids, Offsets, Sequence[str]] | None:
    """Return token ids, the offsets of the texts among them, and the different tokens; None without kernels.

    White space separates tokens, as for `str.split`. Ids are numbered in the order in which tokens are met. With
    `marks_apart`, a mark of ASCII's punctuation at the end of a longer token, or else its beginning, is another token.
    """
    if kernels.COMPILED is None:
        return None
    content, offsets = _bytes_of(texts)
    room = len(content) // (1 if marks_apart else 2) + len(texts) + 1
    ids, token_offsets = np.empty(room, dtype=np.int32), np.empty(len(texts) + 1, dtype=np.int64)
    starts, ends = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    count = kernels.COMPILED.encode(content, offsets, marks_apart, ids, token_offsets, starts, ends)
    vocabulary = Vocabulary(content, starts[:count].copy(), ends[:count].copy())
    ids.resize(token_offsets[-1], refcheck=False)  # gives back what was not needed; a copy takes as long as much else
    return ids, token_offsets, vocabulary


def characters(texts: Sequence[str], *, keep_space: bool) -> tuple[Ids, Offsets] | None:
    """Return the code points of texts, without white space unless it is kept, and the offsets of the texts among them.

    None without kernels.
    """
    if kernels.COMPILED is None:
        return None
    content, offsets = _bytes_of(texts, parted=not keep_space)
    points, ends = np.empty(len(content), dtype=np.int32), np.empty_like(offsets)
    kernels.COMPILED.characters(content, offsets, keep_space, points, ends)
    return points[: ends[-1]], ends


def _bytes_of(texts: Sequence[str], *, parted: bool = True) -> tuple[bytes, Offsets]:
    """Return the bytes of all texts in UTF-8, and where each begins and the last ends.

    Unless they must not be `parted`, they end with a white space that none of them has: finding it takes less time than
    asking each for its length.
    """
    content = _SEPARATOR.join(texts).encode("utf-8", "surrogatepass")
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord(_SEPARATOR))
    if parted and len(ends) == len(texts) - 1:
        return content, np.concatenate([[0], ends + 1, [len(content)]])
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return b"".join(encoded), np.cumsum([0, *map(len, encoded)])
