"""Google's MQM tables: a row is an error that a rater found in an output, and a penalty is the sum of their weights.

Columns: system, doc, seg_id, rater, category, severity; source and target where the table has texts. An item without
errors has one row of the severity No-error. Lower is better.

Sources
-------
Freitag, Foster, Grangier, Ratnakar, Tan, Macherey (2021): Experts, Errors, and Context. TACL 9 (weights, table 12 there
and the README of google/wmt-mqm-human-evaluation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from metaeval.corpora.columns import Rows
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import Glimpse, chosen_files, renamed
from metaeval.corpora.formats.delimited import Frame, read_delimited
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.lines import Files
from metaeval.errors import UsageError, unknown
from metaeval.parameters import parameter
from metaeval.records import Criterion

PUBLISHED_WEIGHTS = (
    "*:non-translation*=25",
    "minor:fluency/punctuation=0.1",
    "major=5",
    "minor=1",
    "neutral=0",
    "no-error=0",
)
# Later tables call some columns differently.
_ALIASES = {"seg_id": ("seg_id", "globalSegId"), "doc": ("doc",), "doc_id": ("doc_id", "docSegId")}
_NEEDED = ("system", "doc", "seg_id", "rater", "category", "severity")


class Weights:
    """The weights of errors: ``severity:category=weight`` or ``severity=weight``, the first that fits counts.

    Patterns may hold ``*``, and case does not matter.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._rules = []
        for entry in entries:
            pattern, sign, weight = entry.rpartition("=")
            severity, _, category = pattern.lower().partition(":")
            try:
                self._rules.append((severity.strip(), category.strip() or "*", Fraction(weight.strip())))
            except (ValueError, ZeroDivisionError):
                sign = ""
            if not sign or not severity:
                raise UsageError(
                    f"a weight must look like major=5 or minor:fluency/punctuation=0.1; got {entry!r}."
                ) from None
        self._known: dict[tuple[str, str], Fraction | None] = {}

    def of(self, severity: str, category: str) -> Fraction | None:
        """Return the exact weight of an error, or None if no rule fits."""
        key = severity.lower().strip(), category.lower().strip()
        if key not in self._known:
            fits = (rule[2] for rule in self._rules if fnmatchcase(key[0], rule[0]) and fnmatchcase(key[1], rule[1]))
            self._known[key] = next(fits, None)
        return self._known[key]

    @property
    def severities(self) -> tuple[str, ...]:
        """The severities that the rules name."""
        return tuple(dict.fromkeys(severity for severity, _, _ in self._rules))


@dataclass(frozen=True)
class Mqm:
    """Google's MQM tables: one row an error."""

    name: ClassVar[str] = "mqm"
    title: ClassVar[str] = "MQM error table of Google's human evaluations"
    expects: ClassVar[str] = "a table with the columns system, doc, seg_id, rater, category, severity"

    references: tuple[str, ...] = parameter((), doc='systems that are references; "ref=refA" gives one another name')
    weights: tuple[str, ...] = parameter(
        PUBLISHED_WEIGHTS, doc="severity:category=weight or severity=weight; the first that fits counts"
    )
    categories: tuple[str, ...] = parameter(
        ("Accuracy", "Fluency"), doc="top categories whose errors alone make a criterion of their own"
    )

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.weights)

    def __post_init__(self) -> None:
        _ = self._weights

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a table has the columns."""
        return any(_is_table(file) for file in glimpse.files())

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Read one table, or all such tables of a directory."""
        for one in chosen_files(path, files, _is_table):
            # Quotation marks are part of the text in these tables.
            frame = read_delimited(files, one, "\t", quoting=False)
            if frame is not None:
                self._read_table(frame, files, draft)

    def _read_table(self, frame: Frame, files: Files, draft: Draft) -> None:
        columns = {name: next((n for n in _ALIASES.get(name, (name,)) if n in frame.columns), None) for name in _NEEDED}
        missing = [name for name, column in columns.items() if column is None]
        if missing:
            files.problems.error(
                f"{frame.place}:1", f"has no column {missing[0]!r}; an MQM table is {self.expects}, separated by tabs."
            )
            return
        systems, docs, ids, raters, categories, severities = (frame.columns[str(columns[name])] for name in _NEEDED)
        new_names = renamed(self.references)
        for name in new_names:
            if name not in set(systems):
                files.problems.error(frame.place, unknown("system", name, dict.fromkeys(systems)))
        criteria = ("mqm", *(category.lower() for category in self.categories))
        for criterion in criteria:
            draft.declare(Criterion(criterion, 0.0, float("inf"), higher_is_better=False))
        tops = [category.lower() for category in self.categories]
        sources, targets = frame.columns.get("source"), frame.columns.get("target")
        penalties: dict[tuple[str, str, str, str], list[Fraction]] = {}
        lines: list[int] = []
        strange: dict[str, tuple[int, int]] = {}
        for row, (system, doc, id_, rater, category, severity) in enumerate(
            zip(systems, docs, ids, raters, categories, severities, strict=True)
        ):
            line = frame.lines[row]
            segment = draft.segment(doc, id_)
            if targets is not None:
                kind = REFERENCE if system in new_names else SYSTEM
                draft.text(
                    kind, new_names.get(system, system), segment, unmarked(targets[row]), f"{frame.place}:{line}"
                )
            if sources is not None:
                draft.text(SOURCE, "", segment, unmarked(sources[row]), f"{frame.place}:{line}")
            item = (system, doc, id_, rater)
            if item not in penalties:
                penalties[item] = [Fraction(0)] * len(criteria)
                lines.append(line)
            weight = self._weights.of(severity, category)
            if weight is None:
                first, count = strange.get(severity, (line, 0))
                strange[severity] = (first, count + 1)
                continue
            of_item = penalties[item]
            of_item[0] += weight
            top = category.partition("/")[0].strip().lower()
            if top in tops:
                of_item[1 + tops.index(top)] += weight
        for severity, (line, count) in strange.items():
            files.problems.error(
                f"{frame.place}:{line}",
                f"{unknown('severity', severity, self._weights.severities, 'severities')} The parameter `weights` "
                f"gives it a weight ({count} line(s) in all).",
            )
        items = [item for item in penalties for _ in criteria]
        draft.judge(
            JudgmentRows(
                Rows(frame.place, [line for line in lines for _ in criteria]),
                [(doc, id_) for _, doc, id_, _ in items],
                [new_names.get(system, system) for system, _, _, _ in items],
                [rater for _, _, _, rater in items],
                [*criteria] * len(penalties),
                [float(penalty) for sums in penalties.values() for penalty in sums],
            )
        )


def _is_table(glimpse: Glimpse) -> bool:
    header = set(glimpse.first_line.split("\t"))
    return all(header & set(_ALIASES.get(name, (name,))) for name in _NEEDED)


def unmarked(text: str) -> str:
    """Return a text without the marks of the error, ``<v>`` and ``</v>``."""
    return text.replace("<v>", "").replace("</v>", "") if "<" in text else text
