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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source
from metaeval.corpora.formats.pearmut import ESA
from metaeval.corpora.judgment_columns import Rows
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.corpora.stored_scores import ScoreFile, ScoreRows, reader_of
from metaeval.corpora.text_files import stem_of
from metaeval.errors import listing
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["wmt-json"]

# What every object of a year has.
_KEYS_BY_YEAR = {
    "2024": ("langs", "doc_id", "line_id", "system", "tgt"),
    "2025": ("doc_id", "tgt_text"),
    "2026": ("item_id", "hyps"),
}


@dataclass(frozen=True)
class WmtJson(Reader, name="wmt-json"):
    """JSON Lines of WMT's metrics tasks since 2024."""

    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])
    pair: str = parameter("", doc=_DOCS["pair"])

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether the objects have the keys of a year."""
        return bool(_year(file))

    def read_file(self, file: Source) -> None:
        """Read one file."""
        year = _year(Glimpse.from_path(file.path))
        metric = stem_of(file.path)
        if not year:
            file.error(None, f"must be {self.expects}.")
            return
        for line, row in self._chosen(list(file.objects()), year, file):
            lacking = [key for key in _KEYS_BY_YEAR[year] if key not in row]
            if lacking:
                file.error(line, f"lacks {listing(lacking)}; an object of {year} has {listing(_KEYS_BY_YEAR[year])}.")
                continue
            segment = _segment(row, year, file.draft)
            reference = row.get("ref") if year == "2026" else None
            reference = reference.get("text") if isinstance(reference, dict) else reference
            source = row.get("src_text" if year == "2025" else "src")
            texts = [(SOURCE, "", source), (REFERENCE, "ref", reference)]
            for system, text, ratings in _outputs(row, year, file, line):
                texts.append((REFERENCE if self._is_reference(system) else SYSTEM, system, text))
                for rating in ratings:
                    judge = str(rating.get("annotator") or (metric if year == "2026" else "esa"))
                    score = rating.get("esa_score", rating.get("score"))
                    if score is not None:
                        file.score(line, segment, system, judge, ESA.name, score)
                    bounds = "start end" if year == "2026" else "start_i end_i"
                    errors = rating.get("esa_spans", rating.get("errors"))
                    for span in file.spans(errors, line, segment, system, judge, bounds):
                        nowhere = span.start == span.end and year == "2024"  # something is missing there
                        file.draft.spans.append(span._replace(start=-1, end=-1) if nowhere else span)
            for kind, name, text in texts:
                if isinstance(text, str):
                    file.text(kind, name, segment, text, line)
        if year == "2026" and file.judged:
            # What a participant predicts is no judgment.
            lines, segments, systems, _, _, values = zip(*file.judged, strict=True)
            score_rows = ScoreRows(Rows(file.location, lines), systems, np.array(segments, dtype=np.int32), values)
            file.draft.scores.append(ScoreFile(file.location, metric, "metric", "segment", reader_of(score_rows)))
        elif file.judged:
            file.draft.declare(ESA, file.location)
            file.judge()

    def _is_reference(self, name: str) -> bool:
        return name in self.references if self.references else name.lower().startswith("ref")

    def _chosen(
        self, rows: list[tuple[int, dict[str, Any]]], year: str, file: Source
    ) -> list[tuple[int, dict[str, Any]]]:
        """Return the objects of one language pair."""
        pairs = {line: _pair(row, year) for line, row in rows}
        known = sorted(set(pairs.values()))
        wrong = ""
        if self.pair and self.pair not in known:
            wrong = f"has no language pair {self.pair!r}; it has {listing(known)}."
        elif not self.pair and len(known) > 1:
            wrong = (
                f'has the language pairs {listing(known)}; name one in the format, as in wmt-json(pair="{known[0]}").'
            )
        if wrong:
            file.files.error(file.location, wrong)
        return [] if wrong else [(line, row) for line, row in rows if not self.pair or pairs[line] == self.pair]


def _year(glimpse: Glimpse) -> str:
    """Return the year whose keys the first object of a file has; "" if none."""
    if not glimpse.first_line.lstrip().startswith("{"):
        return ""
    return next(
        (year for year, keys in _KEYS_BY_YEAR.items() if all(f'"{key}"' in glimpse.first_line for key in keys)), ""
    )


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
    index = 1 if year == "2025" else 3
    if len(parts) > index + 1:
        draft.fact("domain", [segment], [parts[index]])
    return segment


def _outputs(
    row: Mapping[str, Any], year: str, file: Source, line: int
) -> Iterator[tuple[str, object, Sequence[Mapping[str, Any]]]]:
    """Yield the systems of an object with their outputs, and what people or a participant said of these."""
    if year == "2024":
        yield str(row["system"]), row["tgt"], [row]
        return
    texts = row["tgt_text" if year == "2025" else "hyps"]
    if not isinstance(texts, dict):
        file.error(line, "the texts must be an object by system.")
        return
    by_system = {}
    for key in ("scores",) if year == "2025" else ("task1_pred", "task2_pred"):
        by_system[key] = {} if row.get(key) is None else row[key]
        if not isinstance(by_system[key], dict):
            file.error(line, f"{key!r} must be an object by system; got {str(row[key])[:60]!r}.")
            by_system[key] = {}
    for system, text in texts.items():
        by_key = [of_key.get(system) for of_key in by_system.values()]
        if year == "2025":
            listed = by_key[0] if isinstance(by_key[0], list) else []
            ratings = [entry for entry in listed if isinstance(entry, dict)]
            if by_key[0] is not None and len(ratings) != len(listed or [by_key[0]]):
                file.error(line, f"the scores of {system!r} must be a list of objects.")
        else:
            errors, score = by_key
            ratings = [
                *([errors] if isinstance(errors, dict) else []),
                *([] if score is None else [{"score": score}]),
            ]
        yield system, text, ratings
