"""Claims of a paper, and what an experiment says to them."""

from metaeval.experiments.claims.judge import judge_claims
from metaeval.experiments.claims.settings import ClaimSettings

__all__ = ["ClaimSettings", "judge_claims"]
