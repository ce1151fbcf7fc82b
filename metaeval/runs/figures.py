"""The figures of a run: chosen by its config, drawn, written and renewed."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.components.registries import FIGURES
from metaeval.corpora.directories import writing
from metaeval.errors import UsageError, listing, unknown
from metaeval.parameters.fields import build, merged, parameter
from metaeval.report.drawable import asked_figure
from metaeval.report.figures.drawing import NotDrawn, caption_files, caption_of, draw_figure, figure_bytes
from metaeval.report.figures.run_frames import figure_data, run_style_numbers
from metaeval.report.figures.settings import NoRoom, SizedFigure
from metaeval.results.model import RunData
from metaeval.runs.output import FIGURES as FOLDER
from metaeval.runs.output import replace_files
from metaeval.runtime.progress import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# The figures that are wanted, by the titles of panels.
Wanted = Mapping[str, Sequence[SizedFigure]]


@dataclass(frozen=True)
class Drawn:
    """A figure that was drawn.

    Attributes
    ----------
    name : str
    look : SizedFigure
        What was asked for.
    figure : matplotlib.figure.Figure
    """

    name: str
    look: SizedFigure
    figure: Figure

    @property
    def caption(self) -> str:
        """The caption."""
        return caption_of(self.figure)

    @property
    def numbers(self) -> Sequence[Sequence[str]]:
        """The numbers as a table, the heads first; empty where it has none."""
        numbers: Sequence[Sequence[str]] = getattr(self.figure, "numbers", ())
        return numbers

    def file(self, suffix: str) -> bytes:
        """Return it as a file of a format."""
        return figure_bytes(self.figure, suffix, self.look)

    def files(self) -> dict[str, bytes]:
        """Return it as its files, by suffix: in each of its formats, and its caption as text and LaTeX."""
        return {suffix: self.file(suffix) for suffix in self.look.formats} | caption_files(self.name, self.figure)


@dataclass(frozen=True)
class Shown:
    """A figure for the page: as SVG, its caption, and its numbers as a table, the heads first."""

    svg: bytes
    caption: str
    numbers: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class _FigureList:
    """The `figures` of a config."""

    figures: tuple[Any, ...] = parameter((), doc="pictures", tables=FIGURES)


def wanted_figures(content: Mapping[str, Any], name: str = "the config") -> Wanted:
    """Return the figures of a config; of a shared task all its kinds, unless it names some.

    Parameters
    ----------
    content : mapping
        The config.
    name : str
        Its name, for messages.

    Raises
    ------
    UsageError
        If it names a kind that does not show what it is about.
    """
    of_tasks = "tasks" in content
    panels = content.get("panels") or [{}]
    by_panel = {str(panel.get("title", "")): _figures_in(merged(content, panel)) for panel in panels}
    for figure in itertools.chain.from_iterable(by_panel.values()):
        if figure.of_tasks not in (None, of_tasks):
            task_words = "with [[tasks]]" if of_tasks else "without [[tasks]]"
            kinds = listing(kind.kind for kind in FIGURES.values() if kind.of_tasks in (None, of_tasks))
            raise UsageError(f"{name}: `figures`: a config {task_words} has no figure {figure.kind!r}; it has {kinds}.")
    if of_tasks and "figures" not in content:
        by_panel = {"": tuple(kind(**kind.in_tasks) for kind in FIGURES.values() if kind.of_tasks is not False)}
    return {"" if of_tasks else title: figures for title, figures in by_panel.items()}


def _figures_in(content: Mapping[str, Any]) -> tuple[Any, ...]:
    chosen = {"figures": content["figures"]} if "figures" in content else {}
    return build(_FigureList, chosen, subject="the config", noun="key").figures


def wanted_of_run(run: RunData) -> Wanted:
    """Return the figures that the config of a run asks for."""
    return wanted_figures(tomllib.loads(run.config) if run.config else {})


def changed(wanted: Wanted, kinds: Sequence[str], keys: Mapping[str, Any], *, panels: Sequence[str] = ()) -> Wanted:
    """Return figures with other settings.

    Parameters
    ----------
    wanted : Wanted
        Those of the config.
    kinds : sequence of str
        The kinds that are drawn instead, each in each panel; those of the config unless given.
    keys : mapping
        Of ``[[figures]]``. Without kinds, each goes to those kinds that have it.
    panels : sequence of str
        The titles of the panels that are drawn; all unless given.

    Raises
    ------
    UsageError
        If a kind, a key or a panel is unknown, or the config has no figures and none is named.
    """
    titles = list(wanted)
    for panel in panels:
        if panel not in titles:
            raise UsageError(unknown("panel", panel, titles))
    chosen = list(panels) or titles
    if kinds:
        made = tuple(asked_figure(kind, keys) for kind in kinds)
        return dict.fromkeys(chosen, made)
    wanted = {title: figures for title, figures in wanted.items() if title in chosen}
    every = [*itertools.chain.from_iterable(wanted.values())]
    if not every:
        raise UsageError(f"the config of the run has no figures; name kinds: {listing(FIGURES, limit=len(FIGURES))}.")
    for name in keys:
        known = sorted({*itertools.chain.from_iterable(_names(type(figure)) for figure in every)})
        if name not in known:
            raise UsageError(unknown("key of figures", name, known))
    changed_figures = {}
    for title, figures in wanted.items():
        changed_figures[title] = tuple(_with(figure, keys) for figure in figures)
    return changed_figures


def _names(kind: type[Any]) -> list[str]:
    return [item.name for item in fields(kind)]


def _with(figure: SizedFigure, keys: Mapping[str, Any]) -> SizedFigure:
    values = {name: value for name, value in keys.items() if name in _names(type(figure))}
    settings = asked_figure(figure.kind, values)
    return replace(figure, **{name: getattr(settings, name) for name in values})


def draw_figures(
    wanted: Wanted,
    run: RunData,
    *,
    refused: Callable[[str, UsageError], None] | None = None,
    tally: Tally | None = None,
) -> Iterator[Drawn]:
    """Draw the figures of a run, one after the other.

    Parameters
    ----------
    wanted : Wanted
    run : RunData
        Just computed, or read from its directory.
    refused : callable, optional
        Is called with what a warning says, and the error, where a figure cannot be drawn; without it, that is raised.
    tally : Tally, optional
        Counts the figures.

    Raises
    ------
    UsageError
        If a figure cannot be drawn.
    """
    tally = tally or Tally()
    tally.expect(sum(map(len, wanted.values())))
    taken: list[str] = []
    numbers = run_style_numbers(run)
    of_run: list[SizedFigure] = []
    for title, figures in wanted.items():
        panel = run.of_panel(title)
        if not (panel.tables.correlations or panel.tables.tasks):
            tally.add(len(figures))
            continue  # every metric failed, as the warnings say
        data = cache(partial(figure_data, panel, numbers, run))
        for figure in figures:
            if figure in of_run or not figure.is_wanted(data()):
                tally.add()
                continue
            if figure.of_run:
                of_run.append(figure)
            parts: Mapping[str, Figure] = {}
            try:
                parts = draw_figure(figure, data(), "" if figure.of_run else title)
            except UsageError as error:
                if refused is None:
                    raise
                where = f"{title}: " if title and not figure.of_run else ""
                refused(f"{where}the figure {figure.kind!r} is missing: {error}", error)
            for name, part in parts.items():
                taken.append(name)
                number = taken.count(name)
                unique_name = name if number == 1 else f"{name}-{number}"
                yield Drawn(unique_name, figure, part)
            tally.add()


def noted_in(run: RunData) -> Callable[[str, UsageError], None]:
    """Return a function that notes a missing figure in a run's warnings, as a failure unless it has no data."""

    def refused(message: str, error: UsageError) -> None:
        run.warnings.append(message)
        if isinstance(error, NoRoom | NotDrawn):
            run.failures.append(message)

    return refused


def write_figures(drawn: Iterable[Drawn], run: RunData, directory: Path) -> dict[str, Shown]:
    """Write the figures of a run that is being written, and return each by its name, for the page.

    One that cannot be drawn is missing, which the warnings and failures of the run say.
    """
    pictures = {}
    refused = noted_in(run)
    for drawing in drawn:
        try:
            files = drawing.files()
            picture = Shown(files["svg"] if "svg" in files else drawing.file("svg"), drawing.caption, drawing.numbers)
        except NotDrawn as error:
            refused(f"the figure {drawing.name!r} is missing: {error}", error)
            continue
        directory.mkdir(exist_ok=True)
        for suffix, content in files.items():
            (directory / f"{drawing.name}.{suffix}").write_bytes(content)
        pictures[drawing.name] = picture
    return pictures


def renew_figures(drawn: Sequence[Drawn], directory: Path) -> list[Path]:
    """Write figures of a finished run into its directory, and their digests into its manifest, in one step.

    Raises
    ------
    UsageError
        If they cannot be written; then nothing has changed.
    """
    written = {f"{drawing.name}.{suffix}": content for drawing in drawn for suffix, content in drawing.files().items()}
    replace_files(directory, {f"{FOLDER}/{name}": content for name, content in written.items()})
    return [directory / FOLDER / name for name in sorted(written)]


def save_elsewhere(drawn: Sequence[Drawn], directory: Path) -> list[Path]:
    """Write figures into a directory of the user's.

    Raises
    ------
    UsageError
        If they cannot be written.
    """
    paths = []
    with writing(directory, directory):
        directory.mkdir(parents=True, exist_ok=True)
        for drawing in drawn:
            for suffix, content in drawing.files().items():
                paths.append(directory / f"{drawing.name}.{suffix}")
                paths[-1].write_bytes(content)
    return paths
