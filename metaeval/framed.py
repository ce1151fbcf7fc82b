"""Records as data frames, and tables as HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import UsageError, unknown

if TYPE_CHECKING:
    import pandas as pd

# Rows of a long table that a notebook shows.
SHOWN = 10
TABLES = ("judgments", "texts")


def html_table(
    heading: str, columns: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool] = (), note: str = ""
) -> str:
    """Return a plain table, whose texts are escaped.

    Parameters
    ----------
    heading : str
        Above it; nothing where it is empty.
    columns : sequence of str
    cells : sequence of sequences of str
        Row by row.
    numeric : sequence of bool
        Which columns stand to the right.
    note : str
        Below it, line by line.
    """

    def line(kind: str, texts: Sequence[str]) -> str:
        right = [*numeric, *[False] * len(texts)]
        styles = [f' style="text-align: {"right" if at_right else "left"}"' for at_right in right]
        inner = "".join(
            f"<{kind}{style}>{html.escape(one)}</{kind}>" for style, one in zip(styles, texts, strict=False)
        )
        return f"<tr>{inner}</tr>"

    caption = f'<caption style="text-align: left">{html.escape(heading)}</caption>' if heading else ""
    foot = "<br>".join(map(html.escape, note.splitlines()))
    below = f'<tfoot><tr><td colspan="{len(columns)}" style="text-align: left">{foot}</td></tr></tfoot>' if note else ""
    body = "".join(line("td", row) for row in cells)
    return f"<table>{caption}<thead>{line('th', columns)}</thead><tbody>{body}</tbody>{below}</table>"


def judgment_frame(judgments: Any, **names: Sequence[str]) -> pd.DataFrame:
    """Return judgments as a data frame, whose indices are names where these are given: ``system=corpus.systems``."""
    import pandas as pd  # scoring must not wait for it

    known = {"judge": judgments.judges, **names}
    columns = {
        key: np.array(known[key], dtype=object)[getattr(judgments, key)] if key in known else getattr(judgments, key)
        for key in ("segment", "system", "judge", "criterion", "score")
    }
    return pd.DataFrame(columns).copy()


def corpus_frame(corpus: Any, table: str) -> pd.DataFrame:
    """Return the judgments or the texts of a corpus as a data frame."""
    import pandas as pd  # scoring must not wait for it

    if table not in TABLES:
        raise UsageError(unknown("table of a corpus", str(table), TABLES, "tables"))
    if table == "judgments":
        criteria = [one.name for one in corpus.criteria]
        names = {"segment": corpus.segment_ids, "system": corpus.systems, "criterion": criteria}
        return judgment_frame(corpus.judgments, **names)
    columns: dict[str, Sequence[str | None]] = {"segment": corpus.segment_ids}
    columns |= {} if corpus.documents is None else {"document": corpus.documents}
    columns |= {} if corpus.sources is None else {"source": corpus.sources}
    return pd.DataFrame(
        {**columns, **corpus.references, **dict(zip(corpus.systems, corpus.candidates, strict=True))}, dtype=object
    )


def judgments_html(judgments: Any) -> str:
    """Return the first judgments as a table."""
    first = judgment_frame(judgments.where(np.arange(min(SHOWN, len(judgments)))))
    more = f"{len(judgments) - SHOWN} more rows; to_frame() has all." if len(judgments) > SHOWN else ""
    right = [column not in ("judge",) for column in first]
    return html_table(repr(judgments), list(map(str, first)), first.astype(str).to_numpy().tolist(), right, more)


def corpus_html(corpus: Any) -> str:
    """Return what a corpus holds as a table."""
    counts = np.bincount(corpus.judgments.criterion, minlength=len(corpus.criteria)).tolist()
    rows = {
        "systems": ", ".join(corpus.systems),
        "references": ", ".join(corpus.references),
        "segments": str(corpus.n_segments),
        "documents": "" if corpus.documents is None else str(len(set(corpus.documents))),
        "sources": "no" if corpus.sources is None else "yes",
        "judges": str(len(corpus.judgments.judges)),
        **{
            f"judgments of {one.name}": f"{count}, from {one.low:g} to {one.high:g}, "
            f"{'higher' if one.higher_is_better else 'lower'} is better"
            for one, count in zip(corpus.criteria, counts, strict=True)
        },
        "digest": corpus.digest[:8],
    }
    heading = f"{corpus.name}: {corpus.title}" if corpus.title else corpus.name
    return html_table(heading, ["what", "value"], [[key, value] for key, value in rows.items() if value])
