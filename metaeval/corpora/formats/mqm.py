"""Google's MQM tables: a row is an error that a rater found in an output, and a penalty is the sum of their weights.

Columns: system, doc, seg_id, rater, category, severity; source and target where the table has texts. An item without
errors has one row of the severity No-error. Lower is better.

Sources
-------
Freitag, Foster, Grangier, Ratnakar, Tan, Macherey (2021): Experts, Errors, and Context. TACL 9 (weights, table 12 there
and the README of google/wmt-mqm-human-evaluation). In the scores published since 2022, Source issue and
Accuracy/Creative Reinterpretation, categories that earlier tables do not have, weigh 0; Source error of 2021 counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from metaeval.corpora.builder import Draft
from metaeval.corpora.error_spans import Span
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source, renamed
from metaeval.corpora.judgment_columns import Rows
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM, JudgmentRows
from metaeval.corpora.tables.delimited import Frame, read_delimited
from metaeval.corpora.text_files import Files
from metaeval.datamodel.corpus import Criterion, FloatArray, IntArray
from metaeval.errors import UsageError, counted, listing, unknown
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["mqm"]

PUBLISHED_WEIGHTS = (
    "*:source issue=0",
    "*:accuracy/creative reinterpretation=0",
    "*:non-translation*=25",
    "minor:fluency/punctuation=0.1",
    "major=5",
    "minor=1",
    "neutral=0",
    "no-error=0",
)
# Later tables call some columns differently.
_COLUMN_ALIASES = {"seg_id": ("seg_id", "globalSegId"), "doc": ("doc",), "doc_id": ("doc_id", "docSegId")}
# System, document, id of the segment, and rater.
_Item = tuple[str, str, str, str]
_REQUIRED_COLUMNS = ("system", "doc", "seg_id", "rater", "category", "severity")


class _Penalties(NamedTuple):
    """The ratings of outputs, as columns, since a file may have a million of them.

    Attributes
    ----------
    items : collection of (system, document, id, rater)
    lines : list of int
        Of the first error.
    segments : (items,) int array
        The indices of the segments.
    sums : (items, 1 + categories) float array
        Of the weights of all errors, and of those of each category.
    """

    items: Collection[_Item]
    lines: list[int]
    segments: IntArray
    sums: FloatArray


class Weights:
    """The weights of errors: ``severity:category=weight`` or ``severity=weight``, the first that fits counts.

    Patterns may hold ``*``, and case does not matter.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._rules = []
        for entry in entries:
            pattern, _, weight = entry.rpartition("=")
            severity, _, category = pattern.lower().partition(":")
            try:
                if not severity:
                    raise ValueError(entry)
                self._rules.append((severity.strip(), category.strip() or "*", Fraction(weight.strip())))
            except (ValueError, ZeroDivisionError):
                must = "a weight must look like major=5 or minor:fluency/punctuation=0.1"
                raise UsageError(f"{must}; got {entry!r}.") from None
        self._known: dict[tuple[str, str], Fraction | None] = {}
        # Sums of weights are whole numbers of such parts, so that three times 0.1 is 0.3.
        self.unit = math.lcm(*(weight.denominator for _, _, weight in self._rules))

    def weight(self, severity: str, category: str) -> Fraction | None:
        """Return the exact weight of an error, or None if no rule fits."""
        key = severity.lower().strip(), category.lower().strip()
        if key not in self._known:
            fits = (rule[2] for rule in self._rules if fnmatchcase(key[0], rule[0]) and fnmatchcase(key[1], rule[1]))
            self._known[key] = next(fits, None)
        return self._known[key]

    def note_unknown(self, lines: Mapping[str, Sequence[int]], noun: str, location: str, files: Files) -> None:
        """Note severities that no rule fits, each with the lines where it stands."""
        severities = list(dict.fromkeys(severity for severity, _, _ in self._rules))
        for name, found_lines in lines.items():
            message = unknown("severity", name, severities, "severities")
            files.error(
                f"{location}:{found_lines[0]}",
                f"{message} The parameter `weights` gives it a weight ({counted(len(found_lines), noun)} in all).",
            )


@cache
def get_weights(entries: tuple[str, ...] | None) -> Weights:
    """Return weights as users write them, or those that were published."""
    return Weights(PUBLISHED_WEIGHTS if entries is None else entries)


@dataclass(frozen=True)
class Mqm(Reader, name="mqm"):
    """Google's MQM tables: one row an error."""

    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])
    weights: tuple[str, ...] = parameter(PUBLISHED_WEIGHTS, doc=_DOCS["weights"])
    categories: tuple[str, ...] = parameter(("accuracy", "fluency"), doc=_DOCS["categories"])
    quoting: bool = parameter(False, doc=_DOCS["quoting"])

    def __post_init__(self) -> None:
        get_weights(self.weights)

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether a table has the columns."""
        header = {name.strip() for name in file.first_line.split("\t")}
        return all(header & set(_COLUMN_ALIASES.get(name, (name,))) for name in _REQUIRED_COLUMNS)

    def read_file(self, file: Source) -> None:
        """Read one table."""
        files, draft = file.files, file.draft
        # Quotation marks are part of the text in most of these tables.
        frame = read_delimited(*files.opened(file.path), "\t", quoting=self.quoting, extra="#")
        if frame is None:
            return
        named = {
            name: next((n for n in _COLUMN_ALIASES.get(name, (name,)) if n in frame.columns), "")
            for name in _REQUIRED_COLUMNS
        }
        missing = [name for name, column in named.items() if not column]
        head = f"{frame.location}:1"
        if missing:
            files.error(head, f"has no column {missing[0]!r}; an MQM table is {self.expects}, separated by tabs.")
            return
        unused = [name for name in frame.columns if name not in (*named.values(), "source", "target")]
        if unused:
            files.note(head, f"has columns that are not used: {listing(unused)}.")
        if not self.quoting:
            _warn_of_quotes(frame, files)
        self._check_names(frame, set(frame.columns[named["system"]]), files)
        columns = [frame.columns[column] for column in named.values()]
        penalties = self._penalties(frame, columns, files, draft)
        new_names = renamed(self.references)
        criteria = ("mqm", *self.categories)
        for criterion in criteria:
            draft.declare(Criterion(criterion, 0.0, float("inf"), higher_is_better=False), frame.location)
        every = range(len(criteria))
        rows = JudgmentRows(
            Rows(frame.location, [line for line in penalties.lines for _ in every]),
            np.repeat(penalties.segments, len(criteria)),
            [new_names.get(system, system) for system, *_ in penalties.items for _ in every],
            [rater for *_, rater in penalties.items for _ in every],
            [*criteria] * len(penalties.items),
            penalties.sums.ravel(),
        )
        kinds = [REFERENCE if system in new_names else SYSTEM for system, *_ in penalties.items for _ in every]
        draft.judge_by_kind(rows, kinds)

    def _check_names(self, frame: Frame, systems: set[str], files: Files) -> None:
        """Note references that the table has not, and systems that look like references."""
        named = renamed(self.references)
        for name in named:
            if name not in systems:
                files.error(frame.location, unknown("system", name, sorted(systems)))
        human = sorted(name for name in systems - set(named) if name.lower().startswith(("ref", "human")))
        if human:
            like = f"has systems whose names are those of references: {listing(human)}. If they are, name them: "
            files.warning(frame.location, f"{like}mqm(references=[{listing(human)}]).".replace("'", '"'))

    def _penalties(self, frame: Frame, columns: Sequence[Sequence[str]], files: Files, draft: Draft) -> _Penalties:
        """Add the texts to the draft, and return what raters said of outputs."""
        location = frame.location
        rules = get_weights(self.weights)
        unit = rules.unit
        systems, docs, ids, raters, categories, severities = columns
        kinds = list(zip(severities, categories, strict=True))
        weights = {kind: rules.weight(*kind) for kind in dict.fromkeys(kinds)}
        tests = {kind for kind in weights if any(word.startswith("HOTW") for word in kind)}
        rows = [row for row, kind in enumerate(kinds) if kind not in tests]
        if len(rows) < len(kinds):
            left_out = f"has {len(kinds) - len(rows)} rows that test the raters (HOTW), which are left out."
            files.note(location, left_out)
        strange: dict[str, list[int]] = {}
        for row in rows:
            if weights[kinds[row]] is None:
                strange.setdefault(severities[row], []).append(frame.lines[row])
        rules.note_unknown(strange, "line", location, files)
        places: dict[_Item, int] = {}
        keys = ((systems[row], docs[row], ids[row], raters[row]) for row in rows)
        items = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
        segments = np.array([draft.segment(doc, id_) for _, doc, id_, _ in places], dtype=np.int32)
        self._texts(frame, zip(rows, segments[items].tolist(), strict=True), columns, draft)
        # Weights are added up in whole parts, which is exact.
        tops = {kind: kind[1].partition("/")[0].strip().lower() for kind in weights}
        parts = {kind: 0 if weight is None else int(weight * unit) for kind, weight in weights.items()}
        of_rows = np.array([parts[kinds[row]] for row in rows], dtype=np.float64)
        sums = [np.bincount(items, of_rows, len(places))]
        never = []
        for category in self.categories:
            kinds_of_category = {kind for kind, top in tops.items() if top == category.lower()}
            never += [category] if all(weights[kind] is None for kind in kinds_of_category - tests) else []
            sums.append(
                np.bincount(items, np.where([kinds[row] in kinds_of_category for row in rows], of_rows, 0), len(places))
            )
        if never:
            files.note(location, f"has no error of the categories {listing(never)}: all such penalties are 0.")
        _, first = np.unique(items, return_index=True)
        lines = [frame.lines[rows[at]] for at in first.tolist()]
        return _Penalties(places, lines, segments, np.stack(sums, axis=1) / unit)

    def _texts(
        self, frame: Frame, rows: Iterable[tuple[int, int]], columns: Sequence[Sequence[str]], draft: Draft
    ) -> None:
        """Add the texts of rows, which have segments, and the errors that are marked in them."""
        systems, _, _, raters, categories, severities = columns
        new_names = renamed(self.references)
        nothing = [None] * len(frame)
        sources, targets = (frame.columns.get(name) or nothing for name in ("source", "target"))
        # Each row repeats the texts of its item, with other marks; those of the row before are not looked at again.
        last: dict[tuple[str, str, int], str] = {}
        for row, segment in rows:
            system = systems[row]
            target = targets[row]
            source = sources[row]
            name = new_names.get(system, system)
            of = REFERENCE if system in new_names else SYSTEM
            for kind, whose, text in ((of, name, target), (SOURCE, "", source)):
                if text is not None and last.get((kind, whose, segment)) != text:
                    last[kind, whose, segment] = text
                    draft.text(kind, whose, segment, unmarked(text), frame.location, frame.lines[row])
            if "<v>" in f"{target}{source}":
                error = Span(segment, name, raters[row], -1, -1, severities[row], categories[row])
                draft.spans.extend(_spans(target, source, error))


def _warn_of_quotes(frame: Frame, files: Files) -> None:
    """Warn of texts that look as if a program for tables had put them in quotation marks and doubled those inside."""
    for name in ("source", "target"):
        for line, text in zip(frame.lines, frame.columns.get(name, ()), strict=False):
            if text[:1] == '"' and text[-1:] == '"' and '""' in text[1:-1]:
                files.warning(
                    f"{frame.location}:{line}",
                    "has a text in quotation marks with doubled ones inside, which were taken as a part of it; if they "
                    "are not, read the table with quoting=True.",
                )
                return


def _spans(target: str | None, source: str | None, error: Span) -> Iterator[Span]:
    """Yield the place of an error that stands between marks."""
    for text, in_source in ((target, False), (source, True)):
        start, end = (text or "").find("<v>"), (text or "").find("</v>")
        if 0 <= start < end:
            yield error._replace(start=start, end=end - len("<v>"), in_source=in_source)


def unmarked(text: str) -> str:
    """Return a text without the marks of the error, ``<v>`` and ``</v>``."""
    return text.replace("<v>", "").replace("</v>", "") if "<" in text else text
