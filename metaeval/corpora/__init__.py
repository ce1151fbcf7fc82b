"""READ: files become a :class:`~metaeval.datamodel.corpus.Corpus`, or a report of all that is wrong with them."""
