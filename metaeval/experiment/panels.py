"""The panels of an experiment, computed side by side where they have the same documents, and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.experiment.execute import PanelRun, Reader, compute_side_by_side
from metaeval.experiment.measured import CountedOnCorpus
from metaeval.experiment.plan import Panel
from metaeval.progress import Progress, Step, silent
from metaeval.results.model import RunData
from metaeval.runtime.parallel import SERIAL, Executor

# Where more parts of a run have the same message, it says how many.
MOST_TITLES = 2


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
    errors = dict[int, MetricError]()
    if [panel.title for panel in panels] == [""]:
        ((_, only),) = compute_side_by_side([PanelRun(panels[0], executor, progress, read)], executor)
        return only
    # Panels are computed corpus by corpus, so that each is read once.
    read = lru_cache(maxsize=1)(read)
    announced: list[int] = []

    @contextmanager
    def within(place: int) -> Iterator[None]:
        title = panels[place].title
        if announced[-1:] != [place]:
            announced.append(place)
            progress(Step("panel", title, total=len(panels)))
        with named("panel", title):
            try:
                yield
            except MetricError as error:
                errors[place] = error
                progress(Step("panel", title, place + 1, len(panels)))

    found = {}
    counted: CountedOnCorpus = {}
    runs = [PanelRun(panel, executor, progress, read, counted=counted) for panel in panels]
    for place, results in compute_side_by_side(runs, executor, within):
        found[place] = results
        progress(Step("panel", panels[place].title, place + 1, len(panels)))

    def result(place: int) -> RunData:
        if place in errors:
            raise errors[place]
        return found[place]

    whole = RunData()
    parts = [(one.title, partial(result, place)) for place, one in enumerate(panels)]
    for _, one in computed(whole, "panel", parts, silent):
        whole.extend(one)
    return whole


@contextmanager
def named(noun: str, title: str) -> Iterator[None]:
    """Let errors that end a run name the part of it where they are raised."""
    try:
        yield
    except (UsageError, CorpusError) as error:
        raise type(error)(f"the {noun} {title!r}: {error}") from error


def computed(
    whole: RunData, noun: str, parts: Sequence[tuple[str, Callable[[], RunData]]], progress: Progress
) -> Iterator[tuple[int, RunData]]:
    """Compute parts of a run one after the other; give the number and the results of each, but for its warnings.

    Failures begin with the title of the part.

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
            with named(noun, title):
                found = compute()
        except MetricError as error:
            # Without any result in this part, those of the others stand.
            whole.failures.append(f"{title}: {error}")
            messages.append((title, str(error)))
        else:
            messages.extend((title, message) for message in found.warnings)
            yield number, replace(found, warnings=[], failures=[f"{title}: {message}" for message in found.failures])
        progress(Step(noun, title, number + 1, len(parts)))
    if whole.failures and not whole.corpora:
        raise MetricError("\n".join(_said_once(messages, noun, len(parts))))
    whole.warnings.extend(_said_once(messages, noun, len(parts)))


def _said_once(messages: Sequence[tuple[str, str]], noun: str, n_parts: int) -> list[str]:
    """Return messages with the parts that have them: not if all have, by their titles if one or two, else how many."""
    titles: dict[str, list[str]] = {}
    for title, message in messages:
        titles.setdefault(message, []).append(title)

    def place(where: Sequence[str]) -> str:
        if len(where) == n_parts:
            return ""
        return f"{len(where)} {noun}s: " if len(where) > MOST_TITLES else f"{'; '.join(where)}: "

    return [f"{place(where)}{message}" for message, where in titles.items()]
