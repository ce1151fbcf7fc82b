"""Turn the notebooks that are written as Python (notebooks/*.py) into executed .ipynb files beside them.

python scripts/make_notebooks.py [NAME ...]      needs the dependency group `notebooks`; all unless names are given

Each runs in an empty directory of its own. Nothing of the machine stays in the file: no times, no paths.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
MARK = "# %%"
LARGEST = 300_000
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def cells(text: str) -> list[tuple[str, str]]:
    """Return the cells of a notebook in the percent format: ``markdown`` or ``code``, and the source."""
    found = []
    for part in ("\n" + text).split(f"\n{MARK}")[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().split("\n")]
            found.append(("markdown", "\n".join(lines)))
        elif not head.strip():
            found.append(("code", body.strip()))
        else:
            raise SystemExit(f"a cell begins with {MARK} or {MARK} [markdown]; got {MARK}{head}")
    return found


def packed(picture: str) -> str:
    """Return a PNG, as base64: the same pixels, without transparency and with a palette where these will do."""
    image = Image.open(io.BytesIO(base64.b64decode(picture)))
    colours, places = np.unique(np.asarray(image.convert("RGBA")).reshape(-1, 4), axis=0, return_inverse=True)
    if (colours[:, 3] < 255).any():
        return picture
    small = image.convert("RGB")
    if len(colours) <= 256:
        small = Image.fromarray(places.reshape(image.height, image.width).astype(np.uint8), "P")
        small.putpalette(colours[:, :3].tobytes())
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True, dpi=image.info.get("dpi"))
    return base64.b64encode(file.getvalue()).decode()


def executed(source: Path) -> Any:
    """Return a notebook with what its cells print and draw."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(metadata=METADATA)
    for number, (kind, text) in enumerate(cells(source.read_text(encoding="utf-8")), start=1):
        make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
        notebook.cells.append(make(text, id=f"cell-{number}"))
    with tempfile.TemporaryDirectory() as directory:
        place = {"metadata": {"path": directory}}
        settings = {"timeout": 300, "kernel_name": "python3", "record_timing": False, "coalesce_streams": True}
        client = NotebookClient(notebook, resources=place, **settings)
        client.execute()
        text = nbformat.writes(notebook)
        for path in (directory, str(FOLDER.parent), str(Path.home()), sys.prefix):
            if path in text:
                raise SystemExit(f"{source.name}: the path {path} stands in its output")
    notebook.metadata = METADATA  # the kernel adds its version
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if output.output_type == "error" or output.get("name") == "stderr":
                raise SystemExit(f"{source.name}: a cell says: {output}")
            if picture := output.get("data", {}).get("image/png"):
                output.data["image/png"] = packed(picture)
    return notebook


def main(names: list[str]) -> int:
    """Write the notebooks."""
    import nbformat

    for source in sorted(FOLDER.glob("*.py")):
        if names and source.stem not in names:
            continue
        text = nbformat.writes(executed(source)) + "\n"
        if len(text.encode()) > LARGEST:
            raise SystemExit(f"{source.name}: has {len(text.encode())} bytes; it must stay below {LARGEST}")
        source.with_suffix(".ipynb").write_text(text, encoding="utf-8")
        print(f"{source.stem}: {len(text.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
