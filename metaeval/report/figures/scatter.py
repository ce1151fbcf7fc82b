"""Human scores against metric scores."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.registries import DOCUMENTS
from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError
from metaeval.report.figures.canvas import Canvas, limits_around
from metaeval.report.figures.per_part import FigurePart, MetricsFigure
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.style import MARKS
from metaeval.report.figures.text_sizes import widest, wrapped
from metaeval.report.phrases import coefficient_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from metaeval.report.figures.picture import Picture

INVERTED = " (axis inverted: lower is better)"
# So many systems are named in a panel.
MAX_NAMED_SYSTEMS = 4


@dataclass(frozen=True)
class Scatter(MetricsFigure):
    """Human scores against the score of each metric, a point a system; the four farthest from a line are named.

    One panel a metric. The line is that of least squares. The coefficients stand above each panel; points rise where
    these are positive, because an axis is inverted where the coefficients take its scores as negated.
    """

    kind: ClassVar[str] = "scatter"
    columns: ClassVar[tuple[str, ...]] = ("corpus", "preprocessing", "subset", "criterion")

    def check(self, design: Design) -> None:
        """Check that whole systems have one score each."""
        _check(design.documents)
        if not design.one_score:
            raise UsageError(
                "the figure 'scatter' needs one score for each system, and `references.combine = \"correlations\"` has "
                'one for each subset; choose "scores".'
            )

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the scores of systems by metrics; the one document is the whole corpus. Errors as `check`."""
        for name in dict.fromkeys(data.of_metrics.get("documents", ())):
            _check(DOCUMENTS[name])
        documents = data.documents()
        return documents[~documents["metric"].isin([INTER_JUDGE, CONSTANT])]

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw a panel for each metric."""
        table = part.rows
        values = part.values
        data = part.data
        correlations = part.select(data.correlations)
        defined: Any = table[np.isfinite(table[["score", "human"]].astype(float)).all(axis=1)]
        signs = {
            metric: data.signs.get((values["corpus"], values["criterion"], metric), (1, 1)) for metric in part.metrics
        }
        of_people = next(iter(signs.values()))[1]
        low, high = limits_around(defined["human"], 0.1)
        canvas = Canvas(self, len(part.metrics), least=0.85, wide=2.0, most=4, ratio=0.9, shares="y")
        for axes, metric in zip(canvas.panels, part.metrics, strict=True):
            rows = defined[defined["metric"] == metric]
            of_metric = correlations[correlations["metric"] == metric]
            note = ", ".join(
                f"{coefficient_words(name)} {mean:.3f}"
                for name, mean in zip(of_metric["coefficient"], of_metric["mean"], strict=True)
            )
            canvas.title(axes, metric, data.label(metric), note)
            limits = limits_around(rows["score"], 0.1)
            axes.set(
                xlim=limits[:: signs[metric][0]], ylim=(low, high)[::of_people],
                xlabel=wrapped(INVERTED.strip(" ()"), canvas.data, self.tiny) if signs[metric][0] < 0 else "",
            )  # fmt: skip
            axes.xaxis.label.set_fontsize(self.tiny)
            axes.plot(rows["score"], rows["human"], gid=metric, **MARKS["system"])
        canvas.labels = {"x": "metric score", "y": f"human score{INVERTED * (of_people < 0)}"}
        canvas.figure.numbers = _numbers(defined, part)
        lost = table[~table.index.isin(defined.index)]["system"].nunique()
        caption = "Points: systems." if len(defined) else "No system has both scores."
        few = defined.groupby("metric")["system"].nunique().max() if len(defined) else 0
        if few > MAX_NAMED_SYSTEMS:
            caption += f" Dark, with names: the {MAX_NAMED_SYSTEMS} farthest from the line of least squares, "
            caption += "where names have room."
        caption += f" {lost} without a metric or human score are left out." if lost else ""
        words = ", ".join(filter(None, (data.label(values["criterion"]), part.setting)))
        figure = canvas.finish(part.heading(f"human scores against scores of metrics ({words})"), caption)
        for axes in canvas.panels:
            axes.set_visible(False)  # textalloc draws the whole figure for each panel
        for axes, metric in zip(canvas.panels, part.metrics, strict=True):
            name_outliers(axes, defined[defined["metric"] == metric], data.user_labels, 0.75 * self.font_size)
        for axes in canvas.panels:
            axes.set_visible(True)
        return figure


def _numbers(rows: pd.DataFrame, part: FigurePart) -> list[tuple[str, ...]]:
    """Return the drawn numbers as a table, the heads first: systems down, the scores of people and metrics across."""
    scores = rows.drop_duplicates(["system", "metric"]).pivot(index="system", columns="metric", values="score")
    human = rows.drop_duplicates("system").set_index("system")["human"]
    metrics = [metric for metric in part.metrics if metric in scores]
    return [
        ("system", "human score", *map(part.data.label, metrics)),
        *(
            (
                part.data.label(str(system)),
                f"{human[system]:.4g}",
                *(_score(scores.at[system, metric]) for metric in metrics),
            )
            for system in human.index
        ),
    ]


def _score(value: Any) -> str:
    return "" if value != value else f"{value:.4g}"


def outliers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the systems that lie farthest from the line of least squares, the farthest first; all of a few."""
    if len(rows) <= MAX_NAMED_SYSTEMS:
        return rows
    score, human = rows["score"].to_numpy(float), rows["human"].to_numpy(float)
    centred = score - score.mean()
    slope = float(centred @ human / max(float(centred @ centred), 1e-300))
    distance = np.abs(human - human.mean() - slope * centred)
    return rows.iloc[np.argsort(-distance, kind="stable")[:MAX_NAMED_SYSTEMS]]


def name_outliers(axes: Axes, rows: pd.DataFrame, labels: Mapping[str, str], size: float) -> None:
    """Name the systems that lie far from the others, where there is room; their points are dark, and lead to names."""
    import textalloc

    wide = axes.bbox.width / axes.figure.dpi
    named = outliers(rows)
    names = [wrapped(labels.get(system, system), 0.62 * wide, size) for system in named["system"]]
    fits = np.array([widest([name], size) < 0.8 * wide for name in names], dtype=bool)
    if not fits.any():
        return
    score, human = (named[column].to_numpy(float)[fits] for column in ("score", "human"))
    # Its boxes are those of letters before layout, up to some pixels lower than what is drawn.
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    edge = (0.04 * (right - left), 0.04 * (high - low))
    with redirect_stdout(StringIO()):  # it prints a line where no name has room
        _, _, texts, _ = textalloc.allocate(
            axes, score, human, list(itertools.compress(names, fits)),
            x_scatter=rows["score"].to_numpy(float), y_scatter=rows["human"].to_numpy(float),
            xlims=(left + edge[0], right - edge[0]), ylims=(low + edge[1], high - edge[1]),
            textsize=size, margin=0.015, min_distance=0.03, max_distance=0.4, linewidth=0.6, linecolor="black",
            draw_all=False, avoid_label_lines_overlap=True, avoid_crossing_label_lines=True, textcolor="black",
        )  # fmt: skip
    is_named = np.array([text is not None for text in texts], dtype=bool)
    axes.plot(score[is_named], human[is_named], gid="named", **MARKS["named system"])


def _check(documents: type[DocumentUnits] | DocumentUnits) -> None:
    if not documents.is_whole:
        raise UsageError(
            "the figure 'scatter' shows whole systems and needs `documents.kind = \"all\"`; got kind "
            f"{documents.name!r}."
        )
