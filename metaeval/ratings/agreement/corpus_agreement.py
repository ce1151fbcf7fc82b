"""Inter-annotator agreement of a corpus: the tables of ``metaeval agreement``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval import kernels
from metaeval.config.filters import FilterSettings
from metaeval.corpora.catalogue import read_corpus
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import UsageError, listing, unknown
from metaeval.experiment.filtering import Filters
from metaeval.experiment.judge import group_notes
from metaeval.judgments.groups import choose_judges
from metaeval.metrics.selection import NamedMetric, expanded, named_metrics
from metaeval.parameters import arguments
from metaeval.parameters.calls import spelt_as
from metaeval.ratings.agreement.criterion import agreement_on
from metaeval.ratings.agreement.left_out import metrics_without_judges
from metaeval.report.agreement import agreement_answer, agreement_summary, agreement_text, tables_for_people
from metaeval.report.drawable import Drawable
from metaeval.report.figures.run_frames import FigureData, named_judgments
from metaeval.report.folded_messages import brief as brief_notes
from metaeval.report.phrases import corpus_words
from metaeval.report.tables import WIDTH, SummaryTable
from metaeval.report.tabular import Noted
from metaeval.results.agreement import KINDS, AgreementRow, AgreementSettings
from metaeval.results.grid import JUDGMENT_ARRAYS
from metaeval.results.tables import Record, records
from metaeval.runtime.progress import Progress, Step


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Noted, Drawable):
    """The inter-annotator agreement of a corpus.

    Attributes
    ----------
    corpus : str
        Its name.
    rows : mapping of str to tuple of records
        The rows of each table by its name, without tables that have no row: ``design`` (who judged what), ``alpha``
        (Krippendorff's alpha), ``ceiling`` (the noise ceiling), ``pair-means`` and ``pairs`` (of judges), ``judges``,
        ``systems`` and ``metrics`` (how far their order depends on single judges).
    tables : mapping of str to tuple of dict
        The same as plain values by the names of columns.
    warnings : tuple of str
        What limits the numbers: items judged once, judges who share no item, and the like.
    failures : tuple of str
        Of metrics that were left out because they failed; also among the warnings.
    settings : AgreementSettings
        What the tables rest on: numbers of replicates and draws, level of the intervals, seed.
    simulated : bool
        Whether the corpus is simulated, so that no number is evidence; also in each row of ``design``.
    judgments : DataFrame
        What all rests on, as published: corpus, system, segment (from 1), judge, criterion and score.

    References
    ----------
    Klaus Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """

    corpus: str
    rows: Mapping[str, tuple[AgreementRow, ...]]
    warnings: tuple[str, ...]
    settings: AgreementSettings
    simulated: bool = False
    judgments: pd.DataFrame = field(default_factory=pd.DataFrame)
    failures: tuple[str, ...] = ()

    def _figure_data(self, labels: Mapping[str, str]) -> Iterator[tuple[str, FigureData]]:
        yield (
            "",
            FigureData(
                judgments=lambda: self.judgments,
                seed=self.settings.seed,
                simulated=[self.corpus] * self.simulated,
                user_labels=labels,
            ),
        )

    @cached_property
    def tables(self) -> Mapping[str, tuple[Record, ...]]:
        """The rows of each table as plain values by the names of columns."""
        return {name: tuple(records(rows)) for name, rows in self.rows.items()}

    @property
    def _heading(self) -> str:
        return corpus_words(self.corpus, simulated=self.simulated)

    def text(
        self, form: str = "table", tables: Sequence[str] = (), width: int | None = None, *, verbose: bool = False
    ) -> str:
        """Return tables as text.

        Parameters
        ----------
        form : {"table", "tsv", "json"}, default "table"
            For reading, with text around them; or for programs.
        tables : sequence of str
            Names of `tables`, to be shown whole; if none are given, all there are, of which ``table`` cuts long ones.
        width : int, optional
            Letters of a line of ``table``, in brief, as the command line shows it: the answer first, and tables about
            single judges only named. 120 and all of it unless given.
        verbose : bool, default False
            Whether lines of a width have all of it too.

        Returns
        -------
        str
            The tables.

        Raises
        ------
        UsageError
            If a table is unknown, or there is none of this name because what it needs is missing.
        """
        chosen = list(map(self._name_of_table, tables)) or list(self.rows)
        if form == "table":
            shown = {name: rows for name, rows in self.rows.items() if name in chosen}
            brief = width is not None and not tables and not verbose
            letters = WIDTH if width is None else width
            answer = agreement_answer(self.rows, self.settings, letters, simulated=self.simulated)
            return f"{answer}\n\n{agreement_summary(shown, self.settings, letters, full=bool(tables), brief=brief)}"
        return agreement_text({name: rows for name, rows in self.tables.items() if name in chosen}, form)

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
            return pd.DataFrame(list(self.tables[self._name_of_table(table)]))
        return pd.DataFrame([{"table": name, **row} for name, rows in self.tables.items() for row in rows])

    def _name_of_table(self, table: str) -> str:
        """Return the name of a table that there is."""
        table = arguments.text("table", table)
        if table not in KINDS:
            raise UsageError(unknown("table", table, KINDS))
        if table not in self.rows:
            why = "no metric was named" if table == "metrics" else "; ".join(self.warnings) or "it would be empty"
            raise UsageError(f"corpus {self.corpus!r}: there is no table {table!r}, because {why.rstrip('.')}.")
        return table

    def _tables_for_people(self) -> list[SummaryTable]:
        return tables_for_people(self.rows, self.settings, self._heading)

    def __str__(self) -> str:
        return "\n\n".join([self.text(), *(f"note: {note}" for note in brief_notes(self.notes))])

    def __repr__(self) -> str:
        return f"Agreement({self.corpus!r}, tables: {', '.join(self.rows)})"


def agreement(
    corpus: str | Path | Corpus,
    settings: AgreementSettings,
    *,
    criteria: str | Iterable[str],
    judges: str | Iterable[str],
    metrics: str | Iterable[str],
    source_formats: str | Iterable[str],
    chosen: FilterSettings,
    progress: Progress,
) -> Agreement:
    """Measure the inter-annotator agreement of a corpus; parameters and errors are those of the public verb."""
    # A misspelt metric is an error before anything that takes long.
    named: Sequence[NamedMetric] = named_metrics(arguments.names("metrics", metrics))
    warnings: list[str] = [*filter(None, [kernels.missing()]), *getattr(corpus, "warnings", ())]
    if not isinstance(corpus, Corpus):
        corpus = arguments.path_of("corpus", corpus, must="a table of ratings, or a corpus, its name or its directory")
        progress(Step("read", f"corpus {corpus}"))
        corpus, warnings_on_reading = read_corpus(corpus, arguments.names("source_formats", source_formats))
        warnings += warnings_on_reading
    asked_judges = arguments.names("judges", judges)
    asked_criteria = arguments.names("criteria", criteria)
    corpus, _, notes = Filters(chosen, judges=asked_judges, criteria=asked_criteria or "all").apply(corpus)
    warnings += notes
    named, notes = expanded(corpus, named)
    warnings += [f"{corpus.name}: {note}" for note in notes]
    positions = _chosen_criteria(corpus, asked_criteria)
    takes_part = choose_judges(corpus, asked_judges)
    members = takes_part.members
    names = [name for name, member in zip(corpus.judgments.judges, members.tolist(), strict=True) if member]
    rows: list[AgreementRow] = []
    # A message that several criteria have in common is shown once.
    messages_of: dict[str, list[str]] = {}
    judged = []
    for position in positions:
        criterion = corpus.criteria[position]
        judgments = corpus.judgments.where((corpus.judgments.criterion == position) & members[corpus.judgments.judge])
        messages = ["there is no judgment by any of these judges."]
        if len(judgments):
            progress(Step("judge", f"{criterion.name}: {len(judgments)} judgments"))
            rows_of_criterion, messages = agreement_on(corpus, criterion, judgments, settings)
            rows += rows_of_criterion
            judged.append(position)
        for message in messages:
            messages_of.setdefault(message, []).append(criterion.name)
    warnings += group_notes(corpus, positions, asked_judges)
    if takes_part.slots:
        warnings.append(
            f"{corpus.name}: {listing(takes_part.slots)} are slots that different annotators filled; single "
            "judges and pairs of judges in the tables are slots."
        )
    warnings += [f"{corpus.name}, {', '.join(criteria)}: {message}" for message, criteria in messages_of.items()]
    failures: list[str] = []
    if named and judged:
        of_metrics, messages, failed = metrics_without_judges(corpus, judged, names, named, progress)
        rows += of_metrics
        failures = [f"{corpus.name}: left out: {message}" for message in failed]
        warnings += [*dict.fromkeys(messages), *failures]
    tables = {name: tuple(row for row in rows if isinstance(row, kind)) for name, kind in KINDS.items()}
    there_are = {name: of_table for name, of_table in tables.items() if of_table}
    part = corpus.judgments.where(np.isin(corpus.judgments.criterion, judged) & members[corpus.judgments.judge])
    known = (list(corpus.systems), part.judges, [criterion.name for criterion in corpus.criteria])
    table = named_judgments(corpus.name, known, {name: getattr(part, name) for name in JUDGMENT_ARRAYS})
    return Agreement(corpus.name, there_are, tuple(warnings), settings, corpus.is_simulated, table, tuple(failures))


def _chosen_criteria(corpus: Corpus, names: Sequence[str]) -> list[int]:
    if not len(corpus.judgments):
        raise UsageError(
            f"the corpus {corpus.name!r} has no judgments, so there is no agreement to measure; add judgments.tsv "
            "(columns segment, system, judge, criterion, score)."
        )
    criteria = [criterion.name for criterion in corpus.criteria]
    names = [spelt_as(name, criteria) for name in names]
    for name in names:
        if name not in criteria:
            raise UsageError(f"corpus {corpus.name!r}: {unknown('criterion', name, criteria, 'criteria')}")
    judged = [position for position in range(len(criteria)) if (corpus.judgments.criterion == position).any()]
    return [position for position in judged if not names or criteria[position] in names]
