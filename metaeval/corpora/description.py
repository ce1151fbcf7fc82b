"""corpus.toml: what a corpus is called, where it comes from, what was judged, and from which files it is read."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaeval.corpora.problems import Problems
from metaeval.corpora.text_files import Files
from metaeval.datamodel.corpus import EVERYBODY, Criterion, JudgeGroup
from metaeval.errors import UsageError, listing, unknown
from metaeval.parameters.fields import build, parameter

DIRECTIONS = ("higher", "lower")
_FACT_NAMES = ("language", "source_language", "license", "source", "citation", "notes")


@dataclass(frozen=True)
class CriterionEntry:
    """An entry of [[criteria]] in corpus.toml."""

    name: str = parameter(doc="the name used in judgments.tsv")
    low: float = parameter(doc="the lowest score possible; -inf where it is not known")
    high: float = parameter(doc="the highest score possible; inf where it is not known")
    direction: str = parameter(doc="which end is good", choices=DIRECTIONS)

    def criterion(self) -> Criterion:
        """Return the criterion."""
        return Criterion(self.name, self.low, self.high, self.direction == "higher")


@dataclass(frozen=True)
class SourceEntry:
    """An entry of [[files]] in corpus.toml: a file or directory in another format than the neutral one."""

    path: str = parameter(doc="a file or directory, relative to corpus.toml")
    format: str = parameter("", doc="its format with parameters; found by content if none is given")


@dataclass(frozen=True)
class Description:
    """The keys of corpus.toml; `names` are the real names of systems, references and metrics by the names of files."""

    name: str = parameter("", doc="the short name of the corpus")
    title: str = parameter("", doc="a title of one line")
    language: str = parameter("", doc="of the systems and references")
    source_language: str = parameter("", doc="of the sources")
    license: str = parameter("", doc="what may be done with it")
    source: str = parameter("", doc="where it comes from")
    citation: str = parameter("", doc="what to cite")
    notes: str = parameter("", doc="what a user must know")
    criteria: tuple[CriterionEntry, ...] = parameter((), doc="what was judged")
    judge_groups: tuple[JudgeGroup, ...] = parameter((), doc="the kinds of judges")
    files: tuple[SourceEntry, ...] = parameter((), doc="the files to read, if they are not in the neutral layout")
    names: Mapping[str, str] = field(default_factory=dict, init=False)

    def facts(self) -> dict[str, str]:
        """Return the facts for readers."""
        return {name.replace("_", " "): getattr(self, name) for name in _FACT_NAMES}


def read_description(files: Files, path: Path) -> Description | None:
    """Read a corpus.toml; None if it is wrong, which is noted."""
    if not path.exists():
        files.error(
            path,
            "is missing. It says what was judged, on which scale, such as "
            '`criteria = [{ name = "adequacy", low = 1, high = 5, direction = "higher" }]`; direction is '
            '"lower" where low scores are good. Write it into a file of this name beside judgments.tsv.',
        )
        return None
    text = files.text(path)
    if text is None:
        return None
    location = files.location(path)
    try:
        content: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        files.error(location, f"is not valid TOML: {error}.")
        return None
    names = content.pop("names", {})
    try:
        description = build(Description, content, subject="the corpus", locate=lambda _: f"{location}: ", noun="key")
    except UsageError as error:
        files.error(location, str(error).removeprefix(f"{location}: "))
        return None
    if not isinstance(names, dict) or not all(isinstance(name, str) and name for name in names.values()):
        files.error(location, "`names` must be a table of texts: file name without suffix = name to be shown.")
        return None
    object.__setattr__(description, "names", names)
    for entry in description.criteria:
        if not entry.low < entry.high:
            files.error(
                location,
                f"criterion {entry.name!r}: `low` must be less than `high`; got {entry.low:g} and {entry.high:g}.",
            )
    for name in (description.name, *names.values(), *(entry.name for entry in description.criteria)):
        files.check_name(path, name)
    for name, count in Counter(entry.name for entry in description.criteria).items():
        if count > 1:
            files.error(location, f"criterion {name!r} is declared {count} times.")
    return description


def check_groups(groups: Sequence[JudgeGroup], judges: Sequence[str], location: object, problems: Problems) -> None:
    """Note what is wrong with judge groups.

    Parameters
    ----------
    groups : sequence of JudgeGroup
    judges : sequence of str
        All judges of the corpus.
    location : object
        The file that declares the groups.
    problems : Problems
        Where it is noted.
    """
    if not judges:
        return
    for name, count in Counter(group.name for group in groups).items():
        if count > 1:
            problems.error(location, f"judge group {name!r} is declared {count} times.")
        if not name or name == EVERYBODY or name in judges:
            if name == EVERYBODY:
                reason = "stands for all judges"
            elif name:
                reason = "is a judge"
            else:
                reason = "is no name"
            problems.error(location, f"judge group {name!r} must have a name of its own; {name!r} {reason}.")
    default = [group.name for group in groups if group.default]
    if len(default) > 1:
        problems.error(location, f"one judge group may be the default; got {listing(default)}.")
    of_judge: dict[str, str] = {}
    for group in groups:
        for pattern in group.judges:
            if not JudgeGroup(group.name, (pattern,)).members(judges).any():
                message = unknown("judge", pattern, judges)
                problems.error(location, f"judge group {group.name!r}: {message} No judge of the corpus matches it.")
        for name, member in zip(judges, group.members(judges).tolist(), strict=True):
            if member and of_judge.setdefault(name, group.name) != group.name:
                names_of_groups = listing([of_judge[name], group.name])
                problems.error(location, f"judge {name!r} must be in one judge group; is in {names_of_groups}.")
