"""WRITE: results become text, tables, figures and the HTML page; what is read is `metaeval.results` alone."""
