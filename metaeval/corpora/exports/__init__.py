"""Exports of annotation tools, surveys and frameworks, each brought into a table that is read as any other."""

from __future__ import annotations

from metaeval.corpora.exports import (
    argilla,
    crowds,
    doccano,
    inspect_logs,
    label_studio,
    mt_bench,
    potato,
    prodigy,
    promptfoo,
    sagemaker,
    surveys,
)
from metaeval.corpora.exports.base import Export

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
    doccano.DOCCANO,
    surveys.QUALTRICS,
    surveys.SURVEYMONKEY,
    surveys.GOOGLE_FORMS,
    surveys.LIMESURVEY,
    mt_bench.MT_BENCH,
    promptfoo.PROMPTFOO,
    inspect_logs.INSPECT,
)
