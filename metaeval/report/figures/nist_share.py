"""The share of each n-gram order in the NIST score, against the number of references (Finch et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import pandas as pd

from metaeval.contracts import Design, refuse
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.names import parse_call
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.layout import add_words, panels_of
from metaeval.report.figures.parts import FigurePart, PartedFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metaeval.metrics.nist import Nist


@dataclass(frozen=True)
class NistShare(PartedFigure):
    """The contribution of each n-gram order to NIST, by the number of references.

    NIST adds its orders, so an order has the score up to it less that up to the order before: the scores of
    ``nist(order=1)``, ``nist(order=2)`` and so on are needed, with equal parameters otherwise. One panel a
    preprocessing; the share is the mean over the systems and over the subsets of one number of references.
    """

    kind: ClassVar[str] = "nist-share"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "variant")

    def check(self, design: Design) -> None:
        """Check that NIST is there in several orders."""
        refuse(
            sum(one.kind.name == "nist" for one in design.metrics) < 2,
            "the figure 'nist-share' needs nist of every order from 1 to the highest: "
            '`metrics = ["nist(order=1)", "nist(order=2)", ...]`.',
        )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the shares; see :func:`shares_by_order`."""
        return shares_by_order(data.scores())

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw a panel for each preprocessing."""
        table = part.rows
        treatments = list(dict.fromkeys(table["preprocessing"]))
        counts = sorted(set(table["references"]))
        highest = int(table["order"].max())
        panel_width = max(1.3, min(3.1, 0.45 * len(counts) + 0.6))
        sheet = panels_of(
            len(treatments), self.width, panel=(panel_width, 2.7), extra=(0.9, 0.9), narrowest=1.3, sharey=True
        )
        for panel, preprocessing in zip(sheet.panels, treatments, strict=True):
            below = np.zeros(len(counts))
            shares = table[table["preprocessing"] == preprocessing].pivot_table(
                index="order", columns="references", values="share"
            )
            for order in range(1, highest + 1):
                heights = shares.loc[order].reindex(counts).to_numpy(dtype=float)
                grey = str(0.35 + 0.6 * (order - 1) / max(highest - 1, 1))
                panel.bar(range(len(counts)), heights, 0.8, bottom=below, color=grey, edgecolor="black", linewidth=0.5)
                colour = "white" if order == 1 else "black"
                for place, (height, bottom) in enumerate(zip(heights, below, strict=True)):
                    if height >= 0.055 and len(counts) <= 6:
                        words, middle = f"{100 * height:.0f} %", bottom + height / 2
                        panel.text(place, middle, words, ha="center", va="center", fontsize=7, color=colour)
                below = below + heights
            panel.set_xticks(range(len(counts)), [f"{count:g}" for count in counts])
            panel.set_ylim(0, 1)
            panel.grid(visible=False)
            panel.set_xlabel("references")
        sheet.set_titles(treatments, 10, beside=0.9)
        sheet.panels[0].set_ylabel("share of the score")
        last = shares[counts[-1]]
        ends = {f"{n}-grams": float(last.loc[1:n].sum() - last.loc[n] / 2) for n in range(highest, 0, -1)}
        sheet.label_ends_at(len(counts) - 0.6, ends)
        heading = "contribution of each n-gram order to NIST"
        heading += f" ({part.values['variant']})" if part.values["variant"] else ""
        add_words(sheet.figure, part.heading(heading), "Means over systems, and over reference subsets of one size.")
        return sheet.figure


def shares_by_order(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each order in the NIST score.

    Returns
    -------
    DataFrame
        With the columns corpus, variant, preprocessing, references, order and share, 0 to 1; the shares of all orders
        add up to 1.

    Raises
    ------
    UsageError
        If there is no NIST of two orders or more with every order below the highest.
    """
    table = shares_by_system(scores)
    place = ["corpus", "variant", "preprocessing", "references", "order"]
    by_subset = table.groupby([*place, "subset"], sort=False)["share"].mean().reset_index()
    return by_subset.groupby(place, sort=False)["share"].mean().reset_index()


def shares_by_system(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each order in the NIST score of each system, as :func:`shares_by_order` does of their mean.

    Returns
    -------
    DataFrame
        With the columns corpus, variant, preprocessing, subset, references, order, metric and signature (of the score
        up to this order), system and share; ``nan`` where a system scores 0.

    Raises
    ------
    UsageError
        If there is no NIST of two orders or more with every order below the highest.
    """
    known = {name: get_metric(name) for name in dict.fromkeys(scores["metric"]) if _is_nist(name)}
    of_systems = (scores["level"] == "system") & (scores["kind"] == "system")
    rows = scores[scores["metric"].isin(list(known)) & of_systems]
    found = [cast("Nist", known[name]) for name in rows["metric"]]
    variants = [
        ", ".join(f"{name} no" for name in ("information", "brevity") if not getattr(one, name)) for one in found
    ]
    rows = rows.assign(order=[one.order for one in found], variant=variants)
    parts = []
    for key, part in rows.groupby(["corpus", "variant", "preprocessing", "subset"], sort=False):
        by_order = part.pivot_table(index="order", columns="system", values="score", sort=False).sort_index()
        if len(by_order) < 2 or list(by_order.index) != list(range(1, len(by_order) + 1)):
            continue
        each = by_order.diff().fillna(by_order.iloc[:1]).div(by_order.iloc[-1].replace(0, np.nan), axis=1)
        shares = each.reset_index().melt(id_vars="order", var_name="system", value_name="share")
        of_order = part.drop_duplicates("order").set_index("order")
        where = dict(zip(("corpus", "variant", "preprocessing", "subset"), map(str, key), strict=True))
        told = {name: shares["order"].map(of_order[name]) for name in ("metric", "signature")}
        parts.append(shares.assign(**where, **told, references=float(part["n_references"].iloc[0])))
    if not parts:
        raise UsageError(
            "the figure 'nist-share' needs the scores of nist of every order from 1 to the highest: "
            'metrics = ["nist(order=1)", "nist(order=2)", ...].'
        )
    return pd.concat(parts)


def _is_nist(name: str) -> bool:
    """Return whether a metric is NIST; the code of others is not run for this."""
    try:
        return parse_call(name).name == "nist"
    except UsageError:
        return False  # of a file
