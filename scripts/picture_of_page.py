"""Draw the picture of the documentation: the first screen of the page of a run, in Chromium.

python scripts/picture_of_page.py RUN [docs/images/page.png]
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.browser import browser

# Wide enough for two columns, and as high as a first screen.
SIZE = (1280, 1000)


def main(run: str, picture: str = "docs/images/page.png") -> None:
    """Write the picture of a run."""
    with browser() as window:
        window.size(*SIZE)
        window.open((Path(run).resolve() / "report.html").as_uri())
        content = window.devtools("Page.captureScreenshot", format="png")["data"]
    # A page has few colours.
    Image.open(io.BytesIO(base64.b64decode(content))).quantize(48).save(picture, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
