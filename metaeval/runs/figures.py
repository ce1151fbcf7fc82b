"""The figures of a run, drawn from what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from metaeval.contracts import Figure
from metaeval.errors import UsageError, listing
from metaeval.experiment.load import LoadedConfig
from metaeval.kinds import FIGURES
from metaeval.progress import Tally
from metaeval.report.figures.data import figure_data
from metaeval.report.figures.drawing import NoRoom, draw_figure
from metaeval.report.figures.layout import save_figures
from metaeval.results.model import RunData


def wanted_figures(config: LoadedConfig) -> dict[str, Sequence[Figure]]:
    """Return the figures of a config by the titles of panels; of a shared task all its kinds, unless it names some.

    Raises
    ------
    UsageError
        If it names a kind that does not show what it is about.
    """
    wanted: dict[str, Sequence[Figure]] = {panel.title: panel.experiment.figures for panel in config.panels}
    named = dict.fromkeys(figure for figures in wanted.values() for figure in figures)
    kinds = [kind for kind in FIGURES.values() if kind.of_tasks == (config.shared is not None)]
    for figure in named:
        if type(figure) not in kinds:
            what = "with [[tasks]]" if config.shared else "without [[tasks]]"
            of_it = listing(kind.kind for kind in kinds)
            raise UsageError(
                f"{config.name}: `figures`: a config {what} has no figure {figure.kind!r}; it has {of_it}."
            )
    if config.shared is None:
        return wanted
    is_asked = named or "figures" in config.content
    return {"": tuple(named) if is_asked else tuple(kind() for kind in kinds)}


def draw_figures(
    wanted: Mapping[str, Sequence[Figure]], run: RunData, directory: Path, tally: Tally | None = None
) -> None:
    """Draw the figures of a run into a directory.

    Parameters
    ----------
    wanted : mapping of str to sequence of Figure
        By the titles of the panels.
    run : RunData
        Just computed, or read from its directory. Its warnings get why a figure is missing; one that has no room is a
        failure too. The run goes on without it.
    directory : Path
        What the files go to.
    tally : Tally, optional
        Counts the figures.
    """
    tally = tally or Tally()
    tally.expect(sum(map(len, wanted.values())))
    for title, figures in wanted.items():
        panel = run.of_panel(title)
        if not (panel.tables.correlations or panel.tables.tasks):
            tally.add(len(figures))
            continue  # every metric failed, as the warnings say
        data = figure_data(panel)
        for figure in figures:
            try:
                drawn = draw_figure(figure, data, title)
            except UsageError as error:
                where = f"{title}: " if title else ""
                run.warnings.append(f"{where}the figure {figure.kind!r} is missing: {error}")
                if isinstance(error, NoRoom):
                    run.failures.append(run.warnings[-1])
            else:
                save_figures(drawn, directory)
            tally.add()
