"""What a run is, live or loaded: keys, typed tables, arrays by key; written and read by the same code."""
