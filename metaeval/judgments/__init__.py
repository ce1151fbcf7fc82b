"""JUDGE: judgments become normalised values, and values become one number for each item."""
