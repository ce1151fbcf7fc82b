"""Registries of metrics, coefficients, intervals, tests and all other components by name: one line each.

A new metric, coefficient, test, interval, correction, kind of document, figure or format is one file, one line here and
its tests. What each of them must be stands in the modules beside this one, in `metaeval.metrics.contract` and in
`metaeval.corpora.formats.base`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metaeval.components.registry import Registry

if TYPE_CHECKING:
    from metaeval.components.coefficient import Coefficient
    from metaeval.components.correction import Correction
    from metaeval.components.documents import DocumentUnits
    from metaeval.components.figure import Figure
    from metaeval.components.interval import Interval
    from metaeval.components.test import Test

METRICS: Registry[Any] = Registry(
    "metric",
    {
        "bleu": "metaeval.metrics.bleu:Bleu",
        "chrf": "metaeval.metrics.chrf:Chrf",
        "gtm": "metaeval.metrics.gtm:Gtm",
        "nist": "metaeval.metrics.nist:Nist",
        "per": "metaeval.metrics.per:Per",
        "rouge-l": "metaeval.metrics.rouge_l:RougeL",
        "rouge-s": "metaeval.metrics.rouge_s:RougeS",
        "rouge-w": "metaeval.metrics.rouge_w:RougeW",
        "sacrebleu-bleu": "metaeval.metrics.sacrebleu_bleu:SacreBleu",
        "sacrebleu-ter": "metaeval.metrics.sacrebleu_metrics:SacreBleuTer",
        "ter": "metaeval.metrics.ter:Ter",
        "wer": "metaeval.metrics.wer:Wer",
    },
)
# These are metrics only with a parameter that must be given: a file, a name, a program.
METRICS_WITH_INPUT: Registry[Any] = Registry(
    "metric",
    {
        "precomputed": "metaeval.scores.precomputed:CorpusScores",
        "program": "metaeval.user_code.program:Program",
        "scores": "metaeval.scores.file_scores:FileScores",
    },
)
COEFFICIENTS: Registry[Coefficient] = Registry(
    "coefficient",
    {
        "pearson": "metaeval.correlation.coefficients:Pearson",
        "spearman": "metaeval.correlation.coefficients:Spearman",
        "kendall": "metaeval.correlation.kendall:Kendall",
        "pairwise-accuracy": "metaeval.correlation.pairwise_accuracy:PairwiseAccuracy",
        "soft-pairwise-accuracy": "metaeval.correlation.soft_pairwise_accuracy:SoftPairwiseAccuracy",
        "darr": "metaeval.correlation.within_documents:RelativeRanking",
        "pairwise-difference-pearson": "metaeval.correlation.within_documents:DifferencePearson",
    },
    synonyms={
        "acc_eq": 'pairwise-accuracy(epsilon="auto")',
        "spa": "soft-pairwise-accuracy",
        "pce": 'soft-pairwise-accuracy(tails="wmt")',
        "pdp": "pairwise-difference-pearson",
    },
    load_own_with="metaeval.user_code.coefficients:own_coefficient",
)
INTERVALS: Registry[Interval] = Registry(
    "interval",
    {
        "normal": "metaeval.correlation.bootstrap_intervals:Normal",
        "percentile": "metaeval.correlation.bootstrap_intervals:Percentile",
        "bca": "metaeval.correlation.bootstrap_intervals:BiasCorrected",
        "fisher": "metaeval.correlation.fisher_intervals:Fisher",
        "denoised": "metaeval.correlation.denoised_inference:DenoisedInterval",
        "t": "metaeval.correlation.standard_error:Student",
        "standard-error": "metaeval.correlation.standard_error:StandardError",
        "jackknife": "metaeval.correlation.jackknife:Jackknife",
        "none": "metaeval.correlation.bootstrap_intervals:NoInterval",
    },
)
# By what `uncertainty.method` says: the intervals that `uncertainty.limits` chooses from.
METHODS: dict[str, tuple[str, ...]] = {
    "normal": ("normal",),
    "bootstrap": ("percentile", "bca"),
    "fisher": ("fisher",),
    "denoised": ("denoised",),
    "t": ("t",),
    "standard-error": ("standard-error",),
    "jackknife": ("jackknife",),
    "none": ("none",),
}
TESTS: Registry[Test] = Registry(
    "test",
    {
        "wilcoxon": "metaeval.correlation.wilcoxon:Wilcoxon",
        "williams": "metaeval.correlation.williams:Williams",
        "permutation": "metaeval.correlation.permutation:Permutation",
        "bootstrap": "metaeval.correlation.paired_bootstrap:PairedBootstrap",
        "denoised": "metaeval.correlation.denoised_inference:DenoisedTest",
        "t": "metaeval.correlation.standard_error:PairedT",
        "standard-error": "metaeval.correlation.standard_error:StandardErrorTest",
    },
)
CORRECTIONS: Registry[Correction] = Registry(
    "correction",
    {
        "holm": "metaeval.correlation.multiple_tests:Holm",
        "benjamini-hochberg": "metaeval.correlation.multiple_tests:BenjaminiHochberg",
        "none": "metaeval.correlation.multiple_tests:Uncorrected",
    },
)
DOCUMENTS: Registry[DocumentUnits] = Registry(
    "kind of documents",
    {
        "all": "metaeval.sampling.documents:Whole",
        "segments": "metaeval.sampling.documents:Single",
        "real": "metaeval.sampling.documents:Real",
        "pseudo": "metaeval.sampling.documents:Pseudo",
    },
)
FIGURES: Registry[Figure] = Registry(
    "figure",
    {
        "correlation-by-length": "metaeval.report.figures.by_length:CorrelationByLength",
        "correlation-by-references": "metaeval.report.figures.by_references:CorrelationByReferences",
        "intervals": "metaeval.report.figures.intervals:Intervals",
        "significance": "metaeval.report.figures.significance:Significance",
        "best": "metaeval.report.figures.best:Best",
        "influence": "metaeval.report.figures.influence:InfluenceOfSystems",
        "heat-table": "metaeval.report.figures.heat_table:HeatTable",
        "scatter": "metaeval.report.figures.scatter:Scatter",
        "metric-correlation": "metaeval.report.figures.metric_correlation:MetricCorrelation",
        "agreement": "metaeval.report.figures.agreement:Agreement",
        "judge-offsets": "metaeval.report.figures.judge_offsets:JudgeOffsets",
        "published": "metaeval.report.figures.published:PublishedNumbers",
        "claims": "metaeval.report.figures.claims:Claims",
        "task-table": "metaeval.report.figures.task_table:TaskTable",
        "task-significance": "metaeval.report.figures.task_significance:TaskSignificance",
        "best-systems": "metaeval.report.figures.best_systems:BestSystems",
    },
    # Each is a figure of one paper, whose config names it.
    unlisted={
        "judges": "metaeval.report.figures.judges:Judges",
        "nist-share": "metaeval.report.figures.nist_share:NistShare",
    },
)
# In the order in which they are tried.
READERS: Registry[Any] = Registry(
    "format",
    {
        "folder": "metaeval.corpora.formats.folder:Folder",
        "neutral": "metaeval.corpora.formats.native:Neutral",
        "sgml": "metaeval.corpora.formats.sgml:Sgml",
        "mt-metrics-eval": "metaeval.corpora.formats.mtme:MtMetricsEval",
        "mqm": "metaeval.corpora.formats.mqm:Mqm",
        "wmt": "metaeval.corpora.formats.wmt:Wmt",
        "summeval": "metaeval.corpora.formats.summeval:Summeval",
        "webnlg": "metaeval.corpora.formats.webnlg:Webnlg",
        "pearmut": "metaeval.corpora.formats.pearmut:Pearmut",
        "wmt-json": "metaeval.corpora.formats.wmt_json:WmtJson",
        "table": "metaeval.corpora.formats.table:Table",
    },
)
# By name: (lower-cases, stems).
PREPROCESSING = {"case": (False, False), "nocase": (True, False), "stem": (True, True)}
# The default preprocessing; its tokenizer is sacreBLEU's default, for raw text.
DEFAULT_TOKENIZER = "13a"
DEFAULT_PREPROCESSING = f'case(tokenizer="{DEFAULT_TOKENIZER}")'
