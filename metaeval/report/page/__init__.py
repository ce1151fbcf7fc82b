"""The page of a run: one file of HTML that needs nothing else, and that can be read without a script.

Everything that comes from a run is escaped: texts by the template, data for the script as JSON without any ``<``. The
page forbids itself everything but its own style, its own script and pictures that it holds.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePath

from metaeval.report.claims import VERDICTS
from metaeval.report.page.columns import CAUSES, FIRST_ROWS, make_table, matrix_table
from metaeval.report.page.parts import parts_of
from metaeval.report.task_matrix import task_matrix
from metaeval.report.words import SIMULATED, TEXTS
from metaeval.results.model import RunData
from metaeval.results.store import manifest_of

# Tables of tasks that may be too long for a page, and from which length on they are.
_OF_TASKS, _MOST_ROWS = ("correlations", "task_tests"), 2000


@dataclass(frozen=True)
class Picture:
    """A figure of a run: the name of its file, its words, and its bytes."""

    name: str
    media_type: str
    content: bytes

    @property
    def address(self) -> str:
        """The picture as an address that holds it."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.content).decode('ascii')}"

    @property
    def words(self) -> str:
        """What the name of the file says."""
        return PurePath(self.name).stem.replace("_", ", ").replace("-", " ")


def render(run: RunData, pictures: Sequence[Picture] = (), left_out: Sequence[str] = ()) -> str:
    """Return the page of a run; the same run gives the same text.

    Parameters
    ----------
    run : RunData
    pictures : sequence of Picture
    left_out : sequence of str
        Figures that would make the page too large.
    """
    import jinja2
    from markupsafe import Markup

    here = resources.files(__name__)
    style, script, template = (
        here.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js", "page.html.jinja")
    )
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    verdicts = Counter(row.verdict for row in run.tables.claims)
    matrix = task_matrix(run)
    lengths = {name: len(getattr(run.tables, name)) for name in TEXTS["page"]}
    # Of tasks there can be very many, and none is drawn from them.
    long = {name: n for name, n in lengths.items() if matrix and name in _OF_TASKS and n > _MOST_ROWS}
    tables = [
        make_table(name, title, caption, run.tables.records(name))
        for name, (title, caption) in TEXTS["page"].items()
        if lengths[name] and name not in long
    ]
    if matrix is not None:
        tables.insert(0, matrix_table(matrix, TEXTS["matrix"]))
    for_script = {
        "tables": {table.name: table.to_dict() for table in tables},
        "curves": parts_of(RunData() if matrix else run),
        "causes": CAUSES,
        "disagreements": dict(run.disagreements),
        "first_rows": FIRST_ROWS,
    }
    return environment.from_string(template).render(
        manifest=manifest_of(run),
        config=run.config,
        tables=tables,
        first_rows=FIRST_ROWS,
        pictures=pictures,
        left_out=left_out,
        disagreements=run.disagreements,
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS if verdicts[verdict]},
        labels=dict.fromkeys(f"{row.corpus}: {row.label}" for row in run.tables.claims if row.label),
        simulated=run.simulated,
        simulated_words=SIMULATED,
        data_has_curves=bool(run.tables.correlations) and matrix is None,
        has_tasks=matrix is not None,
        long=long,
        poolings=sorted({place["average_by"] == "none" for place in run.disagreements.get("places", ())}),
        # The template sets these between their tags as they are, so that their digests hold.
        style=Markup(style),
        script=Markup(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
        data=Markup(json_for_html(for_script)),
    )


def json_for_html(value: object) -> str:
    """Return JSON that cannot end the element it stands in, nor begin another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _digest(text: str) -> str:
    """Return what a policy of content calls a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
