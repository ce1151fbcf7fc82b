"""A run, live or loaded: keys, typed tables, arrays by key; written and read by the same code."""
