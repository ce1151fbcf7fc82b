"""WMT's tables of direct assessment and error span annotation: a row is a score that an annotator gave.

Two kinds are read. Exports of Appraise (from 2019 on) have no header: user, system, segment, type, source language,
target language, score, document, whether the score is of the whole document, (ESA: spans,) start, end; older ones lack
the document. Tables of the crowd (from 2016 on) have one: HITId WorkerId Input.src Input.trg Input.item hit sys_id rid
type sid score time. Both hold scores only; the texts come from another file, such as WMT's XML.

The segment of an export must be its number in the document, or in a table without documents its line in the test set.
Exports of ESA campaigns have there the place of the item in its batch; which segment that is stands in the file of
batches of the campaign, and such an export must be brought to segments first.

Error spans are kept as they stand: whether an end is that of the last character or behind it is not said anywhere.
Rows of quality control and of the tutorial are left out and counted. An item that an annotator scored several
times counts once, with the mean.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source, check_disjoint, renamed
from metaeval.corpora.judgment_columns import Rows, numbers
from metaeval.corpora.judgment_rows import Judgment
from metaeval.corpora.segment_index import Key
from metaeval.corpora.tables.delimited import BROKEN, parse_json, read_delimited
from metaeval.datamodel.corpus import Criterion
from metaeval.datamodel.pooling import ordered_sum
from metaeval.errors import listing, unknown
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["wmt"]

_APPRAISE = re.compile(
    r'[^,\n]*,[^,\n]+,\d+,"?(TGT|BAD|REF|CHK)[^,\n]*,[a-z-]{2,8},[a-z-]{2,8},-?[\d.]+,', re.IGNORECASE
)
_CROWD_COLUMNS = (
    "HITId",
    "WorkerId",
    "Input.src",
    "Input.trg",
    "Input.item",
    "hit",
    "sys_id",
    "rid",
    "type",
    "sid",
    "score",
)
# By the number of columns: where the document and the mark of a score for a whole document stand.
_DOCUMENT_COLUMNS = {9: None, 11: (7, 8), 12: (7, 8)}
_N_COLUMNS_WITH_SPANS = 12
_SEGMENT_HINT = (
    "The third column must be the number of the segment in its document; exports of ESA campaigns have there the place "
    "of the item in its batch, which must be brought to segments first."
)


@dataclass(frozen=True)
class Wmt(Reader, name="wmt"):
    """WMT direct assessment and ESA: raw scores by rater."""

    languages: str = parameter("", doc=_DOCS["languages"])
    criterion: str = parameter("quality", doc=_DOCS["criterion"])
    prefix: str = parameter("", doc=_DOCS["prefix"])
    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])
    ignore: tuple[str, ...] = parameter((), doc=_DOCS["ignore"])
    suffix: bool = parameter(True, doc=_DOCS["suffix"])

    def __post_init__(self) -> None:
        check_disjoint(self.references, self.ignore, self.name)

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a file looks like an export of Appraise or a table of the crowd."""
        return bool(_APPRAISE.match(glimpse.head)) or tuple(glimpse.first_line.split()[:2]) == _CROWD_COLUMNS[:2]

    def read(self, path: Path, draft: Draft) -> None:
        """Read the scores of one language pair."""
        text = draft.files.text(path)
        table = Source(path, draft)
        if text is None:
            return
        crowd = tuple(text.removeprefix("\ufeff").partition("\n")[0].split()[:2]) == _CROWD_COLUMNS[:2]
        rows = self._named(self._crowd(text, table) if crowd else self._appraise(table), table)
        if not rows:
            return
        lines = Rows(table.location, [row.line for row in rows])
        scores = numbers([row.score for row in rows], lines, table.files.problems).tolist()
        items: dict[tuple[str, str, Key], list[int]] = {}
        for position, row in enumerate(rows):
            items.setdefault((row.judge, row.system, row.key), []).append(position)
        repeated = sum(len(positions) > 1 for positions in items.values())
        if repeated:
            several = f"has {repeated} of {len(items)} items scored several times by one annotator; the mean was taken."
            table.files.note(table.location, several)
        raw = all(0 <= score <= 100 for score in scores if score == score)  # nan, which was noted, is not itself
        if not raw:
            scale = "has scores outside of 0 to 100, so they are probably standardised; any score is taken."
            table.files.note(table.location, scale)
        low, high = (0.0, 100.0) if raw else (-math.inf, math.inf)
        draft.declare(Criterion(self.criterion, low, high, higher_is_better=True), table.location)
        for (judge, system, key), positions in items.items():
            score = ordered_sum(scores[position] for position in positions) / len(positions)
            table.judged.append(Judgment(rows[positions[0]].line, key, system, judge, self.criterion, score))
        table.judge(hint="" if crowd else _SEGMENT_HINT)

    def _appraise(self, table: Source) -> list[_Row]:
        """Read an export of Appraise, which has no header."""
        frame = read_delimited(*table.files.opened(table.path), ",", header_rows=0)
        if frame is None:
            return []
        columns = list(frame.columns.values())
        if len(columns) not in _DOCUMENT_COLUMNS:
            counts = ", ".join(map(str, _DOCUMENT_COLUMNS))
            table.error(1, f"must have {counts} columns, as Appraise exports them; got {len(columns)}.")
            return []
        users, systems, segments, types, *pairs, scores = columns[:7]
        where = _DOCUMENT_COLUMNS[len(columns)]
        # Scores of the segments themselves name no document, nor a mark of being of a whole one.
        documents, marks = (columns[at] for at in where) if where else (systems, types)
        of_pair = self._language_rows([f"{source}-{target}" for source, target in zip(*pairs, strict=True)], table)
        # Campaigns of ESA and MQM may have more behind the type: BAD.3
        types = [cell.partition(".")[0] for cell in types]
        kinds = {row: None if types[row] == "TGT" else types[row] for row in of_pair}
        for row in (row for row in of_pair if kinds[row] is None):
            if any("tutorial" in column[row].lower() for column in (systems, documents)):
                kinds[row] = "of the tutorial"
            elif marks[row].strip().lower() in ("true", "1"):
                kinds[row] = "scores of whole documents"
        rows = [
            _Row(
                frame.lines[row],
                users[row],
                systems[row].removeprefix(self.prefix),
                (documents[row].partition("#")[0] if where else None, segments[row]),
                scores[row],
            )
            for row in _chosen(kinds, table)
        ]
        if len(columns) == _N_COLUMNS_WITH_SPANS:
            self._mark(rows, dict(zip(frame.lines, columns[9], strict=True)), table)
        return rows

    def _mark(self, rows: Sequence[_Row], marks: Mapping[int, str], table: Source) -> None:
        """Add error spans; warn if there are only these, and no scores."""
        names = renamed(self.references)
        marked = 0
        for row in rows:
            text = marks[row.line]
            location = table.at(row.line)
            errors = parse_json(text, location, table.files.problems) if text.strip() else []
            if row.system not in self.ignore and errors is not BROKEN:
                spans = table.spans(errors, row.line, row.key, names.get(row.system, row.system), row.judge)
                table.draft.spans.extend(spans)
                marked += len(spans)
        if marked and all(row.score.strip() in ("0", "0.0") for row in rows):
            table.files.warning(
                table.location,
                "has error spans but no score other than 0: it is probably an export of MQM, without scores.",
            )

    def _named(self, rows: Sequence[_Row], table: Source) -> list[_Row]:
        """Return the rows of systems that are not ignored, with the names that references have among the texts."""
        names = renamed(self.references)
        systems = {row.system for row in rows}
        for name in (*names, *self.ignore) if rows else ():
            if name not in systems:
                table.files.error(table.location, unknown("system", name, sorted(systems)))
        chosen = [
            row._replace(system=names.get(row.system, row.system)) for row in rows if row.system not in self.ignore
        ]
        if len(chosen) < len(rows):
            left_out = f"rows of {listing(self.ignore)}, which are left out: {len(rows) - len(chosen)}."
            table.files.note(table.location, left_out)
        return chosen

    def _crowd(self, text: str, table: Source) -> list[_Row]:
        """Read a table whose columns are separated by any white space, some of it in quotation marks."""
        rows: list[tuple[int, list[str]]] = []
        for number, line in enumerate(text.split("\n")[1:], start=2):
            parts = line.replace('"', " ").split()
            if len(parts) == len(_CROWD_COLUMNS) + 1:
                rows.append((number, parts))
            elif parts:
                table.error(number, f"must have {len(_CROWD_COLUMNS) + 1} columns; got {len(parts)}.")
        of_pair = self._language_rows([f"{parts[2]}-{parts[3]}" for _, parts in rows], table)
        kinds = {row: None if rows[row][1][8] == "SYSTEM" else rows[row][1][8] for row in of_pair}
        scores = []
        for number, parts in map(rows.__getitem__, _chosen(kinds, table)):
            # Systems with the same output share a score, and stand together with a plus sign.
            for system in parts[6].split("+"):
                name = re.sub(r"\.\d+$", "", system) if self.suffix else system
                scores.append(_Row(number, parts[1], name.removeprefix(self.prefix), (None, parts[9]), parts[10]))
        return scores

    def _language_rows(self, pairs: Sequence[str], table: Source) -> list[int]:
        """Return the rows of the language pair that is asked for, or all if there is only one."""
        known = dict.fromkeys(pairs)
        wrong = ""
        if not self.languages and len(known) > 1:
            wrong = f'has the language pairs {listing(known)}; name one in the format, as in wmt(languages="...").'
        elif self.languages and self.languages not in known:
            wrong = unknown("language pair", self.languages, known)
        if wrong:
            table.files.error(table.location, wrong)
        return [row for row, pair in enumerate(pairs) if self.languages in ("", pair) and not wrong]


class _Row(NamedTuple):
    """A score. The document is None where the segment is the number of a line of the test set."""

    line: int
    judge: str
    system: str
    key: Key
    score: str


def _chosen(kinds: Mapping[int, str | None], table: Source) -> list[int]:
    """Return the rows that are scores of systems' segments; the others are noted by what they are."""
    counts = Counter(kind for kind in kinds.values() if kind is not None)
    if counts:
        shown = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        table.files.note(table.location, f"rows left out, because they are no scores of systems' segments: {shown}.")
    return [row for row, kind in kinds.items() if kind is None]
