"""The process in which a user's tokenizer runs.

It is started as a script, as `worker` is, and does what that does with another kind of object: it cuts texts into
tokens instead of scoring them.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
from collections.abc import Mapping, Set
from typing import Any

# A script cannot import what lies beside it by the name of its package.
_BESIDE = importlib.util.spec_from_file_location(
    "metaeval_worker", os.path.join(os.path.dirname(__file__), "worker.py")
)
assert _BESIDE is not None
assert _BESIDE.loader is not None
worker: Any = importlib.util.module_from_spec(_BESIDE)
_BESIDE.loader.exec_module(worker)


class Tokenizing(worker.Worker):  # type: ignore[misc]  # loaded by its file
    """The tokenizer of a plug-in, once it is loaded."""

    noun = "tokenizer"

    @staticmethod
    def known_in(module: Any) -> list[str]:
        """Return the names of all that could be a tokenizer."""
        return [key for key, item in vars(module).items() if not key.startswith("_") and takes_a_text(item)]

    def take(self, item: Any) -> dict[str, Any]:
        """Cut texts with an object from now on."""
        if not takes_a_text(item):
            raise worker.Refused("it must be a function of one text, which returns the list of its tokens")
        self.item = item
        return {"kind": "tokenizer"}

    def _score(self, arguments: dict[str, Any], rows: list[str]) -> None:
        for number, text in enumerate(rows):
            self.id = number
            self._answer({"tokens": as_tokens(self.item(text))})


def takes_a_text(item: Any) -> bool:
    """Return whether an object can be called with one argument."""
    if inspect.isclass(item) or not callable(item):
        return False
    try:
        inspect.signature(item).bind("")
    except TypeError:
        return False
    except ValueError:  # compiled code does not always tell
        pass
    return True


def as_tokens(value: Any) -> str:
    """Return what a tokenizer gave as a text with a blank between tokens; those that are white space are left out.

    Raises
    ------
    Refused
        If it is neither a text nor a list of texts without white space inside.
    """
    if isinstance(value, str):
        return " ".join(value.split())
    shown = worker.shortened(repr(value))
    if isinstance(value, bytes | Mapping | Set) or not hasattr(value, "__iter__"):
        raise worker.Refused(f"it returned {shown} where it must return a list of tokens, or a text with blanks")
    tokens = list(value)
    for token in tokens:
        if not isinstance(token, str):
            raise worker.Refused(
                f"its token {worker.shortened(repr(token))} is of type {type(token).__name__}; it must be text, as "
                "str(token) is"
            )
        if len(token.split()) > 1:
            raise worker.Refused(
                f"its token {worker.shortened(repr(token))} has white space inside, which separates tokens; return "
                "several tokens, or write another character for it"
            )
    return " ".join(stripped for token in tokens if (stripped := token.strip()))


if __name__ == "__main__":
    worker.main(Tokenizing)
