"""The judgments of two judges on the same items (Turian, Shen and Melamed 2003, figure 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import file_part
from metaeval.parameters.fields import parameter
from metaeval.report.figures.canvas import Canvas
from metaeval.report.figures.judge_pairs import MIN_SHARED_ITEMS, judge_pairs, judged_items, shared_items, spearman
from metaeval.report.figures.per_part import FigurePart, PartedFigure
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.figures.style import MARKS
from metaeval.report.figures.text_sizes import height, wrapped
from metaeval.runtime.randomness import generator

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

# As in the paper.
JITTER = 0.20
# Grades apart at the ends of a scale whose every grade is written.
LONG_SCALE = 10


@dataclass(frozen=True)
class Judges(PartedFigure):
    """The judgments of two judges on the same items.

    One panel a criterion. Unless they are named, they are for each criterion the two with the lowest Spearman
    correlation of those who share 10 items: how far people can be apart. Equal points are moved apart by up to 0.20 in
    each direction, at random, and by more on scales longer than 10. Spearman's correlation (ties corrected) and the
    number of items stand above each panel.
    """

    kind: ClassVar[str] = "judges"
    columns: ClassVar[tuple[str, ...]] = ("corpus",)

    judges: tuple[str, ...] = parameter((), doc="two names; by default those with the lowest correlation")

    def __post_init__(self) -> None:
        if self.judges and (len(self.judges) != 2 or len(set(self.judges)) != 2):
            raise UsageError(f"`judges` of the figure 'judges' must name two different judges; got {self.judges!r}.")

    @property
    def words(self) -> tuple[str, ...]:
        """The judges that were named."""
        return tuple(map(file_part, self.judges))

    def table(self, data: FigureData) -> pd.DataFrame:
        """Return the judgments as published."""
        return data.judgments()

    def draw_part(self, part: FigurePart) -> Picture:
        """Draw a panel for each criterion.

        Raises
        ------
        UsageError
            If a judge is unknown, or those who are named have not judged the same item, or no two share 10.
        """
        corpus = part.values["corpus"]
        chosen = ""
        if self.judges:
            shared = _named_pair_rows(part.rows, corpus, self.judges)
        else:
            shared = _least_agreeing_rows(part.rows, corpus)
            chosen = f"The two judges with the lowest correlation of those who share {MIN_SHARED_ITEMS} items or more. "
        criteria = list(dict.fromkeys(shared["criterion"]))
        lacking = [criterion for criterion in part.criteria if criterion not in criteria]
        without = f" Without items shared so: {', '.join(map(part.data.label, lacking))}." if lacking else ""
        grades = shared[["first", "second"]].to_numpy()
        low, high = float(grades.min()), float(grades.max())
        # On a long scale the distance of the paper could not be seen.
        jitter = JITTER if high - low <= LONG_SCALE else JITTER * (high - low) / LONG_SCALE
        room = max(0.5, 0.04 * (high - low), 1.2 * jitter)
        grades_apart = range(int(np.ceil(low)), int(high) + 1) if high - low <= LONG_SCALE else ()
        names = [_judge(name) for name in dict.fromkeys([*shared["first_judge"], *shared["second_judge"]])]
        aside = 0.3 + max(height(wrapped(name, 1.1, self.text), self.text) for name in names)
        canvas = Canvas(self, len(criteria), least=1.1, wide=2.0, ratio=1.0, names=aside, shares="")
        across = min(canvas.data, canvas.tall)
        for axes, criterion in zip(canvas.panels, criteria, strict=True):
            rows = shared[shared["criterion"] == criterion]
            rng = generator(part.data.seed, "figure", "judges", corpus, criterion)
            places = rows[["first", "second"]].to_numpy().T + rng.uniform(-jitter, jitter, (2, len(rows)))
            note = f"Spearman {spearman(rows):.3f}, n = {len(rows)}"
            canvas.title(axes, str(criterion), part.data.label(str(criterion)), note)
            axes.set(xlim=(low - room, high + room), ylim=(low - room, high + room))
            if grades_apart:
                axes.set(xticks=grades_apart, yticks=grades_apart)
            x, y = (wrapped(_judge(rows[name].iloc[0]), across, self.text) for name in ("first_judge", "second_judge"))
            axes.set(xlabel=x, ylabel=y)
            axes.plot(*places, alpha=min(0.45, max(0.05, 60 / len(rows))), **MARKS["judged"])
        columns = ["criterion", "first_judge", "second_judge", "first", "second"]
        counts = shared.groupby(columns, sort=False).size().reset_index(name="n").to_dict("records")
        canvas.figure.numbers = [
            ("judges", "first score", "second score", "items"),
            *(
                (
                    f"{row['first_judge']} and {row['second_judge']}, {part.data.label(row['criterion'])}",
                    f"{row['first']:g}", f"{row['second']:g}", str(row["n"]),
                )
                for row in counts
            ),
        ]  # fmt: skip
        caption = f"{chosen}Points are moved by up to {jitter:.2g} in each direction, at random.{without}"
        return canvas.finish(part.heading("the same items judged twice"), caption)


def _named_pair_rows(table: pd.DataFrame, corpus: str, pair: tuple[str, ...]) -> pd.DataFrame:
    judged = judged_items(table)
    for judge in pair:
        if judge not in judged:
            raise UsageError(f"corpus {corpus!r}: {unknown('judge', judge, judged.columns)}")
    shared = shared_items(judged, *pair)
    if not len(shared):
        raise UsageError(f"corpus {corpus!r}: {pair[0]!r} and {pair[1]!r} have not judged the same item.")
    return shared


def _least_agreeing_rows(table: pd.DataFrame, corpus: str) -> pd.DataFrame:
    """Return, for each criterion, what the two judges shared whose correlation is the lowest; undefined ones last."""
    lowest = []
    for _, rows in table.groupby("criterion", sort=False):
        judged = judged_items(rows)
        pairs = judge_pairs(judged)
        if pairs:
            correlations: Any = judged.corr("spearman", min_periods=MIN_SHARED_ITEMS).fillna(np.inf)
            lowest.append(shared_items(judged, *min(pairs, key=lambda pair: correlations.at[pair])))
    if not lowest:
        raise UsageError(f"corpus {corpus!r}: no two judges have judged {MIN_SHARED_ITEMS} of the same items.")
    return pd.concat(lowest)


def _judge(name: str) -> str:
    return name if name[:5].lower() == "judge" else f"judge {name}"
