"""The panels of an experiment, computed one after the other and put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.experiment.execute import compute_experiment
from metaeval.experiment.executor import SERIAL, Executor
from metaeval.experiment.load import Panel
from metaeval.progress import Progress, Step, silent
from metaeval.results.model import RunData


def compute_panels(panels: Sequence[Panel], *, executor: Executor = SERIAL, progress: Progress = silent) -> RunData:
    """Compute the panels of an experiment.

    Parameters
    ----------
    panels : sequence of Panel
        A single one without a title is an experiment without panels.
    executor, progress
        As for :func:`~metaeval.experiment.execute.compute_experiment`, which also lists the errors; they name the
        panel. A panel without any result is left out, and the message says why; if none has one, that is an error.

    Returns
    -------
    RunData
        Every key has the title of its panel, with which the names of arrays begin.
    """
    if [panel.title for panel in panels] == [""]:
        return compute_experiment(panels[0].experiment, executor=executor, progress=progress)
    whole = RunData()
    messages: list[tuple[str, str]] = []
    for panel in _told(panels, progress):
        try:
            found = compute_experiment(panel.experiment, executor=executor, progress=progress)
        except (UsageError, CorpusError) as error:
            raise type(error)(f"the panel {panel.title!r}: {error}") from error
        except MetricError as error:
            # Without any result in this panel, those of the others stand.
            whole.failures.append(f"{panel.title}: {error}")
            messages.append((panel.title, str(error)))
            continue
        messages.extend((panel.title, message) for message in found.warnings)
        whole.extend(replace(found.in_panel(panel.title), warnings=[]))
    if whole.failures and not whole.corpora:
        raise MetricError("\n".join(whole.failures))
    whole.warnings.extend(_told_once(messages, len(panels)))
    return whole


def _told(panels: Sequence[Panel], progress: Progress) -> Iterator[Panel]:
    """Give the panels, and report of each that it begins and that it is done."""
    for number, panel in enumerate(panels, start=1):
        progress(Step("panel", panel.title, total=len(panels)))
        yield panel
        progress(Step("panel", panel.title, number, len(panels)))


def _told_once(messages: Sequence[tuple[str, str]], n_panels: int) -> list[str]:
    """Return messages with the titles of their panels, and without where all panels have the same."""
    titles: dict[str, list[str]] = {}
    for title, message in messages:
        titles.setdefault(message, []).append(title)
    return [
        message if len(where) == n_panels else f"{', '.join(where)}: {message}" for message, where in titles.items()
    ]
