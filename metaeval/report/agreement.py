"""Inter-annotator agreement as text: for people with words around it and long tables cut; for programs as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import NormalDist
from typing import Any

from metaeval.errors import as_typed
from metaeval.report.display_names import labels_of
from metaeval.report.letter_widths import display_width
from metaeval.report.phrases import SIMULATED_DATA, coefficient_words, preprocessing_words
from metaeval.report.tables import WIDTH, Estimated, Rows, SummaryTable, aligned, as_json, tsv
from metaeval.report.terminal_table import fitted, wrapped
from metaeval.results.agreement import MAX_SEGMENTS_LEFT_OUT, AgreementRow, AgreementSettings

# Of long tables, how many rows of each criterion are shown, by what they are sorted, and which these are.
_ROW_LIMITS: Mapping[str, tuple[int, Callable[[Any], float], str]] = {
    "pairs": (6, lambda row: -row.shared, "those with most items in common"),
    "judges": (12, lambda row: -row.n, "those with most judgments"),
    "systems": (4, lambda row: math.inf if math.isnan(row.kendall) else row.kendall, "those who change most"),
}
# What stands above each table; `which` rows are shown if not all are, and `level` is that of the intervals.
_HEADINGS = {
    "design": (
        "Who judged what. An item is a segment of a system; judges of different groups share none, directly or not."
    ),
    "alpha": (
        "Krippendorff's alpha of the items with two or more judgments: 1 is perfect agreement, 0 what chance "
        "gives. In brackets, the {level} confidence interval ({made})."
    ),
    "ceiling": (
        "The noise ceiling: human scores correlated with human scores, by the coefficients used for metrics. "
        "The judgments of each item are split at random, {settings.n_draws} times: one judgment and another; "
        "one and the mean of the rest; the means of two halves. Reliability (of the mean of all judgments) "
        "follows from the halves by Spearman and Brown's formula; the ceiling, which a perfect metric would "
        "reach, is its root. Both are undefined (--) where the halves correlate below 0; they are meant for "
        "Pearson's correlation, and approximate for ranks."
    ),
    "pair-means": (
        "Two judges on the items that both judged, mean over the pairs that share at least "
        "{settings.min_shared}, weighted by their number. Cohen's kappa is unweighted, as for labels, or "
        "weighted by the difference of the scores (linear) or its square (quadratic); difference is how far "
        "the means of two judges lie apart; undefined pairs have a judge who gave one score throughout."
    ),
    "pairs": (
        "The pairs of judges{which}; -- where they share fewer than {settings.min_shared}. The difference is "
        "the mean of the first minus that of the second."
    ),
    "judges": (
        "The judges{which}. Extreme: share of scores at either end of the scale. Offset: how much higher than "
        "the other judges on the same items, with its {level} confidence interval; adjusted: the same, taking "
        "into account who the others were. Drift: change of the offset in 100 judgments, if the file keeps "
        "the order of judging."
    ),
    "systems": (
        "The order of the systems without one judge{which}: its rank correlation with the order by all, the "
        "largest change of a system's mean, and who changes places (1 is best)."
    ),
    "metrics": (
        "Correlation of metrics with human scores on the whole test set, with all judges and without each of "
        "them. Texts: {preprocessing}.{each}"
    ),
}


def agreement_text(tables: Mapping[str, Rows], kind: str) -> str:
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


def tables_for_people(
    tables: Mapping[str, Sequence[AgreementRow]], settings: AgreementSettings, corpus: str
) -> list[SummaryTable]:
    """Return the tables for papers and notebooks, whole, with the words that stand above them in a terminal.

    Parameters
    ----------
    tables : mapping of str to rows
    settings : AgreementSettings
    corpus : str
        Its name for a heading.
    """
    shown = []
    for name, rows in tables.items():
        first, _, others = _words_above(name, rows, settings).partition(". ")
        shown.append(SummaryTable(f"{corpus}. {first.rstrip('.')}.", _LINE_MAKERS[name](rows, True), others))
    return shown


def _words_above(
    name: str, rows: Sequence[AgreementRow], settings: AgreementSettings, *, which: str = "", each: str = ""
) -> str:
    """Return the words above a table: which rows are shown, and how to see those of each judge."""
    return _HEADINGS[name].format(
        settings=settings,
        made=_interval_method(rows, settings) if name == "alpha" else "",
        level=f"{100 * settings.confidence_level:.4g} %",
        which=which,
        preprocessing=_preprocessing(rows),
        each=each,
    )


def agreement_summary(
    tables: Mapping[str, Sequence[AgreementRow]],
    settings: AgreementSettings,
    width: int = WIDTH,
    *,
    full: bool = False,
    brief: bool = False,
) -> str:
    """Return tables for people, in lines of a width.

    Parameters
    ----------
    tables : mapping of str to rows
        Any of those of `metaeval.results.agreement`.
    settings : AgreementSettings
        What the words speak of.
    width : int
    full : bool
        Whether long tables are shown whole.
    brief : bool
        Whether the first sentence says enough of a table, and tables about single judges are only named.
    """
    sections = []
    for name, rows in tables.items():
        if brief and name in _ROW_LIMITS:
            continue
        shown = rows
        row_choice = ""
        left_out = []
        if name == "ceiling" and brief:
            shown = [row for row in rows if _is_main_ceiling(row)]
        if name in _ROW_LIMITS and not full:
            limit, key, description = _ROW_LIMITS[name]
            by_criterion = groupby(rows, attrgetter("criterion"))
            shown = [row for _, criterion_rows in by_criterion for row in sorted(criterion_rows, key=key)[:limit]]
            if len(shown) < len(rows):
                row_choice = f", {description}"
                left_out = [f"... and {len(rows) - len(shown)} more: {_table(name)} shows all."]
        each_shown = "" if full else f" {_table('metrics')} shows each judge."
        words = _words_above(name, rows, settings, which=row_choice, each=each_shown)
        words = f"{words.partition('. ')[0].rstrip('.')}." if brief else words
        if brief and name == "alpha":
            words = f"{words} {_ALPHA_ADVICE}"
        lines = _LINE_MAKERS[name](shown, full)
        columns = list(dict.fromkeys(column for line in lines for column in line))
        first = (*columns[1:2], *_FIRST_COLUMNS.get(name, ()))
        table_lines = fitted(lines, width, columns, first, _exact(name))
        sections.append("\n".join([wrapped(words, width), *([] if brief else [""]), *table_lines, *left_out]))
    unshown = [name for name in tables if name in _ROW_LIMITS]
    if any(not _is_main_ceiling(row) for row in tables.get("ceiling", ())):
        unshown.insert(0, "ceiling (other documents and coefficients)")
    if brief and unshown:
        names = ", ".join(unshown)
        sections.append(
            wrapped(
                as_typed(
                    terminal=f"--table shows {names}; --verbose everything, with explanations.",
                    python=f"`tables` chooses {names}; `verbose=True` shows everything, with explanations.",
                ),
                width,
            )
        )
    return "\n\n".join(sections)


_ALPHA_ADVICE = (
    "The one to report is interval for scores, ordinal for grades of few steps whose distances say little, and nominal "
    "for labels."
)


def _is_main_ceiling(row: Any) -> bool:
    """Return whether a row of ceilings is one that the first sentence rests on: the whole test set, by Pearson."""
    return (row.documents, row.coefficient) == ("corpus", "pearson")


def _interval_method(rows: Sequence[Any], settings: AgreementSettings) -> str:
    """Describe the intervals of alpha by what they were made from."""
    bootstrap = f"bootstrap over segments, {settings.n_resamples} replicates"
    many = [row.segments > MAX_SEGMENTS_LEFT_OUT for row in rows]
    jackknife = "Student's t, from alpha without each segment"
    if not any(many):
        return jackknife
    return bootstrap if all(many) else f"{jackknife}; of more than {MAX_SEGMENTS_LEFT_OUT} segments {bootstrap}"


def _preprocessing(rows: Sequence[Any]) -> str:
    """Describe the preprocessing of texts, where rows are of metrics."""
    name = getattr(rows[0], "preprocessing", "")
    return preprocessing_words(name) if name else ""


def _table(name: str) -> str:
    """Return the words to type to see a whole table."""
    return as_typed(terminal=f"`--table {name}`", python=f"`text(tables=[{name!r}])`")


def _exact(name: str) -> str:
    """Return the words to type to have the exact numbers of a table."""
    return as_typed(terminal=f"--table {name} --format tsv", python=f"to_frame({name!r})")


def agreement_answer(
    tables: Mapping[str, Sequence[Any]], settings: AgreementSettings, width: int, *, simulated: bool
) -> str:
    """Sum up the judges' agreement: a sentence or two for each criterion.

    Parameters
    ----------
    tables : mapping of str to rows
    settings : AgreementSettings
    width : int
    simulated : bool
    """
    sentences = []
    for row in tables.get("alpha", ()):
        if row.level == "interval":
            parts = (
                _alpha_words(row),
                _ceiling_words(row.criterion, tables),
                _offset_words(row.criterion, tables, settings),
            )
            sentences.append(" ".join(filter(None, parts)))
    sentences = sentences or ["No item has two judgments: agreement is not known."]
    sentences += [f"{SIMULATED_DATA.capitalize()}: no evidence about real judges."] if simulated else []
    return "\n".join(wrapped(sentence, width, "  ") for sentence in sentences)


def _alpha_words(row: Any) -> str:
    """Describe the agreement of judges: not beyond chance where the interval does not show it."""
    alpha = f"Krippendorff's alpha {_interval(row.alpha, row.lower, row.upper, 3, sign='')}"
    if math.isnan(row.alpha):
        return f"{row.criterion}: agreement of the judges is undefined."
    if math.isnan(row.lower):
        return f"{row.criterion}: {alpha} (1 perfect, 0 chance), without a confidence interval."
    if not row.lower > 0:
        return f"{row.criterion}: judges are not shown to agree beyond chance, {alpha}."
    return f"{row.criterion}: judges agree beyond chance, {alpha} (1 perfect, 0 chance)."


def _ceiling_words(criterion: str, tables: Mapping[str, Sequence[Any]]) -> str:
    """Describe what a perfect metric would reach on the whole test set."""
    rows = [row for row in tables.get("ceiling", ()) if row.criterion == criterion and _is_main_ceiling(row)]
    values = {row.kind: row.value for row in rows}
    if values.get("ceiling", math.nan) >= 0:
        return f"A perfect metric would reach {values['ceiling']:.3f} on the whole test set (Pearson)."
    unknown = "What a perfect metric would reach on the whole test set is not known"
    if values.get("split-half", math.nan) < 0:
        return f"{unknown}: two halves of the judgments correlate below 0 there ({values['split-half']:.3f})."
    return f"{unknown}."


def _offset_words(criterion: str, tables: Mapping[str, Sequence[Any]], settings: AgreementSettings) -> str:
    """Name the judges who give higher or lower scores on the same items: of two judges how far they lie apart.

    Of more judges those who lie apart from the others, with intervals that are corrected for the number of judges.
    """
    judges = [
        row for row in tables.get("judges", ()) if row.criterion == criterion and not math.isnan(row.offset_lower)
    ]
    if not judges:
        return ""
    if len(judges) == 2:
        first, second = sorted(judges, key=lambda row: -row.offset)
        by = _interval(first.offset, first.offset_lower, first.offset_upper, 2, sign="")
        if first.offset_lower > 0:
            return f"On the same items {first.judge} gives {by} more than {second.judge}."
        return f"On the same items {first.judge} and {second.judge} are not shown to differ: by {by}."
    normal = NormalDist()
    tail = (1 - settings.confidence_level) / 2
    wider = normal.inv_cdf(1 - tail / len(judges)) / normal.inv_cdf(1 - tail)
    outlying = [row for row in judges if abs(row.offset) > wider * (row.offset_upper - row.offset_lower) / 2]
    if not outlying:
        return f"None of {len(judges)} judges is shown to give higher or lower scores than the others."
    farthest = max(outlying, key=lambda row: abs(row.offset))
    return (
        f"{len(outlying)} of {len(judges)} judges give higher or lower scores than the others on the same items, most "
        f"of all {farthest.judge} ({farthest.offset:+.2f})."
    )


# The columns that are shown before others where a terminal is narrow.
_FIRST_COLUMNS = {
    "ceiling": ("documents", "coefficient", "ceiling"),
    "alpha": ("ordinal", "nominal"),
    "metrics": ("metric", "all judges"),
}

# Each function below gives the lines of a table, from its rows, and whether nothing is cut.
_Rows = Sequence[Any]
_Lines = list[dict[str, Any]]


def _design(rows: _Rows, full: bool) -> _Lines:
    return [
        {
            "criterion": row.criterion,
            "judgments": row.judgments,
            "judges": row.judges,
            "items judged": f"{row.items} of {row.possible_items}",
            "judgments per item": row.judgments_an_item,
            "pairs sharing items": f"{row.pairs_sharing} of {row.pairs}",
            "median shared": f"{row.median_shared:.0f}",
            "groups": row.groups,
        }
        for row in rows
    ]


def _alpha(rows: _Rows, full: bool) -> _Lines:
    lines: dict[str, dict[str, Any]] = {}
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        line = lines.setdefault(row.criterion, {"criterion": row.criterion})
        line[row.level] = Estimated(row.alpha, row.lower, row.upper)
        counts[row.criterion] = {name: getattr(row, name) for name in ("segments", "items", "judgments")}
    return [line | counts[criterion] for criterion, line in lines.items()]


def _ceiling(rows: _Rows, full: bool) -> _Lines:
    names = {
        ("segment", "none"): "segments, pooled",
        ("segment", "item"): "each segment",
        ("corpus", "item"): "whole test set",
    }
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        documents = names[row.documents, row.average_by]
        key = {"criterion": row.criterion, "documents": documents, "coefficient": coefficient_words(row.coefficient)}
        lines.setdefault(tuple(key.values()), {**key, "items": row.items})[row.kind] = row.value
    return list(lines.values())


def _pair_means(rows: _Rows, full: bool) -> _Lines:
    return [
        {
            "criterion": row.criterion,
            "pairs": f"{row.compared} of {row.pairs_sharing}",
            "shared items": row.shared,
            "Pearson": row.pearson,
            "Spearman": row.spearman,
            "kappa": row.kappa,
            "kappa linear": row.kappa_linear,
            "kappa quadratic": row.kappa_quadratic,
            "difference": row.absolute_difference,
            "undefined": row.undefined,
        }
        for row in rows
    ]


def _pairs(rows: _Rows, full: bool) -> _Lines:
    return [
        {
            "criterion": row.criterion,
            "judge a": row.judge_a,
            "judge b": row.judge_b,
            "shared items": row.shared,
            "Pearson": row.pearson,
            "Spearman": row.spearman,
            "kappa": row.kappa,
            "kappa linear": row.kappa_linear,
            "kappa quadratic": row.kappa_quadratic,
            "difference": row.difference,
        }
        for row in rows
    ]


def _judges(rows: _Rows, full: bool) -> _Lines:
    digits = 1 if any(abs(row.mean) >= 10 for row in rows) else 2
    return [
        {
            "criterion": row.criterion,
            "judge": row.judge,
            "n": row.n,
            "mean": f"{row.mean:.{digits}f}",
            "sd": f"{row.sd:.{digits}f}",
            "extreme": f"{row.extreme:.2f}",
            "n shared": row.n_shared,
            "offset": _interval(row.offset, row.offset_lower, row.offset_upper, digits),
            "adjusted": _number(row.adjusted, digits, "+"),
            "drift": _interval(row.drift, row.drift_lower, row.drift_upper, digits),
        }
        for row in rows
    ]


def _systems(rows: _Rows, full: bool) -> _Lines:
    lines: _Lines = [
        {
            "criterion": row.criterion,
            "left out": row.left_out,
            "judgments": row.judgments,
            "items lost": row.items_lost,
            "Kendall": row.kendall,
            "Spearman": row.spearman,
            "mean moves": row.largest_change,
            "systems": row.systems,
        }
        for row in rows
    ]
    # What is left of a line, less what is said of the others; a single system is always named.
    room = WIDTH - display_width(aligned(lines).split("\n")[1]) - len("   and 99 more")
    for line, row in zip(lines, rows, strict=True):
        line["change places"] = row.moved if full else _shortened(row.moved, room)
    return lines


def _shortened(moved: str | None, width: int) -> str | None:
    """Return those who move farthest, as far as there is room, and how many more there are."""
    names = moved.split("; ") if moved else []
    shown = names[:1]
    for name in names[1:]:
        if display_width("; ".join([*shown, name])) > width:
            break
        shown.append(name)
    n_left_out = len(names) - len(shown)
    return "; ".join(shown) + (f" and {n_left_out} more" if n_left_out else "")


def _metrics(rows: _Rows, full: bool) -> _Lines:
    ranked = ("pearson", "spearman", "kendall")
    labels = labels_of([row.metric for row in rows], {})
    if full:
        return [
            {"criterion": row.criterion, "left out": row.left_out, "metric": labels[row.metric]}
            | {"segments": row.segments}
            | {
                head: value
                for name in ranked
                for head, value in (
                    (coefficient_words(name), getattr(row, name)),
                    (f"rank by {coefficient_words(name)}", f"{getattr(row, f'rank_{name}'):g}"),
                )
            }
            for row in rows
        ]
    by_metric: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        by_metric.setdefault((row.criterion, row.metric), []).append(row)
    lines = []
    for (criterion, metric), (with_all, *without) in by_metric.items():
        defined = [row for row in without if row.segments]
        for name in ranked:
            values, ranks = ([getattr(row, key) for row in defined] or [math.nan] for key in (name, f"rank_{name}"))
            lines.append(
                {
                    "criterion": criterion,
                    "metric": labels[metric],
                    "coefficient": coefficient_words(name),
                    "segments": with_all.segments,
                    "all judges": getattr(with_all, name),
                    "rank": f"{getattr(with_all, f'rank_{name}'):g}",
                    "lowest without one": min(values),
                    "highest": max(values),
                    "ranks": f"{min(ranks):g} to {max(ranks):g}",
                    "judges": len(defined),
                }
            )
    return lines


_LINE_MAKERS: Mapping[str, Callable[[_Rows, bool], _Lines]] = {
    "design": _design,
    "alpha": _alpha,
    "ceiling": _ceiling,
    "pair-means": _pair_means,
    "pairs": _pairs,
    "judges": _judges,
    "systems": _systems,
    "metrics": _metrics,
}


def _number(value: float, digits: int, sign: str = "") -> str:
    return "--" if math.isnan(value) else f"{value:{sign}.{digits}f}"  # no sign before it


def _interval(value: float, lower: float, upper: float, digits: int, sign: str = "+") -> str:
    return Estimated(value, lower, upper).written(lambda number: _number(number, digits, sign))
