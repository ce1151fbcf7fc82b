"""Pages of the registries: whatever is registered is on them without further work."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from markdown import (
    anchor,
    code,
    contents,
    docstring,
    escaped,
    name_of,
    page,
    parameters,
    restructured,
    sentence,
    table,
    told,
)

from metaeval import api
from metaeval.bibliography import find_source
from metaeval.components.registries import (
    COEFFICIENTS,
    CORRECTIONS,
    DEFAULT_PREPROCESSING,
    DOCUMENTS,
    FIGURES,
    METHODS,
    METRICS,
    METRICS_WITH_INPUT,
    PREPROCESSING,
    READERS,
    TESTS,
)
from metaeval.components.registry import Registry
from metaeval.config.schema import AVERAGE_BY, LIMITS, ORIENTATIONS, RESAMPLED, RULES, UNDEFINED
from metaeval.corpora.catalogue import known_corpora
from metaeval.judgments import normalisation as normalise
from metaeval.metrics import get_metric
from metaeval.text.preprocessing import get_preprocessing
from metaeval.text.tokenizers import TOKENIZERS, tokenizer_sources

# The meaning of values whose code is a line or two, without a docstring. `undescribed` lists what is missing.
WORDS: Mapping[str, Mapping[str, str]] = {
    "intervals": {
        "normal": "mean ∓ z · s.d. / √n over the coefficients of the documents, or of the systems: how precisely the "
        "drawn documents determine the mean over all documents that could be drawn from this corpus",
        "bootstrap": "from replicates, in which segments, systems or both are resampled and the whole experiment is "
        "repeated",
        "fisher": "closed form, for one coefficient at system level; generalises to new systems if scores are normal",
        "denoised": "of whole systems: from replicates whose centre lacks the noise that resampling adds once more; "
        "generalises to other test sets of this size, for these systems",
        "t": "mean ∓ t standard errors over segments or real documents; segments of one document are one unit where "
        "documents are resampled",
        "standard-error": "estimate ∓ t standard deviations of its replicates",
        "jackknife": "over systems, from the coefficient without each of them",
        "none": "no interval",
    },
    "limits": {
        "percentile": "percentiles of the replicates",
        "bca": "corrected for bias and acceleration (BCa, Efron 1987); not for pseudo-documents, nor the rule draw",
    },
    "resampled": {
        "text": "documents where the corpus names them, else segments",
        "segments": "generalises to other test sets of this size, for these systems",
        "documents": "the same, where the segments of a document are not independent",
        "systems": "generalises to new systems, on this text",
        "both": "generalises to new systems and new segments",
    },
    "rules": {
        "mean": "the mean of the judgments of an item",
        "median": "the median of the judgments of an item",
        "draw": "one judgment of an item, drawn at random for each slot of a document and each system",
        "stored": "of whole systems, the human scores that came with the corpus",
    },
    "normalisations": {
        "none": "scores as they are",
        "z": "z-scores by judge and criterion, over all that the judge scored, human texts included",
    },
    "averages": {
        "item": "one coefficient for each document, across the systems",
        "system": "one coefficient for each system, across the documents",
        "none": "one coefficient over documents and systems together",
    },
    "orientations": {
        "aligned": "sign-corrected by the declared directions of metric and criterion: positive means agreement",
        "raw": "without sign correction",
    },
    "undefined": {
        "exclude": "an undefined coefficient is counted and left out of the mean",
        "zero": "an undefined coefficient is counted and taken as 0",
    },
    "tokenizers": {
        "none": "splits at white space",
        "13a": "as mteval v13a and v14 do",
        "intl": "as mteval v14 does with `--international-tokenization`",
        "tercom": "as tercom does with `-N`: splits off punctuation, except inside numbers",
        "rouge-1.5.5": "as ROUGE-1.5.5 does without stemming: ASCII letters, lower-cased, and digits; everything else "
        "separates tokens",
        "morgenroth": "splits off symbols, and punctuation unless the character before or after it is a number",
        "char": "every character is a token",
        "zh": "splits off each Chinese character; everything else as 13a does",
        "ja-mecab": "Japanese words, by MeCab (needs an extra package; the error message names it)",
        "ko-mecab": "Korean words, by MeCab (needs an extra package; the error message names it)",
        "flores101": "pieces of the SentencePiece model of FLORES-101 (sacreBLEU downloads it)",
        "flores200": "pieces of the SentencePiece model of FLORES-200 (sacreBLEU downloads it)",
        "spBLEU-1K": "pieces of a SentencePiece model for many languages (sacreBLEU downloads it)",
    },
}
VALUES: Mapping[str, Iterable[str]] = {
    "intervals": METHODS,
    "limits": LIMITS,
    "resampled": RESAMPLED,
    "corrections": CORRECTIONS,
    "rules": RULES,
    "normalisations": normalise.NORMALISATIONS,
    "averages": AVERAGE_BY,
    "orientations": ORIENTATIONS,
    "undefined": UNDEFINED,
    "documents": DOCUMENTS,
    "tokenizers": TOKENIZERS,
    "figures": FIGURES,
}


def meaning(kind: str, name: str) -> str:
    """Return what a value means, or nothing if that is written nowhere."""
    values = VALUES[kind]
    if isinstance(values, Registry):
        return docstring(values[name])
    return sentence(escaped(WORDS[kind].get(name, "")))


def undescribed() -> list[tuple[str, str]]:
    """Return the values whose meaning is written nowhere: the page has only their names."""
    return [(kind, name) for kind, names in VALUES.items() for name in names if not meaning(kind, name)]


def _values(kind: str, prefix: str) -> list[str]:
    return [
        part
        for name in VALUES[kind]
        for part in (anchor(prefix, name), f"### {code(name)}", meaning(kind, name))
        if part
    ]


_TEXTS = """\
candidate = [
    "the cat sat on the mat today",
    "it rains a lot in the north",
]
references = {
    "ref1": ["the cat sat on the mat", "there is a lot of rain in the north"],
    "ref2": ["a cat was sitting on the mat today", "it rains a lot up in the north"],
}"""
_CANDIDATE, _REFERENCES = _TEXTS.split("\nreferences", 1)


def metric_pages() -> dict[str, str]:
    """Return a page for each metric, and one that lists them."""
    made: dict[str, str] = {}
    rows = []
    for name in METRICS:
        facts, _ = api.describe_metric(name)
        metric = get_metric(name)
        rows.append([f"[{code(name)}]({name}.md)", escaped(facts["metric"]), facts["better"], escaped(facts["is"])])
        citations = [f"- {escaped(str(find_source(key)))}" for key in metric.sources]
        lines = [
            "import metaeval",
            _CANDIDATE,
            f"references{_REFERENCES}",
            f'(result,) = metaeval.score(["{name}"], {{"mine": candidate}}, references)',
            "round(float(result.values[0, 0]), 4)",
            "print(result.signature)",
        ]
        made |= page(
            f"metrics/{name}",
            anchor("metric", name),
            f"# {code(name)}: {escaped(facts['metric'])}",
            escaped(facts["is"]),
            "## What it computes",
            escaped(facts["computed"]),
            f"- **Better**: {facts['better']}\n- **Statistics of a segment** (additive): "
            + ", ".join(map(code, metric.statistic_names))
            + f"\n- **Signature**, with the defaults: {code(str(metric.signature))}",
            "## Parameters",
            parameters(METRICS[name]),
            "## Example",
            "The corpus-level score of two segments:",
            told(lines),
            "The same on the command line, for text files with one segment per line, and the correlation with human "
            "judgments:",
            f"```text\nmetaeval score -m {name} -c system.txt -r ref1.txt ref2.txt\n"
            f"metaeval compare --corpus demo -m {name} {'ter' if name != 'ter' else 'bleu'}\n```",
            "## Sources" if citations else "",
            "\n".join(citations),
        )
    outside = []
    for name in METRICS_WITH_INPUT:
        told_of = inspect.cleandoc(METRICS_WITH_INPUT[name].__doc__ or "")
        outside.append([f"[{code(name)}]({name}.md)", escaped(told_of)])
        made |= page(
            f"metrics/{name}",
            anchor("metric", name),
            f"# {code(name)}",
            escaped(told_of),
            "It is a metric once its parameters are given; [Your own metric](../../../your-metric.md) shows how.",
            "## Parameters",
            parameters(METRICS_WITH_INPUT[name]),
        )
    return made | page(
        "metrics/index",
        "# Metrics",
        "A metric is named with its parameters, the same way everywhere: `bleu`, `bleu(order=2)`, "
        "`gtm(exponent=2)`. The arguments are Python literals. `metaeval metrics show NAME` prints the same on the "
        "command line.",
        table(["metric", "title", "better", "what it is"], rows),
        "For scores, programs and functions of your own:",
        table(["name", "what it is"], outside),
        contents([*METRICS, *METRICS_WITH_INPUT]),
    )


def coefficient_pages() -> dict[str, str]:
    """Return the page of the coefficients, and of what they are averaged by."""
    parts = [
        "# Coefficients",
        (
            "`correlation.coefficients` of an experiment and `--coefficient` of `metaeval compare` take these, with "
            'parameters in brackets: `spearman(ties="uncorrected")`. [Coefficients that count pairs]'
            "(../../experiments.md#coefficients-that-count-pairs) are compared in a table."
        ),
    ]
    for name, cls in COEFFICIENTS.items():
        parts += [anchor("coefficient", name), f"## {code(name)}", docstring(cls), parameters(cls)]
    parts += ["## What coefficients are averaged by", "The key `correlation.average_by`."]
    parts += _values("averages", "average-by")
    parts += ["## Sign", "The key `correlation.orientation`.", *_values("orientations", "orientation")]
    parts += ["## If undefined", "The key `correlation.undefined`.", *_values("undefined", "undefined")]
    return page("coefficients", *parts)


def test_pages() -> dict[str, str]:
    """Return the page of the tests between metrics, and of corrections."""
    parts = [
        "# Tests and corrections",
        (
            "`[[tests]]` of an experiment and `--test` of `metaeval compare` take these. [Reading the numbers]"
            "(../../reading-the-numbers.md) lists what the inference of each is to, [Calibration]"
            "(../../calibration.md) its Type I error and power."
        ),
    ]
    for name, entry in TESTS.items():
        axes = ", ".join(map(code, entry.axes))
        parts += [anchor("test", name), f"## {code(name)}", docstring(entry)]
        parts += [f"It compares two metrics over: {axes}. The first is the default of `over`.", parameters(entry)]
    parts += ["## Corrections for multiple comparisons", *_values("corrections", "correction")]
    return page("tests", *parts)


def interval_pages() -> dict[str, str]:
    """Return the page of the intervals."""
    return page(
        "intervals",
        "# Confidence intervals",
        "[Calibration](../../calibration.md) reports the coverage of each.",
        "## Methods",
        "The key `uncertainty.method`.",
        *_values("intervals", "interval"),
        "## Kinds of bootstrap interval",
        "The key `uncertainty.limits`.",
        *_values("limits", "limits"),
        "## What a replicate resamples",
        "The key `uncertainty.resample`.",
        *_values("resampled", "resample"),
    )


def figure_pages() -> dict[str, str]:
    """Return the page of the figures, with the keys that not all of them have, and that of the kinds of document."""
    named = {name: [item.name for item in dataclasses.fields(cls) if item.init] for name, cls in FIGURES.items()}
    shared = set.intersection(*map(set, named.values()))
    parts = []
    for name, cls in FIGURES.items():
        own = [_figure_key(item) for item in named[name] if item not in shared]
        parts += [anchor("figure", name), f"## {code(name)}", docstring(cls)]
        parts += [f"It also takes {', '.join(own)}."] if own else []
    every = ", ".join(_figure_key(item) for item in next(iter(named.values())) if item in shared)
    return page(
        "figures",
        "# Figures",
        "`[[figures]]` of an experiment; [Figures](../../figures.md) shows what each needs. "
        f"Every figure takes {every}.",
        *parts,
    ) | page(
        "documents",
        "# Documents",
        "The key `documents.kind`: the units that are scored and correlated.",
        "## Kinds",
        *_values("documents", "documents"),
    )


def _figure_key(name: str) -> str:
    return f"[{code(name)}](config/figures.md#{name_of('key', 'figures', name)})"


def preprocessing_pages() -> dict[str, str]:
    """Return the page of preprocessing and tokenizers."""
    parts = [
        "# Text preprocessing",
        (
            "Preprocessing is the treatment of the text before scoring. It takes a tokenizer; without one, white space "
            f"separates tokens, as in texts that were tokenized before. The default is `{DEFAULT_PREPROCESSING}`. "
            "The order is: lower-case, tokenize, stem. Metrics that read texts instead of tokens do their own "
            "preprocessing."
        ),
        "## Preprocessing",
    ]
    for name in PREPROCESSING:
        preprocessing = get_preprocessing(name)
        done = [
            word
            for word, does in (("lower-cased", preprocessing.lowercase), ("stemmed by Porter", preprocessing.stem))
            if does
        ]
        parts += [anchor("preprocessing", name), f"### {code(name)}", sentence(" and ".join(done) or "as the text is")]
        parts += [f"Signature: {code(str(preprocessing.signature))}"]
        parts += [f"- {escaped(str(find_source(key)))}" for key in preprocessing.sources]
    parts += ["## Tokenizers"]
    for name in TOKENIZERS:
        parts += [anchor("tokenizer", name), f"### {code(name)}", meaning("tokenizers", name)]
        parts += ["\n".join(f"- {escaped(str(find_source(key)))}" for key in tokenizer_sources(name))]
    return page("preprocessing", *parts)


def judgment_pages() -> dict[str, str]:
    """Return the page of rules and normalisations."""
    return page(
        "judgments",
        "# Judgments",
        "How several judgments become human scores. A judge is also called an annotator or rater.",
        "## Rules",
        "The key `judgments.rule`: how several judgments of an item are aggregated.",
        *_values("rules", "rule"),
        "## Normalisation",
        "The key `judgments.normalise`. `z` takes `ddof`: with 1 (the default) the divisor is the number of scores "
        "minus one, with 0 the number: `z(ddof=0)`. It is refused where judges and systems are "
        "[confounded](../../reading-the-numbers.md#rules-and-scales-of-judgments).",
        *_values("normalisations", "normalisation"),
    )


def format_pages() -> dict[str, str]:
    """Return a page for each format that can be read, and one that lists them."""
    rows, made = [], {}
    for name, reader in READERS.items():
        module = sys.modules[typing.cast(Any, reader).__module__]
        rows.append([f"[{code(name)}]({name}.md)", sentence(escaped(reader.title)), escaped(reader.expects)])
        made |= page(
            f"formats/{name}",
            anchor("format", name),
            f"# {code(name)}",
            sentence(escaped(reader.title)),
            f"Layout: {escaped(reader.expects)}.",
            restructured(inspect.getdoc(module) or ""),
            parameters(reader),
        )
    return made | page(
        "formats/index",
        "# Formats",
        "The values of `--source-format`, with parameters in brackets. Without it, the format is recognised "
        "automatically. [Corpora](../../../corpora.md) explains how files become a corpus.",
        table(["format", "what it is", "layout"], rows),
        contents(READERS),
    )


def corpus_pages() -> dict[str, str]:
    """Return the page of the built-in and public corpora."""
    heads = ("name", "systems", "segments", "references", "judges", "criteria", "licence", "origin")
    rows = [row for row in api.list_corpora() if row["name"] in known_corpora()]
    keys = [key for key in rows[0] if key not in ("on_disk",)] if rows else list(heads)
    cells = [[escaped(str(row[key])) for key in keys] for row in rows]
    return page(
        "corpora",
        "# Built-in and public corpora",
        "`metaeval corpus list` prints this table and shows which are on disk. [Corpora](../../corpora.md) describes "
        "where they come from, [Simulated corpora](../../simulation.md) how those are generated.",
        table([key.replace("_", " ") for key in keys], cells),
    )
