"""The environment of an experiment: cache, worker processes, run directories, shutdown."""
