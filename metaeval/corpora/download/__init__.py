"""Download public corpora, and unpack archives."""
