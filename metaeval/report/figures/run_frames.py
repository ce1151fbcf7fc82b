"""Tidy data frames of a run, from which figures are drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import spelt_as
from metaeval.report.display_names import labels_of
from metaeval.report.figures.style import style_numbers
from metaeval.report.rankings import rank_columns
from metaeval.report.titles_in_words import titles_in_words
from metaeval.results.export import export_rows
from metaeval.results.model import SCORE_COLUMNS, RunData

if TYPE_CHECKING:
    import pandas as pd


def _no_rows() -> pd.DataFrame:
    import pandas as pd  # kinds of figures are known without it

    return pd.DataFrame()


@dataclass(frozen=True)
class FigureData:
    """The tidy tables of a run.

    Attributes
    ----------
    correlations, rankings, tests, ceiling, published : DataFrame
        As in the files of these names; correlations also have rank, star and p_worse (`metaeval.report.rankings`).
    scores : callable
        Gives the rows of scores.tsv at the system level.
    documents : callable
        Gives a row for each document, system and metric, with the columns corpus, preprocessing, subset, criterion,
        length, metric, document, system, score and human.
    judgments : callable
        Gives the judgments of systems as published, with the columns corpus, system, segment, judge, criterion and
        score.
    seed : int
        The random seed.
    signs : mapping of (corpus, criterion, metric) to (int, int)
        -1 for metric and human scores that coefficients take as negated, because lower is better; (1, 1) by default.
    simulated : collection of str
        The corpora that are simulated.
    run : RunData
        What the tables are of.
    whole_run : RunData, optional
        The run with all of its panels, where `run` is one of them.
    user_labels : mapping of str to str
        What the user calls metrics, criteria, corpora and systems.
    style_numbers : mapping of str to int
        Of all metrics of the run, for `metaeval.report.figures.style.line_styles`; without them the metrics that are
        drawn are numbered.
    """

    correlations: pd.DataFrame = field(default_factory=_no_rows)
    rankings: pd.DataFrame = field(default_factory=_no_rows)
    scores: Callable[[], pd.DataFrame] = _no_rows
    documents: Callable[[], pd.DataFrame] = _no_rows
    judgments: Callable[[], pd.DataFrame] = _no_rows
    seed: int = 1
    signs: Mapping[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    simulated: Collection[str] = ()
    run: RunData = field(default_factory=RunData)
    whole_run: RunData | None = None
    tests: pd.DataFrame = field(default_factory=_no_rows)
    ceiling: pd.DataFrame = field(default_factory=_no_rows)
    published: pd.DataFrame = field(default_factory=_no_rows)
    user_labels: Mapping[str, str] = field(default_factory=dict)
    style_numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def whole(self) -> RunData:
        """The run with all of its panels."""
        return self.run if self.whole_run is None else self.whole_run

    @cached_property
    def of_metrics(self) -> pd.DataFrame:
        """The correlations of metrics alone."""
        table = self.correlations
        return table[table["metric"] != INTER_JUDGE] if len(table) else table

    @cached_property
    def of_judges(self) -> pd.DataFrame:
        """The correlations of the inter-judge line."""
        table = self.correlations
        return table[table["metric"] == INTER_JUDGE] if len(table) else table

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics, in the order in which they were asked for."""
        return list(dict.fromkeys(self.of_metrics["metric"])) if len(self.correlations) else []

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Display names of the metrics."""
        names = [*self.metrics, *(row.metric for row in self.run.tables.averages)]
        return labels_of([*names, *(row.metric for row in self.run.tables.tasks)], self.user_labels)

    def label(self, name: str) -> str:
        """Return the label of a metric, criterion, corpus or system."""
        return self.labels.get(name) or self.user_labels.get(name, name)

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return titles_in_words(self.whole)

    def title(self, panel: str) -> str:
        """Return the title of a panel or task as people read it."""
        return self._titles.get(panel, panel)

    def chosen(self, metrics: Sequence[str], criteria: Sequence[str]) -> FigureData:
        """Return the tables of some metrics and criteria, in their order; all of them where none is named.

        Raises
        ------
        UsageError
            If the run has no such metric or criterion.
        """
        data = self
        for column, chosen_names in (("metric", metrics), ("criterion", criteria)):
            if chosen_names:
                data = data._limited(column, list(chosen_names))
        return data

    def _limited(self, column: str, chosen_names: list[str]) -> FigureData:
        source = self.correlations if len(self.correlations) else self.judgments()
        known = [name for name in dict.fromkeys(source.get(column, ())) if name != INTER_JUDGE]
        if column == "criterion":
            chosen_names = [spelt_as(name, known) for name in chosen_names]
        for name in chosen_names:
            if name not in known:
                raise UsageError(f"the run has no such {column}: {unknown(column, name, known)}")
        allowed = [*chosen_names, INTER_JUDGE, CONSTANT] if column == "metric" else chosen_names

        def limited(table: pd.DataFrame) -> pd.DataFrame:
            if column == "metric" and "metric_a" in table:
                return table[table["metric_a"].isin(chosen_names) & table["metric_b"].isin(chosen_names)]
            if column not in table:
                return table
            rows = table[table[column].isin(["", *allowed])]
            return rows.sort_values(column, key=lambda names: names.map(["", *allowed].index), kind="stable")

        def later(make: Callable[[], pd.DataFrame]) -> Callable[[], pd.DataFrame]:
            return lambda: limited(make())

        return replace(
            self,
            correlations=limited(self.correlations),
            rankings=limited(self.rankings),
            tests=limited(self.tests),
            ceiling=limited(self.ceiling),
            published=limited(self.published),
            documents=later(self.documents),
            judgments=later(self.judgments),
        )


def figure_data(run: RunData, numbers: Mapping[str, int] | None = None, whole_run: RunData | None = None) -> FigureData:
    """Return the tables that the figures of a run, or of one panel of it, are drawn from.

    Parameters
    ----------
    run : RunData
    numbers : mapping of str to int, optional
        Of the styles of all metrics of the run, where it is one panel of it; from `run_style_numbers`.
    whole_run : RunData, optional
        The run with all of its panels, where it is one of them.
    """
    import pandas as pd

    panels = {row.key.panel for row in run.tables.correlations}
    tables = {
        name: pd.DataFrame(run.tables.records(name))
        for name in ("correlations", "rankings", "tests", "ceiling", "published")
    }
    tables["correlations"] = tables["correlations"].assign(**rank_columns(run))
    return FigureData(
        **tables,
        scores=lambda: pd.DataFrame(
            [row for row in run.system_scores() if row["panel"] in panels], columns=list(SCORE_COLUMNS)
        ),
        documents=lambda: pd.DataFrame(list(export_rows(run))),
        judgments=lambda: judgment_table(run),
        seed=run.facts.get("seed", 1),
        signs={
            (grid.key.corpus, grid.key.criterion, metric.name): metric.signs
            for grid in run.grids
            for metric in grid.metrics
        },
        simulated=run.simulated,
        run=run,
        whole_run=whole_run,
        user_labels=run.labels,
        style_numbers=run_style_numbers(run) if numbers is None else numbers,
    )


def run_style_numbers(run: RunData) -> dict[str, int]:
    """Return the numbers of the styles of the metrics of a run, which hold in all of its panels."""
    panels: dict[str, dict[str, None]] = {}
    for row in run.tables.correlations:
        if row.key.metric != INTER_JUDGE:
            panels.setdefault(row.key.panel, {})[row.key.metric] = None
    return style_numbers(list(panels.values()))


def judgment_table(run: RunData) -> pd.DataFrame:
    """Return the judgments of the systems as published.

    Returns
    -------
    DataFrame
        With the columns corpus, system, segment (a number from 1 on), judge, criterion and score.

    Raises
    ------
    UsageError
        If the run keeps no judgments.
    """
    import pandas as pd

    judges = {(row.key.corpus, row.key.judges) for row in run.tables.correlations}
    frames = [
        named_judgments(judgments.corpus, (judgments.systems, judgments.names, judgments.criteria), judgments.arrays)
        for judgments in run.judgments
        if (judgments.corpus, judgments.judges) in judges
    ]
    if run.tables.tasks:
        raise UsageError(
            "a run of [[tasks]] keeps no judgments; draw the figure from a run of the same corpora without [[tasks]]."
        )
    if not frames:
        raise UsageError('the run keeps no judgments: its `judgments.rule` is "stored".')
    return pd.concat(frames).drop_duplicates()


def named_judgments(
    corpus: str, names: Sequence[Sequence[str]], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> pd.DataFrame:
    """Return judgments by names.

    Parameters
    ----------
    corpus : str
    names : (systems, judges, criteria)
        What the arrays point into.
    arrays : mapping of str to (judgments,) array
        By `metaeval.results.grid.JUDGMENT_ARRAYS`.
    """
    import pandas as pd

    systems, judges, criteria = (np.array(axis, dtype=object) for axis in names)
    return pd.DataFrame(
        {
            "corpus": corpus,
            "system": systems[arrays["system"]],
            "segment": arrays["segment"] + 1,
            "judge": judges[arrays["judge"]],
            "criterion": criteria[arrays["criterion"]],
            "score": arrays["score"],
        }
    )
