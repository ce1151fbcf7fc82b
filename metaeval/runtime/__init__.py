"""What runs around an experiment: the directory of a run."""
