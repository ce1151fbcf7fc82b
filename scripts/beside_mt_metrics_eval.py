"""Run the presets of WMT's metrics tasks beside mt-metrics-eval, on invented trees with the published names.

    python scripts/beside_mt_metrics_eval.py DIR [--preset wmt23] [--permutations 1000]

DIR is the repository of mt-metrics-eval. Each tree has the language pairs, outliers, references, human texts and some
of the metrics that its meta-information names; both programs read it and compute the tasks of the year. Printed are the
tasks, those whose values are equal (to 1e-9; soft pairwise accuracy, which is random, to .006), the largest difference
of the former, the tasks with other ranks or clusters, and the largest difference of a weight and of an average.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

import metaeval

PAIRS = {
    "wmt22": ("en-de", "en-ru", "zh-en"),
    "wmt23": ("en-de", "he-en", "zh-en"),
    "wmt24": ("en-de", "en-es", "ja-zh"),
    "wmt25": ("cs-uk_UA", "en-ko_KR", "ja-zh_CN"),
}
DOMAINS = ("conversation", "ecommerce", "news", "social")
SYSTEMS, SEGMENTS, METRICS = 11, 96, 7


def theirs(repository: Path) -> types.SimpleNamespace:
    """Import mt-metrics-eval; what it only needs to run in parallel is replaced by nothing."""
    for name in ("apache_beam", "dacite"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.path.insert(0, str(repository))
    from mt_metrics_eval import data, meta_info, tasks

    return types.SimpleNamespace(data=data, meta_info=meta_info, tasks=tasks)


def tree(root: Path, year: str, mtme: types.SimpleNamespace) -> None:
    """Write the trees of a year's language pairs."""
    rng = np.random.default_rng([20261123, int(year[3:])])
    for pair in PAIRS[year]:
        info = mtme.meta_info.DATA[year][pair]
        references = sorted({"refA", info.std_ref, *(("refB",) if pair in ("en-de", "he-en", "zh-en") else ())})
        systems = [f"s{number:02d}" for number in range(SYSTEMS)] + sorted(info.outlier_systems) + references
        domains = [DOMAINS[number // 8 % 4] for number in range(SEGMENTS)]
        truth = (
            rng.normal(0, 0.6, (len(systems), 1))
            + rng.normal(0, 1, SEGMENTS)
            + rng.normal(0, 1, (len(systems), SEGMENTS))
        )
        judged = rng.random(SEGMENTS) < 0.9
        human = np.where(judged, -np.clip(np.round(np.exp(0.8 - truth)), 0, 25), np.nan)
        human[systems.index(info.std_ref)] = np.nan
        text(root / "sources" / f"{pair}.txt", [f"source {number}" for number in range(SEGMENTS)])
        text(root / "documents" / f"{pair}.docs", [f"{one} doc{number // 8}" for number, one in enumerate(domains)])
        for name in references:
            text(root / "references" / f"{pair}.{name}.txt", [f"{name} {number}" for number in range(SEGMENTS)])
        for name in systems:
            text(root / "system-outputs" / pair / f"{name}.txt", [f"{name} {number}" for number in range(SEGMENTS)])
        scored(root / "human-scores" / f"{pair}.{info.std_gold['seg']}", systems, domains, human)
        metrics = sorted(info.primary_metrics)
        for number, name in enumerate(metrics[:: max(1, len(metrics) // METRICS)]):
            values = truth * (1 - 0.1 * number) + rng.normal(0, 0.3, (len(systems), 1)) + rng.normal(0, 1, truth.shape)
            if number == 2:
                values = np.round(values, 1)
            for reference in ("src",) if number == 3 else references:
                own = [one for one in range(len(systems)) if systems[one] != reference]
                shown = values + rng.normal(0, 0.05, values.shape)
                path = root / "metric-scores" / pair / f"{name}-{reference}"
                scored(path, [systems[one] for one in own], domains, shown[own])


def text(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def scored(path: Path, systems: list[str], domains: list[str], values: np.ndarray) -> None:
    """Write scores of segments, domains and systems."""

    def shown(value: float) -> str:
        return "None" if np.isnan(value) else f"{value:.6f}"

    def mean(row: np.ndarray) -> float:
        return float("nan") if np.isnan(row).all() else float(np.nanmean(row))

    rows = dict(zip(systems, values, strict=True))
    text(Path(f"{path}.seg.score"), [f"{name}\t{shown(one)}" for name, row in rows.items() for one in row])
    text(Path(f"{path}.sys.score"), [f"{name}\t{shown(mean(row))}" for name, row in rows.items()])
    of_domain = {domain: np.array([one == domain for one in domains]) for domain in sorted(set(domains))}
    lines = [
        f"{domain}\t{name}\t{shown(mean(row[mask]))}"
        for name, row in rows.items()
        for domain, mask in of_domain.items()
    ]
    text(Path(f"{path}.domain.score"), lines)


def task_set(year: str, mtme: types.SimpleNamespace, k: int):
    """Return the tasks of a year and their weights, by mt-metrics-eval."""
    if year != "wmt22":
        return getattr(mtme.tasks, year.upper())(lps=list(PAIRS[year]), k=k)
    task = mtme.tasks.Task
    found = mtme.tasks.TaskSet()
    found.Append(task("wmt22", ",".join(PAIRS[year]), corr_fcn="accuracy", human=False, k=k))
    for pair in PAIRS[year]:
        for domain in (None, *DOMAINS):
            for level, averages in (("sys", ("none",)), ("seg", ("none", "sys", "item"))):
                for by in averages:
                    for human in (True, False) if pair != "en-ru" else (False,):
                        for coefficient in ("pearson", "kendall"):
                            settings = {"avg_by": by, "corr_fcn": coefficient, "human": human}
                            found.Append(task("wmt22", pair, domain=domain, level=level, k=k, **settings))
    return found, None


def compared(year: str, mtme: types.SimpleNamespace, k: int) -> str:
    """Return a line on a preset."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / year
        tree(root, year, mtme)
        tasks, weights = task_set(year, mtme, k)
        sets = {
            (year, pair): mtme.data.EvalSet(year, pair, read_stored_metric_scores=True, path=scratch)
            for pair in PAIRS[year]
        }
        their = tasks.Run(sets)
        overrides = [f"ranking.permutations={k}", 'metrics=[\'precomputed:*(system="stored", missing="zero")\']']
        our = metaeval.run(
            year, corpora=root, overrides=[*overrides, "uncertainty.n_resamples=60"], output=Path(scratch) / "run"
        )
    if weights is None:
        weights = their.AssignWeights(["lang", "domain", "level", "human", "avg_by", "corr_fcn"])
    rows = our.data.tables.tasks
    of_task: dict[str, dict[str, object]] = {}
    for row in rows:
        of_task.setdefault(row.task, {})[row.metric] = row
    tolerance = 0.006 if year in ("wmt24", "wmt25") else 1e-9
    unmatched, largest, ranks, clusters, n, heaviest = [], 0.0, 0, 0, 0, 0.0
    left = dict(of_task)
    for one, weight in zip(their.results, weights, strict=True):
        best = min(left, key=lambda title: distance(left[title], one.corr_ranks))
        away = distance(left[best], one.corr_ranks)
        if away > (tolerance if "pce" in one.name else 1e-9):
            unmatched.append(f"{one.name} ({best}: {away:g})")
            continue
        ours = left.pop(best)
        n += 1
        if "pce" not in one.name:
            largest = max(largest, away)
        heaviest = max(heaviest, abs(next(iter(ours.values())).weight - weight))
        order = sorted((name for name in ours if ours[name].rank), key=lambda name: ours[name].rank)
        ranks += [name for name in one.corr_ranks if name in order] != order
        clusters += any(ours[name].cluster != one.corr_ranks[name][1] for name in order) if k else 0
    average = {row.metric: row for row in our.data.tables.averages}
    of_theirs = their.AverageCorrs(weights)
    apart = max(abs(average[name].average_correlation - value) for name, value in of_theirs.items())
    return "\t".join(
        map(
            str,
            (
                year,
                len(their.results),
                n,
                f"{largest:.2g}",
                ranks,
                clusters,
                f"{heaviest:.2g}",
                f"{apart:.2g}",
                "; ".join(unmatched)[:300],
            ),
        )
    )


def distance(ours, theirs) -> float:
    """Return the largest difference of a value, 2 where metrics are not the same."""
    if set(ours) != set(theirs):
        return 2.0
    pairs = [(ours[name].value, theirs[name][0]) for name in theirs]
    return max(abs(0.0 if np.isnan(one) else one - other) for one, other in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, metavar="DIR")
    parser.add_argument("--preset", choices=PAIRS)
    parser.add_argument("--permutations", type=int, default=1000)
    options = parser.parse_args()
    mtme = theirs(options.repository.resolve())
    print("preset\ttasks\tequal\tlargest difference\tother ranks\tother clusters\tweights\taverages\tnot equal")
    for year in [options.preset] if options.preset else PAIRS:
        np.random.seed(1)  # noqa: NPY002  # it draws from the global generator
        print(compared(year, mtme, options.permutations), flush=True)


if __name__ == "__main__":
    main()
