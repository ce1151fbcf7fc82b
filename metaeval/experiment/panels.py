"""The panels of an experiment, computed one after the other and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.experiment.execute import compute_experiment
from metaeval.experiment.executor import SERIAL, Executor
from metaeval.experiment.plan import Panel
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
        return compute_experiment(panels[0].experiment, panels[0].variants, executor=executor, progress=progress)
    whole = RunData()
    parts = [
        (one.title, partial(compute_experiment, one.experiment, one.variants, executor=executor, progress=progress))
        for one in panels
    ]
    for number, found in computed(whole, "panel", parts, progress):
        whole.extend(found.in_panel(panels[number].title))
    return whole


def computed(
    whole: RunData, noun: str, parts: Sequence[tuple[str, Callable[[], RunData]]], progress: Progress
) -> Iterator[tuple[int, RunData]]:
    """Compute parts of a run one after the other; give the number and the results of each, but for its warnings.

    Parameters
    ----------
    whole : RunData
        Gets failures and warnings, with the titles of the parts; the caller adds the rest.
    noun : str
        What a part is.
    parts : sequence of (str, callable)
        Titles, and what computes them.
    progress : callable
    """
    messages: list[tuple[str, str]] = []
    for number, (title, compute) in enumerate(parts):
        progress(Step(noun, title, total=len(parts)))
        try:
            found = compute()
        except (UsageError, CorpusError) as error:
            raise type(error)(f"the {noun} {title!r}: {error}") from error
        except MetricError as error:
            # Without any result in this part, those of the others stand.
            whole.failures.append(f"{title}: {error}")
            messages.append((title, str(error)))
        else:
            messages.extend((title, message) for message in found.warnings)
            yield number, replace(found, warnings=[])
        progress(Step(noun, title, number + 1, len(parts)))
    if whole.failures and not whole.corpora:
        raise MetricError("\n".join(_told_once(messages, len(parts))))
    whole.warnings.extend(_told_once(messages, len(parts)))


def _told_once(messages: Sequence[tuple[str, str]], n_parts: int) -> list[str]:
    """Return messages with the titles of their parts, and without where all parts have the same."""
    titles: dict[str, list[str]] = {}
    for title, message in messages:
        titles.setdefault(message, []).append(title)
    return [message if len(where) == n_parts else f"{'; '.join(where)}: {message}" for message, where in titles.items()]
