"""Where the files that ship with metaeval lie: configs/ and data/."""

from __future__ import annotations

from pathlib import Path


def shipped(folder: str) -> Path:
    """Return the shipped folder ``configs`` or ``data``.

    It lies inside the package when that is installed, and beside the package in a checkout.
    """
    package = Path(__file__).parent
    inside = package / folder
    return inside if inside.is_dir() else package.parent / folder
