"""Output manifests of Amazon SageMaker Ground Truth: the class of a text stands in the facts about its label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.corpora.exports.base import Export, LeftOut, Made, cells_of, table_of
from metaeval.corpora.tables.delimited import Frame
from metaeval.corpora.tables.headers import columns_for
from metaeval.corpora.text_files import Files

_METADATA_SUFFIX = "-metadata"


def _labels(frame: Frame) -> list[str]:
    return [
        name.removesuffix(_METADATA_SUFFIX)
        for name, values in frame.values.items()
        if name.endswith(_METADATA_SUFFIX)
        and any(isinstance(value, Mapping) and "job-name" in value for value in values)
    ]


def _table(frame: Frame, files: Files) -> Frame | None:
    """Return a row for each text, with the classes that people gave it."""
    labels = _labels(frame)
    left_out = LeftOut()
    label_columns = {*labels, *(f"{label}{_METADATA_SUFFIX}" for label in labels)}
    others = {
        name: cells_of(frame, name) for name in frame.names if name not in label_columns and name not in frame.unread
    }
    # What was judged is called the source, in the words of the tool.
    names = {name: "text" if name == "source" and not columns_for("text", others) else name for name in others}
    rows = list[Made]()
    for at in range(len(frame)):
        row: dict[str, Any] = {names[name]: cells[at] for name, cells in others.items()}
        for label in labels:
            facts = frame.values[f"{label}{_METADATA_SUFFIX}"][at]
            if not isinstance(facts, Mapping) or "failure-reason" in facts:
                left_out.add("texts whose labelling failed")
            elif str(facts.get("human-annotated", "yes")).lower() == "no":
                left_out.add("labels that the tool gave itself")
            else:
                classes = facts.get("class-name", facts.get("class-map"))
                several = classes.values() if isinstance(classes, Mapping) else [classes]
                row[label] = ", ".join(map(str, several))
        rows.append((at, row))
    left_out.note(frame.location, files)
    return table_of(frame, rows, labels)


SAGEMAKER = Export("Amazon SageMaker Ground Truth", lambda frame: bool(_labels(frame)), _table)
