"""Tables in which whatever a figure writes has names of any length and number; and what a figure writes where."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from metaeval.datamodel.corpus import INTER_JUDGE
from metaeval.report.figures.run_frames import FigureData
from metaeval.results.rows import Ceiling, Influence, Published
from metaeval.results.tables import records
from tests.support.grids import made_grid
from tests.support.results import claim, correlation, key_of, many_tasks, ranking, run_of, test_result

SYSTEMS = [f"system-{k:02d}" for k in range(1, 13)]
LENGTHS = (1, 2, 3, 5, 7, 10, 15, 25, 50)
# Kinds that show whole systems.
OF_SYSTEMS = ("scatter", "influence", "best-systems", "metric-correlation")
_VARIED: dict[str, list[tuple[str, int]]] = {
    "correlation-by-length": [("ref1", length) for length in LENGTHS],
    "correlation-by-references": [("ref1", 10), ("ref1+ref2", 10), ("ref1+ref2+ref3", 10)],
}


def picture_data(kind: str, names: list[str], criteria: list[str]) -> FigureData:
    """Return tables in which whatever this kind of figure writes beside its data has the names."""
    found = [
        correlation(
            max(0.9 - 0.8 * k / len(names) - 0.3 / length, -0.2), metric=name, subset=subset, criterion=criterion,
            length=length, lower=0.55 - 0.6 * k / len(names), upper=0.95 - 0.6 * k / len(names),
            interval="percentile", resampled="segments", n_used=9, kind="all" if kind in OF_SYSTEMS else "pseudo",
            n_references=1.0 + subset.count("+"),
        )
        for k, name in enumerate(names)
        for criterion in criteria
        for subset, length in _VARIED.get(kind, [("ref1", 10)])
    ]  # fmt: skip
    judges = [
        correlation(
            0.9 - 0.3 / length, metric=INTER_JUDGE, preprocessing="", subset="ref1", criterion=criterion, length=length
        )
        for criterion in criteria
        for length in LENGTHS
    ]
    ceilings = [
        Ceiling(
            key_of(metric="", subset="ref1", criterion=criterion, length=length),
            "ceiling",
            0.95 - 0.2 / length,
            sd=0.02,
        )
        for criterion in criteria
        for length in dict.fromkeys(length for _, length in _VARIED.get(kind, [("ref1", 10)]))
    ]
    pairs = [
        test_result(
            one,
            other,
            0.3 / (m - k),
            difference=0.02 * (m - k),
            subset="ref1",
            criterion=criterion,
            length=10,
            adjusted_lower=0.02 * (m - k) - 0.05,
            adjusted_upper=0.02 * (m - k) + 0.05,
        )
        for criterion in criteria
        for (k, one), (m, other) in itertools.combinations(enumerate(names), 2)
    ]
    printed = [
        Published(
            key_of(metric=name, subset="ref1", criterion=criterion),
            name,
            0.9 - 0.02 * k,
            None,
            None,
            0.88 - 0.03 * k,
            None,
            None,
            0.0,
            None,
        )
        for k, name in enumerate(names)
        for criterion in criteria
    ]
    place = {"corpus": "c", "preprocessing": "case", "subset": "ref1", "criterion": criteria[0]}
    documents = pd.DataFrame(
        {**place, "metric": name, "system": one, "score": (3 * k + m) % 7 + 0.1 * k, "human": k + 0.3 * (m % 3)}
        for m, name in enumerate(names)
        for k, one in enumerate(SYSTEMS)
    )
    judgments = pd.DataFrame(
        {"corpus": "c", "system": one, "segment": n, "judge": judge, "criterion": criterion, "score": (j + k * n) % 5}
        for j, judge in enumerate(names)
        for criterion in criteria
        for k, one in enumerate(SYSTEMS)
        for n in (1, 2)
    )
    scores = pd.DataFrame(
        {
            "corpus": "c", "preprocessing": preprocessing, "subset": subset, "system": one, "level": "system",
            "kind": "system", "n_references": 1 + subset.count("+"), "metric": f"nist(order={order})", "score": order,
            "signature": "NIST",
        }
        for preprocessing in ["case", "nocase", "stem", 'case(tokenizer="13a")'][: len(criteria)]
        for subset in ("ref1", "ref1+ref2")
        for one in SYSTEMS[:3]
        for order in (1, 2, 3, 4, 5)
    )  # fmt: skip
    tables: dict[str, Any] = {
        "correlations": [*found, *judges] if kind == "correlation-by-length" else found,
        "rankings": [ranking(key=row.key) for row in found],
        "tests": pairs,
        "ceiling": ceilings,
        "published": printed,
    }
    run = run_of(*found) if kind == "claims" else many_tasks(len(names), max(3, len(criteria)), names)
    run.tables.influence.extend(
        Influence(row.key, f"without {one}", one, row.n_systems - 1, row.mean - 0.01 * k, -0.01 * k)
        for row in found
        for k, one in enumerate(SYSTEMS)
    )
    run.tables.influence.extend(
        Influence(row.key, f"best {k}", "", k, row.mean - 0.05 * (row.n_systems - k), -0.05 * (row.n_systems - k))
        for row in found
        for k in range(row.n_systems - 1, 3, -1)
    )
    run.tables.claims.extend(
        claim(k, f"{name} above {names[-1]}", ("holds", "fails")[k % 2], difference=0.1 * k, lower=0.0, upper=0.3)
        for k, name in enumerate(names, start=1)
    )
    run.grids.extend(
        made_grid(
            row.key, human=np.zeros((1, len(SYSTEMS))), scores={name: np.zeros((1, len(SYSTEMS))) for name in names},
            coefficients={"pearson": np.zeros((len(names), 1))},
            replicates={"pearson": np.random.default_rng(1).normal(size=(len(names), 50))},
        )
        for row in {row.key.criterion: row for row in found}.values()
    )  # fmt: skip
    frames = {name: pd.DataFrame(records(rows)) for name, rows in tables.items()}
    frames["correlations"] = frames["correlations"].assign(star=True)
    return FigureData(
        **frames,
        scores=lambda: scores,
        documents=lambda: documents,
        judgments=lambda: judgments,
        run=run,
    )


def drawn_texts(figure: Any) -> tuple[list[Text], np.ndarray[Any, Any]]:
    """Return the texts that matplotlib draws, as it draws them, and their boxes: (texts, 4) pixels."""
    found: list[Text] = []
    draw = Text.draw
    canvas = FigureCanvasAgg(figure)

    def noted(text: Text, renderer: Any) -> None:
        found.append(text)
        draw(text, renderer)

    Text.draw = noted  # type: ignore[method-assign]
    try:
        canvas.draw()
    finally:
        Text.draw = draw  # type: ignore[method-assign]
    texts = [text for text in found if text.get_visible() and text.get_text().strip()]
    renderer = canvas.get_renderer()
    # The box of the words alone: that of an annotation also holds its line.
    boxes = np.array([Text.get_window_extent(text, renderer).extents for text in texts]).reshape(-1, 4)
    return texts, boxes


def misplaced(figure: Any, shared: float = 1.0) -> list[str]:
    """Return what is cut off, stands over another text, or over data that are not its own.

    Boxes of texts may share a point: they hold the room of letters that reach above and below.
    """
    texts, boxes = drawn_texts(figure)
    boxes = boxes + np.array([1, 1, -1, -1]) * shared * figure.dpi / 72
    found = []
    (left, low), (right, high) = figure.bbox.min, figure.bbox.max
    for text, (x0, y0, x1, y1) in zip(texts, boxes, strict=True):
        if x0 < left or y0 < low or x1 > right or y1 > high:
            found.append(f"{text.get_text()!r} is cut off")
    for one, other in itertools.combinations(range(len(texts)), 2):
        if _meet(boxes[one], boxes[other]):
            found.append(f"{texts[one].get_text()!r} stands over {texts[other].get_text()!r}")
    for axes in figure.axes:
        area = np.array(axes.bbox.extents)
        own = set(axes.texts)
        for text, box in zip(texts, boxes, strict=True):
            is_inside = (box[:2] >= area[:2] - 1).all() and (box[2:] <= area[2:] + 1).all()
            if _meet(box, area) and not (text in own and is_inside):
                found.append(f"{text.get_text()!r} stands over the data of {axes.get_label()!r}")
    for one, other in itertools.combinations(figure.axes, 2):
        if _meet(np.array(one.bbox.extents), np.array(other.bbox.extents)):
            found.append(f"{one.get_label()!r} stands over {other.get_label()!r}")
    return found


def _meet(one: Any, other: Any) -> bool:
    return bool((one[:2] < other[2:]).all() and (other[:2] < one[2:]).all())
