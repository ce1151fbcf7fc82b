"""Conformance of a metric: a trial with texts, and what is found; `metaeval.experiments.check_metric` runs it."""
