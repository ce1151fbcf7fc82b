"""The kernel that turns text into token ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval._kernels import COMPILED
from metaeval._kernels.pairs import Ids, Offsets


def encode(texts: Sequence[str]) -> tuple[Ids, Offsets, list[str]] | None:
    """Return token ids, the offsets of the texts among them, and the different tokens; None without kernels.

    White space separates tokens, as for `str.split`. Ids are numbered in the order in which tokens are met.
    """
    if COMPILED is None:
        return None
    whole = "".join(texts)
    # As long as all is ASCII, places in the text are places among its bytes.
    encoded = texts if whole.isascii() else [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(texts)), out=offsets[1:])
    content = whole.encode("utf-8", "surrogatepass")
    room = len(content) // 2 + len(texts) + 1
    ids, token_offsets = np.empty(room, dtype=np.int32), np.empty(len(texts) + 1, dtype=np.int64)
    starts, ends = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    count = COMPILED.encode(content, offsets, ids, token_offsets, starts, ends)
    places = zip(starts[:count].tolist(), ends[:count].tolist(), strict=True)
    if whole.isascii():
        vocabulary = [whole[start:end] for start, end in places]
    else:
        vocabulary = [content[start:end].decode("utf-8", "surrogatepass") for start, end in places]
    return ids[: token_offsets[-1]].copy(), token_offsets, vocabulary
