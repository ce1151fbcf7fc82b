"""The config of an experiment: its schema, its filter and its defaults."""
