"""The formats that can be read. `metaeval.kinds.READERS` has them."""

from __future__ import annotations

from metaeval.corpora.formats.contract import Glimpse, Reader
from metaeval.errors import UsageError, unknown
from metaeval.kinds import READERS
from metaeval.names import parse_call
from metaeval.parameters import build


def get_reader(text: str) -> Reader:
    """Return the reader of a name such as ``sgml`` or ``mqm(references=["refA"])``.

    Raises
    ------
    UsageError
        If the format or a parameter is unknown, or a value is not allowed.
    """
    call = parse_call(text)
    if call.name not in READERS:
        raise UsageError(unknown("format", call.name, READERS))
    reader: Reader = build(READERS[call.name], call.arguments, subject=f"format {call.name!r}")
    return reader


def recognise(glimpse: Glimpse) -> Reader | None:
    """Return a reader for a source with its parameters as they are by default, or None if no format fits."""
    fitting = (reader for reader in READERS.values() if reader.recognises(glimpse))
    found = next(fitting, None)
    return None if found is None else found()
