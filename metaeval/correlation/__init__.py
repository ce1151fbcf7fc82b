"""CORRELATE: arrays of scores become coefficients, their summary, and tests between them.

Conventions. Arrays are (documents, systems); metric before human. ``nan`` means undefined, because one side is
constant; input must be finite. This stage knows neither metrics nor judges: a noise ceiling takes
judgments as arrays.
"""
