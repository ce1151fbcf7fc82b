"""Shared tasks: the metrics of many tasks ranked, and averaged, with the published tests and joint ones."""
