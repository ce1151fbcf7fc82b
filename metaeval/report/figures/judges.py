"""The judgments of two judges on the same items (Turian, Shen and Melamed 2003, figure 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from metaeval.contracts import refuse
from metaeval.errors import UsageError, unknown
from metaeval.parameters import parameter
from metaeval.randomness import generator
from metaeval.report.figures.data import FigureData
from metaeval.report.figures.judge_pairs import FEWEST_SHARED, judge_pairs, judged_items, shared_items, spearman
from metaeval.report.figures.layout import add_words, broken_name, file_part, panels_of
from metaeval.report.figures.parts import FigurePart, PartedFigure
from metaeval.report.figures.style import MARKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# As in the paper.
JITTER = 0.20
# Inches of the name of a judge beside a panel of 2.9.
_LABEL = 1.9


@dataclass(frozen=True)
class Judges(PartedFigure):
    """The judgments of two judges on the same items.

    One panel a criterion. Unless they are named, they are for each criterion the two with the lowest Spearman
    correlation of those who share 10 items: how far people can be apart. Equal points are moved apart by up to 0.20 in
    each direction, at random. Spearman's correlation (ties corrected) and the number of items stand above each panel.
    """

    kind: ClassVar[str] = "judges"
    columns: ClassVar[tuple[str, ...]] = ("corpus",)

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

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the judgments as published."""
        return data.judgments()

    def draw_part(self, part: FigurePart, data: FigureData) -> Figure:
        """Draw a panel for each criterion.

        Raises
        ------
        UsageError
            If a judge is unknown, or those who are named have not judged the same item, or no two share 10.
        """
        corpus, chosen = part.values["corpus"], ""
        if self.judges:
            shared = _of_named(part.rows, corpus, self.judges)
        else:
            shared = _of_least_agreeing(part.rows, corpus)
            chosen = f"The two judges with the lowest correlation of those who share {FEWEST_SHARED} items or more. "
        criteria = list(dict.fromkeys(shared["criterion"]))
        lacking = [one for one in dict.fromkeys(part.rows["criterion"]) if one not in criteria]
        without = f" Without items shared so: {', '.join(lacking)}." if lacking else ""
        caption = f"{chosen}Points are moved by up to {JITTER:.2f} in each direction, at random.{without}"
        grades = shared[["first", "second"]].to_numpy()
        low, high = grades.min(), grades.max()
        room = max(0.5, 0.04 * (high - low))
        sheet = panels_of(len(criteria), self.width, panel=(2.9, 2.9), extra=(0.4, 0.7))
        titles = []
        for panel, criterion in zip(sheet.panels, criteria, strict=True):
            rows = shared[shared["criterion"] == criterion]
            rng = generator(data.seed, "figure", "judges", corpus, str(criterion))
            moved = rng.uniform(-JITTER, JITTER, (2, len(rows)))
            places = rows[["first", "second"]].to_numpy().T + moved
            panel.plot(*places, alpha=min(0.45, max(0.1, 120 / len(rows))), **MARKS["judged"])
            titles.append(f"{criterion}\nSpearman {spearman(rows):.3f}, n = {len(rows)}")
            panel.set_aspect("equal")
            # The same scale on both sides, with whole grades marked where there are few.
            panel.set_xlim(low - room, high + room)
            panel.set_ylim(low - room, high + room)
            if high - low <= 10:
                ticks = range(int(np.ceil(low)), int(high) + 1)
                panel.set_xticks(ticks)
                panel.set_yticks(ticks)
            panel.set_xlabel(broken_name(_judge(rows["one"].iloc[0]), _LABEL, 9))
            panel.set_ylabel(broken_name(_judge(rows["other"].iloc[0]), _LABEL, 9))
        sheet.set_titles(titles, 9, beside=0.4)
        add_words(sheet.figure, part.heading("the same items judged twice"), caption)
        return sheet.figure


def _of_named(table: pd.DataFrame, corpus: str, pair: tuple[str, ...]) -> pd.DataFrame:
    judged = judged_items(table)
    for judge in pair:
        if judge not in judged:
            raise UsageError(f"corpus {corpus!r}: {unknown('judge', judge, judged.columns)}")
    shared = shared_items(judged, *pair)
    if not len(shared):
        raise UsageError(f"corpus {corpus!r}: {pair[0]!r} and {pair[1]!r} have not judged the same item.")
    return shared


def _of_least_agreeing(table: pd.DataFrame, corpus: str) -> pd.DataFrame:
    """Return, for each criterion, what the two judges shared whose correlation is the lowest; undefined ones last."""
    lowest = []
    for _, rows in table.groupby("criterion", sort=False):
        judged = judged_items(rows)
        pairs = [shared_items(judged, *pair) for pair in judge_pairs(judged)]
        if pairs:
            lowest.append(min(pairs, key=lambda shared: np.nan_to_num(spearman(shared), nan=np.inf)))
    if not lowest:
        raise UsageError(f"corpus {corpus!r}: no two judges have judged {FEWEST_SHARED} of the same items.")
    return pd.concat(lowest)


def _judge(name: str) -> str:
    return name if name[:5].lower() == "judge" else f"judge {name}"
