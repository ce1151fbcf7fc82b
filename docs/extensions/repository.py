"""Links that work on the code host and on the site, and tables of contents that are lists on both.

A page links to files where they are in the repository. On the site, a link to a file that is not a page leads to the
page made from it (`PAGES`), or else downloads the file. The lists of links under the headings of `index.md`,
and those of decisions/README.md, are the tables of contents of the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
GENERATED = "reference/generated"
# The pages of the site made from files elsewhere in the repository, without suffix.
PAGES = {
    "README.md": "index",
    "CONTRIBUTING.md": f"{GENERATED}/contributing",
    "CHANGELOG.md": f"{GENERATED}/changelog",
    "SECURITY.md": f"{GENERATED}/security",
    "configs": f"{GENERATED}/experiments/index",
    "metaeval/bibliography.toml": f"{GENERATED}/bibliography",
    "docs/decisions": "decisions/README",
    "docs/template-metric": f"{GENERATED}/template-metric",
    "docs/template-metric/README.md": f"{GENERATED}/template-metric",
    **{f"notebooks/{path.name}": f"{GENERATED}/notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")},
}
# The pages of the reference, in order.
REFERENCE = (
    "metrics/index",
    "coefficients",
    "intervals",
    "tests",
    "judgments",
    "documents",
    "preprocessing",
    "config/index",
    "figures",
    "gallery",
    "formats/index",
    "corpora",
    "command-line/index",
    "python/index",
    "experiments/index",
    "bibliography",
)
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)


def relinked(text: str, place: Path, docname: str) -> str:
    """Return the Markdown of a file for a page of the site, with links that work there.

    Parameters
    ----------
    text : str
        Code blocks are left unchanged.
    place : Path
        The directory of the file.
    docname : str
        The page that it becomes.
    """

    def link(found: re.Match[str]) -> str:
        return found[1] + _target(found[2], place, docname) + found[3]

    pieces, end = [], 0
    for fence in _FENCE.finditer(text):
        pieces += [_LINK.sub(link, _shown(text[end : fence.start()])), fence[0]]
        end = fence.end()
    return "".join([*pieces, _LINK.sub(link, _shown(text[end:]))])


def _shown(text: str) -> str:
    """Return a text in which no line begins with a percent sign, which starts a comment in MyST."""
    return re.sub(r"^(\s*)%", r"\1\\%", text, flags=re.MULTILINE)


def _target(written: str, place: Path, docname: str) -> str:
    path, sign, anchor = written.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return written
    lies = Path(os.path.normpath(place / path))
    if not lies.is_relative_to(ROOT):
        return written
    inside = lies.relative_to(ROOT).as_posix()
    here = DOCS / PurePosixPath(docname).parent
    if inside in PAGES:
        return os.path.relpath(DOCS / f"{PAGES[inside]}.md", here) + sign + anchor
    if lies.suffix == ".toml" and lies.parent.name == "configs":
        return os.path.relpath(DOCS / GENERATED / "experiments" / f"{lies.stem}.md", here)
    return os.path.relpath(lies, here) + sign + anchor


def _contents(text: str) -> str:
    """Return tables of contents for the lists of links in a text, one for each heading that has a list."""
    trees = []
    for heading, below in re.findall(r"^##+ (.+)\n((?:(?!##).*\n?)*)", text, re.MULTILINE):
        links = re.findall(r"^- \[([^]]+)\]\(([^)#]+)\.md\)", below, re.MULTILINE)
        if links:
            pages = "\n".join(f"{title} <{page}>" for title, page in links)
            trees.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{pages}\n```\n")
    return "\n".join(trees)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname.startswith(GENERATED):
        return
    source[0] = relinked(source[0], (DOCS / docname).parent, docname)
    if docname == "glossary":  # other words for a term lead to it from the search, too
        source[0] = re.sub(r"^\*Also:\* (.+)$", r"\g<0>\n\n```{index} \1\n```", source[0], flags=re.MULTILINE)
    if docname in ("index", "decisions/README"):
        source[0] += "\n" + _contents(source[0])
    if docname == "reference/index":
        for name in REFERENCE:
            head = (DOCS / GENERATED / f"{name}.md").read_text(encoding="utf-8").partition("# ")[2].partition("\n")[0]
            source[0] = source[0].replace(f"| {head} |", f"| [{head}](generated/{name}.md) |")
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(f"generated/{page}" for page in REFERENCE) + "\n```\n"


def _navigate(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    """Show a page what stands around it, not all pages there are; Sphinx gives headings of lists no level."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **options: toctree(**{**options, "collapse": True}).replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app: Sphinx) -> dict[str, object]:
    """Connect to Sphinx."""
    app.connect("source-read", _read)
    app.connect("html-page-context", _navigate, priority=400)  # before the theme calls it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
