"""Tables as text: aligned columns for people, TSV and JSON for programs.

Numbers in TSV and JSON read back to the same bits; tables for people round.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Rows = Sequence[Mapping[str, Any]]


def aligned(rows: Rows, columns: Sequence[str] | None = None, *, digits: int = 3) -> str:
    """Return rows as a table for people: text to the left, numbers to the right and rounded."""
    names = list(columns or (rows[0] if rows else ()))
    cells = [[_rounded(row.get(name), digits) for name in names] for row in rows]
    numeric = [all(_is_number(row.get(name)) or row.get(name) is None for row in rows) and bool(rows) for name in names]
    widths = [max([len(name), *(len(line[k]) for line in cells)]) for k, name in enumerate(names)]

    def line(texts: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(names), line(["-" * width for width in widths]), *map(line, cells)])


def tsv(rows: Rows, columns: Sequence[str] | None = None) -> str:
    """Return rows as tab-separated text with a header; an undefined number is ``nan``, an absent value empty."""
    names = list(columns or (rows[0] if rows else ()))
    lines = ["\t".join(names)]
    lines.extend("\t".join(_exact(row.get(name)) for name in names) for row in rows)
    return "\n".join(lines) + "\n"


def as_json(rows: Rows) -> str:
    """Return rows as a JSON list of objects; an undefined number is null."""
    plain = [
        {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
        for row in rows
    ]
    return json.dumps(plain, indent=1, ensure_ascii=False)


FORMATS = ("table", "tsv", "json")


def formatted(rows: Rows, kind: str) -> str:
    """Return rows in one of `FORMATS`."""
    if kind == "json":
        return as_json(rows)
    return tsv(rows).rstrip("\n") if kind == "tsv" else aligned(rows)


def correlation_summary(correlations: pd.DataFrame) -> str:
    """Return the mean correlations as tables for people.

    Where documents have several lengths: metrics down and lengths across, a table for each criterion and coefficient.
    Else: criteria and metrics down, coefficients across.
    """
    one_line = ["corpus", "condition", "subset", "metric", "criterion", "grouping", "coefficient"]
    by_length = bool((correlations.groupby(one_line, sort=False)["length"].nunique() > 1).any())
    keys = ["corpus", "subset", "grouping", *(["criterion", "coefficient"] if by_length else [])]
    several = correlations.loc[correlations["condition"] != "", "condition"].nunique() > 1
    parts = []
    for _, part in correlations.groupby(keys, sort=False, dropna=False):
        first = part.iloc[0]
        references = f"references {first['subset']}"
        if by_length:
            what = f"mean {first['coefficient']} by {first['grouping']}, {references}, by document length"
            head = f"{first['corpus']}, {first['criterion']}: {what}"
        else:
            sizes = [int(length) for length in part["length"].dropna()]
            size = f"{min(sizes)} to {max(sizes)} segments" if sizes else "documents"
            size = f"{sizes[0]} segments" if len(set(sizes)) == 1 else size
            head = f"{first['corpus']}: correlation by {first['grouping']}, {references}, {size}"
        rows: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in part.to_dict("records"):
            labels = {} if by_length else {"criterion": row["criterion"]}
            labels |= {"metric": row["metric"]} | ({"condition": row["condition"]} if several else {})
            cells = rows.setdefault(tuple(labels.values()), labels)
            cells[str(int(row["length"])) if by_length else row["coefficient"]] = row["mean"]
        columns = list(dict.fromkeys(name for cells in rows.values() for name in cells))
        parts.append(head + "\n" + aligned(list(rows.values()), columns))
    return "\n\n".join(parts)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(value: object, digits: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value)


def _exact(value: object) -> str:
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)
