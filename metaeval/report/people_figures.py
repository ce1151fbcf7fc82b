"""Figures of people: metrics against them, two judges against one another, and all judges."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.errors import UsageError, listing, unknown
from metaeval.parameters import parameter
from metaeval.randomness import generator
from metaeval.records import INTER_JUDGE, FloatArray
from metaeval.report.figure_data import PLAIN, Drawn, FigureData, FigureOptions, FigurePart, figure_parts
from metaeval.report.labels import write_names
from metaeval.report.layout import (
    WIDTHS,
    add_words,
    broken_name,
    broken_names,
    file_part,
    inches,
    panel_figure,
    set_titles,
)
from metaeval.report.style import figure_style
from metaeval.report.words import subset_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Turian, Shen and Melamed (2003), figure 3.
JITTER = 0.20
MOST_JUDGES = 20
# Fewer items in common say nothing of two judges.
FEWEST_SHARED = 10
_COLOURS_OF_POINTS = "#333333"
INVERTED = "\n(axis inverted: lower is better)"
# Inches of the name of a judge beside a panel of 2.9.
_LABEL = 1.9


Signs = Mapping[tuple[str, str, str], tuple[int, int]]


@dataclass(frozen=True)
class Scatter(Drawn):
    """Human scores against the score of each metric, a named point a system."""

    kind: ClassVar[str] = "scatter"

    def check(self, design: Design) -> None:
        """Check that whole systems have one score each."""
        refuse(
            not design.documents.is_whole,
            "the figure 'scatter' shows whole systems and needs `documents.kind = \"all\"`; "
            f"got kind {design.documents.name!r}.",
        )
        refuse(
            not design.one_score,
            "the figure 'scatter' needs one score for each system, and `references.combine = \"correlations\"` has one "
            'for each subset; choose "scores".',
        )

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`scatter`."""
        return scatter(data.documents(), data.correlations, self.options(data, title), data.signs)


@dataclass(frozen=True)
class Judges(Drawn):
    """The judgments of two judges on the same items."""

    kind: ClassVar[str] = "judges"

    judges: tuple[str, ...] = parameter((), doc="two names; by default those with the lowest correlation")

    def __post_init__(self) -> None:
        refuse(
            self.judges and (len(self.judges) != 2 or len(set(self.judges)) != 2),
            f"`judges` of the figure 'judges' must name two different judges; got {self.judges!r}.",
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The judges that were named."""
        return tuple(map(file_part, self.judges))

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`judges`."""
        return judges(data.judgments(), data.seed, replace(self.options(data, title), judges=self.judges))


@dataclass(frozen=True)
class Agreement(Drawn):
    """Spearman's correlation of every two judges, and how many items they share."""

    kind: ClassVar[str] = "agreement"

    def draw(self, data: FigureData, title: str) -> dict[str, Any]:
        """Return the figures by their names; see :func:`agreement`."""
        return agreement(data.judgments(), self.options(data, title))


def scatter(
    documents: pd.DataFrame, correlations: pd.DataFrame, options: FigureOptions = PLAIN, signs: Signs | None = None
) -> dict[str, Figure]:
    """Draw human scores against those of each metric, a point a system with its name, one panel a metric.

    Parameters
    ----------
    documents : DataFrame
        With the columns corpus, preprocessing, subset, criterion, metric, system, score and human; one document, which
        is the whole corpus.
    correlations : DataFrame
        With the columns of correlations.tsv.
    options : FigureOptions
    signs : mapping, optional
        As `FigureData` has them.

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, preprocessing, reference subset and criterion, by a name that tells which of these
        vary. The coefficients stand above each panel; points rise where these are positive, because an axis is inverted
        where the coefficients take its scores as negated.
    """
    figures: dict[str, Figure] = {}
    table = documents[documents["metric"] != INTER_JUDGE]
    for part in figure_parts(table, "scatter", ["corpus", "preprocessing", "subset", "criterion"], options.simulated):
        values, same = part.values, correlations
        for column in values:
            same = same[same[column] == values[column]]
        heading = options.titled(
            f"{part.corpus} \N{EN DASH} {values['preprocessing']}, {subset_words(values['subset'])}"
        )
        with figure_style():
            figures[part.name] = _draw_scatter(part.rows, same, heading, options, signs or {})
    return figures


def _draw_scatter(
    table: pd.DataFrame, correlations: pd.DataFrame, heading: str, options: FigureOptions, signs: Signs
) -> Figure:
    corpus, criterion = table["corpus"].iloc[0], table["criterion"].iloc[0]
    metrics = list(dict.fromkeys(table["metric"]))
    figure, panels = panel_figure(
        len(metrics), options.width, panel=(2.7, 2.5), extra=(0.4, 0.6), narrowest=1.4, most=3, sharey=True
    )
    defined = table[np.isfinite(table["score"].astype(float)) & np.isfinite(table["human"].astype(float))]
    place = panels[0].get_subplotspec()
    across = (figure.get_figwidth() - 0.4) / (place.get_gridspec().ncols if place is not None else 1) - 0.2
    most_told = 0
    for panel, metric in zip(panels, metrics, strict=True):
        rows = defined[defined["metric"] == metric]
        panel.plot(rows["score"], rows["human"], linestyle="none", marker="o", markersize=4, color=_COLOURS_OF_POINTS)
        found = correlations[correlations["metric"] == metric]
        of_metric, of_people = signs.get((corpus, criterion, metric), (1, 1))
        told = [f"{row['coefficient']} {row['mean']:.3f}" for row in found.to_dict("records")]
        told = told if options.width == "column" else [", ".join(told)]
        most_told = max(most_told, len(told))
        text = panel.text(
            0, 1.02, "\n".join(told), transform=panel.transAxes, fontsize=7.5, color="#444444", va="bottom"
        )
        text.set_in_layout(False)
        panel.margins(0.12)
        panel.locator_params(axis="x", nbins=3 if options.width == "column" else 5)
        place = panel.get_subplotspec()
        if place is not None and place.is_first_col():
            panel.set_ylabel(broken_name(f"people: {criterion}{INVERTED * (of_people < 0)}", 2.1, 9))
        panel.set_xlabel(broken_name(f"score{INVERTED * (of_metric < 0)}", across, 9))
        panel.xaxis.set_inverted(of_metric < 0)
        panel.yaxis.set_inverted(of_people < 0)
    set_titles(figure, panels, metrics, 9, beside=0.4, below=most_told)
    lost = table[~table.index.isin(defined.index)]["system"].nunique()
    caption = "Points: systems."
    if lost:
        caption += f" {lost} without a score of metric or people are left out."
    add_words(figure, heading, caption)
    unnamed = write_names(
        figure, [(panel, defined[defined["metric"] == metric]) for panel, metric in zip(panels, metrics, strict=True)]
    )
    if unnamed:
        words = f"{caption} {unnamed} names have no room."
        figure.supxlabel(words, x=0.01, ha="left", fontsize=7.5, color="#555555")
    return figure


def judges(judgments: pd.DataFrame, seed: int, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw the judgments of two judges on the same items against one another, one panel a criterion.

    Unless they are named, they are for each criterion the two with the lowest Spearman correlation of those who share
    10 items: how far people can be apart (Turian, Shen and Melamed 2003). Equal points are moved apart by up to 0.20
    in each direction, at random.

    Parameters
    ----------
    judgments : DataFrame
        With the columns corpus, system, segment, judge, criterion and score; as published.
    seed : int
    options : FigureOptions
        With the names of two judges, or without.

    Returns
    -------
    dict of str to Figure
        One figure for each corpus, with the name of the corpus where there are several. Spearman's correlation (ties
        corrected) and the number of items stand above each panel.

    Raises
    ------
    UsageError
        If a judge is unknown, or those who are named have not judged the same item, or no two share 10.
    """
    figures: dict[str, Figure] = {}
    for part in figure_parts(judgments, "judges", ["corpus"], options.simulated):
        corpus, chosen = part.values["corpus"], ""
        if options.judges:
            shared = _of_named(part.rows, corpus, options.judges)
        else:
            shared = _of_least_agreeing(part.rows, corpus)
            chosen = f"The two judges with the lowest correlation of those who share {FEWEST_SHARED} items or more. "
        lacking = [one for one in dict.fromkeys(part.rows["criterion"]) if one not in set(shared["criterion"])]
        without = f" Without items shared so: {', '.join(lacking)}." if lacking else ""
        caption = f"{chosen}Points are moved by up to {JITTER:.2f} in each direction, at random.{without}"
        with figure_style():
            figures[part.name] = _draw_judges(shared, part, caption, seed, options)
    return figures


def _of_named(table: pd.DataFrame, corpus: str, pair: tuple[str, ...]) -> pd.DataFrame:
    known = list(dict.fromkeys(table["judge"]))
    for judge in pair:
        if judge not in known:
            raise UsageError(f"corpus {corpus!r}: {unknown('judge', judge, known)}")
    shared = _judged(table).shared(*pair)
    if not len(shared):
        raise UsageError(f"corpus {corpus!r}: {pair[0]!r} and {pair[1]!r} have not judged the same item.")
    return shared


def _of_least_agreeing(table: pd.DataFrame, corpus: str) -> pd.DataFrame:
    """Return, for each criterion, what the two judges shared whose correlation is the lowest; undefined ones last."""
    lowest = []
    for _, rows in table.groupby("criterion", sort=False):
        of_judges = _judged(rows)
        pairs = [of_judges.shared(*pair) for pair, n in of_judges.n_shared().items() if n >= FEWEST_SHARED]
        if pairs:
            lowest.append(min(pairs, key=lambda shared: np.nan_to_num(_spearman(shared), nan=np.inf)))
    if not lowest:
        raise UsageError(f"corpus {corpus!r}: no two judges have judged {FEWEST_SHARED} of the same items.")
    return pd.concat(lowest)


@dataclass(frozen=True)
class _Judged:
    """Who gave what to each item: (judges, items), ``nan`` where a judge has not seen one; with its criterion."""

    names: list[str]
    scores: FloatArray
    criteria: list[str]

    def n_shared(self) -> dict[tuple[str, str], int]:
        """Return how many items every two judges have both judged, for those who have."""
        seen = np.isfinite(self.scores).astype(np.float32)
        shared = seen @ seen.T
        pairs = itertools.combinations(enumerate(self.names), 2)
        return {(one, other): int(shared[k, m]) for (k, one), (m, other) in pairs if shared[k, m]}

    def shared(self, one: str, other: str) -> pd.DataFrame:
        """Return the items that both have judged, with the columns criterion, first, second, and their names."""
        first, second = (self.scores[self.names.index(judge)] for judge in (one, other))
        both = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
        criteria = [self.criteria[item] for item in both.tolist()]
        scores = {"first": first[both], "second": second[both]}
        return pd.DataFrame({"criterion": criteria, **scores, "one": one, "other": other})


def _judged(table: pd.DataFrame) -> _Judged:
    names = list(dict.fromkeys(table["judge"]))
    items = table.groupby(["criterion", "system", "segment"], sort=False).ngroup().to_numpy()
    scores = np.full((len(names), int(items.max(initial=-1)) + 1), np.nan)
    scores[table["judge"].map({name: place for place, name in enumerate(names)}).to_numpy(), items] = table["score"]
    first = np.unique(items, return_index=True)[1]
    return _Judged(names, scores, table["criterion"].iloc[first].tolist())


def _spearman(shared: pd.DataFrame) -> float:
    first, second = shared["first"], shared["second"]
    if len(first) < 2 or first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(np.corrcoef(first.rank(), second.rank())[0, 1])


def _draw_judges(shared: pd.DataFrame, part: FigurePart, caption: str, seed: int, options: FigureOptions) -> Figure:
    corpus = part.values["corpus"]
    criteria = list(dict.fromkeys(shared["criterion"]))
    figure, panels = panel_figure(len(criteria), options.width, panel=(2.9, 2.9), extra=(0.4, 0.7))
    titles: list[str] = []
    for panel, criterion in zip(panels, criteria, strict=True):
        rows = shared[shared["criterion"] == criterion]
        pair = rows[["one", "other"]].iloc[0]
        moved = generator(seed, "figure", "judges", corpus, str(criterion)).uniform(-JITTER, JITTER, (2, len(rows)))
        panel.plot(
            rows["first"].to_numpy() + moved[0],
            rows["second"].to_numpy() + moved[1],
            linestyle="none",
            marker="o",
            markersize=2.6,
            markeredgewidth=0,
            color="black",
            alpha=min(0.45, max(0.1, 120 / len(rows))),
        )
        value = _spearman(rows)
        titles.append(f"{criterion}\nSpearman {value:.3f}, n = {len(rows)}")
        panel.set_aspect("equal")
        # The same scale on both sides, with whole grades marked where there are few.
        low, high = shared[["first", "second"]].min().min(), shared[["first", "second"]].max().max()
        room = max(0.5, 0.04 * (high - low))
        panel.set_xlim(low - room, high + room)
        panel.set_ylim(low - room, high + room)
        if high - low <= 10:
            ticks = range(int(np.ceil(low)), int(high) + 1)
            panel.set_xticks(ticks)
            panel.set_yticks(ticks)
        panel.set_xlabel(broken_name(_judge(pair["one"]), _LABEL, 9))
        panel.set_ylabel(broken_name(_judge(pair["other"]), _LABEL, 9))
    set_titles(figure, panels, titles, 9, beside=0.4)
    heading = options.titled(f"{part.corpus} \N{EN DASH} the same items judged twice")
    add_words(figure, heading, caption)
    return figure


def _judge(name: str) -> str:
    return name if name[:5].lower() == "judge" else f"judge {name}"


def agreement(judgments: pd.DataFrame, options: FigureOptions = PLAIN) -> dict[str, Figure]:
    """Draw how well every two judges agree: Spearman's correlation below the diagonal, the items in common above.

    Parameters
    ----------
    judgments : DataFrame
        With the columns corpus, system, segment, judge, criterion and score; as published.
    options : FigureOptions

    Returns
    -------
    dict of str to Figure
        One figure for each corpus and criterion, by a name that tells which of these vary. Only judges who share 10
        items with some other; at most 20, those who share most; the caption counts the rest. Those who agree most with
        the others stand first.

    Raises
    ------
    UsageError
        If no two judges of a corpus share 10 items.
    """
    figures: dict[str, Figure] = {}
    for part in figure_parts(judgments, "agreement", ["corpus", "criterion"], options.simulated):
        of_judges = _judged(part.rows)
        counts = {pair: n for pair, n in of_judges.n_shared().items() if n >= FEWEST_SHARED}
        if not counts:
            continue
        heading = f"{part.corpus} \N{EN DASH} {part.values['criterion']}: agreement of judges"
        with figure_style():
            figures[part.name] = _draw_agreement(of_judges, counts, options.titled(heading), options)
    if not figures:
        corpora = listing(dict.fromkeys(judgments["corpus"]))
        raise UsageError(f"no two judges of {corpora} share {FEWEST_SHARED} items; there is no agreement to draw.")
    return figures


def _draw_agreement(
    of_judges: _Judged, counts: dict[tuple[str, str], int], heading: str, options: FigureOptions
) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    known = of_judges.names
    totals = {name: sum(n for pair, n in counts.items() if name in pair) for name in known}
    width = WIDTHS.get(options.width or "")
    broken = dict(zip(known, broken_names(known, 0.4 * (width or WIDTHS["page"]))[0], strict=True))
    margin = max(inches(name, 8) for name in broken.values()) + 0.25
    most = MOST_JUDGES if width is None else min(MOST_JUDGES, int((width - margin) / 0.3))
    chosen = sorted((name for name in known if totals[name]), key=lambda name: -totals[name])[:most]
    n_left = len(known) - len(chosen)
    values: dict[tuple[str, str], float] = {}
    for one, other in counts:
        if one in chosen and other in chosen:
            values[one, other] = values[other, one] = _spearman(of_judges.shared(one, other))
    order = sorted(chosen, key=lambda name: -_mean_of(values, name))
    size = width - margin if width is not None else 0.4 * len(order)
    cell = min(0.42, size / len(order))
    figure = Figure(figsize=(width or max(cell * len(order) + margin, 3.3), cell * len(order) + margin + 0.45))
    figure.set_layout_engine("constrained")
    panel = figure.subplots()
    found = [value for value in values.values() if value == value]
    low, high = min(found, default=0.0), max(found, default=1.0)
    font = 7.0 if cell >= 0.34 else 6.0
    for (y, one), (x, other) in itertools.product(enumerate(order), repeat=2):
        n = counts.get((one, other), counts.get((other, one), 0))
        if x > y and n:
            panel.text(x, y, str(n), ha="center", va="center", fontsize=font - 0.5, color="#666666")
        elif x < y and n:
            value = values[one, other]
            share = (value - low) / (high - low) if high > low else 0.0
            grey = str(1 - 0.45 * share) if value == value else "white"
            panel.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=grey, edgecolor="white", linewidth=0.6))
            text = f"{value:.2f}".replace("0.", ".", 1) if value == value else "\N{EN DASH}"
            panel.text(x, y, text, ha="center", va="center", fontsize=font)
        elif x == y:
            panel.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor="#F2F2F2", edgecolor="white", linewidth=0.6))
    panel.set_xlim(-0.5, len(order) - 0.5)
    panel.set_ylim(len(order) - 0.5, -0.5)
    panel.set_aspect("equal")
    labels = [broken[name] for name in order]
    panel.set_yticks(range(len(order)), labels)
    panel.set_xticks(range(len(order)), labels, rotation=90)
    panel.tick_params(length=0, labeltop=True, labelbottom=False)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    more = f"{n_left} more judge{'s are' if n_left > 1 else ' is'} not shown: they share fewer items."
    rest = f" {more}" if n_left else ""
    caption = f"Below: Spearman, where two judges share {FEWEST_SHARED} items or more. Above: items in common.{rest}"
    add_words(figure, heading, caption)
    return figure


def _mean_of(values: dict[tuple[str, str], float], name: str) -> float:
    own: list[Any] = [value for (one, _), value in values.items() if one == name and value == value]
    return sum(own) / len(own) if own else -2.0
