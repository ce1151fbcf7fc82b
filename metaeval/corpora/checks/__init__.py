"""What looks damaged in a corpus that can be read: cheap tests, none of which speaks of corpora as they usually are."""
