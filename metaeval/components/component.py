"""The base class of components."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar


class Component(ABC):
    """A component, such as a coefficient or a test: a class with a name for configs, and sources to cite."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", sources: tuple[str, ...] = ()) -> None:
        """Take the name and the sources of a kind from behind its bases, ``class Holm(Correction, name="holm")``."""
        super().__init_subclass__()
        if name:
            cls.name = name
        if sources:
            cls.sources = sources  # type: ignore[assignment]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources to cite, by their keys in the bibliography."""
        return ()
