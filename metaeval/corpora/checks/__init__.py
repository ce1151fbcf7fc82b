"""Checks of a corpus for damage that its files do not show: parts of it are compared with one another."""
