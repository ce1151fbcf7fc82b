"""How well the judges of a corpus agree: the tables of ``metaeval agreement``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from metaeval import arguments
from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import UsageError, listing, unknown
from metaeval.experiment.humans import group_notes
from metaeval.inter_annotator.criterion import AgreementSettings, CriterionAgreement
from metaeval.inter_annotator.left_out import metrics_without_judges
from metaeval.judgments.groups import choose_judges
from metaeval.metrics.named import named_metrics
from metaeval.progress import Progress, Step, silent
from metaeval.records import Corpus
from metaeval.report.agreement import agreement_summary, agreement_text
from metaeval.report.summary import SummaryTable
from metaeval.report.tabular import Tabular
from metaeval.report.words import SIMULATED

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabular):
    """How well the judges of a corpus agree.

    Attributes
    ----------
    corpus : str
        Its name.
    tables : mapping of str to tuple of rows
        By their names, without those that have no row: ``design`` (who judged what), ``alpha`` (Krippendorff's alpha),
        ``ceiling`` (the noise ceiling), ``pair-means`` and ``pairs`` (of judges), ``judges``, ``systems``, and
        ``metrics`` (what their order owes to single judges).
    warnings : tuple of str
        What a reader of the numbers must know.
    settings : AgreementSettings
        What the tables rest on: numbers of replicates and draws, level of the intervals, seed.
    simulated : bool
        Whether the corpus is simulated, so that no number is evidence; also in each row of ``design``.

    References
    ----------
    Klaus Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """

    corpus: str
    tables: Mapping[str, tuple[Row, ...]]
    warnings: tuple[str, ...]
    settings: AgreementSettings
    simulated: bool = False

    @property
    def _heading(self) -> str:
        return f"{self.corpus} ({SIMULATED})" if self.simulated else self.corpus

    def text(self, form: str = "table", tables: Sequence[str] = ()) -> str:
        """Return tables as text.

        Parameters
        ----------
        form : {"table", "tsv", "json"}, default "table"
            For people, with words around them; or for programs.
        tables : sequence of str
            Names of `tables`, to be shown whole; if none are given, all there are, and for people long ones are cut.

        Returns
        -------
        str
            The tables.

        Raises
        ------
        UsageError
            If a table is unknown, or there is none of this name because what it needs is missing.
        """
        for name in tables:
            self._rows(name)
        chosen = {name: rows for name, rows in self.tables.items() if not tables or name in tables}
        if form == "table":
            found = agreement_summary(chosen, vars(self.settings), full=bool(tables))
            return f"{self._heading}\n\n{found}" if self.simulated else found
        return agreement_text(chosen, form)

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return one table, or all of them, as a new data frame.

        Parameters
        ----------
        table : str, optional
            One of the names of `tables`; all unless given.

        Returns
        -------
        DataFrame
            The columns of the table; counts are whole numbers and all other numbers floats, ``nan`` where undefined. Of
            all tables: the name of each in the column ``table``, and what a table has not is missing.

        Raises
        ------
        UsageError
            If the table is unknown, or there is none of this name because what it needs is missing.
        """
        if table is not None:
            return pd.DataFrame(list(self._rows(table)))
        return pd.DataFrame([{"table": name, **row} for name, rows in self.tables.items() for row in rows])

    def _rows(self, table: str) -> tuple[Row, ...]:
        table = arguments.text("table", table)
        if table not in TABLES:
            raise UsageError(unknown("table", table, TABLES))
        if table not in self.tables:
            why = "no metric was named" if table == "metrics" else "; ".join(self.warnings) or "it would be empty"
            raise UsageError(f"corpus {self.corpus!r}: there is no table {table!r}, because {why.rstrip('.')}.")
        return self.tables[table]

    def _tables_for_people(self) -> list[SummaryTable]:
        return [SummaryTable(f"{self._heading}: {name}", rows) for name, rows in self.tables.items()]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Agreement({self.corpus!r}, tables: {', '.join(self.tables)})"


TABLES = ("design", "alpha", "ceiling", "pair-means", "pairs", "judges", "systems", "metrics")


def agreement(
    corpus: str | Path | Corpus,
    *,
    criteria: str | Iterable[str] = (),
    judges: str | Iterable[str] = (),
    metrics: str | Iterable[str] = (),
    source_formats: str | Iterable[str] = (),
    n_resamples: int = 1000,
    n_draws: int = 100,
    min_shared: int = 10,
    confidence_level: float = 0.95,
    seed: int = 1,
    progress: Progress = silent,
) -> Agreement:
    """Measure how well the judges of a corpus agree.

    Parameters
    ----------
    corpus : str, Path or Corpus
        A name or a directory, or a corpus that was loaded.
    criteria : str or iterable of str
        All that are judged if none are given.
    judges : str or iterable of str
        Groups, names, patterns such as ``expert*``, or ``all``; without any the default group of the corpus, and all
        where it has none.
    metrics : str or iterable of str
        Also see what the order of these metrics owes to single judges.
    source_formats : str or iterable of str
        The format of the corpus, if it is not to be recognised.
    n_resamples : int, default 1000
        Bootstrap replicates of the segments.
    n_draws : int, default 100
        How often the judgments of each item are split at random, for the noise ceiling.
    min_shared : int, default 10
        Items that two judges must share to be compared.
    confidence_level : float, default 0.95
        Of all intervals, between 0 and 1.
    seed : int, default 1
        All chance comes from it.
    progress : callable, optional
        Told a :class:`Step` at the beginning of each stage and as its work is done; ``print`` shows them.

    Returns
    -------
    Agreement
        Tables, by their names, and what a reader of them must know.

    Raises
    ------
    UsageError
        If a name is unknown, a metric is named twice, a number is out of range, or the corpus has no judgments.
    CorpusError
        If the files of the corpus are wrong.
    MetricError
        If a metric fails.

    Examples
    --------
    >>> found = agreement("demo", criteria="adequacy", n_resamples=200)
    >>> found.to_frame("alpha")[["level", "alpha"]].round(2).values.tolist()
    [['interval', 0.54], ['ordinal', 0.51], ['nominal', 0.18]]
    """
    numbers = {"n_resamples": n_resamples, "n_draws": n_draws, "min_shared": min_shared, "seed": seed}
    whole = {name: arguments.whole_number(name, number, least=0) for name, number in numbers.items()}
    level = arguments.number("confidence_level", confidence_level)
    settings = AgreementSettings(**whole, confidence_level=level)
    progress = arguments.listener(progress)
    # A misspelt metric is told before all that takes long.
    named = named_metrics(arguments.names("metrics", metrics))
    warnings: Sequence[str] = ()
    if not isinstance(corpus, Corpus):
        corpus = arguments.path_of("corpus", corpus, must="a corpus, its name or its directory")
        progress(Step("read", f"corpus {corpus}"))
        corpus, warnings = read_corpus(corpus, arguments.names("source_formats", source_formats))
    positions = _chosen_criteria(corpus, arguments.names("criteria", criteria))
    asked = arguments.names("judges", judges)
    takes_part = choose_judges(corpus, asked)
    chosen = takes_part.members
    names = [name for name, member in zip(corpus.judgments.judges, chosen.tolist(), strict=True) if member]
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    # What several criteria have in common is said once.
    told: dict[str, list[str]] = {}
    unjudged: list[int] = []
    for position in positions:
        criterion = corpus.criteria[position]
        rows = corpus.judgments.where((corpus.judgments.criterion == position) & chosen[corpus.judgments.judge])
        if not len(rows):
            unjudged.append(position)
            told.setdefault("there is no judgment by any of these judges.", []).append(criterion.name)
            continue
        progress(Step("judge", f"{criterion.name}: {len(rows)} judgments"))
        one = CriterionAgreement(corpus, criterion, rows, settings)
        for name, found in one.tables().items():
            tables[name].extend({"criterion": criterion.name, **row} for row in found)
        for message in one.warnings():
            told.setdefault(message, []).append(criterion.name)
    messages = [*warnings, *group_notes(corpus, positions, asked)]
    if takes_part.slots:
        messages.append(
            f"{corpus.name}: {listing(takes_part.slots)} are not persons, but slots filled by changing people; single "
            "judges and pairs of judges in the tables are slots."
        )
    messages += [f"{corpus.name}, {', '.join(names_of)}: {message}" for message, names_of in told.items()]
    judged = [position for position in positions if position not in unjudged]
    if named and judged:
        tables["metrics"], of_metrics = metrics_without_judges(corpus, judged, names, named, progress)
        messages.extend(dict.fromkeys(of_metrics))
    simulated = corpus.is_simulated
    tables["design"] = [{**row, "simulated": simulated} for row in tables["design"]]
    found_tables = {name: tuple(rows) for name, rows in tables.items() if rows}
    return Agreement(corpus.name, found_tables, tuple(messages), settings, simulated)


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
