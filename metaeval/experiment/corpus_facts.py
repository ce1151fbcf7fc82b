"""Facts about each corpus of an experiment: its contents, the settings there, and the judgments that were taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metaeval.config.schema import Experiment
from metaeval.datamodel.corpus import Corpus
from metaeval.experiment.judge import CriterionDocuments
from metaeval.experiment.statistics_by_metric import Measured
from metaeval.judgments.groups import choose_judges, judged_by
from metaeval.metrics.text_metric import TextMetric
from metaeval.results.grid import JUDGMENT_ARRAYS, JudgmentSet
from metaeval.results.model import CorpusFacts, SettingFacts
from metaeval.sampling.references import ReferenceGroup
from metaeval.scores.precomputed import Precomputed
from metaeval.text.preprocessing import Preprocessing


def corpus_facts(corpus: Corpus, measured: Sequence[Measured], treatments: Sequence[Preprocessing]) -> CorpusFacts:
    """Return what a run says of a corpus: what is in it, and what its texts were scored by."""
    metrics = {item.named.written: item.named.kind for item in measured}
    sources = {name: tuple(metric.sources) for name, metric in metrics.items()}
    sources |= {preprocessing.written: preprocessing.sources for preprocessing in treatments}
    signatures = {
        f"{item.preprocessing}/{item.named.written}": str(
            item.named.kind.signature.with_pairs(item.preprocessing_signature.items)
        )
        for item in measured
    }
    return CorpusFacts(
        name=corpus.name,
        title=corpus.title,
        source=str(corpus.facts.get("source") or ""),
        citation=str(corpus.facts.get("citation") or ""),
        digest=corpus.digest,
        systems=len(corpus.systems),
        segments=corpus.n_segments,
        references=tuple(corpus.references),
        judgments=len(corpus.judgments),
        simulated=corpus.is_simulated,
        signatures=signatures,
        inputs={name: _input_kind(metric) for name, metric in metrics.items()},
        sources={name: keys for name, keys in sources.items() if keys},
    )


def _input_kind(metric: Any) -> str:
    """Name the input of a metric: tokens, texts as they are, or scores that others computed."""
    if isinstance(metric, Precomputed):
        return "scores"
    return "texts" if isinstance(metric, TextMetric) else "tokens"


def setting_facts(
    panel: str,
    corpus: Corpus,
    experiment: Experiment,
    groups: Sequence[ReferenceGroup],
    judged: Sequence[CriterionDocuments],
    left_out: Mapping[str, str],
) -> SettingFacts:
    """Return the settings of a corpus in a panel, with the judgments of the segments and systems that count.

    Parameters
    ----------
    panel : str
    corpus : Corpus
    experiment : Experiment
    groups : sequence of ReferenceGroup
    judged : sequence of CriterionDocuments
    left_out : mapping of str to str
        Metrics that are not correlated, and why.
    """
    judgments = experiment.judgments
    correlation = experiment.correlation
    judges = choose_judges(corpus, judgments.judges)
    rows = judged_by(corpus, judgments.judges).judgments
    positions = {criterion.name: position for position, criterion in enumerate(corpus.criteria)}
    used = {item.criterion.name: np.zeros(len(rows), dtype=bool) for item in judged}
    for item in judged:
        name = item.criterion.name
        is_scored = np.isin(rows.segment, item.documents[0].segments) & np.isin(rows.system, item.systems)
        used[name] |= is_scored & (rows.criterion == positions[name])
    return SettingFacts(
        panel=panel,
        corpus=corpus.name,
        judges=judges.words,
        judgments={name: int(is_used.sum()) for name, is_used in used.items()},
        n_judges=len(np.unique(rows.judge[np.logical_or.reduce([*used.values()])])),
        judges_are_persons=not judges.slots,
        n_named_documents=len(set(corpus.documents or ())),
        rule=judgments.rule,
        normalise=str(judgments.normalise.kind),
        require=experiment.require,
        metric_over=experiment.metric_over,
        mean_references={
            str(item.group): float(f"{documents.mean_references:.4g}")
            for item in judged
            for documents in item.documents[:1]
        },
        combine=next((group.combine for group in groups if len(group.subsets) > 1), ""),
        replacement=experiment.documents.replacement,
        orientation=correlation.orientation,
        undefined=correlation.undefined,
        n_resamples=experiment.uncertainty.replicates,
        alphas={f"{test.named.written} over {test.axis}": test.alpha for test in experiment.tests},
        left_out=left_out,
    )


def judgments_taken(corpus: Corpus, experiment: Experiment) -> JudgmentSet:
    """Return the judgments that were taken, as published: 24 bytes each."""
    words = choose_judges(corpus, experiment.judgments.judges).words
    rows = judged_by(corpus, experiment.judgments.judges).judgments
    criteria = tuple(criterion.name for criterion in corpus.criteria)
    arrays = {name: getattr(rows, name).astype(np.int32) for name in JUDGMENT_ARRAYS[:-1]}
    arrays["segment"] = (corpus.numbers[rows.segment] - 1).astype(np.int32)
    arrays["score"] = rows.score
    return JudgmentSet(corpus.name, words, tuple(corpus.systems), tuple(rows.judges), criteria, arrays)
