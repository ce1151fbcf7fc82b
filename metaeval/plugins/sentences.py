"""What is said of metrics and score files of others; the sentences stand in sentences.toml."""

from __future__ import annotations

from metaeval.errors import CorpusError, MetricError, UsageError
from metaeval.resources import Sentences

say = Sentences(__file__, usage=UsageError, corpus=CorpusError, metric=MetricError)
refuse = say.refuse
