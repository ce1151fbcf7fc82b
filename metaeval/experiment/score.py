"""Scores of texts: preprocess, score, pool; without human judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from metaeval import kernels
from metaeval.datamodel.corpus import Corpus, FloatArray, TreatedTexts
from metaeval.datamodel.pooling import Statistics, pool, whole
from metaeval.errors import MetricError, UsageError, unknown
from metaeval.experiment.write_scores import write_scores
from metaeval.metrics import AnyMetric
from metaeval.metrics.contract import measure, unfinished
from metaeval.metrics.selection import NamedMetric, check_texts, expanded, named_metrics, of_whole_systems
from metaeval.metrics.text_metric import TextMetric
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import Named
from metaeval.report.scores import scores_text
from metaeval.report.tables import WIDTH, SummaryTable
from metaeval.report.tabular import Noted, Tabular
from metaeval.sampling.references import ReferenceSubset, count_references
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import Preprocessing

if TYPE_CHECKING:
    import pandas as pd

LEVELS = ("segment", "corpus")
# Segments that a metric scores in one call.
_BATCH_SEGMENTS = 1 << 14


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabular):
    """The scores of one metric.

    The arrays cannot be written to; copy them to change them.

    Attributes
    ----------
    metric : str
        Its name, as the user wrote it.
    signature : Signature
        All that determined the scores of the given texts; ``str(signature)`` is what to print.
    level : {"segment", "corpus"}
        Whether each segment has a score, or each text as a whole.
    candidates : tuple of str
        Names of the scored texts, or systems.
    values : (candidates, units) float array
        The scores, in the units and the direction of the metric. A unit is a segment, in their order, or the whole
        corpus. ``nan`` where a segment of a corpus cannot be scored.
    statistic_names : tuple of str
        What the metric counts.
    statistics : (candidates, units, statistics) float array
        What the scores were computed from, added over the segments of a unit.
    preprocessing : str
        How the texts were preprocessed; "" if the metric reads texts itself.
    notes : tuple of str
        What can mislead a reader of the scores.
    printed_times : int
        The factor by which scores are usually printed: 100 for BLEU, TER, WER and PER.
    """

    metric: str
    signature: Signature
    level: str
    candidates: tuple[str, ...]
    values: FloatArray
    statistic_names: tuple[str, ...]
    statistics: FloatArray
    preprocessing: str = ""
    notes: tuple[str, ...] = ()
    printed_times: int = 1

    def __post_init__(self) -> None:
        self.values.setflags(write=False)
        self.statistics.setflags(write=False)

    def rows(self, *, statistics: bool = False, signature: bool = False) -> Iterator[dict[str, object]]:
        """Yield a row for each score.

        Parameters
        ----------
        statistics : bool, default False
            Whether to add a column for each statistic.
        signature : bool, default False
            Whether to add the signature.

        Yields
        ------
        dict of str to object
            ``candidate`` if there are several, ``metric``, ``preprocessing``, ``segment`` (its number, from 1) if by
            segment, ``score``.
        """
        for position, candidate in enumerate(self.candidates):
            for unit, value in enumerate(self.values[position].tolist()):
                row: dict[str, object] = {"candidate": candidate} if len(self.candidates) > 1 else {}
                row |= {"metric": self.metric, "preprocessing": self.preprocessing}
                if self.level == "segment":
                    row["segment"] = unit + 1
                row["score"] = value
                if statistics:
                    numbers = self.statistics[position, unit].tolist()
                    row |= {name: _whole(n) for name, n in zip(self.statistic_names, numbers, strict=True)}
                if signature:
                    row["signature"] = str(self.signature)
                yield row

    def to_frame(self, *, statistics: bool = False) -> pd.DataFrame:
        """Return the scores as a new data frame, a row a score.

        Parameters
        ----------
        statistics : bool, default False
            Whether to add a column of floats for each statistic.

        Returns
        -------
        DataFrame
            Columns ``candidate``, ``metric``, ``preprocessing`` (text), ``segment`` (Int64; its number from 1, missing
            for a whole corpus), ``score`` (float), ``signature`` (text).
        """
        import pandas as pd  # slow to import

        n_units = self.values.shape[1]
        numbers = range(1, n_units + 1) if self.level == "segment" else [None]
        columns: dict[str, object] = {
            "candidate": np.repeat(np.array(self.candidates, dtype=object), n_units),
            "metric": self.metric,
            "preprocessing": self.preprocessing,
            "segment": pd.array([*numbers] * len(self.candidates), dtype="Int64"),
            "score": self.values.ravel(),
            "signature": str(self.signature),
        }
        if statistics:
            flat = self.statistics.reshape(-1, len(self.statistic_names))
            columns |= {name: flat[:, number] for number, name in enumerate(self.statistic_names)}
        return pd.DataFrame(columns)

    def _tables_for_people(self) -> list[SummaryTable]:
        return ScoreTable((self,))._tables_for_people()

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.values.shape))
        return f"Scores({self.metric!r}, level={self.level!r}, values={shape})"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Noted, Sequence[Scores]):
    """The scores of several metrics for the same texts.

    It is a sequence, so that ``(bleu,) = score("bleu", ...)`` unpacks it; ``table["bleu"]`` finds a metric by its name.

    Attributes
    ----------
    scores : tuple of Scores
        One for each metric, in the order in which they were named.
    warnings : tuple of str
        What can mislead a reader of the scores: what is unusual in the texts, the notes of each metric, and failures.
    failures : tuple of str
        Of metrics that have no scores here because they failed.
    corpus : str
        The corpus whose systems were scored, in words; "" of plain texts.
    """

    scores: tuple[Scores, ...]
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    corpus: str = ""

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, key: int | str) -> Scores: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Scores, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Scores | tuple[Scores, ...]:
        if not isinstance(key, str):
            return self.scores[key]
        by_name = {scores.metric: scores for scores in self.scores}
        if key not in by_name:
            raise UsageError(unknown("metric of these scores", key, by_name, "metrics"))
        return by_name[key]

    def to_frame(self) -> pd.DataFrame:
        """Return all scores as a new data frame, a row a score.

        Returns
        -------
        DataFrame
            The columns of :meth:`Scores.to_frame`.
        """
        import pandas as pd  # slow to import

        return pd.concat([scores.to_frame() for scores in self.scores], ignore_index=True)

    def _tables_for_people(self) -> list[SummaryTable]:
        rows: list[dict[str, object]] = []
        first = self.scores[0]
        for position, candidate in enumerate(first.candidates):
            for unit in range(first.values.shape[1]):
                row: dict[str, object] = {"candidate": candidate}
                if first.level == "segment":
                    row["segment"] = unit + 1
                rows.append(row | {scores.metric: float(scores.values[position, unit]) for scores in self.scores})
        of = f" of {self.corpus}" if self.corpus else ""
        by = "".join(f", {name}" for name in dict.fromkeys(scores.preprocessing for scores in self.scores) if name)
        return [SummaryTable(f"Scores{of}, level {first.level}{by}", rows)]

    def text(self, width: int = WIDTH, scale: str = "field") -> str:
        """Return the scores as the command line shows them.

        Parameters
        ----------
        width : int, default 120
            Letters of a line.
        scale : {"field", "raw"}, default "field"
            The field's scale, on which sacreBLEU prints BLEU, TER and chrF, or that of the metric.

        Returns
        -------
        str
            A row for each candidate; the head of a column says what its scores were multiplied by.
        """
        (table,) = self._tables_for_people()
        times = {scores.metric: scores.printed_times for scores in self.scores}
        return scores_text(table, times, width, of_files=not self.corpus, raw=scale == "raw")

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"ScoreTable({', '.join(repr(scores.metric) for scores in self.scores)}{failed})"


def score_texts(
    metrics: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str | None]],
    preprocessing: Preprocessing,
    level: str,
    memory: int | None = None,
) -> ScoreTable:
    """Score texts against references, with each metric.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters.
    candidates, references : mapping of str to sequence of str
        Texts by name, a text for each segment; None is an absent reference.
    preprocessing : Preprocessing
        How the texts are preprocessed, for metrics that read tokens.
    level : {"segment", "corpus"}
        Whether each segment gets a score, or each text as a whole.
    memory : int, optional
        About how many bytes may be taken beside texts and statistics.

    Returns
    -------
    ScoreTable
        One :class:`Scores` for each metric that did not fail.

    Raises
    ------
    UsageError
        If a metric is unknown or named twice, the level is neither of these, or there is nothing to compare.
    MetricError
        If every metric fails; if some do, the others have scores.
    """
    named = _named(metrics, level, preprocessing)
    lengths = {len(texts) for texts in (*candidates.values(), *references.values())}
    if not candidates or not references or len(lengths) != 1 or lengths == {0}:
        raise UsageError(
            "`candidates` and `references` must hold texts of equally many segments, at least one; got "
            f"{', '.join(map(str, sorted(lengths))) or 'none'}."
        )
    texts = Corpus.of_texts(candidates, references)
    without = np.flatnonzero(count_references(texts, ReferenceSubset(tuple(references))) == 0)
    if len(without):
        raise UsageError(f'segment {without[0] + 1} has no reference; an empty one is "", an absent one None.')
    treated = treat(preprocessing, texts.candidates, texts.references)
    table = _Texts(texts, treated, {"nrefs": len(references)}, memory).table(named, level)
    return replace(table, warnings=(*preprocessing.notes, *table.warnings))


def score_corpus(
    metrics: Sequence[str],
    corpus: Corpus,
    references: Sequence[str],
    preprocessing: Preprocessing,
    level: str,
    output: Path | None = None,
    *,
    memory: int | None = None,
) -> ScoreTable:
    """Score the systems of a corpus against some of its references, with each metric.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters.
    corpus : Corpus
        The corpus to score. Signatures have its digest, which is that of the files it was read from: change it too if
        you change texts in memory.
    references : sequence of str
        Names of references of the corpus; all of them unless some are named.
    preprocessing : Preprocessing
        How the texts are preprocessed, for metrics that read tokens.
    level : {"segment", "corpus"}
        Whether each segment gets a score, or each system as a whole.
    output : Path, optional
        A file to write the scores of both levels to.
    memory : int, optional
        About how many bytes may be taken beside texts and statistics.

    Returns
    -------
    ScoreTable
        One :class:`Scores` for each metric that did not fail.

    Raises
    ------
    UsageError
        If a metric or reference is unknown, a metric is named twice, the level is neither of these, no segment can be
        scored, or the file cannot be written.
    CorpusError
        If scores that a metric reads from a file do not fit the corpus.
    MetricError
        If every metric fails; if some do, the others have scores.
    """
    from metaeval.report.phrases import corpus_words  # slow to import

    named = _named(metrics, level, preprocessing)
    for name in references:
        if name not in corpus.references:
            raise UsageError(f"corpus {corpus.name!r}: {unknown('reference', name, corpus.references)}")
    named, notes = expanded(corpus, named)
    check_texts(corpus, named)
    chosen = tuple(dict.fromkeys(references)) or tuple(corpus.references)
    items = {**dict(corpus.signature_items), "refs": ReferenceSubset(chosen)}
    treated = treat(preprocessing, corpus.candidates, {name: corpus.references[name] for name in chosen})
    texts = _Texts(corpus, treated, items, memory)
    table = texts.table(named, level)
    if output is not None:
        notes = [*notes, *_write_both_levels(output, texts, named, level)]
    words = corpus_words(corpus.name, simulated=corpus.is_simulated)
    return replace(table, warnings=(*notes, *preprocessing.notes, *table.warnings), corpus=words)


def _write_both_levels(output: Path, texts: _Texts, named: Sequence[NamedMetric], level: str) -> list[str]:
    """Write the scores of both levels, and return a note on each metric that fails at the level not asked for."""
    scores_by_level = {}
    notes = []
    for each_level in LEVELS:
        scores_by_level[each_level], failures = texts.each(named, each_level)
        if each_level != level:
            notes = [f"not in {output} at level {each_level}: {failure}" for failure in failures]
    write_scores(output, texts.corpus, scores_by_level["corpus"], scores_by_level["segment"])
    return notes


def _named(metrics: Sequence[str], level: str, preprocessing: Preprocessing) -> Sequence[NamedMetric]:
    if level not in LEVELS:
        raise UsageError(f"`level` must be segment or corpus; got {level!r}.")
    if not metrics:
        raise UsageError("`metrics` must name at least one metric; got none.")
    return named_metrics(metrics, [preprocessing.written])


@dataclass(frozen=True)
class _Texts:
    """The texts to score, and the statistics of metrics so far.

    Attributes
    ----------
    corpus : Corpus
    treated : TreatedTexts
    items : mapping of str to object
        The items of signatures that describe the texts.
    memory : int or None
        About how many bytes may be taken beside these and the statistics.
    measured : dict
        The statistics of each metric, which measures once for all levels.
    """

    corpus: Corpus
    treated: TreatedTexts
    items: Mapping[str, object]
    memory: int | None = None
    measured: dict[AnyMetric, Statistics] = field(default_factory=dict)

    def table(self, named: Sequence[NamedMetric], level: str) -> ScoreTable:
        """Return the scores of metrics; raise MetricError if all of them fail."""
        scores, failures = self.each(named, level)
        if not scores:
            first = failures[0]
            raise first if len(failures) == 1 else MetricError("\n".join(map(str, failures))) from first
        messages: list[str] = []
        for scores_of_metric in scores:
            early = unfinished(scores_of_metric.statistic_names, scores_of_metric.statistics, "segment(s)")
            messages.extend(f"{scores_of_metric.metric}: {sentence}" for sentence in (*scores_of_metric.notes, *early))
        left_out = tuple(f"left out: {failure}" for failure in failures)
        warnings = (*filter(None, [kernels.missing()]), *left_out, *messages)
        return ScoreTable(tuple(scores), warnings, left_out)

    def each(self, named: Sequence[NamedMetric], level: str) -> tuple[list[Scores], list[MetricError]]:
        """Return the scores of the metrics that did not fail, and the errors of the others."""
        scores = list[Scores]()
        failures = list[MetricError]()
        for item in named:
            try:
                scores.append(self._scores(item, level))
            except MetricError as error:
                failures.append(error)
        return scores, failures

    def _scores(self, item: NamedMetric, level: str) -> Scores:
        corpus = self.corpus
        treated = self.treated
        measured = self.measured
        metric = item.kind
        treatment = treated.preprocessing
        notes: list[str] = []
        if isinstance(metric, TextMetric):
            from metaeval.sampling.documents import Single, Whole  # slow to import

            metric = metric.at_level(corpus, whole=level == "corpus")
            of_whole_systems(corpus, [Named(item.written, metric)], Single() if level == "segment" else Whole())
            if metric not in measured:
                values = metric.measure(corpus, tuple(treated.references))
                measured[metric] = Statistics.of_values(values, metric.statistic_names)
            notes.extend(metric.notes(corpus))
            treatment = Signature("")
        elif metric not in measured:
            references = list(treated.references.values())
            measured[metric] = measure(metric, treated.candidates, references, self.memory)
        statistics = measured[metric]
        n_systems, n_units, n_statistics = statistics.values.shape
        scorable = np.flatnonzero(~np.isnan(statistics.values).any(axis=(0, 2)))
        if not len(scorable):
            raise UsageError(
                f"metric {item.written!r}: no segment of {corpus.name!r} has an output of every system and a reference."
            )
        if len(scorable) < n_units:
            notes.append(
                f"{n_units - len(scorable)} of {n_units} segments were left out: a system has no output, there is no "
                "reference, or the metric has no score."
            )
        if level == "corpus":
            pooled = pool(statistics.values, whole(len(scorable)), scorable).transpose(1, 0, 2)
            values = metric.score(pooled)
        else:
            pooled = statistics.values
            values = np.full((n_systems, n_units), np.nan)
            if len(scorable) < n_units:
                pooled = np.full((n_systems, n_units, n_statistics), np.nan)
                pooled[:, scorable] = statistics.values[:, scorable]
            for start in range(0, len(scorable), _BATCH_SEGMENTS):
                rows = scorable[start : start + _BATCH_SEGMENTS]
                values[:, rows] = metric.score(pooled[:, rows])
        signature = metric.signature.with_pairs(treatment.items).with_items(**self.items)
        of_texts = (pooled, treatment.name, tuple(notes), getattr(metric, "printed_times", 1))
        return Scores(item.written, signature, level, corpus.systems, values, statistics.names, *of_texts)


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number
