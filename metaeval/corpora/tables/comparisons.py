"""Tables in which outputs of several systems are compared: preferences, ranks, best-worst choices."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metaeval.corpora.tables.headers import compared_in_pairs, plain
from metaeval.errors import as_typed, listing

# The column that says which of two is preferred.
_PREFERENCE_NAME = re.compile(r".*(winner|prefer|choice|verdict|vote|better|judg(e)?ment|label|annotation).*")
_RANK_NAME = re.compile(r"(system|model|output|translation|text|mt)?\d+rank|rank(of)?(system|model|output)?\d+")
_OTHER_SIDE = {"a": "b", "b": "a", "1": "2", "2": "1"}
_OPTION_NAME = re.compile(r"(option|item|output|system|text|translation|candidate)?([a-z]|\d+)")
_BEST = re.compile(r"best(option|item|output|system)?")
_WORST = re.compile(r"worst(option|item|output|system)?")


def comparison_in(names: Sequence[str]) -> str:
    """Describe the comparison that the columns of a table name, in a sentence; "" where they name none."""
    by_name = {plain(name): name for name in names}
    pair = compared_in_pairs(names)
    preferred = [
        name
        for short, name in by_name.items()
        # Where each of two has a column, such as annotation_a and annotation_b, these hold ratings.
        if _PREFERENCE_NAME.fullmatch(short)
        and name not in pair
        and short[:-1] + _OTHER_SIDE.get(short[-1:], "?") not in by_name
    ]
    ranks = [name for short, name in by_name.items() if _RANK_NAME.fullmatch(short)]
    best_and_worst = [name for short, name in by_name.items() if _BEST.fullmatch(short) or _WORST.fullmatch(short)]
    options = [name for short, name in by_name.items() if _OPTION_NAME.fullmatch(short)]
    comparison = ""
    columns = list[str]()
    if len(ranks) > 1:
        comparison = f"ranks of up to {len(ranks)} systems"
        columns = ranks
    elif len(best_and_worst) == 2 and len(options) > 2:
        comparison = f"best-worst choices between {len(options)} outputs"
        columns = [*options, *best_and_worst]
    elif pair and (preferred or "chosen" in by_name):
        comparison = "preferences between two systems"
        columns = [*pair, *preferred[:1]]
    if not comparison:
        return ""
    finding = f"holds {comparison}, in the columns {listing(columns)}, which cannot be read as ratings of a corpus"
    return f"{finding}; {read_by()}." if comparison.startswith("preferences") else f"{finding}."


def read_by() -> str:
    """Return a clause on what reads preferences."""
    verbs = as_typed(
        terminal="`metaeval judge` and `metaeval agreement` read",
        python="`metaeval.judge()` and `metaeval.agreement()` read",
    )
    return f"{verbs} preferences"
