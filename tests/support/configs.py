"""Configs for tests."""

from __future__ import annotations

from pathlib import Path

BY_LENGTH = Path(__file__).with_name("by_length.toml")
