"""The figures of a run: one file a kind, what all kinds share, and how they are drawn and written."""
