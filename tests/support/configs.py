"""Configs for tests."""

from __future__ import annotations

from pathlib import Path

BY_LENGTH = Path(__file__).with_name("by_length.toml")
# Two metrics on single segments of a corpus in the folder `corpus` beside it.
SEGMENTS = """\
title = "Single segments"
corpora = ["corpus"]
metrics = ["wer", "bleu(order=1)"]
criteria = ["adequacy", "errors"]

[documents]
kind = "segments"

[correlation]
coefficients = ["spearman"]

[uncertainty]
method = "none"
"""
