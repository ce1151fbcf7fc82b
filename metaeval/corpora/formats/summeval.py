"""SummEval's JSON Lines: an object is a summary of a system with the ratings of experts and of the crowd.

The original has id, model_id, decoded, references, expert_annotations, turker_annotations; the copy of THumB has
seg_id, SYS, hyp and a second file with seg_id, refs. Raters have no names: the judges are the places in the lists.

Source: Fabbri, Kryściński, McCann, Xiong, Socher, Radev (2021): SummEval. TACL 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metaeval.corpora.builder import Draft
from metaeval.corpora.formats.base import DESCRIBED, Glimpse, Reader, Source, renamed
from metaeval.corpora.judgment_rows import REFERENCE, SYSTEM
from metaeval.datamodel.corpus import Criterion, JudgeGroup
from metaeval.errors import listing
from metaeval.parameters.fields import parameter

_DOCS = DESCRIBED["summeval"]

_JUDGE_KEYS = (("expert_annotations", "expert"), ("turker_annotations", "turker"))
# An expert keeps a place in the list; different workers filled a place of the crowd. Published results use experts.
_JUDGE_GROUPS = (
    JudgeGroup("experts", ("expert*",), persons=True, default=True),
    JudgeGroup("crowd", ("turker*",), persons=False),
)
_ID = ("seg_id", "id")
_SYSTEM = ("SYS", "model_id")
_TEXT = ("hyp", "decoded")
_REFERENCES = ("refs", "references")
_USED_KEYS = {*_ID, *_SYSTEM, *_TEXT, *_REFERENCES, *(key for key, _ in _JUDGE_KEYS)}


@dataclass(frozen=True)
class Summeval(Reader, name="summeval"):
    """SummEval JSON Lines, as published or in the copy of THumB."""

    references: tuple[str, ...] = parameter((), doc=_DOCS["references"])
    reference_prefix: str = parameter("ref", doc=_DOCS["reference_prefix"])

    @classmethod
    def fits(cls, file: Glimpse) -> bool:
        """Return whether a file of a directory is read."""
        return file.suffix == ".jsonl"

    @classmethod
    def recognises(cls, glimpse: Glimpse) -> bool:
        """Return whether a file, or one of a directory, has ratings."""
        return any('"expert_annotations"' in file.head for file in glimpse.first_files)

    def read(self, path: Path, draft: Draft) -> None:
        """Read a file, or all .jsonl files of a directory."""
        files = [Source(file_path, draft) for file_path in self.chosen(path, draft.files)]
        objects = [(file, line, row) for file in files for line, row in file.objects()]
        # Summaries first, so that the order of the segments is theirs.
        objects.sort(key=lambda entry: _first(entry[2], _SYSTEM) is None)
        lists = (_first(row, _REFERENCES) for _, _, row in objects)
        width = len(str(max((len(references) for references in lists if isinstance(references, list)), default=1)))
        for file, line, row in objects:
            self._read_object(file, line, row, width)
        for file in files:
            unused = {name for row_file, _, row in objects if row_file is file for name in row.keys() - _USED_KEYS}
            if unused:
                draft.files.note(file.location, f"has objects with keys that are not used: {listing(sorted(unused))}.")
        judges = sorted({rating.judge for file in files for rating in file.judged})
        for group in _JUDGE_GROUPS:
            if group.members(judges).any() and group not in draft.judge_groups:
                draft.judge_groups.append(group)
        for file in files:
            for name in dict.fromkeys(rating.criterion for rating in file.judged):
                draft.declare(Criterion(name, 1.0, 5.0, higher_is_better=True), file.location)
            file.judge()

    def _read_object(self, file: Source, line: int, row: Mapping[str, Any], width: int) -> None:
        """Add the texts and ratings of an object; what it lacks is noted."""
        id_, system, text, references = (_first(row, names) for names in (_ID, _SYSTEM, _TEXT, _REFERENCES))
        wrong = ""
        if not isinstance(id_, str | int) or isinstance(id_, bool):
            wrong = f"must have {' or '.join(_ID)}."
        elif references is not None and not _is_list(references, str):
            wrong = "the references must be a list of texts."
        elif system is None and references is None:
            wrong = f"must have {' or '.join(_SYSTEM)}, or references."
        elif system is not None and not (isinstance(system, str) and isinstance(text, str)):
            wrong = f"must have {' and '.join(map(' or '.join, (_SYSTEM, _TEXT)))} as texts."
        if wrong:
            file.error(line, wrong)
            return
        segment = file.draft.segment("", str(id_))
        for number, reference in enumerate(references or (), start=1):
            file.text(REFERENCE, f"{self.reference_prefix}{number:0{width}d}", segment, reference, line)
        if system is None:
            return
        new_names = renamed(self.references)
        name = new_names.get(system, system)
        file.text(REFERENCE if system in new_names else SYSTEM, name, segment, text, line)
        for key, judge in _JUDGE_KEYS:
            ratings = row.get(key)
            # NaN, which is not equal to itself, stands for none in THumB's copy.
            if ratings is None or ratings != ratings:
                continue
            if not _is_list(ratings, dict):
                file.error(line, f"{key} must be a list of objects.")
                continue
            for number, rating in enumerate(ratings, start=1):
                for criterion, value in rating.items():
                    noun = f"{criterion!r} in {key}"
                    file.score(line, ("", str(id_)), name, f"{judge}{number}", criterion, value, noun)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first name that is there."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
