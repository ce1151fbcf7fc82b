"""The grid of a setting in a run: its arrays of scores, coefficients and replicates."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from metaeval.correlation.averages import systems_scored
from metaeval.datamodel.corpus import INTER_JUDGE, FloatArray
from metaeval.experiment.replicates import Replicates
from metaeval.experiment.setting import Setting
from metaeval.results.grid import Grid, GridMetric, draws_of


def grid_of(setting: Setting, shared: dict[Hashable, FloatArray]) -> Grid:
    """Return the grid of a setting, with its replicates if it has some.

    Parameters
    ----------
    setting : Setting
    shared : dict
        Holds the scores in replicates, which all criteria on the same items have in common.
    """
    correlation = setting.experiment.correlation
    scores = setting.scores
    has_subsets = any(len(of_subsets) > 1 for of_subsets in scores)
    return Grid.from_arrays(
        key=setting.key(metric=INTER_JUDGE if setting.is_of_judges else ""),
        metrics=tuple(GridMetric(item.preprocessing, item.name, item.signs) for item in setting.scorers),
        systems=tuple(setting.corpus.systems),
        documents=tuple(setting.documents.weights.labels),
        subsets=tuple(map(str, setting.group.subsets)) if has_subsets else (),
        orientation=correlation.orientation,
        undefined=correlation.undefined,
        human=setting.human,
        scores=[item[0] if len(item) == 1 else item for item in scores],
        coefficients={text: np.stack(values) for text, values in setting.values.items()},
        segments=setting.segment_numbers(),
        sample_size=setting.sample_size,
        documents_of_segments=setting.documents_of_segments,
        drawn_documents=np.array(setting.drawn_documents) if setting.drawn_documents else None,
        pairs={text: item.chosen_pairs for text, item in setting.coefficients.items() if item.needs_items},
        **({} if setting.replicates is None else _replicate_arrays(setting, setting.replicates, shared)),
    )


def _replicate_arrays(setting: Setting, replicates: Replicates, shared: dict[Hashable, FloatArray]) -> dict[str, Any]:
    """Return the arguments of `Grid.from_arrays` that describe replicates."""
    is_denoised = setting.experiment.uncertainty.interval.is_denoised
    n = len(setting.scorers)
    means = {}
    if is_denoised or replicates.means:
        for text in setting.coefficients:
            means[text] = np.stack(
                [replicates.means_of([number], text, denoised=is_denoised)[0] for number in range(n)]
            )
    return {
        "draws": draws_of(len(replicates), setting.n_units, setting.resampled, setting.experiment.seed),
        "replicates": means,
        "weights": replicates.resamples.weights,
        "human_replicates": replicates.human,
        "score_replicates": {
            number: shared.setdefault((setting.score_key, setting.scorers[number].key), scores)
            for number, scores in replicates.scores.items()
        },
    }


def without_scores(setting: Setting) -> list[str]:
    """Return a message for each metric that lacks scores of some documents, which are left out."""
    messages = []
    for scorer, scores in zip(setting.scorers, setting.scores, strict=True):
        lacking = np.isfinite(setting.human) & systems_scored(scores) & ~np.isfinite(scores)
        if lacking.any():
            undefined = int(lacking.any(axis=(0, 2)).sum())
            messages.append(
                f"{setting.name}, {scorer.name}: {undefined} of {len(setting.human)} documents have no score for some "
                "system, because their references are empty or the metric gives none; they are left out."
            )
    return messages
