"""Whether a corpus is simulated: what its signatures say, and so all that is printed of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaeval.records import Corpus


def is_simulated(facts: Mapping[str, Any]) -> bool:
    """Return whether a corpus of such facts was made by ``metaeval corpus simulate``, as the demo was."""
    return str(facts.get("source", "")).startswith("metaeval corpus simulate")


def corpus_items(corpus: Corpus) -> tuple[tuple[str, str], ...]:
    """Return what signatures say of a corpus: its name and digest, and that it is simulated if it is."""
    simulated = (("simulated", "yes"),) if is_simulated(corpus.facts) else ()
    return (("corpus", f"{corpus.name}@{corpus.digest[:8]}"), *simulated)
