"""What runs around an experiment: the directory of a run, calls side by side, the end of the process."""
