"""Simulated corpora with a known truth, shaped like those of the papers.

A segment is a meaning. A reference says it in words and an order chosen at random; a system says a damaged meaning and
damages the form; judges see the damage through their own severity and noise. Everything is drawn from one seed, each
text from a generator of its own, so a text does not change when systems or references are added.
"""
