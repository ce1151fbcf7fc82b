"""Exports of annotation tools, surveys and frameworks, each brought into a table that is read as any other."""

from __future__ import annotations

from metaeval.corpora.exports import argilla, crowds, label_studio, marks, mt_bench, potato, prodigy, sagemaker
from metaeval.corpora.exports.contract import Export

EXPORTS: tuple[Export, ...] = (
    label_studio.JSON,
    label_studio.FLAT,
    potato.TABLE,
    potato.LINES,
    crowds.TOLOKA,
    crowds.MTURK,
    sagemaker.SAGEMAKER,
    argilla.ARGILLA,
    prodigy.PRODIGY,
    marks.DOCCANO,
    mt_bench.MT_BENCH,
)
