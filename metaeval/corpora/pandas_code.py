"""Lines of pandas, for messages, that turn a table into one that can be read."""

from __future__ import annotations

import json
from collections.abc import Sequence


def code_for(load: str, place: str, steps: Sequence[str]) -> str:
    """Return words with the line of pandas that makes another table of a file: ``with pandas: `import ...` ``.

    Parameters
    ----------
    load : str
        The expression by which pandas reads the table; "" where it is a data frame already.
    place : str
        The file.
    steps : sequence of str
        Statements that change the table, which is called t.
    """
    if not load:
        return f"with pandas, where t is your table: `{imports(steps)}; {'; '.join(steps)}`"
    parts = [f"t = {load}", *steps, written(place)]
    return f"with pandas: `{imports(parts)}; {'; '.join(parts)}`"


def imports(parts: Sequence[str]) -> str:
    """Return the statement that imports what statements use."""
    used = [module for module in ("json", "ast") if any(f"({module}.l" in part for part in parts)]
    return f"import {', '.join(['pandas', *used])}"


def written(place: str) -> str:
    """Return the statement that writes a table, called t, beside the file that it comes from."""
    stem, _, suffix = place.removesuffix(".gz").rpartition(".")
    if suffix in ("csv", "tsv", "txt", "xlsx"):
        return f"t.to_csv({literal(f'{stem}-table.csv')}, index=False)"
    return f't.to_json({literal(f"{stem}-table.jsonl")}, orient="records", lines=True, force_ascii=False)'


def literal(names: object) -> str:
    """Return a text, or a list of texts, as Python has them in a program."""
    return json.dumps(names, ensure_ascii=False)
