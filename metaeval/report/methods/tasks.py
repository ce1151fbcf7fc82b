"""Sentences on the tasks of a shared task and their average."""

from __future__ import annotations

import math
from collections.abc import Iterator

from metaeval.report.methods.described_run import DescribedRun, number_words
from metaeval.report.methods.paragraph import Sentence, citation_of, joined
from metaeval.report.methods.statistics import coefficients_cited, sentences_on_bands, sentences_on_intervals
from metaeval.report.phrases import grouped, joined_names
from metaeval.results.rows import TaskScore

_TASK_LEVEL_WORDS = {"system": "whole systems", "segment": "single segments", "document": "real documents"}

_AVERAGING_WORDS = {
    "item": "within {level}, averaged over these,",
    "system": "over the {level} of each system, averaged over systems,",
    "none": "over all {level} and systems together",
}


def sentences_on_tasks(run: DescribedRun) -> Iterator[Sentence]:
    """Yield sentences on the tasks, their average and the tests of clusters."""
    tasks = grouped(run.data.tables.tasks, lambda score: score.task)
    by_words = grouped((_task(run, title, rows[0]) for title, rows in tasks.items()), lambda described: described[0])
    listed: list[Sentence] = []
    for words, described_tasks in by_words.items():
        weights = [*dict.fromkeys(f"{weight:.3g}" for _, _, weight in described_tasks)]
        each = (
            f" (weight {joined_names(weights)}{' each' if len(weights) < len(described_tasks) else ''})"
            if len(tasks) > 1
            else ""
        )
        listed.append((*words, f" on {joined_names(corpora for _, corpora, _ in described_tasks)}{each}"))
    yield (f"Metrics are compared in {number_words(len(tasks), 'task')}: ", *joined(listed, "; and ", "; "))
    if len(tasks) > 1:
        yield ("The average of a metric is the weighted mean of its coefficients, of correlations r as (r + 1) / 2",)
    yield from sentences_on_intervals(run)
    ranking = run.data.facts.get("ranking", {})
    if ranking.get("permutations") and any(row.cluster for row in run.data.tables.tasks):
        exchanges = number_words(ranking["permutations"], "random exchange")
        alpha = ranking["alpha"]
        yield (
            "From the best down, a metric opens a new cluster if one in the current cluster is better by PERM-BOTH",
            *citation_of("deutsch2021"),
            f", a one-sided permutation test with {exchanges} of single scores, at p <= {alpha:g} and without",
            " correction for the number of pairs, as in the metrics shared tasks of WMT",
            *citation_of("freitag2022"),
        )
    yield from sentences_on_bands(run)
    if any(not math.isnan(test.p_joint) for test in run.data.tables.task_tests):
        n = max((setting.n_resamples for setting in run.data.settings), default=0)
        alpha = ranking.get("alpha_joint")
        level = f" at a significance level of {alpha:g}" if alpha else ""
        replicates = number_words(n, "replicate") if n else "bootstrap replicates"
        yield (
            f"A second set of clusters rests on two-sided tests{level}, with p-values that Holm's method corrects",
            *citation_of("holm1979"),
            f" for all pairs of metrics; on averages these are t tests with standard errors from {replicates}, in",
            " each of which the texts of a corpus are drawn again with replacement, the same for all of its tasks",
        )


def _task(run: DescribedRun, title: str, task: TaskScore) -> tuple[Sentence, str, float]:
    """Describe a task but for its corpora, these, and its weight."""
    # Where a task takes several corpora together, each is a panel: its title, and the corpus in brackets.
    own = run.panels.get(title, [])
    of_several = f"{title} ("
    parts = [row for panel, rows in run.panels.items() if panel[: len(of_several)] == of_several for row in rows]
    coefficients: Sentence = coefficients_cited(own or parts) if own or parts else (task.coefficient,)
    taken = "of {level}" if task.level == "system" else _AVERAGING_WORDS.get(task.average_by, "of {level}")
    variant = f" ({task.variant})" if task.variant else ""
    words = f" {taken.format(level=_TASK_LEVEL_WORDS[task.level])}{variant}"
    return (*coefficients, words), f"{task.corpora}{' together' if parts and not own else ''}", task.weight
