"""The verbs that list, describe and check metrics."""

import dataclasses
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from metaeval.api.shared import Preprocessing, Steps
from metaeval.api.verbs import Argument, verb
from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.parameters import fields as parameters
from metaeval.parameters.arguments import path_of
from metaeval.runtime.progress import silent

if TYPE_CHECKING:
    from metaeval.datamodel.corpus import Corpus
    from metaeval.report.conformance import MetricReport


class MetricRow(TypedDict):
    """A metric, as :func:`list_metrics` returns it.

    Attributes
    ----------
    name : str
        As it is written: ``bleu``.
    title : str
        As it may be printed: ``BLEU``; empty if the metric is not loaded.
    better : str
        ``higher``, ``lower``, or empty if that is not known.
    parameters : str
        The names of its parameters, with commas.
    package : str
        Which package has it, and its version.
    """

    name: str
    title: str
    better: str
    parameters: str
    package: str


class ParameterRow(TypedDict):
    """A parameter of a metric, as :func:`describe_metric` returns it.

    Attributes
    ----------
    parameter : str
        Its name.
    default : str
        The value if none is given, as Python writes it; empty if one must be given.
    allowed : str
        The values that are allowed, with commas; empty if they cannot be listed.
    meaning : str
        What it means.
    """

    parameter: str
    default: str
    allowed: str
    meaning: str


def list_metrics() -> list[MetricRow]:
    """Return a row for each metric that is known by name.

    Metrics of installed packages are not loaded, so their title, direction and parameters are empty. For ``scores``,
    ``precomputed`` and ``program``, the direction is a parameter, and the title depends on what is named.

    Returns
    -------
    list of MetricRow
        Dicts with the keys ``name``, ``title``, ``better``, ``parameters`` and ``package``.

    Examples
    --------
    >>> [row["name"] for row in list_metrics() if row["better"] == "lower"]
    ['per', 'sacrebleu-ter', 'ter', 'wer']
    """
    from metaeval.components.registries import METRICS, METRICS_WITH_INPUT
    from metaeval.metrics.naming import installed
    from metaeval.version import VERSION

    package = f"metaeval {VERSION}"
    rows = []
    for name, metric in [*METRICS.items(), *METRICS_WITH_INPUT.items()]:
        title = (metric.__doc__ or "").strip().partition(":")[0].rstrip(".")
        better = ""
        if name in METRICS:
            title = str(metric.title)
            better = "higher" if metric.higher_is_better else "lower"
        named = ", ".join(item.name for item in parameters.describe(metric))
        rows.append(MetricRow(name=name, title=title, better=better, parameters=named, package=package))
    others = [MetricRow(name=name, title="", better="", parameters="", package=of) for name, of in installed().items()]
    return rows + others


Name = Annotated[
    str,
    Argument(
        "METRIC",
        complete="metrics own_metrics",
        doc='a metric with or without parameters, such as bleu, "bleu(order=2)" or my_metric.py:score',
    ),
]


@verb
def describe_metric(name: Name) -> tuple[dict[str, str], list[ParameterRow]]:
    """Describe a metric, with a row for each parameter.

    Returns
    -------
    facts : dict of str to str
        ``metric`` (its title), ``is`` (a description), ``better`` (``higher`` or ``lower``), ``signature``,
        ``statistics``, ``computed`` (how, in words) and ``source``. A metric that is nothing without a parameter, such
        as the file that `scores` reads, has only ``metric`` and ``is`` until the parameter is given.
    parameters : list of ParameterRow
        Dicts with the keys ``parameter``, ``default``, ``allowed`` and ``meaning``.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown.
    MetricError
        If the code of a plug-in cannot be loaded.

    Examples
    --------
    >>> facts, _ = describe_metric("wer")
    >>> facts["better"], facts["statistics"]
    ('lower', 'edits, reference_length')
    """
    from metaeval.bibliography import find_source
    from metaeval.components.registries import METRICS_WITH_INPUT
    from metaeval.metrics import docstring_of, get_metric, parameters_of

    if name in METRICS_WITH_INPUT:  # without its parameter it has no signature
        facts_of_input = {"metric": name, "is": inspect.cleandoc(METRICS_WITH_INPUT[name].__doc__ or "")}
        return facts_of_input, _rows(parameters.describe(METRICS_WITH_INPUT[name]))
    metric = get_metric(name)
    facts = {
        "metric": metric.title,
        "is": inspect.cleandoc(docstring_of(metric)),
        "better": "higher" if metric.higher_is_better else "lower",
        "signature": str(metric.signature),
        "statistics": ", ".join(metric.statistic_names),
        "computed": metric.described,
        "source": "; ".join(str(find_source(key)).rstrip(".") for key in metric.sources),
    }
    return facts, _rows(parameters_of(metric))


def _rows(described: Sequence[parameters.Description]) -> list[ParameterRow]:
    return [
        ParameterRow(
            parameter=item.name,
            default="" if item.default is dataclasses.MISSING else repr(item.default),
            allowed=", ".join(map(str, item.choices or ())),
            meaning=item.doc,
        )
        for item in described
    ]


@verb
def check_metric(
    name: Name,
    corpus: Annotated["str | Path | Corpus | None", Argument("NAME|DIR", "--corpus", "corpora directories")] = None,
    *,
    preprocessing: Preprocessing = DEFAULT_PREPROCESSING,
    progress: Steps = silent,
) -> "MetricReport":
    """Check a new metric on difficult texts: whether it does what metaeval and its users rely on.

    It is tried on small texts with all that is rare and happens: empty ones, one token, other scripts, an absent
    reference. Each finding is ``ok``, something to ``note``, or ``fails``, with an example that shows it.

    Parameters
    ----------
    corpus
        A corpus, by name or directory, whose first thirty segments of the first four systems are tried too.

    Returns
    -------
    MetricReport
        Its findings, `failures`, `rows` and ``text()``.

    Raises
    ------
    UsageError
        If the metric is unknown, or stands for scores that were computed before.
    CorpusError
        If the files of the corpus are wrong.
    MetricError
        If the code of a plug-in cannot be loaded.

    Examples
    --------
    >>> check_metric("wer").failures
    ()
    """
    from metaeval.conformance import run
    from metaeval.datamodel.corpus import Corpus
    from metaeval.metrics import get_metric
    from metaeval.report.conformance import MetricReport

    if corpus is not None and not isinstance(corpus, Corpus):
        from metaeval.corpora.catalogue import load_corpus

        corpus = load_corpus(path_of("corpus", corpus, must="a corpus, its name or its directory"))
    metric = get_metric(name)
    findings = run.check_metric(name, metric, corpus, preprocessing, progress)
    better = "higher" if metric.higher_is_better else "lower"
    return MetricReport(name, str(metric.signature), better, findings)
