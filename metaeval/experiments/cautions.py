"""What a reader of intervals and tests must know: where they do not keep what they promise (docs/calibration.md)."""

from __future__ import annotations

import math

from metaeval.correlation.significance import get_test
from metaeval.experiments.config import Experiment


def cautions(experiment: Experiment) -> list[str]:
    """Return a sentence for each interval or test of an experiment that can be misread."""
    return [*_of_intervals(experiment), *_of_tests(experiment), *_too_few_replicates(experiment)]


def _of_intervals(experiment: Experiment) -> list[str]:
    settings = experiment.uncertainty
    if settings.method != "bootstrap" or experiment.documents.kind != "all" or settings.resample == "systems":
        return []
    about = "other segments for these systems" if settings.resample == "segments" else "other segments and systems"
    caution = (
        f"the limits speak about {about}; they lie low, because each replicate adds the noise of segments once more "
        "(docs/calibration.md)."
    )
    return [caution]


def _of_tests(experiment: Experiment) -> list[str]:
    tests = {(get_test(settings.method).name, settings.axis) for settings in experiment.tests}
    names = {name for name, _ in tests}
    found = []
    if ("wilcoxon", "documents") in tests and experiment.documents.kind == "random":
        companion = (
            "the rows of the test 'bootstrap' do"
            if "bootstrap" in names
            else 'add [[tests]] method = "bootstrap" for that'
        )
        found.append(
            "the signed-rank test over random documents, which share segments, answers for these documents and not for "
            f"new text: read so, it finds differences between equal metrics more often than not; {companion} "
            "(docs/calibration.md)."
        )
    units = "documents" if experiment.documents.kind == "real" else "segments"
    over_segments = "bootstrap" in names and experiment.uncertainty.resample == "segments"
    if over_segments or tests & {("permutation", "segments"), ("permutation", "both")}:
        found.append(
            f"p-values of the bootstrap over {units}, and of permutations of {units} or both, speak about other "
            f"{units} for these systems; on other systems the order of two metrics may differ (docs/calibration.md)."
        )
    if ("permutation", "systems") in tests or ("bootstrap" in names and experiment.uncertainty.resample == "systems"):
        found.append(
            "tests that resample or permute few systems find somewhat too much, 6 to 8 % instead of 5 % with 10 or 20 "
            "systems, and nothing with 5 (docs/calibration.md)."
        )
    return found


def _too_few_replicates(experiment: Experiment) -> list[str]:
    """Return a message for each test that cannot find anything, because no corrected p can be small enough."""
    messages = []
    n_pairs, n_resamples = math.comb(len(experiment.metrics), 2), experiment.uncertainty.n_resamples
    for settings in experiment.tests:
        test = get_test(settings.method)
        if test.name not in ("bootstrap", "permutation") or settings.correction != "holm":
            continue
        sides = 2 if test.name == "bootstrap" and test.alternative == "two-sided" else 1
        smallest = sides * n_pairs / (n_resamples + 1)
        if smallest >= settings.alpha:
            needed = math.ceil(sides * n_pairs / settings.alpha)
            messages.append(
                f"the test {settings.method!r}: of {n_resamples} replicates and {n_pairs} pairs of metrics, no random "
                f"p corrected by Holm is below {smallest:.3g}, so nothing can be significant at {settings.alpha:g}; "
                f"set uncertainty.n_resamples to {needed} or more."
            )
    return messages
