"""How well the judges of a corpus agree: the tables of ``metaeval agreement``."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import UsageError, unknown
from metaeval.experiments.criterion_agreement import AgreementSettings, CriterionAgreement
from metaeval.experiments.judges_left_out import metrics_without_judges
from metaeval.records import Corpus
from metaeval.report.agreement import agreement_summary, agreement_text

Row = dict[str, Any]


@dataclass(frozen=True)
class Agreement:
    """How well the judges of a corpus agree.

    Attributes
    ----------
    corpus : str
    tables : mapping of str to list of rows
        By the names of `TABLES`; without those that have no row.
    messages : tuple of str
        What a reader of the numbers must know.
    settings : AgreementSettings
    """

    corpus: str
    tables: dict[str, list[Row]]
    messages: tuple[str, ...]
    settings: AgreementSettings

    def text(self, form: str = "table", tables: Sequence[str] = ()) -> str:
        """Return tables as text.

        Parameters
        ----------
        form : "table", "tsv" or "json"
            For people, with words around them; or for programs.
        tables : sequence of str
            Of `TABLES`, to be shown whole; if none are given, all there are, and for people long ones are cut.

        Raises
        ------
        UsageError
            If a table is unknown, or there is none of this name because what it needs is missing.
        """
        for name in tables:
            if name not in TABLES:
                raise UsageError(unknown("table", name, TABLES))
            if name not in self.tables:
                why = "no metric was named" if name == "metrics" else "; ".join(self.messages) or "it would be empty"
                raise UsageError(f"corpus {self.corpus!r}: there is no table {name!r}, because {why.rstrip('.')}.")
        chosen = {name: rows for name, rows in self.tables.items() if not tables or name in tables}
        if form == "table":
            return agreement_summary(chosen, vars(self.settings), full=bool(tables))
        return agreement_text(chosen, form)


TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics")


def agreement(
    corpus: str | Path | Corpus,
    *,
    criteria: Sequence[str] = (),
    judges: Sequence[str] = (),
    metrics: Sequence[str] = (),
    n_resamples: int = 1000,
    n_draws: int = 100,
    min_shared: int = 10,
    confidence_level: float = 0.95,
    seed: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> Agreement:
    """Measure how well the judges of a corpus agree.

    Parameters
    ----------
    corpus : str, Path or Corpus
        A name or a directory, or a corpus that was loaded.
    criteria : sequence of str
        All that are judged if none are given.
    judges : sequence of str
        Names, or patterns such as ``expert*``; all if none are given.
    metrics : sequence of str
        Also see what the order of these metrics owes to single judges.
    n_resamples : int, default 1000
        Bootstrap replicates of the segments.
    n_draws : int, default 100
        How often the judgments of each item are split at random, for the noise ceiling.
    min_shared : int, default 10
        Items that two judges must share to be compared.
    confidence_level : float, default 0.95
    seed : int, default 1
        All chance comes from it.
    progress : callable, optional
        Told a line at the beginning of each stage, and what is remarkable in the files.

    Returns
    -------
    Agreement
        Tables, by their names, and what a reader of them must know.

    Raises
    ------
    UsageError
        If a name is unknown, a number is out of range, or the corpus has no judgments.
    CorpusError
        If the files of the corpus are wrong.
    """
    settings = AgreementSettings(n_resamples, n_draws, min_shared, confidence_level, seed)
    if isinstance(corpus, str | Path):
        corpus, warnings = read_corpus(corpus)
        for warning in warnings:
            progress(warning)
    # One name alone is a list of one, never of its letters.
    criteria, judges, metrics = ([one] if isinstance(one, str) else one for one in (criteria, judges, metrics))
    positions = _chosen_criteria(corpus, criteria)
    names = _chosen_judges(corpus, judges)
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    # What several criteria have in common is said once.
    told: dict[str, list[str]] = {}
    chosen = np.isin(corpus.judgments.judges, names)
    for position in positions:
        criterion = corpus.criteria[position]
        rows = corpus.judgments.where((corpus.judgments.criterion == position) & chosen[corpus.judgments.judge])
        if not len(rows):
            told.setdefault("there is no judgment by any of these judges.", []).append(criterion.name)
            continue
        progress(f"judge    {criterion.name}: {len(rows)} judgments")
        one = CriterionAgreement(corpus, criterion, rows, settings)
        for name, found in one.tables().items():
            tables[name].extend({"criterion": criterion.name, **row} for row in found)
        for message in one.messages():
            told.setdefault(message, []).append(criterion.name)
    messages = [f"{corpus.name}, {', '.join(names_of)}: {message}" for message, names_of in told.items()]
    if metrics:
        tables["metrics"], of_metrics = metrics_without_judges(corpus, positions, names, metrics, progress)
        messages.extend(dict.fromkeys(of_metrics))
    return Agreement(corpus.name, {name: rows for name, rows in tables.items() if rows}, tuple(messages), settings)


def _chosen_criteria(corpus: Corpus, names: Sequence[str]) -> list[int]:
    if not len(corpus.judgments):
        raise UsageError(
            f"the corpus {corpus.name!r} has no judgments, so there is no agreement to measure; add judgments.tsv "
            "(columns segment, system, judge, criterion, score)."
        )
    known = [criterion.name for criterion in corpus.criteria]
    for name in names:
        if name not in known:
            raise UsageError(f"corpus {corpus.name!r}: {unknown('criterion', name, known, 'criteria')}")
    judged = [position for position in range(len(known)) if (corpus.judgments.criterion == position).any()]
    return [position for position in judged if not names or known[position] in names]


def _chosen_judges(corpus: Corpus, patterns: Sequence[str]) -> list[str]:
    known = corpus.judgments.judges
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name in known):
            raise UsageError(f"corpus {corpus.name!r}: {unknown('judge', pattern, known)}")
    return [name for name in known if not patterns or any(fnmatch.fnmatchcase(name, one) for one in patterns)]
