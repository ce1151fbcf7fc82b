"""The README and the links of a release, which depend on `repository` of [tool.metaeval] in pyproject.toml.

On the page of a registry, relative links lead nowhere and pictures are missing. So they are made absolute here.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
IMAGE_SUFFIXES = (".png", ".svg")


def absolute_links(readme: str, repository: str, version: str) -> str:
    """Return Markdown whose relative links and pictures are those of a version in a repository."""

    def absolute(match: re.Match[str]) -> str:
        target = match[1]
        kind = "raw" if target.endswith(IMAGE_SUFFIXES) else "blob"
        return f"]({repository}/{kind}/v{version}/{target})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", absolute, readme)


def main() -> None:
    """Build with the README and the links of this version."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    repository = project["tool"]["metaeval"]["repository"].rstrip("/")
    urls = {}
    if repository:
        version = re.search('VERSION = "(.+)"', (ROOT / "metaeval/version.py").read_text(encoding="utf-8"))[1]
        readme = absolute_links(readme, repository, version)
        urls = {
            "Source": repository,
            "Documentation": f"{repository}/blob/v{version}/docs/index.md",
            "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }
    setup(long_description=readme, long_description_content_type="text/markdown", project_urls=urls)


if __name__ == "__main__":
    main()
