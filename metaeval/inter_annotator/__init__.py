"""AGREE: how well the judges agree with one another, and what the agreement of metrics owes to single judges."""
