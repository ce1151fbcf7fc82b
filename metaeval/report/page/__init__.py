"""The page of a run: one file of HTML that needs nothing else, and that can be read without a script.

Everything that comes from a run is escaped: texts by the template, data for the script as JSON without any ``<``. The
page forbids itself everything but its own style, its own script and pictures that it holds.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePath
from typing import Any

from metaeval.report.claims import VERDICTS
from metaeval.report.labels import labelled
from metaeval.report.methods import methods_of
from metaeval.report.page.columns import CAUSES, FIRST_ROWS, make_table, matrix_table
from metaeval.report.page.embedded import json_for_html
from metaeval.report.page.first_screen import first_screen
from metaeval.report.page.parts import parts_of
from metaeval.report.page.systems import systems_of
from metaeval.report.page.texts import texts_of
from metaeval.report.rankings import rank_columns
from metaeval.report.task_matrix import task_matrix
from metaeval.report.words import TEXTS
from metaeval.results.model import RunData
from metaeval.results.store import manifest_of

# Longer tables stay in their files, and of tasks those that nothing is drawn from.
_MOST_ROWS, _OF_TASKS, _MOST_OF_TASKS = 5000, ("correlations", "task_tests"), 2000
# What a paper says comes behind what was found.
_OF_PAPER = ("claims", "published", "examples")
# Parts of the script, each of which uses those before it.
_SCRIPT: tuple[str, ...] = ("elements", "address", "download", "tables", "lines", "view", "curves", "ranking")
_SCRIPT += ("systems", "matches", "disagreements", "segments", "page")
# A page can be mailed; a few sentences of what is left out come besides.
_MOST_BYTES, _MARGIN = 3_000_000, 1000


@dataclass(frozen=True)
class Picture:
    """A figure of a run, as the page holds it.

    Attributes
    ----------
    name : str
        Of the picture that the page holds, with its ending; readers can save it under this name.
    media_type : str
    content : bytes
    files : sequence of str
        The files of the figure in the directory of the run, as the page calls them.
    """

    name: str
    media_type: str
    content: bytes
    files: Sequence[str] = ()

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
        Files of figures that would make the page too large.
    """
    import jinja2
    from markupsafe import Markup

    here = resources.files(__name__)
    style, source = (here.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.html.jinja"))
    methods = methods_of(run)
    run = labelled(run)
    parts = (here.joinpath("script", f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPT)
    script = f'"use strict";\n(() => {{\n{"".join(parts)}}})();\n'
    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(source)
    verdicts = Counter(row.verdict for row in run.tables.claims)
    matrix = task_matrix(run)
    lengths = {name: len(getattr(run.tables, name)) for name in TEXTS["page"]}
    long = {name: n for name, n in lengths.items() if n > _most_rows(name, of_tasks=matrix is not None)}
    notes = _notes(run)
    tables = [
        make_table(name, title, caption, run.tables.records(name), notes.get(name, ()))
        for name, (title, caption) in TEXTS["page"].items()
        if lengths[name] and name not in long
    ]
    if matrix is not None:
        tables.insert(0, matrix_table(matrix, TEXTS["matrix"]))
    first = first_screen(run, matrix)
    systems = systems_of(RunData() if matrix else run)
    for_script = {
        "tables": {table.name: table.to_dict() for table in tables},
        "curves": parts_of(RunData() if matrix else run),
        # Of the rows of correlations.
        "ranks": {name: column for name, column in rank_columns(run).items() if name != "p_worse"},
        "systems": systems,
        "causes": CAUSES,
        "first_rows": FIRST_ROWS,
        **{name: run.disagreements.get(name) for name in ("grid_metric", "most_documents")},
    }

    # All but the texts, which are fewer where the page would be too long.
    encoded = json_for_html(for_script).removesuffix("}")

    def page(texts: Mapping[str, Any], left: Sequence[str]) -> str:
        return template.render(
            manifest=manifest_of(run),
            warnings=run.warnings,
            config=run.config,
            first=first,
            methods=methods,
            tables=[table for table in tables if table.name not in _OF_PAPER],
            of_paper=[table for table in tables if table.name in _OF_PAPER],
            first_rows=FIRST_ROWS,
            pictures=pictures,
            left_out=left_out,
            disagreements=run.disagreements,
            notes=[*run.disagreements.get("notes", []), *left],
            verdicts={verdict: verdicts[verdict] for verdict in VERDICTS if verdicts[verdict]},
            labels=dict.fromkeys(f"{row.corpus}: {row.label}" for row in run.tables.claims if row.label),
            simulated=run.simulated,
            data_has_curves=bool(run.tables.correlations) and matrix is None,
            has_systems=bool(systems["rows"]),
            has_tasks=matrix is not None,
            has_texts=bool(texts["segments"]),
            long=long,
            poolings=sorted({place["average_by"] == "none" for place in run.disagreements.get("places", ())}),
            # The template sets these between their tags as they are, so that their digests hold.
            style=Markup(style),
            script=Markup(script),
            style_digest=_digest(style),
            script_digest=_digest(script),
            data=Markup(f'{encoded},"texts":{json_for_html(texts)}}}'),
        )

    # What texts may take is what all else leaves.
    without = len(page(*texts_of(run, 0)).encode("utf-8"))
    return page(*texts_of(run, max(0, _MOST_BYTES - without - _MARGIN)))


def _notes(run: RunData) -> dict[str, tuple[str, ...]]:
    """Return what is said above tables, by their names."""
    compared = [row.overlap for row in run.tables.published if row.overlap is not None]
    told = f"Of {len(compared)} numbers with intervals on both sides, {sum(compared)} overlap."
    return {"published": (told,)} if compared else {}


def _most_rows(name: str, *, of_tasks: bool) -> float:
    """Return how many rows of a table a page holds; curves need all correlations."""
    if of_tasks and name in _OF_TASKS:
        return _MOST_OF_TASKS
    return math.inf if name == "correlations" else _MOST_ROWS


def _digest(text: str) -> str:
    """Return what a policy of content calls a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
