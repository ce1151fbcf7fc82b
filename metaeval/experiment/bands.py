"""Coefficients among the best systems, or on pairs of systems that are close: rows of bands.tsv and band_tests.tsv.

A band is the setting with some of its systems, or with a coefficient that counts some pairs of them. Its replicates
are those of the setting, so that its intervals and tests are over the same texts, for the systems that the data as they
are put into it: these are not chosen again in a replicate.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.components.interval import ConfidenceInterval
from metaeval.config.bands import MIN_SYSTEMS, counts_pairs
from metaeval.correlation.averages import arrange_rows, systems_scored
from metaeval.correlation.bands import best_systems, equally_good_metrics, near_pairs, number_of_simulated
from metaeval.datamodel.corpus import BoolArray, FloatArray
from metaeval.datamodel.pooling import JudgedValues
from metaeval.errors import UsageError
from metaeval.experiment.estimate import interval_of
from metaeval.experiment.replicates import make_replicates, replicates_of_systems
from metaeval.experiment.setting import Setting
from metaeval.experiment.testing import compare_two
from metaeval.results.rows import ALL_SYSTEMS, BEST_SYSTEMS, GOOD_SEGMENTS, NEAR_PAIRS, Band, BandName, BandTest
from metaeval.runtime.parallel import Executor
from metaeval.runtime.randomness import generator


@dataclass(frozen=True)
class _Part:
    """A band: its name, its setting, which systems it has, and which pairs of these count (None: all)."""

    name: BandName
    setting: Setting
    systems: BoolArray
    pairs: BoolArray | None = None


def check_bands(setting: Setting) -> None:
    """Raise UsageError if a setting has too few systems for its bands."""
    if not setting.experiment.bands.keys:
        return
    n_systems = setting.human.shape[-1]
    where = f"{setting.corpus.name}, {setting.criterion.name}"
    if (limit := setting.experiment.bands.segments_above) is not None:
        n_left = int(_good_items(setting, limit).any(axis=0).sum())
        if n_left < MIN_SYSTEMS:
            raise UsageError(
                f"{where}: `bands.segments_above` must leave segments of {MIN_SYSTEMS} systems or more; better than "
                f"{limit:g} are segments of {n_left}."
            )
    for k in setting.experiment.bands.best:
        if k > n_systems:
            raise UsageError(
                f"{where}: `bands.best` must be at most the {n_systems} systems that were judged; got {k}."
            )
    distance = setting.experiment.bands.pairs_within
    if distance is None:
        return
    if n_systems < MIN_SYSTEMS:
        raise UsageError(f"{where}: `bands.pairs_within` needs {MIN_SYSTEMS} systems or more; {n_systems} were judged.")
    if not near_pairs(setting.human[0], distance).any():
        apart = np.diff(np.sort(setting.human[0])).min()
        raise UsageError(
            f"{where}: `bands.pairs_within` leaves no pair of systems: the closest two are {apart:.4g} apart by "
            f"people; got {distance:g}."
        )


def band_rows(setting: Setting, preprocessing: str, executor: Executor) -> tuple[list[Band], list[BandTest]]:
    """Return the coefficients of the metrics of a preprocessing in each band of a setting, and their comparisons."""
    parts = list(_parts(setting, executor))
    rows = []
    for text, number in itertools.product(setting.coefficients, setting.metrics(preprocessing)):
        is_whole = setting.experiment.documents.units.is_whole
        simulated = _simulated(setting, number, text) if is_whole else None
        rows += [_row(setting, part, number, text, simulated) for part in parts if text in part.setting.coefficients]
    tests = [row for text in setting.coefficients for row in _tests(setting, parts, preprocessing, text)]
    return rows, tests


def _parts(setting: Setting, executor: Executor) -> Iterator[_Part]:
    """Yield the bands of a setting: all systems, then from many of the best to few, near pairs, and good segments."""
    people = setting.human[0]
    everything = np.ones(setting.human.shape[-1], dtype=bool)
    yield _Part(BandName(ALL_SYSTEMS), setting, everything)
    for k in sorted(setting.experiment.bands.best, reverse=True):
        systems = best_systems(people, k, higher_is_better=setting.criterion.higher_is_better)
        yield _Part(BandName(BEST_SYSTEMS, k), _with_systems(setting, systems), systems)
    if (distance := setting.experiment.bands.pairs_within) is not None:
        pairs = near_pairs(people, distance)
        yield _Part(BandName(NEAR_PAIRS, distance), _with_pairs(setting, pairs), everything, pairs)
    if (limit := setting.experiment.bands.segments_above) is not None:
        yield _Part(BandName(GOOD_SEGMENTS, limit), _with_segments(setting, limit, executor), everything)


def _with_systems(setting: Setting, systems: BoolArray) -> Setting:
    """Return a setting with some of its systems alone."""
    if systems.all():
        return setting
    positions = np.flatnonzero(systems)
    documents = setting.documents
    items = documents.items
    restricted = replace(
        setting,
        corpus=setting.corpus.of_systems(positions),
        systems=setting.systems[positions],
        documents=replace(
            documents,
            human=documents.human[:, positions],
            items=JudgedValues(items.values, items.starts[positions], items.counts[positions]),
            second=None if documents.second is None else documents.second[:, positions],
            metric_items=None if documents.metric_items is None else documents.metric_items[positions],
        ),
        coefficients={text: relation.of_systems(systems) for text, relation in setting.coefficients.items()},
        scorers=[
            replace(
                scorer,
                relations={text: relation.of_systems(systems) for text, relation in scorer.relations.items()},
                unscored=None if scorer.unscored is None else scorer.unscored[positions],
                published=None if scorer.published is None else scorer.published[positions],
            )
            for scorer in setting.scorers
        ],
        scores=[scores[..., positions] for scores in setting.scores],
        replicates=None,
    )
    if setting.replicates is not None:
        restricted.replicates = replicates_of_systems(restricted, setting.replicates, systems)
    return restricted


def _with_pairs(setting: Setting, pairs: BoolArray) -> Setting:
    """Return a setting whose coefficients count some pairs of systems alone, those that can."""
    texts = [text for text, coefficient in setting.coefficients.items() if counts_pairs(coefficient)]
    restricted = replace(
        setting,
        coefficients={text: setting.coefficients[text].among_pairs(pairs) for text in texts},
        scorers=[
            replace(scorer, relations={text: scorer.relations[text].among_pairs(pairs) for text in texts})
            for scorer in setting.scorers
        ],
        replicates=None,
    )
    if setting.replicates is not None:
        everything = np.ones(len(pairs), dtype=bool)
        restricted.replicates = replicates_of_systems(restricted, setting.replicates, everything)
    return restricted


def _good_items(setting: Setting, limit: float) -> BoolArray:
    """Mark the segments of systems that people score as better than a limit: (segments, systems)."""
    human = np.nan_to_num(setting.human, nan=limit)
    return np.asarray(human > limit if setting.criterion.higher_is_better else human < limit)


def _with_segments(setting: Setting, limit: float, executor: Executor) -> Setting:
    """Return a setting of single segments with those alone that people score as better than a limit."""
    human = np.where(_good_items(setting, limit), setting.human, np.nan)
    restricted = replace(setting, documents=replace(setting.documents, human=human), replicates=None)
    if setting.replicates is not None:
        make_replicates([restricted], executor)
    return restricted


def _row(setting: Setting, part: _Part, number: int, text: str, simulated: FloatArray | None) -> Band:
    """Return the coefficient of a metric in a band."""
    band = part.setting
    scorer = setting.scorers[number]
    scored = systems_scored(band.scores[number])
    n_systems = int(scored.sum())
    has_enough = n_systems >= MIN_SYSTEMS
    too_few = ConfidenceInterval(undefined_because=f"it has scores of {n_systems} of these systems")
    interval = interval_of(band, number, text) if has_enough else too_few
    uncertainty = setting.experiment.uncertainty
    people = np.nanmean(setting.human, axis=0)
    names = np.array(setting.corpus.systems, dtype=object)
    order = np.argsort(-people if setting.criterion.higher_is_better else people, kind="stable")
    judged = np.isfinite(band.human[:, scored])
    is_whole = setting.experiment.documents.units.is_whole
    items = band.documents.items.counts[scored] > 0 if is_whole else judged
    # Of what is correlated: systems, or segments of systems.
    numbers = arrange_rows(judged, setting.experiment.correlation.average_by).sum(axis=-1)
    n_pairs = int((numbers * (numbers - 1)).sum()) // 2
    return Band(
        key=setting.key(scorer.preprocessing, text, scorer.name),
        name=part.name,
        systems=", ".join(names[[position for position in order if part.systems[position]]]),
        n_systems=n_systems,
        n_pairs=n_pairs if part.pairs is None else int(part.pairs[np.ix_(scored, scored)].sum()) // 2,
        n_segments=len(setting.documents.segments) if is_whole else int(judged.any(axis=1).sum()),
        n_items=int(items.sum()),
        value=band.mean(number, text) if has_enough else np.nan,
        lower=interval.lower,
        upper=interval.upper,
        confidence_level=None if uncertainty.interval.is_none else uncertainty.confidence_level,
        resampled=setting.resampled if uncertainty.interval.needs_replicates or uncertainty.interval.of_values else "",
        no_interval_because=interval.undefined_because,
        **_range_alone(setting, part, number, text, simulated, is_defined=has_enough),
    )


def _range_alone(
    setting: Setting, part: _Part, number: int, text: str, simulated: FloatArray | None, *, is_defined: bool
) -> dict[str, float]:
    """Return the effect of a narrower range alone on the coefficient of a metric in a band: columns of `Band`."""
    names = "range_alone", "range_alone_lower", "range_alone_upper"
    if simulated is None or part.name.is_whole or not is_defined or np.isnan(simulated).any():
        return dict.fromkeys(names, np.nan)
    scored = systems_scored(setting.scores[number])
    inside = part.systems[scored]
    relation = part.setting.scorers[number].relations[text].of_systems(scored[part.systems])
    metric = np.ascontiguousarray(simulated[:, inside])
    values = relation(metric, np.broadcast_to(setting.human[0][scored][inside], metric.shape))
    if np.isnan(values).all():
        return dict.fromkeys(names, np.nan)
    return dict(zip(names, np.nanpercentile(values, [50, 2.5, 97.5]).tolist(), strict=True))


def _simulated(setting: Setting, number: int, text: str) -> FloatArray:
    """Return metrics that agree equally well everywhere, in the place of a metric: (metrics, scored systems)."""
    scores = setting.scores[number]
    scored = systems_scored(scores)
    relation = setting.scorers[number].relations[text].of_systems(scored)
    # The same exchanges for every metric.
    rng = generator(setting.experiment.seed, "bands")
    return equally_good_metrics(
        scores[0][0][scored], setting.human[0][scored], relation, n_draws=number_of_simulated(relation), rng=rng
    )


def _tests(setting: Setting, parts: Sequence[_Part], preprocessing: str, text: str) -> list[BandTest]:
    """Test every two metrics in every band; all of these comparisons are one family."""
    if not setting.experiment.tests:
        return []
    settings = setting.experiment.tests[0]
    metrics = setting.metrics(preprocessing)
    tested = [
        (part.name, compare_two(part.setting, first, second, text, settings))
        for part in parts
        if text in part.setting.coefficients
        for first, second in itertools.combinations(metrics, 2)
    ]
    corrected = settings.correction.kind([outcome.result.p for _, outcome in tested])
    return [
        BandTest(
            key=setting.key(preprocessing, text),
            name=name,
            metric_a=outcome.metric_a,
            metric_b=outcome.metric_b,
            test=settings.named.written,
            correction=settings.correction.kind.name,
            alpha=settings.alpha,
            difference=outcome.result.difference,
            lower=outcome.result.lower,
            upper=outcome.result.upper,
            p=outcome.result.p,
            p_corrected=p,
            family=len(tested),
            untested_because=outcome.result.untested_because,
        )
        for (name, outcome), p in zip(tested, corrected.tolist(), strict=True)
    ]
