"""PREPROCESS: texts become tokens, and tokens become integer ids, once for all metrics."""
