"""EXPERIMENT: a config becomes documents, scores, coefficients, intervals and tests: a run of `metaeval.results`."""
