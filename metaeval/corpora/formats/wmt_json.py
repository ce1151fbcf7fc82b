"""JSON Lines of the metrics tasks of WMT since 2024: texts, ESA scores and error spans.

======  =================================================================================================
2024    an object for each output: langs, doc_id, line_id, system, src, tgt, esa_score, esa_spans
2025    an object for each segment: doc_id, src_text, tgt_text (by system), scores (by system, a list)
2026    an object for each segment: item_id, src, ref, hyps (by system); task1_pred, task2_pred of a participant
======  =================================================================================================

A span ends behind its last character, as the scorers of the tasks take it; whether the tool that wrote the files of
2024 and 2025 meant so is not said anywhere. Scores under task2_pred come with the corpus as those of the metric that
the file is named after, and the errors of task1_pred are spans of that judge. A text may have several lines.

Sources: files of wmt-conference/wmt25-mteval and of participants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from metaeval.corpora.columns import Rows
from metaeval.corpora.draft import Draft
from metaeval.corpora.formats.contract import Glimpse, chosen_files
from metaeval.corpora.formats.delimited import json_number, json_objects
from metaeval.corpora.formats.pearmut import ESA
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, Judgment, JudgmentRows
from metaeval.corpora.lines import Files, stem_of
from metaeval.corpora.score_rows import ScoreFile, ScoreRows, given
from metaeval.corpora.spans import errors_of, span_of
from metaeval.errors import listing
from metaeval.parameters import parameter

# What every object of a year has.
_KEYS = {
    "2024": ("langs", "doc_id", "line_id", "system", "tgt"),
    "2025": ("doc_id", "tgt_text"),
    "2026": ("item_id", "hyps"),
}


@dataclass(frozen=True)
class _Output:
    """A system's output of a segment, with what people or a participant said of it."""

    system: str
    text: object
    annotations: list[Mapping[str, Any]]


@dataclass(frozen=True)
class WmtJson:
    """JSON Lines of WMT's metrics tasks since 2024."""

    name: ClassVar[str] = "wmt-json"
    title: ClassVar[str] = "JSON Lines of WMT's metrics tasks since 2024 (ESA)"
    expects: ClassVar[str] = "JSON Lines with doc_id, tgt_text and scores (2025), item_id and hyps (2026), or esa_score"

    references: tuple[str, ...] = parameter((), doc="systems that are references; those named ref... are without it")
    pair: str = parameter("", doc="the language pair, such as en-de, where the file has several")

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether the objects have the keys of a year."""
        return any(_year(file) for file in glimpse.files())

    def read(self, path: Path, files: Files, draft: Draft) -> None:
        """Read one file, or all such files of a directory."""
        for one in chosen_files(path, files, lambda glimpse: bool(_year(glimpse))):
            year = _year(Glimpse.of(one))
            if year:
                self._read_file(one, year, files, draft)
            else:
                files.error(one, f"must be {self.expects}.")

    def _read_file(self, path: Path, year: str, files: Files, draft: Draft) -> None:
        place, metric = files.place(path), stem_of(path)
        rows = list(self._chosen(list(json_objects(files, path)), year, place, files))
        judged: list[Judgment] = []
        scored: list[tuple[int, str, int, float]] = []
        for line, row in rows:
            where = f"{place}:{line}"
            lacking = [key for key in _KEYS[year] if key not in row]
            if lacking:
                files.error(where, f"lacks {listing(lacking)}; an object of {year} has {listing(_KEYS[year])}.")
                continue
            segment = _segment(row, year, draft)
            source = row.get("src_text" if year == "2025" else "src")
            if isinstance(source, str):
                draft.text(SOURCE, "", segment, source, place, line)
            reference = row.get("ref") if year == "2026" else None
            reference = reference.get("text") if isinstance(reference, dict) else reference
            if isinstance(reference, str):
                draft.text(REFERENCE, "ref", segment, reference, place, line)
            for output in _outputs(row, year, where, files):
                kind = REFERENCE if self._is_reference(output.system) else SYSTEM
                if isinstance(output.text, str):
                    draft.text(kind, output.system, segment, output.text, place, line)
                for one in output.annotations:
                    judge = str(one.get("annotator") or (metric if year == "2026" else "esa"))
                    score = one.get("esa_score", one.get("score"))
                    value = None if score is None else json_number(files, score, where, "the score")
                    if value is not None and year == "2026":
                        scored.append((line, output.system, segment, value))
                    elif value is not None:
                        judged.append(Judgment(line, segment, output.system, judge, ESA.name, value))
                    bounds = ("start", "end") if year == "2026" else ("start_i", "end_i")
                    for error in errors_of(one.get("esa_spans", one.get("errors")), where, files):
                        span = span_of(error, bounds, files, where)
                        if span is not None and span.start == span.end and year == "2024":
                            span = span._replace(start=-1, end=-1)  # something is missing there
                        draft.mark([span._replace(segment=segment, name=output.system, judge=judge)] if span else [])
        if judged:
            draft.declare(ESA, place)
            draft.judge(JudgmentRows.of(place, judged))
        if scored:
            lines, systems, segments, values = map(list, zip(*scored, strict=True))
            found = ScoreRows(Rows(place, lines), systems, np.array(segments, dtype=np.int32), values)
            draft.score(ScoreFile(place, metric, "metric", "segment", given(found)))

    def _is_reference(self, name: str) -> bool:
        return name in self.references if self.references else name.lower().startswith("ref")

    def _chosen(
        self, rows: list[tuple[int, dict[str, Any]]], year: str, place: str, files: Files
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give the objects of one language pair."""
        pairs = {line: _pair(row, year) for line, row in rows}
        known = sorted(set(pairs.values()))
        if self.pair and self.pair not in known:
            files.error(place, f"has no language pair {self.pair!r}; it has {listing(known)}.")
        elif not self.pair and len(known) > 1:
            files.error(
                place,
                f'has the language pairs {listing(known)}; name one in the format, as in wmt-json(pair="{known[0]}").',
            )
        else:
            yield from ((line, row) for line, row in rows if not self.pair or pairs[line] == self.pair)


def _year(glimpse: Glimpse) -> str:
    """Return the year whose keys the first object of a file has; "" if none."""
    if not glimpse.first_line.lstrip().startswith("{"):
        return ""
    return next((year for year, keys in _KEYS.items() if all(f'"{key}"' in glimpse.first_line for key in keys)), "")


def _pair(row: Mapping[str, Any], year: str) -> str:
    if year == "2024":
        return str(row.get("langs", ""))
    if year == "2025":
        return str(row.get("doc_id", "")).partition("_#_")[0]
    parts = str(row.get("item_id", "")).split("_###_")
    return "-".join(parts[1:3]) if len(parts) > 4 else ""


def _segment(row: Mapping[str, Any], year: str, draft: Draft) -> int:
    """Return the segment of an object, and note its domain."""
    if year == "2024":
        return draft.segment(str(row["doc_id"]), str(row["line_id"]))
    separator, id_ = ("_#_", str(row["doc_id"])) if year == "2025" else ("_###_", str(row["item_id"]))
    document, _, number = id_.rpartition(separator)
    segment = draft.segment(document, number if document else id_)
    parts = id_.split(separator)
    place = 1 if year == "2025" else 3
    if len(parts) > place + 1:
        draft.fact("domain", [segment], [parts[place]])
    return segment


def _outputs(row: Mapping[str, Any], year: str, where: str, files: Files) -> Iterator[_Output]:
    """Give the outputs of an object."""
    if year == "2024":
        yield _Output(str(row["system"]), row["tgt"], [row])
        return
    texts = row["tgt_text" if year == "2025" else "hyps"]
    if not isinstance(texts, dict):
        files.error(where, "the texts must be an object by system.")
        return
    for system, text in texts.items():
        found: list[Mapping[str, Any]] = []
        if year == "2025":
            of_system = _by_system(row, "scores", where, files).get(system)
            given = of_system if isinstance(of_system, list) else []
            found = [one for one in given if isinstance(one, dict)]
            if of_system is not None and len(found) != len(given or [of_system]):
                files.error(where, f"the scores of {system!r} must be a list of objects.")
        else:
            errors = _by_system(row, "task1_pred", where, files).get(system)
            found += [errors] if isinstance(errors, dict) else []
            score = _by_system(row, "task2_pred", where, files).get(system)
            found += [] if score is None else [{"score": score}]
        yield _Output(system, text, found)


def _by_system(row: Mapping[str, Any], key: str, where: str, files: Files) -> Mapping[str, Any]:
    found = row.get(key)
    if found is None or isinstance(found, dict):
        return found or {}
    files.error(where, f"{key!r} must be an object by system; got {str(found)[:60]!r}.")
    return {}
