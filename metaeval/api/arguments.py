"""What callers may write, brought into one form."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def listed(items: Any) -> Any:
    """Return a list; one text or path alone is a list of one, never of its letters."""
    return [items] if isinstance(items, str | Path) else items
