"""The base class of figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from metaeval.components.design import Design


class Figure(ABC):
    """A kind of figure, with its settings.

    Attributes
    ----------
    kind : str
        As configs have it.
    of_tasks : bool or None
        Whether it shows the tasks of a shared task, and not the correlations of an experiment; None if either.
    in_tasks : mapping
        The settings that it has in a shared task whose config names no figures.
    of_run : bool
        Whether it shows the whole run, so that it is drawn once for all panels of an experiment.
    width : {"column", "page"} or None
        How wide it is; None as it needs.
    """

    kind: ClassVar[str]
    of_tasks: ClassVar[bool | None] = False
    in_tasks: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    of_run: ClassVar[bool] = False
    width: str | None

    @property
    def words(self) -> tuple[str, ...]:
        """The settings besides width and title, for the name of its file."""
        return ()

    def check(self, design: Design) -> None:  # noqa: B027  # most need nothing
        """Raise UsageError if an experiment lacks what the figure shows; before it is run."""

    def is_wanted(self, data: Any) -> bool:
        """Return whether it is to be drawn of these data, which most always are; `data` as in `draw`."""
        return True

    @abstractmethod
    def draw(self, data: Any, title: str) -> Mapping[str, Any]:
        """Return matplotlib figures by the names of their files, which begin with the kind.

        The title is that of the panel; `data` is a `metaeval.report.figures.run_frames.FigureData`.
        """
