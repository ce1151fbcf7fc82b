"""Base classes of coefficients, intervals, tests, corrections, figures and kinds of documents, and all registries."""
