"""RUN: an experiment is computed, compared with its paper, drawn and written to a directory of its own."""
