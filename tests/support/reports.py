"""What readers report, as one text that tests search."""

from __future__ import annotations

from metaeval.corpora.problems import Problems


def told(problems: Problems, severity: str) -> str:
    """Return all findings of a severity, one a line."""
    return "\n".join(str(problem) for problem in problems.entries if problem.severity == severity)
