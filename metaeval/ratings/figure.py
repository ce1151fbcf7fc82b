"""The figure of judges beside people: a ladder of agreement, with the constant answer at its foot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metaeval.ratings.cells import as_distance, as_percentages
from metaeval.ratings.judge_comparison import JudgedJudge, JudgeFindings
from metaeval.ratings.means import Interval
from metaeval.ratings.table import Ratings
from metaeval.report.figures.canvas import Entry
from metaeval.report.figures.dots import Dots, draw_dots, point_style
from metaeval.report.figures.settings import Look

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

# More people than this have no rows of their own; the band of one person stands for them.
MAX_PEOPLE = 20
# Marks of judges that differ significantly from a person or not, of people, and of the constant answer.
_JUDGE_MARKER = "o"
_PERSON_MARKER = "s"
_CONSTANT_MARKER = "D"


def draw_judges(findings: JudgeFindings, ratings: Ratings, look: Look, *, truth: str = "") -> Picture:
    """Draw how alike judges, people and the constant answer are to people, with intervals.

    A band is the interval of one person. A judge that differs significantly from a person is filled.

    Parameters
    ----------
    findings : JudgeFindings
    ratings : Ratings
    look : Look
        Width, letters and the like.
    truth : str
        The rater that is right by definition; "" for none.
    """
    import pandas as pd

    is_ordered = ratings.is_ordered
    first = findings.compared_judge
    rows = [
        _row(judged.judge, judged.agreement, _JUDGE_MARKER, ratings, filled=_is_apart(judged, truth))
        for judged in findings.judges
    ]
    of_people = {row.person: row.agreement for row in findings.people if row.judge == first.judge}
    if len(of_people) <= MAX_PEOPLE:
        rows += [_row(name, level, _PERSON_MARKER, ratings, filled=False) for name, level in of_people.items()]
    if not math.isnan(first.constant.value):
        rows.append(_row(f'always "{first.constant_answer}"', first.constant, _CONSTANT_MARKER, ratings, filled=False))
    rows.sort(key=lambda row: row["mean"], reverse=not is_ordered)
    unit = "grades" if ratings.kind == "grade" else "units of the scale"
    if is_ordered:
        quantity = "distance from people"
    elif truth:
        quantity = "right"
    else:
        quantity = "agreement with people"
    label = f"{quantity} ({unit})" if is_ordered else f"{quantity} (%)"
    shown = "share of right answers" if truth and not is_ordered else quantity
    person = _as_drawn(first.person, ratings)
    band = " Band: one person." if person.has_ends else ""
    filled = "better than the constant answer" if truth else "significantly different from one person"
    with look.settings():
        picture = draw_dots(
            look,
            [Dots("judges", "", pd.DataFrame(rows))],
            [row["name"] for row in rows],
            label=label,
            heading=f"{ratings.source}: judges beside people",
            caption=f"Points: {shown}, with 95 % intervals over {ratings.cluster_noun}s. Filled: "
            f"{filled}.{band}",
            key=[
                Entry(name, point_style(filled=is_filled, marker=marker))
                for name, marker, is_filled in (
                    ("judge", _JUDGE_MARKER, False), (f"judge, {filled}", _JUDGE_MARKER, True),
                    ("person", _PERSON_MARKER, False),
                    ("constant answer", _CONSTANT_MARKER, False),
                )
                if any(row["marker"] == marker and row["filled"] == is_filled for row in rows)
            ],
        )  # fmt: skip
        if person.has_ends:
            for axes in picture.axes:
                axes.axvspan(person.lower, person.upper, color="#444444", alpha=0.1, linewidth=0, zorder=0)
    return picture


def _is_apart(judged: JudgedJudge, truth: str) -> bool:
    """Return whether a judge differs significantly from a person or, with a truth, is better than the constant."""
    if truth:
        return judged.over_constant.lower > 0
    return not judged.nothing_to_validate and (judged.difference.lower > 0 or judged.difference.upper < 0)


def _as_drawn(level: Interval, ratings: Ratings) -> Interval:
    """Return a likeness as it is drawn: a share in percent, or a distance."""
    return as_distance(level) if ratings.is_ordered else as_percentages(level)


def _row(name: str, level: Interval, marker: str, ratings: Ratings, *, filled: bool) -> dict[str, Any]:
    interval = _as_drawn(level, ratings)
    mark = {_JUDGE_MARKER: "judge", _PERSON_MARKER: "person", _CONSTANT_MARKER: "constant answer"}[marker]
    return {
        "name": name,
        "mean": interval.value,
        "lower": interval.lower,
        "upper": interval.upper,
        "filled": filled,
        "marker": marker,
        "mark": mark,
    }
