"""The reference, generated from registries and schemas each time the site is built: nothing is written twice.

Pages are written to reference/generated/, and only if they change, so that a second build reads only what is new.
"""

from __future__ import annotations

import os
from pathlib import Path

from families import (
    coefficient_pages,
    corpus_pages,
    figure_pages,
    format_pages,
    interval_pages,
    judgment_pages,
    metric_pages,
    preprocessing_pages,
    test_pages,
)
from gallery import gallery_pages
from material import config_files, guides, notebook_pages, template_page
from repository import DOCS, GENERATED
from schemas import api_pages, bibliography_page, command_pages, config_pages
from sphinx.application import Sphinx

Pages = dict[str, str | bytes]


def pages() -> Pages:
    """Return all pages, by their paths below reference/generated."""
    made: Pages = {}
    for make in (
        metric_pages,
        coefficient_pages,
        test_pages,
        interval_pages,
        config_pages,
        figure_pages,
        gallery_pages,
        preprocessing_pages,
        judgment_pages,
        format_pages,
        corpus_pages,
        command_pages,
        api_pages,
        bibliography_page,
        config_files,
        template_page,
        notebook_pages,
        guides,
    ):
        made |= make()
    return made


def write(directory: Path, made: Pages) -> None:
    """Write the pages that have changed, and remove files that are no longer pages."""
    wanted = {directory / name: text.encode() if isinstance(text, str) else text for name, text in made.items()}
    for path, content in wanted.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            scratch = path.with_name(f".{path.name}.{os.getpid()}")
            scratch.write_bytes(content)
            scratch.replace(path)
    for path in directory.rglob("*"):
        if path.is_file() and path not in wanted and not path.name.startswith("."):
            path.unlink(missing_ok=True)


def _make(app: Sphinx) -> None:
    write(DOCS / GENERATED, pages())


def setup(app: Sphinx) -> dict[str, object]:
    """Connect to Sphinx."""
    app.connect("builder-inited", _make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
