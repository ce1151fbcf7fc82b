"""Claims of a paper, and what an experiment finds of them."""

from metaeval.papers.claims.judge import judge_claims
from metaeval.papers.claims.settings import ClaimSettings

__all__ = ["ClaimSettings", "judge_claims"]
