"""The page of a run: one file of HTML that needs nothing else, and that can be read without a script.

Everything that comes from a run is escaped: texts by the template, data for the script as JSON without any ``<``. The
page forbids itself everything but its own style, its own script and pictures that it holds.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePath
from typing import Any

from metaeval.parameters.calls import file_part
from metaeval.report.bands import band_tables
from metaeval.report.claims import VERDICTS, decision_of, labels_of_claims, statement_of
from metaeval.report.display_names import labelled, messages_with_labels
from metaeval.report.methods import methods_of
from metaeval.report.page.coefficients import average_of, coefficients_of
from metaeval.report.page.columns import FIRST_ROWS, comparisons_table, matrix_table, tasks_table
from metaeval.report.page.curves import parts_of
from metaeval.report.page.embedded import json_for_html
from metaeval.report.page.first_screen import first_screen
from metaeval.report.page.systems import systems_of
from metaeval.report.page.texts import texts_of
from metaeval.report.phrases import grouped
from metaeval.report.task_matrix import task_matrix
from metaeval.results.model import RunData
from metaeval.results.rows import Claim
from metaeval.results.store import manifest_of

# Parts of the script, each of which uses those before it.
_SCRIPT_PARTS: tuple[str, ...] = (
    "elements",
    "address",
    "download",
    "tables",
    "lines",
    "ranked",
    "view",
    "curves",
    "ranking",
)
_SCRIPT_PARTS += ("systems", "matches", "disagreements", "segments", "page")
# A page must be small enough to be mailed; the margin is for a few sentences on what is left out.
_MAX_PAGE_BYTES = 3_000_000
_MARGIN_BYTES = 1000
# The tables that lie beside a page, in its order, and what they are.
_TABLE_TITLES = {
    "correlations": "the coefficient of each metric, with its interval and all that it rests on",
    "rankings": "the metrics in order, by each test and by intervals",
    "tests": "every two metrics compared",
    "minimum_significant_differences": "from which difference on all pairs are significant",
    "claims": "the claims of the paper, with the comparison that decided each",
    "published": "the numbers that the paper prints, beside ours",
    "examples": "scores that the paper works out, beside ours",
    "tasks": "the coefficient of each metric in each task, with ranks and clusters",
    "averages": "the metrics by the weighted mean of all tasks",
    "task_tests": "every two metrics compared, in each task and on the average",
    "ceiling": "agreement between judges, and the fraction of the noise ceiling that a metric reaches",
    "influence": "the coefficients without some of the systems",
    "bands": "the coefficients among the best systems, or on pairs of close systems",
    "band_tests": "every two metrics compared in these",
    "filtered": "what was left out of each corpus, rule by rule",
}


@dataclass(frozen=True)
class EmbeddedPicture:
    """A figure of a run, as the page holds it.

    Attributes
    ----------
    name : str
        Of the picture that the page holds, with its ending; readers can save it under this name.
    media_type : str
    content : bytes
    files : sequence of str
        The files of the figure in the directory of the run, as the page calls them.
    caption : str
    numbers : sequence of sequence of str
        What it shows as a table, the heads first.
    """

    name: str
    media_type: str
    content: bytes
    files: Sequence[str] = ()
    caption: str = ""
    numbers: Sequence[Sequence[str]] = ()

    @property
    def address(self) -> str:
        """The picture as an address that holds it."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.content).decode('ascii')}"

    @property
    def words(self) -> str:
        """Name of the figure in words, from the name of its file."""
        return PurePath(self.name).stem.replace("_", ", ").replace("-", " ")


def render(run: RunData, pictures: Sequence[EmbeddedPicture] = (), left_out: Sequence[str] = ()) -> str:
    """Return the page of a run; the same run gives the same text.

    Parameters
    ----------
    run : RunData
    pictures : sequence of EmbeddedPicture
    left_out : sequence of str
        Files of figures that would make the page too large.
    """
    import jinja2
    from markupsafe import Markup

    package_files = resources.files(__name__)
    style = page_style()
    source = package_files.joinpath("page.html.jinja").read_text(encoding="utf-8")
    methods = methods_of(run)
    run = labelled(run)
    parts = (package_files.joinpath("script", f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPT_PARTS)
    script = f'"use strict";\n(() => {{\n{"".join(parts)}}})();\n'
    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(source)
    verdicts = Counter(row.verdict for row in run.tables.claims)
    matrix = task_matrix(run)
    optional_tables = [matrix_table(matrix) if matrix else None, tasks_table(run), comparisons_table(run)]
    tables = [table for table in optional_tables if table is not None]
    first = first_screen(run, matrix)
    bands = band_tables(run)
    with_curves = RunData() if matrix else run
    systems = systems_of(with_curves)
    for_script = {
        "tables": {table.name: table.to_dict() for table in tables},
        "curves": parts_of(with_curves),
        "rows": coefficients_of(with_curves),
        "average": average_of(matrix),
        "systems": systems,
        "first_rows": FIRST_ROWS,
        **{name: run.disagreements.get(name) for name in ("grid_metric", "most_documents")},
    }

    # All but the texts, which are fewer where the page would be too long.
    encoded = json_for_html(for_script).removesuffix("}")

    def page(texts: Mapping[str, Any], left: Sequence[str]) -> str:
        return template.render(
            manifest=manifest_of(run),
            warnings=messages_with_labels(run.warnings, run.labels),
            config=run.config,
            first=first,
            methods=methods,
            tables=tables,
            first_rows=FIRST_ROWS,
            bands=bands,
            pictures=_grouped(pictures, dict.fromkeys(row.key.coefficient for row in run.tables.correlations)),
            n_pictures=len(pictures),
            left_out=left_out,
            claims=[_claim(row) for row in run.tables.claims],
            overlap=_overlap(run),
            files=files_of(run),
            disagreements=run.disagreements,
            notes=[*run.disagreements.get("notes", []), *left],
            verdicts={verdict: verdicts[verdict] for verdict in VERDICTS if verdicts[verdict]},
            labels=[
                f"{corpus}: {label}"
                for corpus, claims in grouped(run.tables.claims, lambda row: row.corpus).items()
                for label in labels_of_claims(claims)
            ],
            simulated=run.simulated,
            data_has_curves=bool(run.tables.correlations) and matrix is None,
            has_systems=bool(systems["rows"]),
            has_tasks=matrix is not None,
            has_texts=bool(texts["segments"]),
            poolings=sorted({place["average_by"] == "none" for place in run.disagreements.get("places", ())}),
            # The template sets these between their tags as they are, so that their digests hold.
            style=Markup(style),
            script=Markup(script),
            style_digest=content_digest(style),
            script_digest=content_digest(script),
            data=Markup(f'{encoded},"texts":{json_for_html(texts)}}}'),
        )

    # What texts may take is what all else leaves.
    without = len(page(*texts_of(run, 0)).encode("utf-8"))
    return page(*texts_of(run, max(0, _MAX_PAGE_BYTES - without - _MARGIN_BYTES)))


@dataclass(frozen=True)
class ClaimRow:
    """A claim of a paper as the page shows it."""

    number: int
    paper: str
    statement: str
    verdict: str
    found: str


def _claim(row: Claim) -> ClaimRow:
    return ClaimRow(row.claim, row.paper, statement_of(row), row.verdict, decision_of(row))


def _overlap(run: RunData) -> str:
    """Count the printed numbers that overlap with ours, where both have intervals."""
    compared = [row.overlap for row in run.tables.published if row.overlap is not None]
    return f"Of {len(compared)} numbers with intervals on both sides, {sum(compared)} overlap." if compared else ""


def _grouped(pictures: Sequence[EmbeddedPicture], coefficients: Iterable[str]) -> list[list[EmbeddedPicture]]:
    """Return pictures that differ by their coefficient alone together, the first of the run first."""
    # Names of figures have what differs between them behind a low line.
    parts = sorted((f"_{file_part(coefficient)}" for coefficient in coefficients), key=len, reverse=True)

    def without_coefficient(picture: EmbeddedPicture) -> str:
        name = PurePath(picture.name).stem
        return next((name.replace(part, "") for part in parts if part in name), name)

    return list(grouped(pictures, without_coefficient).values())


def files_of(run: RunData) -> list[tuple[str, int, str]]:
    """Return the tables of a run that lie beside its page: the file, how many rows it has, and what it is."""
    lengths = {name: len(getattr(run.tables, name)) for name in _TABLE_TITLES}
    return [(f"{name}.tsv", lengths[name], words) for name, words in _TABLE_TITLES.items() if lengths[name]]


def page_style() -> str:
    """Return the style sheet of all pages."""
    return resources.files(__name__).joinpath("page.css").read_text(encoding="utf-8")


def content_digest(text: str) -> str:
    """Return the digest by which a policy of content names a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
