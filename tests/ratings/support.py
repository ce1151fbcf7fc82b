"""Ratings for tests: of the published data of others, and made by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from metaeval.ratings.reading import Asked, read_frame
from metaeval.ratings.table import Ratings
from tests.support.gold import of_others

NAN = float("nan")


def random_labels(
    raters: Mapping[str, float], n: int, seed: int, *, share: float, words: tuple[str, str]
) -> pd.DataFrame:
    """Return a table of n items, of which a share is the second word; raters err at random, each at its rate."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    answers = {name: np.where(rng.random(n) < rate, ~truth, truth).astype(int) for name, rate in raters.items()}
    return pd.DataFrame({"id": range(n)} | {name: np.array(words)[answer] for name, answer in answers.items()})


def of_answers(
    people: Mapping[str, Mapping[str, Any]], judges: Mapping[str, Mapping[str, Any]], documents: Any = None
) -> Ratings:
    """Return ratings of {rater: {item: answer}}, read as a long table; `documents` gives that of an item."""
    raters = {**people, **judges}
    rows = [{"item": i, "rater": name, "value": str(value)} for name, of in raters.items() for i, value in of.items()]
    if documents is not None:
        rows = [{**row, "document": documents(row["item"])} for row in rows]
    return read_frame(rows, Asked(judges=tuple(judges)))


@cache
def published(name: str) -> Ratings:
    """Return the ratings of a data set of the alternative annotator test."""
    directory = of_others(f"ratings/alt-test/{name}")
    people, judges = (
        json.loads((directory / f"{who}_annotations.json").read_text(encoding="utf-8")) for who in ("human", "llm")
    )
    # In framing, an item is a question on an article.
    return of_answers(people, judges, (lambda item: item.rsplit("__", 1)[0]) if name == "framing" else None)


def of_matrix(
    people: Sequence[Sequence[float]], judges: Mapping[str, Sequence[float]], kind: str = "label", **facts: Any
) -> Ratings:
    """Return ratings of (people, items) and of judges; ``nan`` where an item was not rated. Labels are 0, 1, 2, ..."""
    values = np.vstack([np.array(people, dtype=float), *(np.array(one, dtype=float)[None] for one in judges.values())])
    rater, item = np.nonzero(~np.isnan(values))
    names = [f"h{at + 1}" for at in range(len(people))]
    return Ratings(
        tuple(f"i{at}" for at in range(values.shape[1])),
        (*names, *judges),
        (*("person" for _ in names), *("automatic" for _ in judges)),
        item,
        rater,
        values[rater, item],
        kind,  # type: ignore[arg-type]
        tuple(f"label {at}" for at in range(9)) if kind == "label" else (),
        facts=facts,
    )


def answers_by_rater(ratings: Ratings) -> dict[str, list[float]]:
    """Return the answers of each rater, people first, item by item."""
    people, judges = ratings.matrix()
    columns = np.hstack([people, judges]).T.tolist()
    return dict(zip([*ratings.people, *ratings.judges], columns, strict=True))
