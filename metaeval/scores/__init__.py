"""Scores that others computed: files of scores, submissions to WMT, and what came with a corpus."""
