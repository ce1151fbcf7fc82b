"""Names in a config that remember more than their text: a path as it was written, or an object of the caller's."""

from __future__ import annotations

from typing import Any, cast

# The beginning of each text that stands for an object.
HELD = "python:"


class Placed(str):
    """A text in which a path was made absolute before it is parsed; `written` is what the user wrote."""

    written: str

    def __new__(cls, text: str, written: str = "") -> Placed:
        """Return the text."""
        made = super().__new__(cls, text)
        made.written = written or text
        return made


class Held(Placed):
    """A name that carries an object of the caller's, so that a config can hold the object as a text.

    Its text, ``python:words@5b2f8e1c``, is for the record of a run, which cannot hold the object.
    """

    item: Any

    def __new__(cls, name: str, digest: str, item: object) -> Held:
        """Return the name of an object that a digest identifies."""
        made: Any = super().__new__(cls, f"{HELD}{name}@{digest[:8]}", name)
        made.item = item
        return cast("Held", made)


def written_of(text: str) -> str:
    """Return a text as the user wrote it."""
    return text.written if isinstance(text, Placed) else text
