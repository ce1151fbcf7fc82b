"""The data that all stages share: the corpus, judgments, statistics and how they are pooled, resamples."""
