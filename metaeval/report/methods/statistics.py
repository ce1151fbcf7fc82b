"""Sentences on the statistics of a run: coefficients, intervals, tests and clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from metaeval.components.coefficient import Coefficient
from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, INTERVALS, TESTS
from metaeval.components.replicates_in_words import replicates_in_words
from metaeval.datamodel.corpus import CONSTANT
from metaeval.report.methods.described_run import (
    DescribedRun,
    by_panel,
    level_words,
    number_words,
    range_words,
)
from metaeval.report.methods.paragraph import REPLICATES_SIGN, Part, Replicated, Sentence, citation_of, joined
from metaeval.report.phrases import estimand, grouped, joined_names
from metaeval.results.rows import BEST_SYSTEMS, BY_INTERVALS, NEAR_PAIRS, Correlation, TestResult

# The key of Fisher's transformation.
_FISHER = "fisher1921"

# What tells families of tests apart: attributes of a key, and what a paper calls them.
_FAMILY_WORDS = {
    "corpus": "corpus",
    "preprocessing": "preprocessing",
    "subset": "subset of references",
    "criterion": "criterion",
    "length": "length of documents",
    "coefficient": "coefficient",
}

_TestKey: TypeAlias = tuple[str, str, str, str]


def sentences_on_statistics(run: DescribedRun) -> Iterator[Sentence]:
    """Yield sentences on coefficients, intervals, tests and clusters."""
    yield from by_panel(run, _correlated, says_where=True)
    yield from by_panel(run, _judges_sentence)
    yield from by_panel(run, _ceiling_sentence)
    yield from sentences_on_intervals(run)
    yield from _test_sentences(run)
    yield from by_panel(run, _not_worse)
    yield from sentences_on_bands(run)


def sentences_on_bands(run: DescribedRun) -> Iterator[Sentence]:
    """Yield a sentence on coefficients among good systems, where there are any."""
    names = dict.fromkeys(row.name for row in run.data.tables.bands if not row.name.is_whole)
    numbers = grouped(names, lambda name: name.band)
    words: list[Sentence] = []
    for band, bands in numbers.items():
        listed = joined_names(f"{name.limit:g}" for name in bands)
        if band == BEST_SYSTEMS:
            words.append((f"among the best {listed} systems by human judgments", *citation_of("mathur2020")))
        elif band == NEAR_PAIRS:
            words.append((f"on the pairs of systems whose human scores differ by at most {listed}",))
        else:
            words.append((f"on the segments of systems with a human score better than {listed}",))
    if not words:
        return
    correction = next((row.correction for row in run.data.tables.band_tests), "")
    corrected = CORRECTIONS[correction].title if correction else ""
    tested = f"; p-values of pairs of metrics are corrected for all pairs in all of these ({corrected})"
    yield (
        "Coefficients are also taken ",
        *joined(words, ", and "),
        "; what counts is chosen once, by the human scores of the data, and is the same in every replicate",
        tested if corrected else "",
    )


def _kinds(rows: Iterable[Correlation]) -> list[Coefficient]:
    return [*dict.fromkeys(map(COEFFICIENTS.named, dict.fromkeys(row.key.coefficient for row in rows)))]


def coefficients_cited(rows: Iterable[Correlation]) -> Sentence:
    """Return the coefficients of some rows, each with its citation."""
    return joined([(kind.described, *citation_of(*kind.sources)) for kind in _kinds(rows)])


def _correlated(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    """Describe which coefficients were taken, of what, and how they are averaged."""
    row = rows[0]
    settings = run.settings_of(rows)
    kind = _kinds(rows)[0]
    units = row.key.documents.units
    units_words = level_words(row)
    n_systems = {other.n_systems for other in rows}
    systems = f"the {number_words(n_systems.pop(), 'system')}" if len(n_systems) == 1 else "the systems"
    start: Sentence = ("Agreement is measured by ",)
    if units.is_drawn:
        lengths = sorted({other.key.length or 0 for other in rows})
        of = f"{joined_names(f'{length:,}' for length in lengths)} {'segment' if lengths == [1] else 'segments'}"
        count = f"{number_words(row.n_documents, 'pseudo-document')}{' each' if len(lengths) > 1 else ''}"
        again = "with" if any(setting.replacement for setting in settings) else "without"
        start = (
            f"We draw {count} of {of} at random, {again} replacement within a document",
            *citation_of("turian2003"),
            "; agreement is measured by ",
        )
    elif units.is_whole or kind.needs_all_cells:
        start = ("At the level of whole systems, agreement is measured by ",)
    if units.is_whole or kind.needs_all_cells:
        end = f" between metric scores and human scores of {systems}"
    elif kind.takes_grid:
        end = f" over pairs of systems in {units_words}, all of these together"
    elif row.key.average_by == "item":
        numbers = set() if units.is_drawn else {other.n_used for other in rows}
        end = f" across {systems}, averaged over the {f'{numbers.pop():,} ' if len(numbers) == 1 else ''}{units_words}"
    elif row.key.average_by == "system":
        end = f" across the {units_words} of each system, averaged over {systems}"
    else:
        end = f" across all {units_words} of {systems} together"
    if len({other.key.criterion for other in rows}) > 1:
        end += ", for each criterion by itself"
    if any(setting.orientation == "raw" for setting in settings):
        end += "; the coefficients of metrics for which low is good keep their negative sign"
    if any(setting.undefined == "zero" for setting in settings):
        end += "; undefined coefficients, as of equal scores, count as 0"
    elif sum(other.n_undefined for other in rows) and not units.is_whole:
        end += "; undefined coefficients, as of equal scores, are left out of the mean"
    return (*start, *coefficients_cited(rows), end)


def _judges_sentence(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    correlations = run.data.tables.correlations
    if not any(row.key.is_of_judges and row.key.panel == rows[0].key.panel for row in correlations):
        return ()
    return ("For comparison, the human scores are correlated in the same way with a second draw of judgments",)


def _ceiling_sentence(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    ceilings = [
        ceiling
        for ceiling in run.data.tables.ceiling
        if ceiling.key.panel == rows[0].key.panel and ceiling.kind == "ceiling"
    ]
    numbers = [ceiling.n_draws for ceiling in ceilings if ceiling.n_draws and not math.isnan(ceiling.value)]
    if not numbers or any(setting.rule == "draw" for setting in run.settings_of(rows)):
        return ()
    splits = f"{number_words(max(numbers), 'random split')} of the judgments of each output into halves"
    return (
        f"The noise ceiling is the square root of the reliability of the human scores, estimated from {splits}",
        *citation_of("spearman1904", "spearman1910", "brown1910"),
    )


def _replicates(n: int, resampled: str, row: Correlation, *, denoised: bool) -> str:
    return replicates_in_words(n, resampled, row.key.documents.units, denoised=denoised)


def _replicated(text: str, replicates: str) -> Part:
    return Replicated(text, replicates) if REPLICATES_SIGN in text else text


def sentences_on_intervals(run: DescribedRun) -> Iterator[Sentence]:
    """Describe the confidence intervals; what they are all about is said once."""
    about = {_about(row) for row in run.rows if not math.isnan(row.lower)}
    if len(about) == 1 and len({_interval_sentence(run, rows) for rows in run.panels.values()}) > 1:
        yield (f"The {about.pop()}",)
        yield from by_panel(run, partial(_interval_sentence, subject="these intervals"))
    else:
        yield from by_panel(run, _interval_sentence)


def _about(row: Correlation) -> str:
    """Return the level of the confidence interval of a row, and what it is about."""
    generalises_to = estimand(row, brief=True).replace(f"these {row.n_systems} systems", "these systems")
    about = f" are for {generalises_to}" if generalises_to else ""
    return f"{100 * (row.confidence_level or 0):g} % confidence intervals{about}"


def _interval_sentence(run: DescribedRun, rows: Sequence[Correlation], subject: str = "") -> Sentence:
    """Describe how the confidence intervals are made."""
    with_interval = [row for row in rows if not math.isnan(row.lower)]
    if not with_interval:
        reasons = dict.fromkeys(row.no_interval_because for row in rows if row.no_interval_because)
        return (f"There are no confidence intervals: {'; '.join(reasons)}",) if reasons else ()
    row = with_interval[0]
    interval = INTERVALS[with_interval[0].interval]()
    n = max((other.replicates_used or 0) + (other.replicates_undefined or 0) for other in with_interval)
    kinds_by_text = grouped(
        _kinds(with_interval),
        lambda kind: interval.described(REPLICATES_SIGN, row.resampled, row.key.documents.units, kind),
    )
    each = [
        f"{text} ({joined_names(kind.described for kind in kinds)})" if len(kinds_by_text) > 1 else text
        for text, kinds in kinds_by_text.items()
    ]
    start = f"{subject} " if subject else f"The {_about(row)}; they "
    described = _replicates(n, row.resampled, row, denoised=interval.is_denoised)
    return (
        _replicated(f"{start}{' or '.join(each)}", described),
        *_method_cited(interval.sources, _kinds(with_interval)),
    )


def _test_sentences(run: DescribedRun) -> Iterator[Sentence]:
    """Describe how metrics were compared; what is the same of all panels is said once."""
    tests = [_by_test(run, rows) for rows in run.panels.values()]
    comparisons = {_compared(run, rows) for rows in run.panels.values()}
    ways = {_test(run, rows) for rows in run.panels.values()}
    if all(len(each) == 1 for each in tests) and len(comparisons) == 1 < len(ways):
        yield comparisons.pop()
        yield from by_panel(run, lambda run, rows: _test(run, rows, "these comparisons are made by "))
    else:
        yield from by_panel(run, lambda run, rows: _compared(run, rows, with_test=True))


def _by_test(run: DescribedRun, rows: Sequence[Correlation]) -> dict[_TestKey, list[TestResult]]:
    """Return the tests between metrics in the panel of some rows that have a p-value, by what test it is."""
    of_panel = [test for test in run.data.tables.tests if test.key.panel == rows[0].key.panel]
    tested = [test for test in of_panel if test.metric_b != CONSTANT and not math.isnan(test.p)]
    return grouped(tested, lambda test: (test.test, test.over, test.correction, test.alternative))


def _compared(run: DescribedRun, rows: Sequence[Correlation], *, with_test: bool = False) -> Sentence:
    """Describe which metrics are compared, at which level and with which correction; if wanted, by which test."""
    settings = run.settings_of(rows)
    clauses = list[Sentence]()
    for (name, over, correction, alternative), tests in _by_test(run, rows).items():
        pairs = grouped(tests, lambda test: test.key)
        varied = [words for field, words in _FAMILY_WORDS.items() if len({getattr(key, field) for key in pairs}) > 1]
        each = f" for each {joined_names(varied)}" if varied else ""
        family = f"the {range_words((len(of_setting) for of_setting in pairs.values()), 'pair')} of metrics{each}"
        title = CORRECTIONS[correction].title
        sources = CORRECTIONS[correction]().sources
        corrected: Sentence = (f" and with p-values of {family} that are not corrected for their number",)
        if title:
            by = f" and with p-values that are corrected by {title}'s method"
            corrected = (by, *citation_of(*sources), f" over {family}")
        is_pair = all(len(of_setting) == 1 for of_setting in pairs.values())
        if is_pair:
            corrected = (each,) if each else ()
        alphas = sorted(
            {setting.alphas[key] for setting in settings if (key := f"{name} over {over}") in setting.alphas}
        )
        level = f" at a significance level of {joined_names(f'{alpha:g}' for alpha in alphas)}" if alphas else ""
        sided = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
        test = (", by ", *_test_description(run, rows, tests)) if with_test else ()
        start = "they are" if clauses else f"{'The two metrics' if is_pair else 'Every two metrics'} are"
        clauses.append((f"{start} compared, {sided}{level}", *corrected, *test))
    return joined(clauses, "; also, ", "; also, ")


def _test(run: DescribedRun, rows: Sequence[Correlation], start: str = "") -> Sentence:
    """Return by which test metrics are compared, where it is one."""
    every = [*_by_test(run, rows).values()]
    return joined([(start, *_test_description(run, rows, of_test)) for of_test in every]) if every else ()


def _test_description(run: DescribedRun, rows: Sequence[Correlation], tests: Sequence[TestResult]) -> Sentence:
    """Describe a test, from its rows."""
    test = TESTS.named(tests[0].test)
    units = rows[0].key.documents.units
    first = tests[0]
    if test.needs_replicates:
        n = max(test_row.n_used + test_row.n_undefined for test_row in tests)
        replicates = _replicates(n, first.resampled, rows[0], denoised=test.is_denoised)
    else:
        n = max((setting.n_resamples for setting in run.settings_of(rows)), default=0)
        replicates = number_words(n, "random exchange")
    kinds = [*dict.fromkeys(COEFFICIENTS.named(test_row.key.coefficient) for test_row in tests)]
    descriptions = dict.fromkeys(
        test.described(REPLICATES_SIGN, first.resampled, first.over, units, kind) for kind in kinds
    )
    return (_replicated(" or ".join(descriptions), replicates), *_method_cited(test.sources, kinds))


def _method_cited(sources: Sequence[str], kinds: Sequence[Coefficient]) -> Sentence:
    """Return the citation of an interval or a test, of Fisher's scale only where a coefficient is taken on it."""
    has_scale = any(kind.has_fisher_scale for kind in kinds)
    return citation_of(*(key for key in sources if key != _FISHER or has_scale))


def _not_worse(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    """Explain when a metric is not significantly worse than the best, and what clusters are."""
    panel_rankings = [ranked for ranked in run.data.tables.rankings if ranked.key.panel == rows[0].key.panel]
    rankings = [ranked for ranked in panel_rankings if ranked.method != BY_INTERVALS]
    tests = [*_by_test(run, rows)]
    # A metric that was in no test, as one without a coefficient, is no rival.
    tested = (ranked for ranked in rankings if not math.isnan(ranked.p_worse))
    by_place = grouped(tested, lambda ranked: (ranked.key.place, ranked.method)).values()
    numbers = [len(ranked) for ranked in by_place if len(ranked) > 1]
    has_intervals = any(not math.isnan(row.lower) for row in rows)
    if not tests and has_intervals and len({ranked.key.metric for ranked in panel_rankings}) > 1:
        equal = "A metric is taken as equal to the best where their confidence intervals overlap"
        return (equal, *citation_of("linoch2004"))
    if not tests or not numbers:
        return ()
    start = "A metric is called not significantly worse than the best unless"
    sentence: Sentence = (f"{start} the best is significantly better",)
    if all(CORRECTIONS[correction].bounds_any for _, _, correction, _ in tests) and max(numbers) > 2:
        rivals = range_words(number - 1 for number in numbers)
        p = f"with p multiplied by {rivals}, the number of its rivals, or corrected as above, whichever is less"
        sentence = (f"{start} another one is significantly better, {p}", *citation_of("hsu1984"))
    if any(ranked.cluster for ranked in rankings):
        rule = "from the best down, a metric opens a new cluster if one in the current cluster is significantly better"
        sentence += (f"; {rule}",)
    return sentence
