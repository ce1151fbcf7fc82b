"""READ: files become a :class:`~metaeval.records.Corpus`, or a report of all that is wrong with them."""
