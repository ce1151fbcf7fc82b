"""Configs in which several features of experiments meet."""
