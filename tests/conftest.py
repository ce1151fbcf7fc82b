"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# Time is measured in benchmarks; a busy machine must not fail a law.
settings.register_profile("metaeval", deadline=None)
settings.load_profile("metaeval")
