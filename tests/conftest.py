"""Settings of all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# A test of two ways to compute something must compute it twice; tests of the store choose a limit.
os.environ["METAEVAL_CACHE_LIMIT"] = "0"

# What is no terminal is 120 letters wide, wherever the tests run.
os.environ.pop("COLUMNS", None)

# A shell has what it starts in the background ignore Ctrl-C, which tests send to themselves and to what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Time is measured in benchmarks; a busy machine must not fail a law.
settings.register_profile("metaeval", deadline=None, max_examples=50)
settings.load_profile("metaeval")
