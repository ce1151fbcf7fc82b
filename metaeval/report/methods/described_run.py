"""A run as its methods paragraph describes it, and the words for numbers, levels and panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from metaeval.components.registries import COEFFICIENTS
from metaeval.datamodel.corpus import CONSTANT
from metaeval.report.display_names import labels_of
from metaeval.report.methods.paragraph import Sentence, beginning_with
from metaeval.report.phrases import grouped, joined_names
from metaeval.report.titles_in_words import titles_in_sentence
from metaeval.results.model import CorpusFacts, RunData, SettingFacts
from metaeval.results.rows import Correlation


@dataclass(frozen=True)
class DescribedRun:
    """A run, with what sentences ask of it."""

    data: RunData

    @cached_property
    def rows(self) -> list[Correlation]:
        """The rows of metrics."""
        return [row for row in self.data.tables.correlations if not row.key.is_of_judges and row.key.metric != CONSTANT]

    @cached_property
    def panels(self) -> dict[str, list[Correlation]]:
        """The rows of metrics by panel or task."""
        return grouped(self.rows, lambda row: row.key.panel)

    @cached_property
    def panel_words(self) -> dict[str, str]:
        """Name of each panel in a sentence: of a task its corpora, level and coefficient; else its title in quotes."""
        return titles_in_sentence(self.data)

    @cached_property
    def metrics(self) -> dict[str, str]:
        """Display name of each metric."""
        return labels_of((row.key.metric for row in self.rows), self.data.labels)

    @cached_property
    def corpora(self) -> list[CorpusFacts]:
        """The corpora that something was correlated on."""
        names = {row.key.corpus for row in self.rows}
        return [corpus for corpus in self.data.corpora if corpus.name in names]

    @cached_property
    def settings(self) -> dict[tuple[str, str], SettingFacts]:
        """Settings by panel and corpus."""
        return {(setting.panel, setting.corpus): setting for setting in self.data.settings}

    @cached_property
    def input_by_metric(self) -> dict[str, str]:
        """Input of each metric: ``tokens``, ``texts``, or ``scores`` that others computed."""
        return {metric: kind for corpus in self.corpora for metric, kind in corpus.inputs.items()}

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric that metaeval computed, under each preprocessing where that matters."""
        by_metric: dict[str, dict[str, None]] = {}
        for row in self.rows:
            name = f"{row.key.preprocessing}/{row.key.metric}"
            facts = next((corpus for corpus in self.corpora if corpus.name == row.key.corpus), None)
            if facts is not None and name in facts.signatures and self.input_by_metric.get(row.key.metric) != "scores":
                by_metric.setdefault(self.metrics[row.key.metric], {})[facts.signatures[name]] = None
        return {name: " and ".join(each) for name, each in by_metric.items()}

    def name(self, name: str) -> str:
        """Return the user's name of a criterion, corpus or system."""
        return self.data.labels.get(name, name)

    def sources(self, name: str) -> list[str]:
        """Return the sources of a metric or preprocessing."""
        return [*dict.fromkeys(key for corpus in self.corpora for key in corpus.sources.get(name, ()))]

    def settings_of(self, rows: Iterable[Correlation]) -> list[SettingFacts]:
        """Return the settings where some rows belong."""
        places = dict.fromkeys((row.key.panel, row.key.corpus) for row in rows)
        return [self.settings[panel_and_corpus] for panel_and_corpus in places if panel_and_corpus in self.settings]


def level_words(row: Correlation) -> str:
    """Describe what was correlated, in a sentence."""
    units = row.key.documents.units
    # Some coefficients compare whole systems by their scores of single segments.
    is_whole = units.is_whole or COEFFICIENTS.named(row.key.coefficient).needs_all_cells
    return "whole systems" if is_whole else units.title


def _level_and_coefficient(row: Correlation) -> str:
    return f"{level_words(row)} by {COEFFICIENTS.named(row.key.coefficient).described}"


def by_panel(
    run: DescribedRun, make: Callable[[DescribedRun, Sequence[Correlation]], Sentence], *, says_where: bool = False
) -> Iterator[Sentence]:
    """Yield a sentence on each panel; one for all that have the same, else with the panels that it holds for.

    Parameters
    ----------
    run : DescribedRun
    make : callable
        Makes the sentence from the rows of a panel; an empty one where there is nothing to say.
    says_where : bool
        Whether sentences say themselves of which level and coefficient they are.
    """
    panels_by_sentence = grouped(run.panels.items(), lambda panel: make(run, panel[1]))
    rows_of = [[row for _, rows in panels for row in rows] for panels in panels_by_sentence.values()]
    titles = [[run.panel_words[title] for title, _ in panels] for panels in panels_by_sentence.values()]
    levels = _distinguished(rows_of, level_words) or _distinguished(rows_of, _level_and_coefficient)
    where = levels or titles
    for sentence, words in zip(panels_by_sentence, where, strict=True):
        if sentence and (len(panels_by_sentence) == 1 or (says_where and levels)):
            yield sentence
        elif sentence:
            yield beginning_with(f"For {joined_names(words)}, ", sentence)


def _distinguished(
    rows_of: Sequence[Sequence[Correlation]], words_of: Callable[[Correlation], str]
) -> list[list[str]] | None:
    """Return words for groups of rows, by coefficient and documents; None where two would be called the same."""
    # Of thousands of rows few differ in these.
    distinct_rows = [{(row.key.coefficient, row.key.documents): row for row in rows}.values() for rows in rows_of]
    words_by_group = [[*dict.fromkeys(map(words_of, rows))] for rows in distinct_rows]
    all_words = [words for of_group in words_by_group for words in of_group]
    return words_by_group if len({*all_words}) == len(all_words) else None


def number_words(number: int, noun: str = "") -> str:
    """Return a number, with its noun if there is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if noun else f"{number:,}"


def range_words(numbers: Iterable[int], noun: str = "") -> str:
    """Return the least and the greatest of some numbers, with their noun if there is one."""
    low = min(each := [*numbers])
    high = max(each)
    return number_words(high, noun) if low == high else f"{low:,} to {number_words(high, noun)}"
