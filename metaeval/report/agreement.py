"""The agreement of judges as text: for people with words around it and long tables cut; for programs as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from metaeval.report.tables import Rows, aligned, as_json, tsv
from metaeval.report.words import in_lines

Tables = Mapping[str, Rows]

# How many rows of a criterion are shown before the rest is only counted.
_SHOWN = {"pairs": 6, "judges": 12, "systems": 4}
_WIDTH = 120


def agreement_text(tables: Tables, kind: str) -> str:
    """Return tables for programs: one of ``tsv`` and ``json``.

    Parameters
    ----------
    tables : mapping of str to rows
    kind : "tsv" or "json"
        Tables of TSV follow one another with an empty line between, and begin with a column that names the table unless
        there is only one; JSON has an object with a list for each table.
    """
    if kind == "json":
        return json.dumps({name: json.loads(as_json(rows)) for name, rows in tables.items()}, indent=1)
    named = {
        name: [{"table": name, **row} for row in rows] if len(tables) > 1 else rows for name, rows in tables.items()
    }
    return "\n".join(tsv(rows) for rows in named.values()).rstrip("\n")


def agreement_summary(tables: Tables, facts: Mapping[str, Any], *, full: bool = False) -> str:
    """Return tables for people.

    Parameters
    ----------
    tables : mapping of str to rows
        Any of those of `metaeval.inter_annotator.judges`.
    facts : mapping of str to numbers
        What the words speak of: ``n_resamples``, ``n_draws``, ``min_shared``, ``confidence_level``.
    full : bool
        Whether long tables are shown whole.
    """
    return "\n\n".join(_SECTIONS[name](rows, facts, full) for name, rows in tables.items())


def _design(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    shown = [
        {
            "criterion": row["criterion"],
            "judgments": row["judgments"],
            "judges": row["judges"],
            "items judged": f"{row['items']} of {row['possible_items']}",
            "judgments: items": row["judgments_an_item"],
            "pairs sharing items": f"{row['pairs_sharing']} of {row['pairs']}",
            "median shared": _number(row["median_shared"], 0),
            "groups": row["groups"],
        }
        for row in rows
    ]
    words = "Who judged what. An item is a segment of a system; judges of different groups share none, directly or not."
    return _section(words, shown)


def _alpha(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    shown: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = shown.setdefault(
            row["criterion"],
            {
                "criterion": row["criterion"],
                "segments": row["segments"],
                "items": row["items"],
                "judgments": row["judgments"],
            },
        )
        one[row["level"]] = _interval(row["alpha"], row["lower"], row["upper"], 3, sign="")
    words = (
        "Krippendorff's alpha of the items with two or more judgments: 1 is perfect agreement, 0 what chance gives. In "
        f"brackets, {_percent(facts)} of {facts['n_resamples']} bootstrap replicates of the segments."
    )
    return _section(words, list(shown.values()))


def _ceiling(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    across = {
        ("segment", "none"): "segments, pooled",
        ("segment", "item"): "each segment",
        ("corpus", "item"): "whole test set",
    }
    shown: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        what = across[row["documents"], row["average_by"]]
        one = shown.setdefault(
            (row["criterion"], what, row["coefficient"]),
            {
                "criterion": row["criterion"],
                "documents": what,
                "coefficient": row["coefficient"],
                "items": row["items"],
            },
        )
        one[row["kind"]] = row["value"]
    words = (
        "The noise ceiling: how well people agree with people, by the coefficients that relate metrics to people. The "
        f"judgments of each item are split at random, {facts['n_draws']} times: one judgment and another; one and the "
        "mean of the rest; the means of two halves. Reliability (of the mean of all judgments) follows from the halves "
        "by Spearman and Brown's formula; the ceiling, which a perfect metric would reach, is its root. Both are meant "
        "for Pearson's correlation, and approximate for ranks."
    )
    return _section(words, list(shown.values()))


def _pair_means(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    shown = [
        {
            "criterion": row["criterion"],
            "pairs": f"{row['compared']} of {row['pairs_sharing']}",
            "shared items": row["shared"],
            "pearson": row["pearson"],
            "spearman": row["spearman"],
            "kappa linear": row["kappa_linear"],
            "kappa quadratic": row["kappa_quadratic"],
            "difference": row["absolute_difference"],
            "undefined": row["undefined"],
        }
        for row in rows
    ]
    words = (
        f"Two judges on the items that both judged, mean over the pairs that share at least {facts['min_shared']}, "
        "weighted by their number. Kappa is weighted by the difference of the scores or its square; difference is how "
        "far the means of two judges lie apart; undefined pairs have a judge who gave one score throughout."
    )
    return _section(words, shown)


def _pairs(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    shown, cut = _cut(rows, "pairs", lambda row: -row["shared"], full)
    words = (
        f"The pairs of judges{_most(cut, 'those with most items in common')}; nan where they share fewer than "
        f"{facts['min_shared']}. The difference is the mean of the first minus that of the second."
    )
    return _section(words, shown, _rest(cut, "pairs"))


def _judges(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    kept, cut = _cut(rows, "judges", lambda row: -row["n"], full)
    digits = 1 if any(abs(row["mean"]) >= 10 for row in rows) else 2
    shown = [
        {
            "criterion": row["criterion"],
            "judge": row["judge"],
            "n": row["n"],
            "mean": _number(row["mean"], digits),
            "sd": _number(row["sd"], digits),
            "extreme": _number(row["extreme"], 2),
            "n shared": row["n_shared"],
            "offset": _interval(row["offset"], row["offset_lower"], row["offset_upper"], digits),
            "adjusted": _number(row["adjusted"], digits, "+"),
            "drift": _interval(row["drift"], row["drift_lower"], row["drift_upper"], digits),
        }
        for row in kept
    ]
    words = (
        f"The judges{_most(cut, 'those with most judgments')}. Extreme: share of scores at either end of the scale. "
        "Offset: how much higher than the other judges on the same items, with its "
        f"{_percent(facts)} interval; adjusted: the same, taking into account who the others were. Drift: change of "
        "the offset in 100 judgments, if the file keeps the order of judging."
    )
    return _section(words, shown, _rest(cut, "judges"))


def _systems(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    kept, cut = _cut(rows, "systems", lambda row: _last_if_nan(row["kendall"]), full)
    shown = [
        {
            "criterion": row["criterion"],
            "left out": row["left_out"],
            "judgments": row["judgments"],
            "items lost": row["items_lost"],
            "kendall": row["kendall"],
            "spearman": row["spearman"],
            "mean moves": row["largest_change"],
            "systems": row["systems"],
        }
        for row in kept
    ]
    # What is left of a line, less what is said of the others; a single system is always named.
    room = _WIDTH - len(aligned(shown).split("\n")[1]) - len("   and 99 more")
    for line, row in zip(shown, kept, strict=True):
        line["change places"] = row["moved"] if full else _shortened(row["moved"], room)
    words = (
        f"The order of the systems without one judge{_most(cut, 'those who change most')}: its rank correlation with "
        "the order by all, the largest change of a system's mean, and who changes places (1 is best)."
    )
    return _section(words, shown, _rest(cut, "systems"))


_RANKED = ("pearson", "spearman", "kendall")


def _metrics(rows: Rows, facts: Mapping[str, Any], full: bool) -> str:
    words = "Metrics related to people on the whole test set, with all judges and without each one of them."
    if full:
        as_text = [{f"rank_{name}": f"{row[f'rank_{name}']:g}" for name in _RANKED} for row in rows]
        return _section(words, [{**row, **text} for row, text in zip(rows, as_text, strict=True)])
    shown = []
    for key in dict.fromkeys((row["criterion"], row["metric"]) for row in rows):
        with_all, *without = (row for row in rows if (row["criterion"], row["metric"]) == key)
        defined = [row for row in without if row["segments"]]
        for name in _RANKED:
            values, ranks = ([row[key] for row in defined] or [math.nan] for key in (name, f"rank_{name}"))
            shown.append(
                {
                    "criterion": key[0],
                    "metric": key[1],
                    "coefficient": name,
                    "segments": with_all["segments"],
                    "all judges": with_all[name],
                    "rank": f"{with_all[f'rank_{name}']:g}",
                    "lowest without one": min(values),
                    "highest": max(values),
                    "ranks": f"{min(ranks):g} to {max(ranks):g}",
                    "judges": len(defined),
                }
            )
    return _section(words + " `--table metrics` shows each judge.", shown)


_SECTIONS: dict[str, Callable[[Rows, Mapping[str, Any], bool], str]] = {
    "design": _design,
    "alpha": _alpha,
    "ceiling": _ceiling,
    "pair-means": _pair_means,
    "pairs": _pairs,
    "judges": _judges,
    "systems": _systems,
    "metrics": _metrics,
}


def _section(words: str, rows: Rows, rest: str = "") -> str:
    """Return words in lines of readable length, a table, and what is said of rows that it does not show."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return "\n".join([*in_lines(words, _WIDTH), "", aligned(rows, columns), *([rest] if rest else [])])


def _cut(rows: Rows, name: str, key: Callable[[Mapping[str, Any]], float], full: bool) -> tuple[Rows, int]:
    """Return the first rows of each criterion by a key, and how many are left out."""
    if full:
        return rows, 0
    shown: list[Mapping[str, Any]] = []
    for criterion in dict.fromkeys(row["criterion"] for row in rows):
        shown.extend(sorted((row for row in rows if row["criterion"] == criterion), key=key)[: _SHOWN[name]])
    return shown, len(rows) - len(shown)


def _most(cut: int, which: str) -> str:
    return f", {which}" if cut else ""


def _rest(cut: int, name: str) -> str:
    return f"... and {cut} more: `--table {name}` shows all." if cut else ""


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _shortened(moved: str | None, longest: int) -> str | None:
    """Return those who move farthest, as far as there is room, and how many more there are."""
    names = moved.split("; ") if moved else []
    kept = names[:1]
    for name in names[1:]:
        if len("; ".join([*kept, name])) > longest:
            break
        kept.append(name)
    rest = len(names) - len(kept)
    return "; ".join(kept) + (f" and {rest} more" if rest else "")


def _number(value: float, digits: int, sign: str = "") -> str:
    return "nan" if math.isnan(value) else f"{value:{sign}.{digits}f}"


def _interval(value: float, lower: float, upper: float, digits: int, sign: str = "+") -> str:
    if math.isnan(value) or math.isnan(lower):
        return _number(value, digits, sign)
    return f"{_number(value, digits, sign)} [{_number(lower, digits, sign)}, {_number(upper, digits, sign)}]"


def _percent(facts: Mapping[str, Any]) -> str:
    return f"{100 * facts['confidence_level']:.4g} %"
