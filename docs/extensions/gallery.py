"""The gallery: every kind of figure, with the TOML and the Python that make it, drawn when the site is built."""

from __future__ import annotations

import functools
import io
import tempfile
import tomllib
import warnings
from pathlib import Path
from typing import Any

import tomli_w

import metaeval
from metaeval.runs.figures import changed, draw_figures, wanted_of_run

_CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_INTRODUCTION = """# Gallery of figures

Each kind of figure, with the `[[figures]]` of a config that makes it, and the same in Python, where `result` is what
`metaeval.run`, `correlate` or `load_run` gives. `metaeval figures RUN KIND --set KEY=VALUE` draws a finished run so.
[Figures](../../figures.md) has all kinds and keys. The corpus is simulated, and the runs are small: the numbers show
nothing but what a figure looks like."""


@functools.cache
def gallery_pages() -> dict[str, str | bytes]:
    """Return the page, and its pictures."""
    parts, pictures = [_INTRODUCTION], {}
    with tempfile.TemporaryDirectory() as folder:
        runs = {name: _run(dict(settings), Path(folder) / name) for name, settings in _CONTENT["runs"].items()}
        for number, picture in enumerate(_CONTENT["pictures"], start=1):
            keys = {key: value for key, value in picture.items() if key not in ("run", "kind")}
            kind, run = picture["kind"], runs[picture["run"]].data
            drawn = next(draw_figures(changed(wanted_of_run(run), [kind], keys), run))
            content = io.BytesIO()
            drawn.figure.savefig(content, format="png", dpi=110, metadata={"Software": "metaeval"})
            name = f"gallery-{number:02d}.png"
            pictures[name] = content.getvalue()
            asked = "".join(f", {key}={value!r}" for key, value in keys.items())
            toml = tomli_w.dumps({"kind": kind, **keys}).strip()
            parts += [
                f"## `{kind}`" + (f": {', '.join(keys)}" if keys else ""),
                f"![{kind}]({name})",
                f"```toml\n[[figures]]\n{toml}\n```",
                f'```python\nresult.figures("{kind}"{asked})\n```',
            ]
    return {"gallery.md": "\n\n".join(parts) + "\n", **pictures}


def _run(settings: dict[str, Any], output: Path) -> Any:
    base = settings.pop("base", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", metaeval.MetaevalWarning)  # few replicates are enough for a picture
        return metaeval.run(base or settings, output=output, **(settings if base else {}))
