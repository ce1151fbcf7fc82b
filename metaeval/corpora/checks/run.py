"""Run all checks of a corpus; a new check is a function in `texts` or `judgments`, and a line here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metaeval.corpora.checks import judgments, texts
from metaeval.corpora.checks.common import MIN_SEGMENTS, CheckedCorpus
from metaeval.corpora.filtering import with_segments
from metaeval.datamodel.corpus import Corpus

Check = Callable[[CheckedCorpus], str | None]

TEXT_CHECKS: tuple[Check, ...] = (
    texts.misaligned_texts,
    texts.copied_texts,
    texts.unusual_texts,
    texts.misread_texts,
    texts.missing_texts,
)
JUDGMENT_CHECKS: tuple[Check, ...] = (
    judgments.differing_scales,
    judgments.constant_judges,
    judgments.inverted_judges,
    judgments.inverted_systems,
    judgments.inverted_criteria,
    judgments.misaligned_judgments,
    judgments.duplicated_judgments,
    judgments.missing_judgments,
)
# Of longer corpora the first segments are checked, so that memory stays small beside that of reading them.
MAX_SEGMENTS = 20_000
MAX_TEXTS = 400_000


def damage_warnings(corpus: Corpus) -> list[str]:
    """Return a warning for each kind of damage that a corpus seems to have.

    Parameters
    ----------
    corpus : Corpus
        As it was read.

    Returns
    -------
    list of str
        What was seen, and what to do about it; empty for a sound corpus. Of very many segments the first 20,000 are
        checked, or as many as have 400,000 texts.
    """
    n_texts = len(corpus.systems) + len(corpus.references)
    n_checked = min(corpus.n_segments, MAX_SEGMENTS, max(MIN_SEGMENTS, MAX_TEXTS // n_texts))
    checked = CheckedCorpus(with_segments(corpus, np.arange(n_checked)))
    if n_checked < MIN_SEGMENTS:
        return []
    checks = [*(TEXT_CHECKS if checked.has_texts else ()), *(JUDGMENT_CHECKS if len(corpus.judgments) else ())]
    with np.errstate(all="ignore"):
        return [message for check in checks if (message := check(checked)) is not None]
