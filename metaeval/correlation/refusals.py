"""What a statistic does not take; the sentences stand in refusals.toml, by the kind of error that they are."""

from __future__ import annotations

from metaeval.errors import UsageError
from metaeval.resources import Sentences

refuse = Sentences(__file__, usage=UsageError, arrays=ValueError).refuse
