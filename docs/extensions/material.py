"""Pages made from files of the repository: configs, the template of a package, notebooks, texts for contributors."""

from __future__ import annotations

import base64
import json
import re
import tomllib

from markdown import anchor, code, contents, escaped, page, table
from repository import DOCS, GENERATED, ROOT, relinked

from metaeval.experiment.config_file import shipped_configs


def config_files() -> dict[str, str]:
    """Return a page for each experiment that ships, with its file, and one that lists them."""
    rows, made = [], {}
    for name, path in shipped_configs().items():
        text = path.read_text(encoding="utf-8")
        title = escaped(tomllib.loads(text)["title"])
        rows.append([f"[{code(name)}]({name}.md)", title])
        head = [anchor("experiment", name), f"# {code(name)}", f"{title}."]
        made |= page(f"experiments/{name}", *head, f"```toml\n{text}```")
    return made | page(
        "experiments/index",
        "# Built-in experiments",
        "Each is a TOML file in the directory configs/ of the repository, and is part of the package: "
        "`metaeval run NAME` runs it. See [the papers](../../../papers.md) and "
        "[how to write an experiment](../../../experiments.md).",
        table(["name", "title"], rows),
        contents(shipped_configs()),
    )


def template_page() -> dict[str, str]:
    """Return the page of the template for a package, with its files."""
    directory = DOCS / "template-metric"
    parts = [relinked((directory / "README.md").read_text(encoding="utf-8"), directory, f"{GENERATED}/x").strip()]
    for path in sorted(directory.iterdir()):
        if path.suffix in (".py", ".toml"):
            kind = "python" if path.suffix == ".py" else "toml"
            parts += [f"## {code(path.name)}", f"```{kind}\n{path.read_text(encoding='utf-8')}```"]
    return {"template-metric.md": "\n\n".join(parts) + "\n"}


def notebook_pages() -> dict[str, str | bytes]:
    """Return a page for each notebook, with its output."""
    made: dict[str, str | bytes] = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        parts = []
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(relinked(source, path.parent, f"{GENERATED}/notebooks/x"))
                continue
            parts.append(f"```python\n{source}\n```")
            for output in cell["outputs"]:
                data = output.get("data", {})
                if "image/png" in data:
                    name = f"{path.stem}-{len(parts)}.png"
                    made[f"notebooks/{name}"] = base64.b64decode("".join(data["image/png"]))
                    parts.append(f"![figure drawn by this cell]({name})")
                else:
                    text = "".join(output.get("text", data.get("text/plain", "")))
                    parts.append(f"```text\n{text.rstrip()}\n```")
        made[f"notebooks/{path.stem}.md"] = "\n\n".join(parts) + "\n"
    return made


def guides() -> dict[str, str]:
    """Return the texts for contributors and the changelog, as pages."""
    made = {}
    for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY"):
        place = name.lower()
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        made[f"{place}.md"] = re.sub(r"\n{3,}", "\n\n", relinked(text, ROOT, f"{GENERATED}/{place}"))
    return made
