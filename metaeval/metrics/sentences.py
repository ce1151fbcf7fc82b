"""What a metric does not take; the sentences stand in sentences.toml, by the kind of error that they are."""

from __future__ import annotations

from metaeval.errors import MetricError, UsageError
from metaeval.resources import Sentences

say = Sentences(__file__, usage=UsageError, metric=MetricError)
refuse = say.refuse
