"""SAMPLE: segments become documents, references become subsets; no score is seen here."""
