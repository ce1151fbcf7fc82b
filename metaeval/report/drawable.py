"""Base class of results that can be drawn as figures of matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from metaeval.components.registries import FIGURES
from metaeval.errors import UsageError, listing, unknown
from metaeval.parameters.fields import build

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metaeval.report.figures.run_frames import FigureData
    from metaeval.report.figures.settings import SizedFigure


def asked_figure(kind: str, settings: Mapping[str, Any]) -> SizedFigure:
    """Return a kind of figure with what is asked for.

    Raises
    ------
    UsageError
        If the kind or a key is unknown, or a value is not allowed.
    """
    if kind not in FIGURES:
        raise UsageError(unknown("figure", kind, FIGURES))
    # One name is a list of one.
    lists = {item.name for item in fields(FIGURES[kind]) if isinstance(item.default, tuple)}  # type: ignore[arg-type]
    values = {key: [value] if key in lists and isinstance(value, str) else value for key, value in settings.items()}
    built: Any = build(FIGURES[kind], values, subject=f"the figure {kind!r}", noun="key")
    figure: SizedFigure = built
    return figure


class Drawable(ABC):
    """Results that can be drawn."""

    @abstractmethod
    def _figure_data(self, labels: Mapping[str, str]) -> Iterator[tuple[str, FigureData]]:
        """Yield the data of figures, with the title of the panel of the experiment."""

    def figures(
        self, kind: str, *, panel: str = "", labels: Mapping[str, str] | None = None, **settings: Any
    ) -> dict[str, Figure]:
        """Draw all figures of a kind, one for each corpus, preprocessing, coefficient and so on.

        Parameters
        ----------
        kind : str
            Such as ``correlation-by-length``, ``intervals`` or ``scatter``.
        panel : str, optional
            The title of a panel of the experiment; all unless given.
        labels : mapping of str to str, optional
            What metrics, criteria, corpora and systems are called.
        **settings
            Keys of ``[[figures]]``: ``width=3.03``, ``metrics=["bleu"]``, ``caption=False``.

        Returns
        -------
        dict of str to matplotlib.figure.Figure
            By the names that their files would have. The axes are named for what they show (`Axes.get_label`), and
            lines have the metric as their id (`Artist.get_gid`).

        Raises
        ------
        UsageError
            If a kind or key is unknown, or there is not what the figure shows; the message names the key to set.
        """
        from metaeval.report.figures.drawing import draw_figure

        figure = asked_figure(kind, settings)
        figures = {}
        titles = []
        for title, data in self._figure_data(labels or {}):
            titles.append(title)
            if panel in ("", title):
                figures.update(draw_figure(figure, data, "" if figure.of_run else title))
                if figure.of_run:
                    break
        if panel and panel not in titles:
            raise UsageError(unknown("panel", panel, titles))
        return figures

    def figure(self, kind: str, *, panel: str = "", labels: Mapping[str, str] | None = None, **settings: Any) -> Figure:
        """Draw the one figure of a kind that there is.

        Parameters
        ----------
        kind : str
            Such as ``correlation-by-length``, ``intervals`` or ``scatter``.
        panel : str, optional
            The title of a panel of the experiment; all unless given.
        labels : mapping of str to str, optional
            What metrics, criteria, corpora and systems are called.
        **settings
            Keys of ``[[figures]]``: ``width=3.03``, ``metrics=["bleu"]``, ``caption=False``.

        Returns
        -------
        matplotlib.figure.Figure
            To be changed further, and saved with ``savefig``; see `figures` for the names of its parts.

        Raises
        ------
        UsageError
            If there are several, or as for `figures`.
        """
        figures = self.figures(kind, panel=panel, labels=labels, **settings)
        if len(figures) > 1:
            raise UsageError(
                f"there are {len(figures)} figures {kind!r}: {listing(figures)}; take them from `figures({kind!r})`, "
                "or name a panel or criteria."
            )
        return next(iter(figures.values()))
