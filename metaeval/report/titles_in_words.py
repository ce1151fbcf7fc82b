"""The titles that metaeval makes for tasks and for the parts of a comparison, as people read them.

Titles are keys: files, tables for programs and options have them as they are made, of settings as these are typed. A
title that the user gave is shown as it is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from metaeval.errors import MetaevalError
from metaeval.report.phrases import across, coefficient_words, grouped, short_name

if TYPE_CHECKING:
    from metaeval.results.keys import Key
    from metaeval.results.model import RunData
    from metaeval.results.rows import TaskScore

# The name that the config of a comparison has in its results.
_COMPARISON = "compare"
# What the levels of a comparison are called there.
_LEVELS = ("system", "segment", "documents")


def titles_in_words(run: RunData) -> dict[str, str]:
    """Return what people read for the titles of tasks and panels: ``zh-en, segment level, Kendall``.

    Titles that the user gave are left out, and those whose words would be another's.

    Parameters
    ----------
    run : RunData
        Live or loaded. One with labels has its titles in words, and there are none here.
    """
    return _told_apart(run, _task_words, _panel_words)


def titles_in_sentence(run: RunData) -> dict[str, str]:
    """Return what a sentence calls tasks and panels: ``zh-en at the segment level by Kendall``; others in quotes.

    Parameters
    ----------
    run : RunData
        Live or loaded, without labels.
    """
    shown = titles_in_words(run)
    titles = dict.fromkeys(row.key.panel for row in run.tables.correlations)
    return {title: f'"{shown.get(title, title)}"' for title in titles} | _told_apart(run, _task_in_sentence)


def _told_apart(
    run: RunData,
    words_of_task: Callable[[TaskScore, Sequence[str]], str],
    words_of_panel: Callable[[str, Sequence[Key]], str] | None = None,
) -> dict[str, str]:
    """Return words for the titles that have some, where no two titles have the same."""
    keys_by_title = grouped((row.key for row in run.tables.correlations), lambda key: key.panel)
    tasks = {row.task: row for row in run.tables.tasks}
    words: dict[str, str] = {}
    for title, task in tasks.items():
        # Where a task takes several corpora together, each is a panel: its title, and the corpus in brackets.
        panels = {
            panel: keys for panel, keys in keys_by_title.items() if panel == title or panel.startswith(f"{title} (")
        }
        coefficients = list(dict.fromkeys(key.coefficient for keys in panels.values() for key in keys))
        if in_words := words_of_task(task, coefficients or [task.coefficient]):
            words |= {panel: in_words + panel.removeprefix(title) for panel in {title: None, **panels}}
    if run.facts.get("config") == _COMPARISON and words_of_panel is not None:
        words |= {title: in_words for title, keys in keys_by_title.items() if (in_words := words_of_panel(title, keys))}
    counts = Counter([*words.values(), *(title for title in {**tasks, **keys_by_title} if title not in words)])
    return {title: in_words for title, in_words in words.items() if counts[in_words] == 1 and in_words != title}


def _task_words(task: TaskScore, coefficients: Sequence[str]) -> str:
    parts = _parts_of_title(task)
    if parts is None:
        return ""
    given, attributes = parts
    words = {
        "level": f"{task.level} level",
        "coefficient": _listed(coefficients),
        "average_by": averaging_words(task),
    }
    return ", ".join(filter(None, [given, *(words.get(name, text) for name, text in attributes.items())]))


def _task_in_sentence(task: TaskScore, coefficients: Sequence[str]) -> str:
    parts = _parts_of_title(task)
    if parts is None or parts[0]:
        return ""
    averaged = f" {averaging_words(task)}" if "average_by" in parts[1] else ""
    filtered = f" ({task.variant})" if task.variant else ""
    return f"{task.corpora} at the {task.level} level by {_listed(coefficients, ' and ')}{averaged}{filtered}"


def averaging_words(task: TaskScore) -> str:
    """Return across what the coefficient of a task is taken: ``across systems``."""
    words = across(task.average_by)
    return words.replace("documents", "segments") if task.level == "segment" else words


def _parts_of_title(task: TaskScore) -> tuple[str, dict[str, str]] | None:
    """Return the title that the user gave to the table of a task, and what metaeval put behind it, by attribute.

    None where it put nothing behind it.
    """
    variant = task.variant.split("; ") if task.variant else []
    for size in range(len(variant), -1, -1):
        given = "; ".join(variant[:size])
        attributes = {
            "corpora": task.corpora,
            "level": task.level,
            "coefficient": task.coefficient,
            "average_by": task.average_by,
            "filter": "; ".join(variant[size:]),
        }
        for chosen in _subsets(attributes):
            if ", ".join(filter(None, [given, *chosen.values()])) == task.task:
                return (given, chosen) if chosen else None
    return None


def _subsets(attributes: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for are_in in itertools.product((False, True), repeat=len(attributes)):
        yield {name: text for (name, text), is_in in zip(attributes.items(), are_in, strict=True) if is_in and text}


def _panel_words(title: str, keys: Sequence[Key]) -> str:
    """Return the level of a part of a comparison, and its coefficient, if it has a single one."""
    coefficients = list(dict.fromkeys(key.coefficient for key in keys))
    for names in (list(map(short_name, coefficients)), coefficients):
        level = title.removesuffix(f", {', '.join(names)}")
        # One that is in words already, as of a run with labels, stays.
        if level != title and level.partition("(")[0] in _LEVELS:
            alone = [] if len(coefficients) > 1 else [_listed(coefficients)]
            return ", ".join([_level_words(level, keys[0]), *alone])
    return ""


def _level_words(level: str, key: Key) -> str:
    units = key.documents.units
    if not units.is_drawn:
        return f"{level} level"
    return f"{units.title} of {key.length} segment{'' if key.length == 1 else 's'}"


def _listed(coefficients: Sequence[str], separator: str = ", ") -> str:
    return separator.join(map(_coefficient, coefficients))


def _coefficient(name: str) -> str:
    try:
        return coefficient_words(name)
    except MetaevalError:  # a title, such as acc_eq
        return name
