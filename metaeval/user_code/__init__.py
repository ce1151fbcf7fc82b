"""Functions, objects and programs of users as metrics, coefficients and tokenizers."""
