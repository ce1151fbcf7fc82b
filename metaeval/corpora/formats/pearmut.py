"""Logs of Pearmut, a tool for human evaluation: one object of JSON Lines for each page that somebody submitted.

``annotation`` is a list, parallel to ``item``: by system a score and error spans, or null where the item was skipped.
``__RESET__`` in its place takes back all that this person gave on these items before. Of two annotations of an item by
one person the last counts. Pages before and after the data (``item_i`` is a word), tutorials and attention checks are
no data. The ends of spans are those of their last characters here, and a span behind the end of the text, where
``[MISSING]`` is shown, is something that is missing.

Sources: README of zouharvi/pearmut; humeval/02-analyze_results.py of wmt-conference/wmt26-general-mt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM
from metaeval.datamodel.corpus import Criterion
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["pearmut"]

ESA = Criterion("esa", 0.0, 100.0, higher_is_better=True)
RESET = "__RESET__"
_MARKS_OF_CHECK_ITEMS = ("attention_check_", "_#_tutorial_#_")


class _Shown(NamedTuple):
    """An item that somebody saw, with its texts, the source under None, and what was said of each system."""

    line: int
    user: str
    id: str
    texts: Mapping[str | None, Any]
    annotations: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Pearmut(Reader, name="pearmut"):
    """Logs of Pearmut: ESA scores and error spans."""

    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether a log has the keys."""
        return all(f'"{key}"' in file.head for key in ("annotation", "user_id", "item_i"))

    def read_file(self, file: Source) -> None:
        """Read one log."""
        left_out = Counter[str]()
        file.draft.declare(ESA, file.location)
        shown = _shown_items(file, left_out)
        last: dict[tuple[str, str, str], _Shown] = {}
        for entry in shown:
            for system in entry.annotations:
                key = (entry.user, entry.id, system)
                left_out["annotations given again by the same person, of which the last counts"] += key in last
                last[key] = entry
        self._texts(shown, file)
        for (user, id_, system), entry in last.items():
            segment = segment_of(id_, file.draft)
            of_output = entry.annotations[system]
            text = entry.texts.get(system)
            if of_output.get("score") is not None:
                file.score(entry.line, segment, system, user, ESA.name, of_output["score"])
            for span in file.spans(of_output.get("error_spans"), entry.line, segment, system, user):
                missing = span.start < 0 or (isinstance(text, str) and span.start >= len(text))
                start, end = (-1, -1) if missing else (span.start, span.end + 1)
                file.draft.spans.append(span._replace(start=start, end=end))
        file.judge()
        for noun, count in left_out.items():
            if count:
                file.files.note(file.location, f"left out: {count} {noun}.")

    def _texts(self, shown: Sequence[_Shown], log: Source) -> None:
        """Add the texts of the items; one that is another than before, to somebody else, is not taken."""
        first: dict[tuple[str | None, int], str] = {}
        others = 0
        for entry in shown:
            segment = segment_of(entry.id, log.draft)
            for name, text in entry.texts.items():
                if not isinstance(text, str):
                    continue
                if first.setdefault((name, segment), text) == text:
                    kind = SYSTEM
                    if name is None:
                        kind = SOURCE
                    elif name in self.references:
                        kind = REFERENCE
                    log.text(kind, name or "", segment, text, entry.line)
                else:
                    others += 1
        if others:
            shows = f"shows {others} texts otherwise than before; the first were taken, for all spans."
            log.files.warning(log.location, shows)


def _shown_items(file: Source, left_out: Counter[str]) -> list[_Shown]:
    """Return the items that people saw and did not take back, but for tutorials and checks; the others are counted."""
    shown: list[_Shown] = []
    for line, row in file.objects():
        items = row.get("item")
        annotation = row.get("annotation")
        user = str(row.get("user_id", ""))
        items = items if isinstance(items, list) else [items]
        if not all(isinstance(item, dict) and isinstance(item.get("item_id"), str) for item in items):
            file.error(line, "'item' must be a list of objects with an 'item_id'.")
        elif annotation in (RESET, [RESET]):
            ids = {item["item_id"] for item in items}
            before = len(shown)
            shown = [entry for entry in shown if entry.user != user or entry.id not in ids]
            left_out["items taken back"] += before - len(shown)
        elif not isinstance(annotation, list) or len(annotation) != len(items):
            file.error(line, f"'annotation' must be a list of {len(items)}, one for each item.")
        elif not all(map(_is_annotation, annotation)):
            file.error(line, "an annotation must be an object of objects by system, or null.")
        else:
            is_data = isinstance(row.get("item_i"), int)
            for item, of_systems in zip(items, annotation, strict=True):
                if not is_data or any(part in item["item_id"] for part in _MARKS_OF_CHECK_ITEMS):
                    left_out["items that are tutorials or checks"] += 1
                    continue
                left_out["items skipped"] += of_systems is None
                outputs = item.get("tgt")
                texts = {None: item.get("src"), **(outputs if isinstance(outputs, dict) else {})}
                shown.append(_Shown(line, user, item["item_id"], texts, of_systems or {}))
    return shown


def _is_annotation(annotation: object) -> bool:
    return annotation is None or (
        isinstance(annotation, dict) and all(isinstance(of_system, dict) for of_system in annotation.values())
    )


def segment_of(item_id: str, draft: Draft) -> int:
    """Return the segment of an id such as ``en-de_#_news_#_d0_###_3``, and note its domain."""
    document, _, id_ = item_id.rpartition("_###_")
    segment = draft.segment(document, id_ if document else item_id)
    parts = (document or item_id).split("_#_")
    if len(parts) > 2:
        draft.fact("domain", [segment], [parts[1]])
    return segment
