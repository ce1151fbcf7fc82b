"""The share of each n-gram order in the NIST score, against the number of references (Finch et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import pandas as pd

from metaeval.components.design import Design
from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.parameters.calls import parse_call
from metaeval.report.figures.canvas import Canvas, Entry
from metaeval.report.figures.captions import decimals
from metaeval.report.figures.per_part import FigurePart, PartedFigure
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.phrases import preprocessing_words

if TYPE_CHECKING:
    from metaeval.metrics.nist import Nist
    from metaeval.report.figures.picture import Picture


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
        if sum(metric.kind.name == "nist" for metric in design.metrics) < 2:
            raise UsageError(
                "the figure 'nist-share' needs nist of every order from 1 to the highest: "
                '`metrics = ["nist(order=1)", "nist(order=2)", ...]`.'
            )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the shares; see :func:`shares_by_order`."""
        return shares_by_order(data.scores())

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw a panel for each preprocessing."""
        table = part.rows
        counts = sorted(set(table["references"]))
        orders = range(1, int(table["order"].max()) + 1)
        greys = {order: str(0.35 + 0.6 * (order - 1) / max(len(orders) - 1, 1)) for order in orders}
        several = table["preprocessing"].nunique() > 1
        canvas = Canvas(self, table["preprocessing"].nunique(), least=1.1, wide=2.3)
        for axes, (name, rows) in zip(canvas.panels, table.groupby("preprocessing", sort=False), strict=True):
            of_order = rows.pivot_table(index="order", columns="references", values="share").reindex(columns=counts)
            canvas.title(axes, str(name), preprocessing_words(str(name)) if several else "")
            axes.grid(visible=False)
            below = np.zeros(len(counts))
            for order in orders:
                heights = of_order.loc[order].to_numpy(dtype=float)
                axes.bar(
                    range(len(counts)), heights, 0.8, bottom=below, color=greys[order], edgecolor="black",
                    linewidth=0.5, label=f"{order}-grams",
                )  # fmt: skip
                below = below + heights
            axes.set(xlim=(-0.6, len(counts) - 0.4), ylim=(0.0, 1.0))
            axes.set_xticks(range(len(counts)), [f"{count:g}" for count in counts])
        canvas.labels = {"x": "references", "y": "share of the score"}
        shares = table.set_index(["preprocessing", "order", "references"])["share"]
        canvas.figure.numbers = [
            ("references", *(f"{count:g}" for count in counts)),
            *(
                (
                    f"{order}-grams" + (f", {preprocessing_words(str(name))}" if several else ""),
                    *(decimals(shares.get((name, order, count), np.nan)) for count in counts),
                )
                for name in dict.fromkeys(table["preprocessing"])
                for order in orders
            ),
        ]
        key = [
            Entry(
                f"{order}-grams ({100 * of_order.loc[order, counts[-1]]:.0f} %)",
                {
                    "color": "black",
                    "marker": "s",
                    "markersize": 6,
                    "linestyle": "none",
                    "markerfacecolor": greys[order],
                },
            )
            for order in orders
        ]
        heading = "share of each n-gram order in NIST"
        heading += f" ({part.values['variant']})" if part.values["variant"] else ""
        caption = (
            "Means over systems, and over reference subsets of one size. In brackets: the share with "
            f"{counts[-1]:g} reference{'' if counts[-1] == 1 else 's'}."
        )
        return canvas.finish(part.heading(heading), caption, key)


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
    group_columns = ["corpus", "variant", "preprocessing", "references", "order"]
    by_subset = table.groupby([*group_columns, "subset"], sort=False)["share"].mean().reset_index()
    return by_subset.groupby(group_columns, sort=False)["share"].mean().reset_index()


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
    metrics = {name: get_metric(name) for name in dict.fromkeys(scores["metric"]) if _is_nist(name)}
    of_systems = (scores["level"] == "system") & (scores["kind"] == "system")
    rows = scores[scores["metric"].isin(list(metrics)) & of_systems]
    row_metrics = [cast("Nist", metrics[name]) for name in rows["metric"]]
    variants = [
        ", ".join(f"{name} no" for name in ("information", "brevity") if not getattr(metric, name))
        for metric in row_metrics
    ]
    rows = rows.assign(order=[metric.order for metric in row_metrics], variant=variants)
    group_columns = ["corpus", "variant", "preprocessing", "subset"]
    rows = rows.drop_duplicates([*group_columns, "system", "order"])
    orders = rows.groupby(group_columns, sort=False)["order"]
    highest = orders.transform("max")
    rows = rows[(highest > 1) & (orders.transform("nunique") == highest) & (orders.transform("min") == 1)]
    if rows.empty:
        raise UsageError(
            "the figure 'nist-share' needs the scores of nist of every order from 1 to the highest: "
            'metrics = ["nist(order=1)", "nist(order=2)", ...].'
        )
    rows = rows.assign(
        number=rows.groupby(group_columns, sort=False).ngroup(),
        column=pd.factorize(rows["system"])[0],
        references=rows.groupby(group_columns, sort=False)["n_references"].transform("first").astype(float),
    ).sort_values(["number", "column", "order"])
    of_system = rows.groupby(["number", "column"], sort=False)["score"]
    shares = (rows["score"] - of_system.shift(fill_value=0.0)) / of_system.transform("last").replace(0, np.nan)
    columns = [*group_columns, "references", "order", "metric", "signature", "system"]
    return rows[columns].assign(share=shares)


def _is_nist(name: str) -> bool:
    """Return whether a metric is NIST; the code of others is not run for this."""
    try:
        return parse_call(name).name == "nist"
    except UsageError:
        return False  # of a file
