"""The documentation site: Markdown pages, and a reference that is made from the code.

`sphinx-build -W --keep-going -n -b html docs build/docs` makes it, without the network.
"""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

from numpydoc.xref import DEFAULT_LINKS  # noqa: E402

import metaeval  # noqa: E402

project = "metaeval"
author = copyright = "The metaeval developers"  # noqa: A001
version = release = metaeval.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.doctest", "numpydoc", "reference", "repository"]
exclude_patterns = ["template-metric", "extensions"]

myst_enable_extensions = ["attrs_block", "deflist"]
myst_heading_anchors = 4

# Types stand in the docstrings, where they can be said in words; signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    name: f"metaeval.{name}" for name in metaeval.__all__ if isinstance(getattr(metaeval, name), type)
}
# Only what is metaeval's can be resolved: nothing is fetched from other projects.
DEFAULT_LINKS.clear()
nitpick_ignore_regex = [("py:.*", r"(?!metaeval\b).*")]
doctest_global_setup = "from metaeval.api import *"

# The headings of the reference are its contents; an entry for each object would say all twice.
toc_object_entries = False

html_theme = "furo"
html_title = f"metaeval {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
# Names of parameters are no prose: quotation marks in them must stay what they are.
smartquotes = False
