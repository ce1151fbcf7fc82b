"""Metrics as an experiment names them, and what they need of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from metaeval.datamodel.corpus import CONSTANT, Corpus
from metaeval.errors import MetricError, UsageError, counted, listing
from metaeval.metrics import AnyMetric, get_metric, is_metric
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.fields import Named
from metaeval.parameters.named_objects import written_of

if TYPE_CHECKING:
    from metaeval.components.documents import DocumentUnits

NamedMetric: TypeAlias = Named[AnyMetric]
# What the name of a metric has behind it that takes no references, as in tables of shared tasks.
NO_REFERENCE = "[noref]"


def named_metrics(names: Sequence[str | NamedMetric], preprocessing: Sequence[str] = ()) -> tuple[NamedMetric, ...]:
    """Return the metrics of an experiment, as tables and figures call them.

    One that has a label is called by it, unless that could mean another metric.

    Raises
    ------
    UsageError
        If a name is wrong or stands twice, two names mean the same metric, or one is a signature that says another
        preprocessing.
    """
    by_signature: dict[str, NamedMetric] = {}
    for name_or_metric in names:
        named = (
            Named(written_of(name_or_metric), get_metric(name_or_metric))
            if isinstance(name_or_metric, str)
            else name_or_metric
        )
        name, signature = named.written, str(named.kind.signature)
        if stated := getattr(named.kind, "stated", None):
            stated.check_preprocessing(preprocessing)
        _check_constant(name)
        if signature in by_signature:
            other = by_signature[signature].written
            if other == name:
                raise UsageError(f"the metric {name!r} is named twice; name it once.")
            raise UsageError(f"{other!r} and {name!r} are the same metric, {signature}; name it once.")
        by_signature[signature] = named
    labels = {named: named.kind.label for named in by_signature.values() if isinstance(named.kind, TextMetric)}
    taken = Counter([*labels.values(), *(named.written for named in by_signature.values())])
    return tuple(
        replace(named, written=label)
        if (label := labels.get(named)) and label != CONSTANT and taken[label] == 1 and not is_metric(label)
        else named
        for named in by_signature.values()
    )


def _check_constant(name: str) -> None:
    if name == CONSTANT:
        raise UsageError(f"the name {name!r} is that of a constant metric beside yours; give your metric another.")


def expanded(
    corpus: Corpus,
    metrics: Sequence[NamedMetric],
    *,
    several: bool = False,
    references: Sequence[str] | None = None,
    short: bool = False,
) -> tuple[list[NamedMetric], list[str]]:
    """Return the metrics on a corpus, each that a pattern or a directory stands for by its own name, and notes.

    Parameters
    ----------
    corpus : Corpus
    metrics : sequence of NamedMetric
    several : bool
        Whether it is one of several corpora: what another has need not be here, where there are other metrics.
    references : sequence of str, optional
        Where references are named, a pattern stands for no scores that were computed with others.
    short : bool
        Whether scores that came with the corpus are called by the name that their variants share: ``BLEU``, and
        ``qe[noref]`` without references.

    Raises
    ------
    UsageError
        If one stands for none, two have the same short name, or one that of a constant metric.
    CorpusError
        If a file of scores is wrong.
    """
    chosen, notes = list[NamedMetric](), list[str]()
    known = {str(metric.kind.signature) for metric in metrics}
    for named in metrics:
        own_notes = list[str]()
        try:
            parts = named.kind.metrics_in(corpus, own_notes) if isinstance(named.kind, TextMetric) else None
        except UsageError as error:
            if not several or len(metrics) == 1:
                raise
            notes.append(str(error))
            continue
        if parts is None:
            chosen.append(named)
            continue
        others = [name for name, kind in parts.items() if not _is_with(kind, corpus, references)]
        if others:
            names = ", ".join(bare_name(Named(name, parts[name])) for name in others)
            notes.append(
                f"{counted(len(others), 'metric was', 'metrics were')} left out, because other references than "
                f"{listing(references or ())} were used for the scores: {names}."
            )
        for name, kind in parts.items():
            if name in others:
                continue
            if (signature := str(kind.signature)) in known:
                own_notes.append(f"{name} is named already, by itself or as a file of the same name and content.")
            else:
                known.add(signature)
                chosen.append(Named[AnyMetric](name, kind))
        notes += [f"{named.written}: {note}" for note in own_notes]
    return _shortened(corpus, chosen) if short else chosen, notes


def bare_name(metric: NamedMetric) -> str:
    """Return the name of a metric in a sentence: ``COMET`` for ``precomputed:COMET(system="stored")``."""
    name = getattr(metric.kind, "name", "")
    return name if isinstance(name, str) and metric.written.startswith("precomputed:") else metric.written


def _is_with(metric: TextMetric, corpus: Corpus, references: Sequence[str] | None) -> bool:
    """Return whether scores were computed with none but some references, as far as that is known."""
    _, used = metric.variant(corpus) or ("", None)
    return references is None or used is None or set(used) <= set(references)


def _shortened(corpus: Corpus, metrics: Sequence[NamedMetric]) -> list[NamedMetric]:
    """Return metrics by the names that their variants share.

    Raises
    ------
    UsageError
        If two have the same, or one that of a constant metric.
    """
    by_name = dict[str, NamedMetric]()
    for named in metrics:
        variant = named.kind.variant(corpus) if isinstance(named.kind, TextMetric) else None
        base, used = variant or (named.written, None)
        name = f"{base}{NO_REFERENCE}" if used == () else base
        _check_constant(name)
        if name in by_name:
            raise UsageError(
                f"corpus {corpus.name!r}: {by_name[name].written!r} and {named.written!r} are both called {name!r}; "
                f'choose one by its references, as in `references.names` = ["{used[0] if used else ""}"], or name the '
                "metrics one by one."
            )
        by_name[name] = named
    return [replace(named, written=name) for name, named in by_name.items()]


def check_texts(corpus: Corpus, metrics: Sequence[NamedMetric]) -> None:
    """Check that no metric needs texts, or references, where a corpus has none.

    Raises
    ------
    UsageError
        If some do; the message names them.
    """
    if not corpus.has_texts:
        of_texts = [
            named.written for named in metrics if not isinstance(named.kind, TextMetric) or named.kind.needs_texts
        ]
        if of_texts:
            corpus.check_texts(f"metric{'s' * (len(of_texts) > 1)} {listing(of_texts)}")
    needing = [
        named.written for named in metrics if not isinstance(named.kind, TextMetric) or named.kind.uses_references
    ]
    if needing and not corpus.references:
        raise UsageError(
            f"corpus {corpus.name!r} has no references, which {listing(needing)} must be compared with. Take metrics "
            "that read none: scores:FILE, precomputed:NAME, or a function of the candidate or of candidate and "
            "source; or add references/NAME.txt."
        )


def of_whole_systems(corpus: Corpus, metrics: Sequence[NamedMetric], documents: DocumentUnits) -> list[NamedMetric]:
    """Return the metrics that have scores of whole systems alone, where parts of the corpus are scored.

    Raises
    ------
    MetricError
        If all have.
    """
    system_metrics = [
        named
        for named in metrics
        if not documents.is_whole and isinstance(named.kind, TextMetric) and named.kind.of_whole_systems(corpus)
    ]
    if system_metrics and len(system_metrics) == len(metrics):
        names = listing(named.written for named in system_metrics)
        raise MetricError(
            f"corpus {corpus.name!r}: {names} have scores of whole systems alone, which need `documents.kind` = 'all' "
            f"(level 'system' of compare); got {documents.name!r}. A function scores segments if it returns a list, a "
            "number for each, and has no attribute `level`."
        )
    return system_metrics


def at_level(corpus: Corpus, metrics: Sequence[NamedMetric], documents: DocumentUnits) -> list[NamedMetric]:
    """Return the metrics that score a corpus: some have system-level scores for documents of the kind ``all``."""
    return [
        replace(named, kind=named.kind.at_level(corpus, whole=documents.is_whole))
        if isinstance(named.kind, TextMetric)
        else named
        for named in metrics
    ]
