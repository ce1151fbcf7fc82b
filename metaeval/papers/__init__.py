"""PAPERS: the claims, the printed numbers and the worked examples of a paper, beside what a run finds."""
