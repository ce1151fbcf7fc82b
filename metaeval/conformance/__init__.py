"""Checks of a metric for its author."""
