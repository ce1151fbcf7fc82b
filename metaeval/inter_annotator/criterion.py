"""The rows of ``metaeval agreement`` for one criterion, from its design to what the order of systems owes to judges."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from metaeval.correlation.ceiling import ceilings
from metaeval.correlation.coefficients import get_coefficient, midranks, spearman
from metaeval.correlation.intervals import bootstrap_interval
from metaeval.correlation.kendall import kendall
from metaeval.errors import UsageError
from metaeval.judgments.agreement import LEVELS, ItemJudgments, describe_design, krippendorff_alpha, sort_by_item
from metaeval.judgments.raters import PairAgreement, is_sorted, judge_habits, leave_judges_out, pair_agreement
from metaeval.judgments.rules import group_by_item
from metaeval.randomness import generator
from metaeval.records import Corpus, Criterion, FloatArray, IntArray, JudgedValues, Judgments
from metaeval.replicates import Resamples
from metaeval.sampling.documents import single, whole
from metaeval.sampling.resamples import draw_resamples

Row = dict[str, Any]
COEFFICIENTS = ("pearson", "spearman", "kendall")

# With more different scores than this, it says little that two are not exactly equal.
_MOST_GRADES = 10


@dataclass(frozen=True)
class AgreementSettings:
    """What the tables rest on.

    Attributes
    ----------
    n_resamples : int
        Bootstrap replicates of the segments, for the intervals of alpha.
    n_draws : int
        How often the judgments of each item are split, for the ceilings.
    min_shared : int
        Items that two judges must share to be compared.
    confidence_level : float
        Of all intervals.
    seed : int
        All chance comes from it.
    """

    n_resamples: int = 1000
    n_draws: int = 100
    min_shared: int = 10
    confidence_level: float = 0.95
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("n_resamples", 2), ("n_draws", 1), ("min_shared", 2), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise UsageError(f"`{name}` must be at least {least}; got {value!r}.")
        if not 0.0 < self.confidence_level < 1.0:
            raise UsageError(f"`confidence_level` must lie between 0 and 1; got {self.confidence_level!r}.")


class CriterionAgreement:
    """The judgments on one criterion, and the rows that they give."""

    def __init__(self, corpus: Corpus, criterion: Criterion, rows: Judgments, settings: AgreementSettings):
        self.corpus, self.criterion, self.settings, self.names = corpus, criterion, settings, rows.judges
        self.rows = rows
        self.items: ItemJudgments = sort_by_item(rows, len(corpus.systems), corpus.n_segments)
        self.design = describe_design(self.items)
        self.shared = bool((self.items.counts > 1).any())

    def tables(self) -> dict[str, list[Row]]:
        """Return the rows of all tables; those that need two judgments of an item only where there are such."""
        always = {"design": self._design(), "judges": self._judges(), "systems": self._systems()}
        if not self.shared:
            return always
        pairs = pair_agreement(self.items, self.settings.min_shared)
        return {
            **always,
            "alpha": self._alpha(),
            "ceiling": self._ceiling(),
            "pair-means": self._pair_means(pairs),
            "pairs": self._pairs(pairs),
        }

    def warnings(self) -> list[str]:
        """Return what a reader of the rows must know."""
        design = self.design
        found = []
        if not self.shared:
            who = "by one judge" if design.n_judges == 1 else f"once, by one of {design.n_judges} judges"
            found.append(
                f"no agreement can be measured, because every one of the {design.n_items} judged items (a segment of a "
                f"system) was judged {who}; two judgments of the same items are needed."
            )
        elif design.n_groups > 1:
            found.append(
                f"the judges fall into {design.n_groups} groups that share no item, the largest of "
                f"{design.largest_group}; judges of different groups cannot be compared."
            )
        if self.shared and is_sorted(self.items):
            found.append(
                "in the file, the judgments of each judge stand sorted by segment or by system. If that is not the "
                "order in which they were made, drift says how early segments or systems differ from late ones."
            )
        unjudged = np.setdiff1d(np.arange(len(self.corpus.systems)), self.items.system)
        if len(unjudged):
            found.append(f"{len(unjudged)} of {len(self.corpus.systems)} systems have no judgment and are left out.")
        return found

    def _design(self) -> list[Row]:
        design = self.design
        return [
            {
                "judgments": design.n_judgments,
                "judges": design.n_judges,
                "items": design.n_items,
                "possible_items": design.n_possible,
                "judgments_an_item": ", ".join(f"{count}: {n}" for count, n in design.items_by_count),
                "pairs": design.n_pairs,
                "pairs_sharing": design.n_sharing,
                "median_shared": design.median_shared,
                "groups": design.n_groups,
                "largest_group": design.largest_group,
            }
        ]

    def _alpha(self) -> list[Row]:
        settings = self.settings
        resamples = _segment_resamples(self.items, settings)
        assert resamples.segments is not None
        kept = self.items.counts[self.items.item] > 1
        levels = LEVELS if len(np.unique(self.items.score[kept])) <= _MOST_GRADES else LEVELS[1:]
        rows = []
        for level in reversed(levels):
            (value,) = krippendorff_alpha(self.items, level).tolist()
            replicates = krippendorff_alpha(self.items, level, resamples.segments)
            interval = bootstrap_interval(
                value, replicates, confidence_level=settings.confidence_level, weights=resamples.weights
            )
            rows.append(
                {
                    "level": level,
                    "alpha": value,
                    "lower": interval.lower,
                    "upper": interval.upper,
                    "items": int((self.items.counts > 1).sum()),
                    "judgments": int(kept.sum()),
                    "segments": len(np.unique(self.items.segment)),
                    "replicates": interval.n_used,
                    "undefined": interval.n_undefined,
                }
            )
        return rows

    def _pairs(self, pairs: PairAgreement) -> list[Row]:
        columns = {
            "shared": pairs.n_shared,
            "pearson": pairs.pearson,
            "spearman": pairs.spearman,
            "kappa_linear": pairs.kappa_linear,
            "kappa_quadratic": pairs.kappa_quadratic,
            "difference": pairs.difference,
        }
        return [
            {
                "judge_a": self.names[pairs.first[place]],
                "judge_b": self.names[pairs.second[place]],
                **{name: values[place].item() for name, values in columns.items()},
            }
            for place in range(len(pairs))
        ]

    def _pair_means(self, pairs: PairAgreement) -> list[Row]:
        compared = pairs.n_shared >= self.settings.min_shared
        row: Row = {
            "pairs_sharing": len(pairs),
            "too_few_shared": int((~compared).sum()),
            "compared": int(compared.sum()),
            "shared": int(pairs.n_shared[compared].sum()),
        }
        for name in ("pearson", "spearman", "kappa_linear", "kappa_quadratic"):
            row[name] = _weighted_mean(getattr(pairs, name), pairs.n_shared)
        row["absolute_difference"] = _weighted_mean(np.abs(pairs.difference), pairs.n_shared)
        row["undefined"] = int(np.isnan(pairs.pearson[compared]).sum())
        return [row]

    def _judges(self) -> list[Row]:
        habits = judge_habits(
            self.items,
            self.criterion.low,
            self.criterion.high,
            confidence_level=self.settings.confidence_level,
        )
        columns = {field.name: getattr(habits, field.name) for field in fields(habits)}
        return [
            {"judge": self.names[place], **{name: values[place].item() for name, values in columns.items()}}
            for place in np.flatnonzero(habits.n > 0)
        ]

    def _systems(self) -> list[Row]:
        """Return what leaving out each judge does to the order of the systems."""
        judged = np.unique(self.items.system)
        left = leave_judges_out(self.items)
        active = np.unique(self.items.judge)
        if len(judged) < 2 or len(active) < 2:
            return []
        systems = [self.corpus.systems[system] for system in judged]
        all_of_them, sign = left.means[judged], -1.0 if self.criterion.higher_is_better else 1.0
        before = midranks(sign * all_of_them)
        rows = []
        for judge in active:
            means = left.without[judge, judged]
            row: Row = {
                "left_out": self.names[judge],
                "judgments": int((self.items.judge == judge).sum()),
                "items_lost": int(left.items_lost[judge]),
                "systems": len(systems),
            }
            if np.isnan(means).any():
                # A system that only this judge judged has no place without him or her.
                rows.append({**row, **_change(np.nan, np.nan, None, np.nan, None)})
                continue
            after = midranks(sign * means)
            farthest = np.argsort(-np.abs(after - before), kind="stable")
            moved = [f"{systems[k]} {before[k]:g}>{after[k]:g}" for k in farthest if before[k] != after[k]]
            same_order = float(kendall(all_of_them, means)), float(spearman(all_of_them, means))
            largest = float(np.abs(means - all_of_them).max())
            rows.append({**row, **_change(*same_order, len(moved), largest, "; ".join(moved))})
        return rows

    def _ceiling(self) -> list[Row]:
        settings = self.settings
        judged = _judged_values(self.rows, self.items)
        n_segments = judged.counts.shape[1]
        coefficients = [(name, get_coefficient(name)) for name in COEFFICIENTS]
        rows: list[Row] = []
        for level, documents, averages in (
            ("segment", single(range(1, n_segments + 1)), ("none", "item")),
            ("corpus", whole(n_segments), ("item",)),
        ):
            relations = [(name, one, average_by) for average_by in averages for name, one in coefficients]
            found = ceilings(
                judged,
                documents,
                [(one, average_by) for _, one, average_by in relations],
                n_draws=settings.n_draws,
                rng=generator(settings.seed, "ceiling", self.criterion.name, level),
            )
            for (name, _, average_by), of_one in zip(relations, found, strict=True):
                rows.extend(
                    {
                        "documents": level,
                        "average_by": average_by,
                        "coefficient": name,
                        "kind": row.kind,
                        "value": row.value,
                        "sd": row.sd,
                        "draws": row.n_draws,
                        "items": row.n_items_used,
                        "share_of_items": row.share_of_items,
                        "undefined": row.n_undefined,
                    }
                    for row in of_one
                )
        return rows


def _change(kendall_b: float, rho: float, n_moved: int | None, largest: float, moved: str | None) -> Row:
    return {
        "kendall": kendall_b,
        "spearman": rho,
        "largest_change": largest,
        "n_moved": n_moved,
        "moved": moved,
    }


def _segment_resamples(items: ItemJudgments, settings: AgreementSettings) -> Resamples:
    """Draw replicates of the judged segments; all others have no weight."""
    segments = np.unique(items.segment)
    drawn = draw_resamples(
        "segments",
        len(segments),
        items.n_systems,
        settings.n_resamples,
        rng_segments=generator(settings.seed, "agreement", "segments"),
        rng_systems=generator(settings.seed, "agreement", "systems"),
    )
    assert drawn.segments is not None
    counts = np.zeros((len(drawn), items.n_segments), dtype=np.uint16)
    counts[:, segments] = drawn.segments
    return Resamples(counts, None, drawn.weights)


def _judged_values(rows: Judgments, items: ItemJudgments) -> JudgedValues:
    """Return the judgments of the judged systems and segments, by item."""
    systems, segments = np.unique(items.system), np.unique(items.segment)
    shape = (len(systems), len(segments))
    places: tuple[IntArray, IntArray] = (
        np.searchsorted(systems, rows.system),
        np.searchsorted(segments, rows.segment),
    )
    return group_by_item(*places, rows.judge, rows.score, shape)


def _weighted_mean(values: FloatArray, weights: IntArray) -> float:
    """Return the mean of the values that are defined; ``nan`` if none is."""
    defined = ~np.isnan(values)
    return float(np.average(values[defined], weights=weights[defined])) if defined.any() else np.nan
