"""Conformance of a metric: a trial with texts, and what is found; `metaeval.plugins.check` runs it."""
