"""Checks of a metric for its author: whether it does what metaeval and its users rely on."""
