"""What several calibrations share: models of corpora, what the defaults say of them, and tables."""
