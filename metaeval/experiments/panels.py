"""The panels of an experiment, computed one after the other and put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.experiments.cells import Row
from metaeval.experiments.compute import Computed, compute_experiment
from metaeval.experiments.load import Panel
from metaeval.experiments.relate import Related
from metaeval.progress import Progress, Step, silent


def compute_panels(panels: Sequence[Panel], *, jobs: int = 1, progress: Progress = silent) -> Computed:
    """Compute the panels of an experiment.

    Parameters
    ----------
    panels : sequence of Panel
        A single one without a title is an experiment without panels.
    jobs, progress
        As for :func:`~metaeval.experiments.compute.compute_experiment`, which also tells the errors; they name the
        panel. A panel without any result is left out, and the message says why; if none has one, that is an error.

    Returns
    -------
    Computed
        Each row has the title of its panel in the column ``panel``, and the names of arrays begin with it.
    """
    if [panel.title for panel in panels] == [""]:
        return compute_experiment(panels[0].experiment, jobs=jobs, progress=progress)
    whole = Computed()
    messages: list[tuple[str, str]] = []
    for panel in _told(panels, progress):
        try:
            computed = compute_experiment(panel.experiment, jobs=jobs, progress=progress)
        except (UsageError, CorpusError) as error:
            raise type(error)(f"the panel {panel.title!r}: {error}") from error
        except MetricError as error:
            # Without any result in this panel, those of the others stand.
            whole.failures.append(f"{panel.title}: {error}")
            messages.append((panel.title, str(error)))
            continue
        whole.related.extend(_named(computed.related, panel.title))
        whole.blocks.extend(block.in_panel(panel.title) for block in computed.blocks)
        whole.failures.extend(f"{panel.title}: {message}" for message in computed.failures)
        messages.extend((panel.title, message) for message in computed.warnings)
        for stage, seconds in computed.seconds.items():
            whole.seconds[stage] = whole.seconds.get(stage, 0.0) + seconds
        _add_corpora(whole.corpora, computed.corpora)
    if whole.failures and not whole.corpora:
        raise MetricError("\n".join(whole.failures))
    whole.warnings.extend(_told_once(messages, len(panels)))
    return whole


def _told(panels: Sequence[Panel], progress: Progress) -> Iterator[Panel]:
    """Give the panels, and tell of each that it begins and that it is done."""
    for number, panel in enumerate(panels, start=1):
        progress(Step("panel", panel.title, total=len(panels)))
        yield panel
        progress(Step("panel", panel.title, number, len(panels)))


def _named(related: Related, title: str) -> Related:
    """Return the results of a panel, with its title in every row and before the name of every array."""

    def rows(of: Sequence[Row]) -> list[Row]:
        return [{"panel": title, **row} for row in of]

    return Related(
        correlations=rows(related.correlations),
        tests=rows(related.tests),
        rankings=rows(related.rankings),
        minimum_significant_differences=rows(related.minimum_significant_differences),
        influence=rows(related.influence),
        ceiling=rows(related.ceiling),
        arrays={f"{title}/{name}": array for name, array in related.arrays.items()},
        warnings=related.warnings,
        index=[{"panel": title, **_in_panel(item, title)} for item in related.index],
    )


def _in_panel(item: Mapping[str, Any], title: str) -> Row:
    """Return an entry of the index whose arrays are those of a panel."""
    paths = {key: f"{title}/{item[key]}" for key in ("scores", "human", "segments") if item[key] is not None}
    coefficients = {text: f"{title}/{path}" for text, path in item["coefficients"].items()}
    return {**item, **paths, "coefficients": coefficients}


def _add_corpora(known: list[dict[str, Any]], more: Sequence[dict[str, Any]]) -> None:
    """Add what the manifest tells of corpora; of one that several panels use, all signatures."""
    for corpus in more:
        same = next((one for one in known if one["name"] == corpus["name"]), None)
        if same is None:
            known.append(dict(corpus))
        else:
            same["signatures"] = {**same["signatures"], **corpus["signatures"]}


def _told_once(messages: Sequence[tuple[str, str]], n_panels: int) -> list[str]:
    """Return messages with the titles of their panels, and without where all panels have the same."""
    titles: dict[str, list[str]] = {}
    for title, message in messages:
        titles.setdefault(message, []).append(title)
    return [
        message if len(where) == n_panels else f"{', '.join(where)}: {message}" for message, where in titles.items()
    ]
