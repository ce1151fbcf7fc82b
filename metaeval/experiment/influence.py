"""Influence of single systems on the correlation at system level: rows of influence.tsv."""

from __future__ import annotations

from functools import partial

import numpy as np

from metaeval.correlation.averages import systems_scored
from metaeval.correlation.influence import leave_one_out, outlier_systems, top_systems, without_outliers
from metaeval.experiment.setting import Setting
from metaeval.results.keys import Key
from metaeval.results.rows import Influence


def influence_rows(setting: Setting, preprocessing: str) -> list[Influence]:
    """Return the coefficients of a setting without each system, without outliers, and among the best systems.

    Of a single document only, the whole corpus; other experiments have no rows.
    """
    if not setting.experiment.documents.units.is_whole:
        return []
    high = setting.criterion.higher_is_better
    rows: list[Influence] = []
    for number in setting.metrics(preprocessing):
        scorer = setting.scorers[number]
        scored = systems_scored(setting.scores[number])
        of_subsets = setting.scores[number][..., scored]
        human = setting.human[:, scored]
        systems = [setting.corpus.systems[k] for k in np.flatnonzero(scored)]
        if len(systems) < 3:
            continue
        outliers = outlier_systems(human)
        for text, relation in scorer.relations.items():
            if relation.coefficient.needs_items:
                continue
            key = setting.key(preprocessing, text, scorer.name)
            row = partial(_row, key, setting.mean(number, text))
            # The mean over the reference subsets, where there are several, as in the coefficients themselves.
            each = np.mean([leave_one_out(scores, human, relation)[0] for scores in of_subsets], axis=0)
            rows.extend(
                row(f"without {name}", name, len(systems) - 1, value) for name, value in zip(systems, each, strict=True)
            )
            if outliers.any():
                names = ", ".join(np.array(systems)[outliers])
                value = np.mean([without_outliers(scores, human, relation)[0] for scores in of_subsets])
                rows.append(row("without outliers", names, int((~outliers).sum()), value))
            best = [top_systems(scores, human, relation, higher_is_better=high) for scores in of_subsets]
            values = np.mean([coefficients[0] for _, coefficients in best], axis=0)
            sizes = best[0][0]
            # The first size is that of all systems.
            rows.extend(row(f"best {len(systems) - k}", "", int(sizes[k]), values[k]) for k in range(1, len(sizes)))
    return rows


def _row(key: Key, of_all: float, systems: str, left_out: str, n_systems: int, value: float) -> Influence:
    """Return the coefficient of some systems, beside that of all."""
    return Influence(key, systems, left_out, n_systems, float(value), float(value) - of_all)
