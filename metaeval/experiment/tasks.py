"""The tasks of a shared task, as experiments on each corpus, and the settings of their averages and ranking."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any, Literal

from metaeval.components.registries import COEFFICIENTS, DOCUMENTS
from metaeval.config.bands import bands_at, check_all_used
from metaeval.config.defaults import ALPHA
from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import find_corpus
from metaeval.corpora.mtme_pairs import fits, short_name
from metaeval.errors import UsageError, listing, unknown
from metaeval.experiment.overrides import ByCorpus, corpora_of, inside_of
from metaeval.metrics.selection import NO_REFERENCE
from metaeval.parameters.fields import Locate, build, merged, parameter
from metaeval.sampling.documents import Real, Single, Whole

LEVELS = {"system": Whole.name, "segment": Single.name, "document": Real.name}
# The attributes by which the tasks of one table differ; weights can be split by them.
ATTRIBUTES = ("corpora", "level", "coefficient", "average_by", "filter")


@dataclass(frozen=True)
class TaskSettings:
    """[[tasks]]: the comparison on each corpus; a list makes a task of each of its values."""

    title: str = parameter("", doc="what tables call it; before what distinguishes several tasks of this table")
    corpora: tuple[str, ...] = parameter(("*",), doc="those to take, by name or pattern; of a tree, its language pairs")
    together: bool = parameter(
        False, doc="whether all corpora make one task (pairwise accuracy counts the pairs of all), not one each"
    )
    level: str = parameter("system", doc="what is compared", choices=tuple(LEVELS))
    coefficient: str | tuple[str, ...] = parameter(
        "pearson", doc="one, or several for a task each", check=COEFFICIENTS.named
    )
    average_by: Literal["", "item", "system", "none"] | tuple[str, ...] = parameter(
        "", doc="as in [correlation], or several for a task each; by default that of the coefficient"
    )
    weight: float = parameter(1.0, doc="of each corpus of the task in the averages", minimum=1e-9, maximum=1e9)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The coefficients, as a tuple."""
        return (self.coefficient,) if isinstance(self.coefficient, str) else self.coefficient

    @property
    def averages(self) -> tuple[str, ...]:
        """The values of `average_by`, as a tuple."""
        return (self.average_by,) if isinstance(self.average_by, str) else self.average_by


@dataclass(frozen=True)
class RankingSettings:
    """[ranking]: the ranking of the metrics over all tasks."""

    permutations: int = parameter(
        1000, doc="of the published test, PERM-BOTH, that clusters rest on; 0: no such test", minimum=0, maximum=100_000
    )
    alpha: float = parameter(ALPHA, doc="its significance level", minimum=0.000001, maximum=0.999999)
    weights_by: tuple[str, ...] = parameter(
        (),
        doc="split the weight of the averages evenly over the values of these, one after the other; by default each "
        "task has its own weight",
        choices=ATTRIBUTES,
    )
    primary: tuple[str, ...] = parameter(
        ("*",), doc="the metrics to rank, by name or pattern; those that the corpora have besides are left out"
    )
    baselines: tuple[str, ...] = parameter((), doc="metrics that are marked in tables, by name or pattern")

    @property
    def taken(self) -> tuple[str, ...]:
        """The metrics that take part."""
        return (*self.primary, *self.baselines)

    @staticmethod
    def fits(metric: str, pattern: str) -> bool:
        """Return whether a pattern is the name of a metric or fits it, whether or not that takes references."""
        names = (metric, metric.removesuffix(NO_REFERENCE))
        return any(name == pattern or fnmatchcase(name, pattern) for name in names)


@dataclass(frozen=True)
class TaskCell:
    """A task on one corpus, as an experiment of its own."""

    corpus: str
    experiment: Experiment


@dataclass(frozen=True)
class Task:
    """A task: a comparison on one or more corpora.

    Attributes
    ----------
    title : str
    settings : TaskSettings
    attributes : mapping of str to str
        The values of `ATTRIBUTES`.
    cells : tuple of TaskCell
        One, or where corpora are taken together, one for each.
    """

    title: str
    settings: TaskSettings
    attributes: Mapping[str, str]
    cells: tuple[TaskCell, ...]

    @property
    def weight(self) -> float:
        """The weight of the task, before weights are scaled to sum to 1."""
        return self.settings.weight * len(self.cells)


@dataclass(frozen=True)
class SharedTask:
    """The tasks of a config, the settings of their ranking, and whether the config names the corpora."""

    tasks: tuple[Task, ...]
    ranking: RankingSettings
    has_corpora: bool


def shared_task(content: Mapping[str, Any], base: Mapping[str, Any], by_corpus: ByCorpus, locate: Locate) -> SharedTask:
    """Return the tasks of a config.

    Parameters
    ----------
    content : mapping
        The config.
    base : mapping
        The settings that the experiments of all tasks share.
    by_corpus : ByCorpus
    locate : callable
        Returns where a value stands, for messages.

    Raises
    ------
    UsageError
        If a key or a value is wrong, two tasks or corpora have one name, or no task has a corpus.
    """
    tables = content["tasks"]
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError(f"`tasks` must be a list of tables; got {tables!r}.", place=locate(("tasks",)))
    if "panels" in content:
        raise UsageError("a config has [[tasks]] or [[panels]], not both.", place=locate(("panels",)))
    corpora: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name, formats in corpora_of(base) or _named(tables):
        if (short := short_name(name)) in corpora:
            raise UsageError(f"two corpora are called {short!r}: {corpora[short][0]} and {name}; rename one of them.")
        corpora[short] = name, formats
    tasks: dict[str, Task] = {}
    for number, table in enumerate(tables):
        here = inside_of(table, ("tasks", number), locate)
        for task in _Planned(table, f"`tasks[{number}]`", corpora, base, by_corpus, here).tasks():
            if task.title in tasks:
                message = f"`tasks[{number}]`: another task is called {task.title!r}; give one of them a `title`."
                if any({"filter", "filters"} & one.keys() for one in tables):
                    message += (
                        " To compare with and without a filter, one [[tasks]] takes both and names them: `filters = "
                        '[{}, { outliers = "mad" }]`.'
                    )
                raise UsageError(message, place=here(()))
            tasks[task.title] = task
    if not tasks:
        for name, _ in corpora_of(base):
            find_corpus(name)
        asked = listing(dict.fromkeys(name for table in tables for name in table.get("corpora", ["*"])))
        raise UsageError(f"no task has a corpus: there are {listing(corpora)}, and tasks are about {asked}.")
    of_tasks = [dict.fromkeys(cell.experiment.bands.keys, 0) for task in tasks.values() for cell in task.cells]
    check_all_used(base.get("bands"), of_tasks)
    ranking = build(
        RankingSettings,
        content.get("ranking", {}),
        subject="`ranking`",
        locate=inside_of(content.get("ranking", {}), ("ranking",), locate),
        noun="key",
    )
    return SharedTask(tuple(tasks.values()), ranking, bool(corpora_of(base)))


def _named(tables: Sequence[Mapping[str, Any]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the corpora that tasks name, as placeholders for those that the user has not chosen yet."""
    names = dict.fromkeys(name for table in tables for name in table.get("corpora", ["corpus"]))
    return [(name, ()) for name in names]


@dataclass(frozen=True)
class _Planned:
    """A table of ``[[tasks]]``, with what its tasks need of the rest of the config."""

    table: Mapping[str, Any]
    subject: str
    corpora: Mapping[str, tuple[str, tuple[str, ...]]]
    base: Mapping[str, Any]
    by_corpus: ByCorpus
    locate: Locate

    def tasks(self) -> Iterator[Task]:
        """Yield a task for each set of corpora, filter, coefficient and average."""
        of_task, of_experiments = self._keys()
        settings = build(TaskSettings, of_task, subject=self.subject, locate=self.locate, noun="key")
        chosen = [
            name for name, (path, _) in self.corpora.items() if any(fits(path, pattern) for pattern in settings.corpora)
        ]
        sets_of_corpora = [[name] for name in chosen]
        if settings.together and chosen:
            sets_of_corpora = [chosen]
        titles = {text: COEFFICIENTS.named(text).title for text in settings.coefficients}
        n_with_title = Counter(COEFFICIENTS.named(text).title for text in settings.coefficients)
        planned = []
        for names, filters, coefficient, average_by in itertools.product(
            sets_of_corpora, self.table.get("filters", [{}]), settings.coefficients, settings.averages
        ):
            title = titles[coefficient]
            attributes = {
                "corpora": f"{len(names)} corpora" if len(names) > 3 else ", ".join(names),
                "level": settings.level,
                "coefficient": title if n_with_title[title] == 1 else coefficient,
                "average_by": average_by,
                "filter": _filter_words(filters),
            }
            shared = merged(self.base, of_experiments, _settings(settings.level, coefficient, average_by))
            if "bands" in self.base and "bands" not in of_experiments:
                kind = DOCUMENTS[shared["documents"]["kind"]]
                shared["bands"] = bands_at(self.base["bands"], kind, [coefficient])
            if filters:
                shared["filter"] = merged(shared.get("filter", {}), filters)
            planned.append((attributes, tuple(self._cell(name, shared) for name in names)))
        for attributes, cells in planned:
            differ = [key for key in ATTRIBUTES if not settings.title or len({each[key] for each, _ in planned}) > 1]
            title = ", ".join(filter(None, [settings.title, *(attributes[key] for key in differ)]))
            yield Task(title, settings, attributes, cells)

    def _keys(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the keys of the task itself, and those of its experiments."""
        of_task = [item.name for item in fields(TaskSettings)]
        of_experiment = [item.name for item in fields(Experiment) if item.name not in ("source", "seed", *of_task)]
        known = [*of_task, "filters", *of_experiment]
        for key in self.table:
            if key not in known:
                message = f"{self.subject}: {unknown('key', key, known)}"
                raise UsageError(message, place=self.locate((key,)))
        filters = self.table.get("filters", [{}])
        if not isinstance(filters, list) or not filters or not all(isinstance(table, Mapping) for table in filters):
            message = f"{self.subject}: `filters` must be a list of tables such as [filter]; got {filters!r}."
            raise UsageError(message, place=self.locate(("filters",)))
        keys_of_task = {key: value for key, value in self.table.items() if key in of_task}
        keys_of_experiment = {key: value for key, value in self.table.items() if key in of_experiment}
        return keys_of_task, keys_of_experiment

    def _cell(self, name: str, shared: Mapping[str, Any]) -> TaskCell:
        """Return the task on one corpus."""
        corpus, formats = self.corpora[name]
        table = merged(
            shared, *self.by_corpus.tables_of(corpus), {"corpora": [corpus], "source_formats": list(formats)}
        )
        subject = f"{self.subject} on {name}"
        return TaskCell(name, build(Experiment, table, subject=subject, locate=self.locate, noun="key"))


def _settings(level: str, coefficient: str, average_by: str) -> dict[str, Any]:
    """Return the settings of an experiment for a level and a coefficient."""
    # A coefficient that compares whole systems by their segments needs the segments.
    of_segments = COEFFICIENTS.named(coefficient).needs_all_cells and level == "system"
    by = {"average_by": average_by} if average_by else {}
    kind = Single.name if of_segments else LEVELS[level]
    return {"documents": {"kind": kind}, "correlation": {"coefficients": [coefficient], **by}}


def _filter_words(filters: Mapping[str, Any]) -> str:
    """Return a filter in words: ``domain = news``."""
    where = filters.get("where")
    inner = {**filters, **(where if isinstance(where, Mapping) else {})}
    inner.pop("where", None)
    return "; ".join(
        f"{key} = {', '.join(map(str, value)) if isinstance(value, list) else value}" for key, value in inner.items()
    )
