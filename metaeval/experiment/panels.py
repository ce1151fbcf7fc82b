"""Compute the panels of an experiment, side by side where they have the same documents, and join their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.experiment.execute import PanelRun, Reader, compute_side_by_side
from metaeval.experiment.overrides import Panel
from metaeval.experiment.statistics_by_metric import CountedOnCorpus
from metaeval.results.model import RunData
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.runtime.progress import Progress, Step, silent

# A message that more parts of a run have says how many they are, instead of their titles.
MAX_TITLES = 2


def compute_panels(
    panels: Sequence[Panel], *, read: Reader = read_corpus, executor: Executor = SERIAL, progress: Progress = silent
) -> RunData:
    """Compute the panels of an experiment.

    Parameters
    ----------
    panels : sequence of Panel
        A single one without a title is an experiment without panels.
    read, executor, progress
        As for :func:`~metaeval.experiment.execute.compute_experiment`, which also lists the errors; they name the
        panel. A panel without any result is left out, and the message says why; if none has one, that is an error.

    Returns
    -------
    RunData
        Every key has the title of its panel.
    """
    if [panel.title for panel in panels] == [""]:
        ((_, only),) = compute_side_by_side([PanelRun(panels[0], executor, progress, read)], executor)
        return only
    # Panels are computed corpus by corpus, so that each is read once.
    read = lru_cache(maxsize=1)(read)
    announced: list[int] = []
    errors: dict[int, MetricError] = {}

    @contextmanager
    def within(position: int) -> Iterator[None]:
        title = panels[position].title
        if announced[-1:] != [position]:
            announced.append(position)
            progress(Step("panel", title, total=len(panels)))
        with named("panel", title):
            try:
                yield
            except MetricError as error:
                errors[position] = error
                progress(Step("panel", title, position + 1, len(panels)))

    finished: dict[int, RunData] = {}
    counted: CountedOnCorpus = {}
    runs = [PanelRun(panel, executor, progress, read, counted=counted) for panel in panels]
    for position, results in compute_side_by_side(runs, executor, within):
        finished[position] = results
        progress(Step("panel", panels[position].title, position + 1, len(panels)))

    def result(position: int) -> RunData:
        if position in errors:
            raise errors[position]
        return finished[position]

    whole = RunData()
    parts = [(panel.title, partial(result, position)) for position, panel in enumerate(panels)]
    for _, results in computed(whole, "panel", parts, silent):
        whole.extend(results)
    return whole


@contextmanager
def named(noun: str, title: str) -> Iterator[None]:
    """Add the title of a part of a run to the errors that are raised in it."""
    try:
        yield
    except (UsageError, CorpusError) as error:
        raise type(error)(f"the {noun} {title!r}: {error}") from error


def computed(
    whole: RunData, noun: str, parts: Sequence[tuple[str, Callable[[], RunData]]], progress: Progress
) -> Iterator[tuple[int, RunData]]:
    """Compute parts of a run one after the other; yield the number and the results of each, without its warnings.

    Failures begin with the title of the part.

    Parameters
    ----------
    whole : RunData
        Gets failures and warnings, with the titles of the parts; the caller adds the rest.
    noun : str
        What a part is.
    parts : sequence of (str, callable)
        Titles, and the functions that compute them.
    progress : callable
    """
    messages: list[tuple[str, str]] = []
    for number, (title, compute) in enumerate(parts):
        progress(Step(noun, title, total=len(parts)))
        try:
            with named(noun, title):
                results = compute()
        except MetricError as error:
            # The other parts keep their results.
            whole.failures.append(f"{title}: {error}")
            messages.append((title, str(error)))
        else:
            messages.extend((title, message) for message in results.warnings)
            failures = [f"{title}: {message}" for message in results.failures]
            yield number, replace(results, warnings=[], failures=failures)
        progress(Step(noun, title, number + 1, len(parts)))
    if whole.failures and not whole.corpora:
        raise MetricError("\n".join(_said_once(messages, noun, len(parts))))
    whole.warnings.extend(_said_once(messages, noun, len(parts)))


def _said_once(messages: Sequence[tuple[str, str]], noun: str, n_parts: int) -> list[str]:
    """Return each message once, with the titles of its parts or their number; without them if all parts have it."""
    titles: dict[str, list[str]] = {}
    for title, message in messages:
        titles.setdefault(message, []).append(title)

    def prefix(parts: Sequence[str]) -> str:
        if len(parts) == n_parts:
            return ""
        return f"{len(parts)} {noun}s: " if len(parts) > MAX_TITLES else f"{'; '.join(parts)}: "

    return [type(message)(f"{prefix(parts)}{message}") for message, parts in titles.items()]
