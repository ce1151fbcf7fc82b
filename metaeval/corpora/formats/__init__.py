"""The formats that can be read. `metaeval.components.registries.READERS` has them."""

from __future__ import annotations

from metaeval.components.registries import READERS
from metaeval.corpora.formats.base import Glimpse, Reader


def recognise(glimpse: Glimpse) -> Reader | None:
    """Return a reader for a source with its parameters as they are by default, or None if no format fits."""
    fitting = (reader for reader in READERS.values() if reader.recognises(glimpse))
    reader_class = next(fitting, None)
    return None if reader_class is None else reader_class()
