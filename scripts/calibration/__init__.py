"""Parts of the calibration scripts: simulated corpora, the answers of the defaults on these, and tables."""
