"""Calibrate the default intervals, tests and families by simulation: corpora whose truth is known, many times over.

Prints tables in Markdown: long ones for docs/calibration-tables.md, short ones for docs/calibration.md, which says what
they mean. The models are in calibration/models.py, what the defaults say of a corpus in calibration/outcomes.py;
calibrate_tests.py is the companion for the tests of the papers.

Usage: python scripts/calibrate_defaults.py [--corpora N] [--draws N] [--jobs N] [--seed N] [--quick] [--write PATH]
           [--log PATH] [--only COEFFICIENT | --widths]
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calibration.models import ALTERNATIVES, EXCHANGEABLE, NOISE, NULLS, SEGMENT_NULLS, SOFT, Model
from calibration.outcomes import FIELDS, family, for_new_systems, simulate, simulate_segments
from calibration.tables import table, wilson
from joblib import Parallel, delayed

from metaeval.correlation.tolerances import EQUAL
from metaeval.datamodel.corpus import FloatArray

CELLS = ((5, 100), (8, 200), (12, 200), (20, 200), (20, 500), (30, 500), (8, 2000))
FEW_CELLS = ((5, 100), (8, 200), (20, 200))
POWER_CELLS = ((8, 200), (10, 200), (20, 200))
# Cells with twice as many corpora.
TWICE = ("unequal", ((8, 200), (20, 200)))
# How many of all corpora each coefficient gets; the others take longer.
SHARES = {"pearson": 1.0, "spearman": 1.0, "kendall": 0.5, "pairwise-accuracy": 0.5, SOFT: 0.5}
BY_SEGMENT = 'pairwise-accuracy(epsilon="auto")'
# Metrics, and corpora of each 1,000.
FAMILIES = ((3, 200), (10, 200), (25, 60), (60, 20))
WORST = ["coefficient", "systems", "segments", "size", "side", "coverage"]
CELL_HEADER = (
    "systems, segments | model | corpora (draws discarded) | r of A, B | 5 %: A/B better | 1 % "
    "| difference held (width) | r of A held (width) | r of B held (width) | no interval of difference | of r "
    "| estimate outside | p and interval disagree | p against the sign"
)
OLD_HEADER = "systems, segments | model | 5 %: A/B better | 1 % | difference held (width) | r of A held (width)"
FAMILY_HEADER = (
    "metrics | number | corpora | any false rejection | more than one cluster | given best left out of the set "
    "| all tied best in the set | size of the set | differences found"
)
NEW_HEADER = (
    "systems | model | number | r | Williams, 5 %: A/B better | 1 % | jackknife holds r of A, B (width) "
    "| Fisher holds r of A, B (width)"
)
# Where the interval of a difference is compared with percentiles of the denoised replicates of the difference.
WIDTH_CELLS = ((8, 200), (12, 300), (15, 200), (20, 200))
WIDTH_MODELS = (
    EXCHANGEABLE,
    Model("unequal"),
    *ALTERNATIVES,
    Model("bias .1 v. .5", bias_a=0.1, bias_b=0.5, noise_a=NOISE / 2, noise_b=NOISE / 2),
    Model("A noisy, B nearly perfect", bias_b=0.0, noise_a=2.5 * NOISE, noise_b=0.1),
    Model("A noisy, B quiet and biased (.5)", bias_b=0.5, noise_a=NOISE, noise_b=0.1),
)
WIDTH_HEADER = (
    "systems, segments | model | coefficient | corpora | r of A, B | found different by p | by percentiles "
    "| default holds (width) | no interval | percentiles hold (width) | miss the estimate | disagree with p "
    "| ratio of widths"
)
# The last columns of a cell.
LAST = ("none_d", "none_r", "outside", "disagree", "turned")
ABOUT = """Figures are percent, but for r and widths (medians). "Held": of the intervals that are printed. Bold: outside
the gate, as a point estimate: size at most 6 in all and 4.5 on a side; held at least 93, or 91 where a metric is biased
and there are 20 systems or more; no estimate outside its interval; p and interval disagree at most 2. Of 1,000 corpora,
5 % and 95 % are known to 1.4 points. There are 20 draws of systems in each cell, and 800 replicates of each corpus.
Metrics that are exchangeable are hardly ever found different: the test does not presume that they are.
"""


def run(
    work: Callable[..., tuple[dict[str, FloatArray], int]],
    model: Model,
    cell: tuple[int, int],
    counts: dict[str, int],
    options: argparse.Namespace,
) -> tuple[dict[str, FloatArray], int]:
    """Simulate a cell, each draw of systems by itself; jobs change no number."""
    each = {text: -(-count // options.draws) for text, count in counts.items()}
    parts = Parallel(n_jobs=options.jobs)(
        delayed(work)(model, *cell, each, number, options.seed) for number in range(options.draws)
    )
    rows = {text: np.concatenate([found[text] for found, _ in parts]) for text in counts}
    discarded = sum(number for _, number in parts)
    for text, found in rows.items():
        log(options, f"{text}, {model.name}, {cell}, {discarded} discarded: {summary(found)}")
    return rows, discarded


def log(options: argparse.Namespace, text: str) -> None:
    """Write down what is done, so that nothing is lost."""
    line = f"{time.perf_counter() - STARTED:.0f} s: {text}"
    print(line, file=sys.stderr, flush=True)
    if options.log:
        with Path(options.log).open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def held(rows: dict[str, FloatArray], truth: str, limits: str) -> tuple[float, float]:
    """Return how often the intervals that are printed hold the truth, in percent, and their median width."""
    lower, upper = rows[f"{limits}lower"], rows[f"{limits}upper"]
    printed = ~np.isnan(lower)
    if not printed.any():
        return math.nan, math.nan
    inside = (lower <= rows[truth] + EQUAL) & (rows[truth] - EQUAL <= upper)
    return 100 * float(inside[printed].mean()), float(np.median((upper - lower)[printed]))


def summary(found: FloatArray) -> dict[str, float]:
    """Return the figures of a cell: shares in percent, widths and means."""
    rows = dict(zip(FIELDS, found.T, strict=True))
    d, p = rows["d"], rows["p"]
    figures = {"corpora": len(d), "r_a": rows["true_a"].mean(), "r_b": rows["true_b"].mean()}
    for name, of_p in (("size", p), ("old_size", rows["old_p"])):
        for level in (0.05, 0.01):
            for side, ahead in (("a", d > 0), ("b", d < 0)):
                figures[f"{name}_{level}_{side}"] = 100 * float(((of_p <= level) & ahead).mean())
    for name, truth, limits in (
        ("d", "true_d", ""),
        ("a", "true_a", "a_"),
        ("b", "true_b", "b_"),
        ("old_d", "true_d", "old_"),
        ("old_a", "true_a", "old_a_"),
    ):
        figures[f"held_{name}"], figures[f"width_{name}"] = held(rows, truth, limits)
    figures["size"] = 100 * float((p <= 0.05).mean())
    printed = ~np.isnan(rows["lower"])
    figures["none_d"] = 100 * float((~printed).mean())
    figures["none_r"] = 100 * float((np.isnan(rows["a_lower"]) | np.isnan(rows["b_lower"])).mean())
    figures["outside"] = 100 * float(
        np.mean(
            [
                (rows[lower] > rows[value] + EQUAL) | (rows[value] - EQUAL > rows[upper])
                for lower, value, upper in (
                    ("lower", "d", "upper"),
                    ("a_lower", "a", "a_upper"),
                    ("b_lower", "b", "b_upper"),
                )
            ]
        )
    )
    excludes = (rows["lower"] > 0) | (rows["upper"] < 0)
    figures["disagree"] = 100 * float((excludes != (p <= 0.05))[printed].mean()) if printed.any() else math.nan
    figures["turned"] = 100 * float(((p <= 0.05) & (rows["statistic"] * d <= 0)).mean())
    figures["untested"] = 100 * float(np.isnan(p).mean())
    return figures


def marked(value: float, *, bad: bool = False) -> str:
    return "-" if math.isnan(value) else f"{'**' * bad}{value:.1f}{'**' * bad}"


def least(model: Model, n_systems: int, side: str) -> float:
    """Return the least coverage that the gate allows: 91 % where bias prevails and there are 20 systems."""
    biased = {"a": model.bias_a > 0, "b": model.bias_b > 0, "d": model.bias_a > 0 and model.bias_b > 0}[side]
    return 91.0 if biased and n_systems >= 20 else 93.0


def outside_gate(cell: tuple[int, int], model: Model, figures: dict[str, float]) -> dict[str, str]:
    """Return what of a null is outside the gate, by the name of the figure, in words."""
    n, sides = int(figures["corpora"]), [figures[f"size_0.05_{side}"] for side in "ab"]
    found: dict[str, str] = {}
    for name, what, value, most in (
        ("size", "size", figures["size"], 6.0),
        ("size", "size on one side", max(sides), 4.5),
        ("held_d", "difference missed", 100 - figures["held_d"], 100 - least(model, cell[0], "d")),
        ("held_a", "r of A missed", 100 - figures["held_a"], 100 - least(model, cell[0], "a")),
        ("held_b", "r of B missed", 100 - figures["held_b"], 100 - least(model, cell[0], "b")),
        ("outside", "estimate outside its interval", figures["outside"], 0.0),
        ("disagree", "p and interval disagree", figures["disagree"], 2.0),
    ):
        if value > most:
            chance = " (within chance)" if wilson(round(value * n / 100), n)[0] <= most / 100 else ""
            words = f"{what} in {value:.1f} %{chance}"
            found[name] = f"{found[name]}, {words}" if name in found else words
    return found


def line_of(
    cell: tuple[int, int], model: Model, figures: dict[str, float], lost: int, bad: dict[str, str]
) -> list[str]:
    """Return the line of a cell in its table."""
    sizes = ["/".join(f"{figures[f'size_{level}_{side}']:.1f}" for side in "ab") for level in (0.05, 0.01)]
    line = [f"{cell[0]}, {cell[1]}", model.name, f"{figures['corpora']:.0f} ({lost})"]
    line += [f"{figures['r_a']:.3f}, {figures['r_b']:.3f}", f"**{sizes[0]}**" if "size" in bad else sizes[0], sizes[1]]
    for side in "dab":
        share = marked(figures[f"held_{side}"], bad=f"held_{side}" in bad)
        line.append(f"{share} ({figures[f'width_{side}']:.3f})")
    return [*line, *(marked(figures[name], bad=name in bad) for name in LAST)]


def old_and_new(cell: tuple[int, int], model: Model, figures: dict[str, float]) -> list[str]:
    """Return a line that puts the percentile bootstrap beside the defaults."""
    line = [f"{cell[0]}, {cell[1]}", model.name]
    for level in (0.05, 0.01):
        line += [
            " -> ".join(
                "/".join(f"{figures[f'{name}_{level}_{side}']:.1f}" for side in "ab") for name in ("old_size", "size")
            )
        ]
    for side in "da":
        shares, widths = ([figures[f"{what}_{name}"] for name in (f"old_{side}", side)] for what in ("held", "width"))
        line.append(f"{shares[0]:.1f} -> {shares[1]:.1f} ({widths[0]:.3f} -> {widths[1]:.3f})")
    return line


def family_table(options: argparse.Namespace) -> str:
    lines = []
    for mixed, (size, count) in itertools.product((False, True), FAMILIES):
        count = max(2, count * options.corpora // 1000)
        chunks = [range(start, min(start + 2, count)) for start in range(0, count, 2)]
        parts = Parallel(n_jobs=options.jobs)(delayed(family)(size, mixed, one, options.seed) for one in chunks)
        figures = np.mean([row for part in parts for row in part], axis=0)
        shares = [marked(100 * figures[place]) for place in (0, 1, 2, 3)]
        lines.append(["mix" if mixed else "all equal", f"{size}", f"{count}", *shares, f"{figures[4]:.1f}"])
        lines[-1].append(marked(100 * figures[5]))
        log(options, f"family: {lines[-1]}")
    return table(FAMILY_HEADER.split(" | "), lines)


def widths_of(rows: dict[str, FloatArray]) -> list[str]:
    """Return the interval of a difference beside the percentiles of its denoised replicates, in words."""
    d, p, lower, upper = (rows[name] for name in ("d", "p", "lower", "upper"))
    low, high = rows["percentile_lower"], rows["percentile_upper"]
    excludes = (low > 0) | (high < 0)
    found = [f"{rows['true_a'].mean():.3f}, {rows['true_b'].mean():.3f}"]
    found += [f"{100 * one.mean():.1f}" for one in (p <= 0.05, excludes)]
    found += ["{:.1f} ({:.3f})".format(*held(rows, "true_d", "")), f"{100 * np.isnan(lower).mean():.1f}"]
    found += ["{:.1f} ({:.3f})".format(*held(rows, "true_d", "percentile_"))]
    outside = (d < low - EQUAL) | (d > high + EQUAL)
    found += [f"{100 * one.mean():.1f}" for one in (outside, excludes != (p <= 0.05))]
    return [*found, f"{np.nanmedian((upper - lower) / (high - low)):.2f}"]


def widths_table(options: argparse.Namespace) -> str:
    """Return the widths of both intervals of a difference, of equal metrics and of metrics that differ."""
    lines = []
    for model, cell in itertools.product(WIDTH_MODELS, WIDTH_CELLS):
        rows, _ = run(simulate, model, cell, dict.fromkeys(("pearson", "spearman"), options.corpora), options)
        for text, found in rows.items():
            named = dict(zip(FIELDS, found.T, strict=True))
            lines.append([f"{cell[0]}, {cell[1]}", model.name, text, f"{len(found)}", *widths_of(named)])
    return table(WIDTH_HEADER.split(" | "), sorted(lines, key=lambda line: line[2]))


def new_systems_table(options: argparse.Namespace) -> str:
    models = (replace(EXCHANGEABLE, name="exchangeable, bias .15", bias_a=0.15, bias_b=0.15), Model("unequal"))
    most, lines = 2_000 if options.quick else 20_000, []
    cells = list(itertools.product((False, True), models, (6, 10, 20)))
    done = Parallel(n_jobs=options.jobs)(
        delayed(for_new_systems)(*cell, options.corpora, most, options.seed) for cell in cells
    )
    for (outliers, model, n_systems), (truth, size, inside, widths) in zip(cells, done, strict=True):
        line = ["outliers" if outliers else "normal", model.name, f"{n_systems}", f"{truth:.3f}"]
        line += [f"{size[start]:.1f}/{size[start + 1]:.1f}" for start in (0, 2)]
        line += [f"{one[0]:.1f}, {one[1]:.1f} ({width:.2f})" for one, width in zip(inside, widths, strict=True)]
        lines.append(line)
        log(options, f"new systems: {line}")
    return table(NEW_HEADER.split(" | "), lines)


def nulls_and_power(options: argparse.Namespace) -> dict[tuple[str, str], list[Any]]:
    """Simulate all cells; return, by "null" or "power" and coefficient, cell, model, figures and discarded draws."""
    found: dict[tuple[str, str], list[Any]] = {}
    plan = [("null", cell, model) for cell in CELLS for model in NULLS]
    plan += [("power", cell, model) for cell in POWER_CELLS for model in ALTERNATIVES]
    for kind, cell, model in plan:
        few = cell in FEW_CELLS or kind == "power"
        # Soft pairwise accuracy takes a grid of scores, so it has no ratios, no missing judgments and no rounding.
        grid = not (model.ratio or model.judged < 1 or model.rounding)
        counts = {
            text: int(share * options.corpora * (0.5 if kind == "power" else 1))
            for text, share in SHARES.items()
            if (share == 1 or (few and (text != SOFT or grid))) and options.only in (None, text)
        }
        if not counts:
            continue
        if model.name == TWICE[0] and cell in TWICE[1]:
            counts |= {text: 2 * count for text, count in counts.items() if SHARES[text] == 1}
        rows, lost = run(simulate, model, cell, counts, options)
        for text, one in rows.items():
            found.setdefault((kind, text), []).append((cell, model, summary(one), lost))
    for cell, model in itertools.product(FEW_CELLS, SEGMENT_NULLS if options.only in (None, BY_SEGMENT) else ()):
        rows, lost = run(simulate_segments, model, cell, {BY_SEGMENT: options.corpora}, options)
        found.setdefault(("null", BY_SEGMENT), []).append((cell, model, summary(rows[BY_SEGMENT]), lost))
    return found


def worst(found: dict[tuple[str, str], list[Any]]) -> list[list[str]]:
    """Return the worst figures over the nulls, by coefficient, systems and segments."""
    cells: dict[tuple[str, tuple[int, int]], list[dict[str, float]]] = {}
    for (kind, text), lines in found.items():
        for cell, _, figures, _ in lines if kind == "null" else ():
            cells.setdefault((text, cell), []).append(figures)
    rows = []
    for (text, cell), of_cell in cells.items():
        size = max(one["size"] for one in of_cell)
        side = max(one[f"size_0.05_{name}"] for one in of_cell for name in "ab")
        held = min(np.nanmin([one[f"held_{side}"] for side in "dab"]) for one in of_cell)
        rows.append([text, f"{cell[0]}", f"{cell[1]}", f"{size:.1f}", f"{side:.1f}", f"{held:.1f}"])
    return rows


def report(found: dict[tuple[str, str], list[Any]]) -> None:
    """Print the tables of nulls and alternatives."""
    failed: dict[bool, list[str]] = {True: [], False: []}
    for (kind, text), lines in found.items():
        rows = []
        for cell, model, figures, lost in lines:
            bad = outside_gate(cell, model, figures) if kind == "null" else {}
            rows.append(line_of(cell, model, figures, lost, bad))
            if bad:
                gated = SHARES.get(text) == 1 and cell[0] >= 8 and cell[1] >= 200
                failed[gated].append(f"- {text}, {model.name}, {cell[0]}, {cell[1]}: {'; '.join(bad.values())}")
        what = "Type I error" if kind == "null" else "power"
        print(f"## {text}: {what} and coverage\n\n{table(CELL_HEADER.split(' | '), rows)}")
        if text == "pearson":
            rows = [old_and_new(cell, model, figures) for cell, model, figures, _ in lines]
            print(f"## {text}, {what}: percentile bootstrap -> defaults\n\n{table(OLD_HEADER.split(' | '), rows)}")
    print(f"## Worst figures over the nulls\n\n{table(WORST, worst(found))}")
    print("## Outside the gate (Pearson, Spearman; 8 systems, 200 segments or more)\n")
    print("\n".join(failed[True] or ["None."]))
    print("\n## Others outside the same limits\n\n" + "\n".join(failed[False] or ["None."]) + "\n")


STARTED = time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibrate the default intervals, tests and families.")
    parser.add_argument("--corpora", type=int, default=1000, help="in each cell of Pearson and Spearman")
    parser.add_argument("--draws", type=int, default=20, help="draws of systems in each cell")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[*SHARES, BY_SEGMENT], help="tables of this coefficient alone")
    parser.add_argument("--widths", action="store_true", help="the table of widths of intervals of differences alone")
    parser.add_argument("--quick", action="store_true", help="a trial of the script: its figures mean nothing")
    parser.add_argument("--write", type=Path, help="where to write the worst figures over the nulls, as TSV")
    parser.add_argument("--log", type=Path, help="where to write each cell when it is done")
    options = parser.parse_args()
    options.corpora = 20 if options.quick else options.corpora
    options.draws = 2 if options.quick else options.draws
    if options.widths:
        print("## Intervals of a difference: width\n\n" + widths_table(options))
        return
    print(f"`python scripts/calibrate_defaults.py --corpora {options.corpora} --seed {options.seed}`\n\n{ABOUT}")
    found = nulls_and_power(options)
    report(found)
    if options.only is None:
        print("## Families, Pearson, 20 systems, 300 segments, at 5 %\n\n" + family_table(options))
        print("## New systems and segments, Pearson, 200 segments\n\n" + new_systems_table(options))
    if options.write:
        text = "\n".join("\t".join(row) for row in [WORST, *worst(found)]) + "\n"
        options.write.write_text(text, encoding="utf-8")
    print(f"In all {(time.perf_counter() - STARTED) / 60:.0f} minutes of wall time with {options.jobs} processes.")


if __name__ == "__main__":
    main()
